//! Who sees which skills, and what is said of them.

use std::fs;

use ampoule::Language::TypeScript;
use ampoule::{
    ExampleCalls, Grant, Principal, RecordOptions, Script, SessionLimits, SkillName, SkillOptions,
    SkillOrigin,
};
use ampoule_tests::runtime_builder;
use serde_json::json;

use super::{CSV, Kept, saving};

async fn save_as(kept: &Kept, whose: &str, source: &str) {
    let outcome = kept.isolate(TypeScript, source).principal(whose).run();
    let outcome = outcome.await.unwrap();
    assert!(
        outcome.value::<serde_json::Value>().is_ok(),
        "{}",
        outcome.ending
    );
}

#[tokio::test]
async fn others_see_a_skill_when_a_person_approved_it() {
    let kept = Kept::new();
    let name = SkillName::new("numbers").unwrap();
    save_as(
        &kept,
        "ada",
        &saving("numbers", "export const n = 1;", None),
    )
    .await;
    assert_eq!(kept.sees(Some("ada")), ["numbers"]);
    assert!(kept.sees(Some("bob")).is_empty() && kept.sees(None).is_empty());
    let ada = Principal::new("ada");
    kept.runtime.approve_skill(&name, Some(&ada), None).unwrap();
    save_as(
        &kept,
        "ada",
        &saving("numbers", "export const n = 2;", None),
    )
    .await;
    for (whose, n) in [("ada", 2), ("bob", 1)] {
        let source = "import { n } from './skills/numbers'; return n";
        let run = kept.isolate(TypeScript, source).principal(whose).run();
        assert_eq!(run.await.unwrap().value::<u32>().unwrap(), n, "{whose}");
    }
    let shared = kept.runtime.shared_skills().unwrap();
    let approval = shared.get(&name, None).unwrap().approval.unwrap();
    assert_eq!(
        (approval.from.as_deref(), approval.version),
        (Some("ada"), 1)
    );
}

#[tokio::test]
async fn a_skill_runs_with_the_grant_of_the_run_that_imports_it() {
    let kept = Kept::new();
    kept.typescript(&saving("sheet-as-csv", CSV, None)).await;
    let script = Script::typescript(
        "import { sheetAsCsv } from './skills/sheet-as-csv'; return await sheetAsCsv('a')",
    );
    let outcome = kept.runtime.isolate(script).run().await.unwrap();
    let thrown = outcome.ending.to_string();
    assert!(thrown.contains("sheets"), "{thrown}");
    assert_eq!(kept.reads(), 0);
}

#[tokio::test]
async fn operators_bring_skills_as_folders() {
    let folder = tempfile::tempdir().unwrap();
    let skill = |name: &str, files: &[(&str, &str)]| {
        let path = folder.path().join("brought").join(name);
        fs::create_dir_all(path.join("scripts")).unwrap();
        let head = format!(
            "---\nname: {name}\ndescription: >-\n  Brought by\n  the operator\n---\n# Use\n"
        );
        fs::write(path.join("SKILL.md"), head).unwrap();
        for (file, text) in files {
            fs::write(path.join(file), text).unwrap();
        }
    };
    skill(
        "in-python",
        &[
            (
                "scripts/in_python.py",
                "from .helper import one\ndef two() -> int:\n    \"\"\"Gives two.\"\"\"\n    return one + 1\n",
            ),
            ("scripts/helper.py", "one = 1\n"),
        ],
    );
    skill(
        "in-typescript",
        &[(
            "index.ts",
            "/** Gives three. */\nexport function three(): number { return 3 }",
        )],
    );
    skill("broken", &[("index.ts", "export const = ")]);
    skill("told-only", &[]);
    let mut options = SkillOptions::default();
    options.folders = vec![folder.path().join("brought"), folder.path().join("missing")];
    options.save = false;
    let kept = Kept::with(options);
    assert_eq!(
        kept.python("from skills.in_python import two\nreturn two()")
            .await,
        2
    );
    assert_eq!(
        kept.typescript("import { three } from './skills/in-typescript'; return three()")
            .await,
        3
    );
    let told = "import text from './skills/told-only/SKILL.md'; return text";
    assert_eq!(kept.typescript(told).await, "# Use");
    let told = "open('skills/told-only/SKILL.md').read()";
    assert_eq!(kept.python(told).await, "# Use");
    let found = kept
        .runtime
        .find_skills("", 10, None, &kept.tools())
        .await
        .unwrap();
    let said: Vec<_> = found
        .iter()
        .map(|found| {
            assert_eq!(found.origin, SkillOrigin::Operator);
            let functions = found.skill.functions.iter().map(|it| it.signature.clone());
            (
                found.skill.name.as_str(),
                functions.collect::<Vec<_>>(),
                found.notes.len(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("broken", vec![], 1),
            ("in-python", vec!["two() -> int".to_owned()], 0),
            ("in-typescript", vec!["three(): number".to_owned()], 0),
            ("told-only", vec![], 0),
        ]
    );
    let thrown = kept
        .thrown(TypeScript, &saving("a", "export const a = 1", None))
        .await;
    assert!(thrown.contains("no tool `save`"), "{thrown}");
}

#[tokio::test]
async fn a_skill_says_when_its_tools_have_changed() {
    let kept = Kept::new();
    kept.typescript(&saving("sheet-as-csv", CSV, None)).await;
    let notes = async |kept: &Kept| {
        let found = kept
            .runtime
            .find_skills("sheet", 5, None, &kept.tools())
            .await;
        let mut found = found.unwrap();
        assert_eq!(found.len(), 1);
        found.remove(0).notes
    };
    assert!(notes(&kept).await.is_empty());
    let changed = |tool: &str, schema: serde_json::Value| {
        let tool = json!({ "name": tool, "inputSchema": schema });
        let tool = serde_json::from_value(tool).unwrap();
        let binding = ampoule::Functions::new("sheets")
            .raw(tool, async |_, _| Ok(ampoule::ToolResult::default()));
        let folder = kept.folder.path().join("skills");
        let builder = runtime_builder().binding(binding);
        builder
            .skills(folder, SkillOptions::default())
            .build()
            .unwrap()
    };
    let schema = json!({ "type": "object", "properties": { "sheet": { "type": "string" } } });
    for (tool, told) in [
        (
            "read_sheet",
            "the declaration of sheets.read_sheet has changed since this was saved",
        ),
        (
            "other",
            "it needs sheets.read_sheet, which is not available here",
        ),
    ] {
        let runtime = changed(tool, schema.clone());
        let tools = runtime.tools(Grant::all()).unwrap();
        let found = runtime.find_skills("sheet", 5, None, &tools).await.unwrap();
        assert!(found[0].notes[0].contains(told), "{:?}", found[0].notes);
        let isolate = runtime.isolate(Script::typescript(
            "return await skills.list({ query: 'csv' })",
        ));
        let listed = isolate.grant(Grant::all()).run().await.unwrap();
        let listed: serde_json::Value = listed.value().unwrap();
        assert!(
            listed[0]["notes"][0].as_str().unwrap().contains(told),
            "{listed}"
        );
    }
    // Nor does its example run any more.
    let runtime = changed("other", schema);
    let skill = runtime
        .skills(None)
        .unwrap()
        .get(&SkillName::new("sheet-as-csv").unwrap(), None)
        .unwrap();
    let tools = runtime.tools(Grant::all()).unwrap();
    runtime
        .test_skill(&skill, None, &tools, ExampleCalls::Recorded)
        .await
        .unwrap();
}

#[tokio::test]
async fn runs_of_sessions_and_records_have_the_skills_that_they_had() {
    let folder = tempfile::tempdir().unwrap();
    let (sessions, records) = (
        folder.path().join("sessions"),
        folder.path().join("records"),
    );
    let kept = Kept::made(folder, SkillOptions::default(), |builder| {
        builder
            .sessions(sessions, SessionLimits::default())
            .records(records, RecordOptions::default())
    });
    kept.typescript(&saving("numbers", "export const n = { of: 1 };", None))
        .await;
    let source = "import { n } from './skills/numbers'; let mine = n; return mine.of";
    let isolate = kept
        .isolate(TypeScript, source)
        .session("s")
        .record(ampoule::Keep::All);
    let outcome = isolate.run().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
    kept.typescript(&saving("numbers", "export const n = { of: 2 };", None))
        .await;
    let again = kept
        .isolate(TypeScript, "return [n.of, mine.of]")
        .session("s")
        .run()
        .await
        .unwrap();
    assert_eq!(again.value::<[u32; 2]>().unwrap(), [1, 1]);
    let records = kept.runtime.records(None).unwrap();
    let record = records
        .record(&outcome.record.unwrap().to_string())
        .unwrap();
    let rerun = kept.runtime.replay(record).run().await.unwrap();
    assert_eq!(rerun.outcome.value::<u32>().unwrap(), 1);
}
