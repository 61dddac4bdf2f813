//! Tools that somebody may never call do not exist for them.

use ampoule::{Ending, Grant, Principal, Script};

use super::*;

const NO_SENDING: &str = r#"@id("no-mail") @reason("mails are written by people")
    forbid(principal == User::"ada", action == Action::"mail.send", resource);
    @id("none-of-it") forbid(principal == User::"bob", action in [Action::"mail.send", Action::"mail.read"], resource);"#;

#[tokio::test]
async fn they_are_in_no_list_search_error_type_or_import() {
    let world = World::new();
    let governance = policies(NO_SENDING).build().unwrap();
    let runtime = world.runtime(&governance);
    let looks = "
        const found = (await tools.$search('send a mail')).map(tool => tool.name ?? tool.identifier);
        const said = async call => { try { return await call() } catch (error) { return String(error) } };
        const near = await said(() => tools.mail.sent({}));
        const called = await said(() => tools.mail.send({ to: 'x' }));
        return { found, near, called };";
    let by = |name: &str| typescript(&runtime, looks).principal(name).run();
    let seen = |outcome: Outcome| serde_json::to_string(&value(&outcome)).unwrap();
    let grace = seen(by("grace").await.unwrap());
    assert!(grace.contains("\"send\""), "{grace}");
    let ada = value(&by("ada").await.unwrap());
    assert!(
        ada["near"].as_str().unwrap().ends_with("Its tools: read"),
        "{ada}"
    );
    assert!(!ada["found"].to_string().contains("send"), "{ada}");
    assert!(
        !ada["near"].as_str().unwrap().contains("did you mean"),
        "{ada}"
    );
    let called = ada["called"].as_str().unwrap();
    assert!(called.contains("no tool `send`"), "{called}");
    assert!(!called.contains("policy"), "{called}");

    // Nor is a server of which nothing is left.
    let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
    let names = |principal: &Principal| {
        let tools = runtime
            .tools_of(Grant::all(), Some(principal), None)
            .unwrap();
        let names = tools.servers().map(|server| server.name().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&ada), ["crm", "mail", "skills"]);
    assert_eq!(names(&bob), ["crm", "skills"]);
    let outcome = typescript(&runtime, "return await tools.mail.read()");
    let outcome = outcome.principal(bob.clone()).run().await.unwrap();
    let Ending::Threw(thrown) = outcome.ending else {
        panic!("{:?}", outcome.ending)
    };
    assert!(thrown.message.contains("unknown server `mail`"), "{thrown}");
    // A grant that names it is not an error for them.
    let isolate = runtime
        .isolate(Script::typescript("return 1"))
        .principal(bob);
    let granted = isolate
        .grant("mail, crm".parse().unwrap())
        .run()
        .await
        .unwrap();
    assert_eq!(value(&granted), 1);
}

#[tokio::test]
async fn what_is_denied_now_and_then_is_told_with_its_reason() {
    let world = World::new();
    let governance = policies(
        r#"@id("inside") @reason("only colleagues get mail")
        forbid(principal, action == Action::"mail.send", resource) unless { context.arguments has to && context.arguments.to == "bob" };"#,
    );
    let runtime = world.runtime(&governance.build().unwrap());
    for (language, source) in [
        (
            Language::TypeScript,
            "await tools.mail.send({ to: 'bob' });
            return await tools.mail.send({ to: 'eve' }).catch(error => [error.kind, String(error)])",
        ),
        (
            Language::Python,
            "
await tools.mail.send(to='bob')
try:
    await tools.mail.send(to='eve')
except Exception as error:
    said = [error.kind, str(error)]
said",
        ),
    ] {
        let outcome = script(&runtime, language, source).run().await.unwrap();
        let told = value(&outcome);
        assert_eq!(told[0], "denied");
        let told = told[1].to_string();
        assert!(told.contains("only colleagues get mail"), "{told}");
        assert!(told.contains("policy `inside`"), "{told}");
    }
    let to_bob = ("send".to_owned(), json!({ "to": "bob" }));
    assert_eq!(world.sent(), [to_bob.clone(), to_bob]);
}

#[tokio::test]
async fn policies_that_do_not_fit_the_tools_are_an_error_when_the_runtime_is_made() {
    let world = World::new();
    let governance = policies(r#"permit(principal, action == Action::"mail.sned", resource);"#);
    let built = world.builder(&governance.build().unwrap()).build();
    let error = built.err().expect("an error");
    assert!(error.is_config(), "{error}");
    assert!(
        error.to_string().contains("did you mean `mail.send`"),
        "{error}"
    );
}
