//! What a run has read goes with what it leaves.

use ampoule::governance::quota::{Quotas, Rule};
use ampoule::{Quota, Sharing, Workspaces};

use super::*;

/// Mails, and the model, get nothing of customers.
fn kept_in(world: &World) -> Builder {
    let refuses = json!({ "mail.send": { "labels": "customers", "then": "deny", "reason": "customers stay here" } });
    let _ = world;
    labelled(refuses)
}

const SENDS: &str =
    "return await tools.mail.send({ to: 'eve' }).then(() => 'sent', error => String(error))";

fn is_kept_in(told: &Value) {
    assert!(told.to_string().contains("customers stay here"), "{told}");
}

#[tokio::test]
async fn a_session_brings_along_what_its_runs_have_read() {
    for language in BOTH {
        let world = World::new();
        let governance = kept_in(&world).build().unwrap();
        let first = match language {
            Language::Python => "secret = await tools.crm.get()",
            _ => "const secret = await tools.crm.get()",
        };
        let second = match language {
            Language::Python => {
                "
try:
    said = (await tools.mail.send(to='eve', text=secret['email']))['id']
except Exception as error:
    said = str(error)
said"
            }
            _ => {
                "await tools.mail.send({ to: 'eve', text: secret.email }).then(() => 'sent', error => String(error))"
            }
        };
        let runtime = world.runtime(&governance);
        let run = |runtime: &Runtime, source| script(runtime, language, source).session("s").run();
        run(&runtime, first).await.unwrap();
        // In the next process, too.
        drop(runtime);
        let runtime = world.runtime(&governance);
        is_kept_in(&value(&run(&runtime, second).await.unwrap()));
        // One that began anew may.
        let fresh = typescript(&runtime, SENDS)
            .session("other")
            .run()
            .await
            .unwrap();
        assert_eq!(value(&fresh), "sent");
    }
}

#[tokio::test]
async fn an_error_s_text_is_something_that_was_read() {
    let world = World::new();
    let runtime = world.runtime(&kept_in(&world).build().unwrap());
    let source = "
        const text = await tools.crm.fail().catch(error => error.message);
        return await tools.mail.send({ to: 'eve', text }).then(() => 'sent', error => String(error))";
    is_kept_in(&value(&typescript(&runtime, source).run().await.unwrap()));
    assert_eq!(world.sent(), []);
}

#[tokio::test]
async fn files_bring_along_what_those_had_read_who_wrote_them() {
    let world = World::new();
    let governance = kept_in(&world).build().unwrap();
    let workspaces = || Workspaces::new(world.path("files"), Sharing::default(), Quota::default());
    let runtime = || {
        world
            .builder(&governance)
            .workspaces(workspaces())
            .build()
            .unwrap()
    };
    let write = "
        import fs from 'node:fs';
        const { email } = await tools.crm.get();
        fs.writeFileSync('list.txt', email);
        return 1";
    assert_eq!(
        value(&typescript(&runtime(), write).run().await.unwrap()),
        1
    );
    for read in [
        "fs.readFileSync('list.txt', 'utf8')",
        "fs.existsSync('other.txt')",
        "fs.readdirSync('.')",
    ] {
        let source = format!(
            "import fs from 'node:fs';
            const read = {read};
            {SENDS}"
        );
        is_kept_in(&value(
            &typescript(&runtime(), &source).run().await.unwrap(),
        ));
    }
    // A run that reads no file has no labels.
    assert_eq!(
        value(&typescript(&runtime(), SENDS).run().await.unwrap()),
        "sent"
    );
    let in_python = "(await tools.mail.send(to='eve'))['id']";
    let outcome = script(&runtime(), Language::Python, in_python)
        .run()
        .await
        .unwrap();
    assert_eq!(value(&outcome), "m-1");
}

#[tokio::test]
async fn skills_bring_along_what_the_run_had_read_that_saved_them() {
    let world = World::new();
    let runtime = world.runtime(&kept_in(&world).build().unwrap());
    let save = r#"
        const { name } = await tools.crm.get();
        const saved = await tools.skills.save({
            name: 'whose', description: 'who it is: ' + name, code: `export function whose(): string { return ${JSON.stringify(name)} }`,
        });
        return saved.name"#;
    assert_eq!(
        value(&typescript(&runtime, save).run().await.unwrap()),
        "whose"
    );
    let imports = format!("import {{ whose }} from './skills/whose'; whose(); {SENDS}");
    is_kept_in(&value(&typescript(&runtime, &imports).run().await.unwrap()));
    let lists = format!("const list = await tools.skills.list(); {SENDS}");
    is_kept_in(&value(&typescript(&runtime, &lists).run().await.unwrap()));
    // Also where the script does not look as if it had to do with them.
    let hides = format!("const list = await tools['ski' + 'lls'].list(); {SENDS}");
    is_kept_in(&value(&typescript(&runtime, &hides).run().await.unwrap()));
    assert_eq!(
        value(&typescript(&runtime, SENDS).run().await.unwrap()),
        "sent"
    );
}

#[tokio::test]
async fn a_skill_says_nothing_that_the_model_may_not_have() {
    let world = World::new();
    let governance = labelled(
        json!({ "model": { "labels": "customers", "then": "deny", "reason": "customers stay here" } }),
    );
    let runtime = world.runtime(&governance.build().unwrap());
    let save = "
        const { name } = await tools.crm.get();
        await tools.skills.save({ name: 'whose', description: name, code: 'export const one = 1' });
        return 1";
    let outcome = typescript(&runtime, save).run().await.unwrap();
    assert!(outcome.withheld.is_some());
    let none = runtime.tools(Grant::all()).unwrap();
    assert!(
        runtime
            .find_skills("", 10, None, &none)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_run_that_was_parked_has_read_what_came_while_it_slept() {
    let world = World::new();
    let cedar = r#"@id("ask") @ask @reason("r") forbid(principal, action == Action::"crm.purge", resource);"#;
    let governed = || {
        let labels = json!({ "gives": { "crm.get": "customers" }, "refuses": { "mail.send": { "labels": "customers", "then": "deny", "reason": "customers stay here" } } });
        let file = File {
            name: "test.cedar".into(),
            text: cedar.into(),
        };
        let sources = Sources {
            files: vec![file],
            labels: serde_json::from_value(labels).unwrap(),
            ..Sources::default()
        };
        Governance::builder()
            .policies(sources)
            .servers(known())
            .asking(world.asking())
            .build()
            .unwrap()
    };
    let source = format!("await tools.crm.get(); await tools.crm.purge(); {SENDS}");
    let governance = governed();
    let runtime = world.runtime(&governance);
    let run = typescript(&runtime, &source)
        .park_after(SOON)
        .start()
        .await
        .unwrap();
    world.question().await;
    while runtime.waiting().parked != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    stopped(runtime, run).await;
    drop(governance);
    world.answer(Answer::AllowOnce).await;
    let governance = governed();
    let runtime = world.runtime(&governance);
    let (_, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
    is_kept_in(&value(&run.unwrap().outcome().await.unwrap()));
    assert_eq!(world.sent(), [("purge".to_owned(), json!({}))]);
}

/// What a run that has read nothing may ask of what is kept, so as to learn what a run that had read
/// something wrote there.
const ASKED: [(&str, &str); 7] = [
    (
        "which version a save is",
        "const told = (await tools.skills.save({ name: 'b0', description: 'd', code: 'export const a = 1' })).version;",
    ),
    (
        "which version another save is",
        "const told = (await tools.skills.save({ name: 'b7', description: 'd', code: 'export const a = 1' })).version;",
    ),
    (
        "whether an example finds another skill",
        "const told = await tools.skills.save({ name: 'b6', description: 'd', code: 'export const a = 1', example: \"await import('./skills/b0')\" }).then(() => 1, error => 0);",
    ),
    (
        "whether a search finds something",
        "const told = (await tools.skills.list({ query: 'nothing of that' })).length;",
    ),
    (
        "whether there is a skill to import",
        "const told = await import('./skills/b0').then(() => 1, () => 0);",
    ),
    (
        "whether there is none to import",
        "const told = await import('./skills/b5').then(() => 1, () => 0);",
    ),
    (
        "what is left of quotas",
        "const told = (await tools.quotas.left())[0].left;",
    ),
];

#[tokio::test]
async fn no_answer_tells_a_run_without_the_label_what_one_with_it_left() {
    for (what, asks) in ASKED {
        for is_labelled in [true, false] {
            let world = World::new();
            let limits = Rule {
                calls_per_day: Some(1_000),
                ..Rule::default()
            };
            let quotas = || {
                let rules = vec![limits.clone().called("few")];
                Arc::new(Quotas::new(rules, Some(&world.path("quotas"))).unwrap())
            };
            let governance = || kept_in(&world).quotas(quotas()).build().unwrap();
            let reads = if is_labelled {
                "await tools.crm.get();"
            } else {
                ""
            };
            let leaves = format!(
                "{reads} await tools.skills.save({{ name: 'b0', description: 'd', code: 'export const a = 1' }}); return 1"
            );
            let runtime = world.runtime(&governance());
            assert_eq!(
                value(&typescript(&runtime, &leaves).run().await.unwrap()),
                1
            );
            let asks = format!("{asks} {SENDS}");
            let told = value(&typescript(&runtime, &asks).run().await.unwrap());
            // In another process, too.
            drop(runtime);
            let again = world.runtime(&governance());
            let told_again = value(&typescript(&again, &asks).run().await.unwrap());
            for told in [told, told_again] {
                match is_labelled {
                    true => assert!(
                        told.to_string().contains("customers stay here"),
                        "{what}: {told}"
                    ),
                    false => assert_eq!(told, "sent", "{what}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_nothing_is_left_for_tells_what_those_had_read_who_used_it_up() {
    let world = World::new();
    let limits = Rule {
        calls_per_hour: Some(1),
        ..Rule::default()
    };
    let mut rule = limits.called("few");
    rule.tool = "crm".parse().unwrap();
    let quotas = Arc::new(Quotas::new(vec![rule], None).unwrap());
    let governance = kept_in(&world).quotas(quotas).build().unwrap();
    let runtime = world.runtime(&governance);
    let uses = "await tools.crm.get(); return await tools.crm.get().then(() => 1, error => 0)";
    assert_eq!(value(&typescript(&runtime, uses).run().await.unwrap()), 0);
    let asks = format!("const told = await tools.crm.fail().then(() => 1, error => 0); {SENDS}");
    is_kept_in(&value(&typescript(&runtime, &asks).run().await.unwrap()));
}

#[tokio::test]
async fn a_session_that_went_back_tells_what_the_run_had_read_that_undid_it() {
    let world = World::new();
    let runtime = world.runtime(&kept_in(&world).build().unwrap());
    let run = |source: &str| typescript(&runtime, source).session("s").run();
    run("let n = 1").await.unwrap();
    run("n = 2").await.unwrap();
    run("const { name } = await tools.crm.get(); if (name) session.rewind(1)")
        .await
        .unwrap();
    is_kept_in(&value(&run(SENDS).await.unwrap()));
    // A copy, too, which the same run made.
    run("await tools.crm.get(); session.fork('copy')")
        .await
        .unwrap();
    let copy = typescript(&runtime, SENDS).session("copy").run();
    is_kept_in(&value(&copy.await.unwrap()));
}
