//! What policies say, and the effects.

use std::sync::Arc;

use ampoule_policy::{Act, RunLabels};
use ampoule_tools::Layers;
use serde_json::json;

use super::*;

const NO_SENDING: &str = r#"@id("no-mail") @reason("mail stays in the house") forbid(principal, action == Action::"mail.send", resource);"#;

#[tokio::test]
async fn without_any_part_nothing_stands_in_between() {
    let world = World::new();
    let governance = Governance::builder().build().unwrap();
    assert!(governance.is_nothing() && !governance.has_policies());
    let run = begin(&governance).await;
    world
        .call(&run, 0, "mail", "send", json!({"to": "<email:1>"}))
        .await
        .unwrap();
    // The layers do nothing either where somebody puts them there.
    let layers = Layers::default().with(run.layer()).with(run.seal());
    world
        .through(&layers, &run, 1, "mail", "send", json!({}))
        .await
        .unwrap();
    assert_eq!(world.mail.take_calls().len(), 2);
    let mut text = "a@b.example".to_owned();
    let over = run.end(&mut [&mut text], returned()).await;
    assert!(over.shown.unwrap().is_empty() && over.carried.is_empty());
    assert_eq!(text, "a@b.example");
}

#[tokio::test]
async fn what_a_policy_denies_does_not_leave_and_says_how_to_allow_it() {
    let world = World::new();
    let governance = world.governance(NO_SENDING);
    let run = begin(&governance).await;
    let told = denied(
        world
            .call(&run, 0, "mail", "send", json!({"to": "x"}))
            .await,
    );
    assert_eq!(
        told,
        "mail.send was not called: mail stays in the house (policy `no-mail`); the operator can allow it there"
    );
    assert_eq!(world.mail.take_calls(), []);
    world
        .call(&run, 1, "mail", "read", json!({}))
        .await
        .unwrap();
    assert_eq!(world.mail.take_calls().len(), 1);
}

#[tokio::test]
async fn what_nothing_permits_is_denied() {
    let world = World::new();
    let governance = world.governance(
        r#"permit(principal == User::"ada", action == Action::"mail.read", resource);"#,
    );
    let run = begin(&governance).await;
    world
        .call(&run, 0, "mail", "read", json!({}))
        .await
        .unwrap();
    let told = denied(world.call(&run, 1, "mail", "send", json!({})).await);
    assert!(
        told.contains("no policy permits `mail.send`") && told.contains("with a role or a policy"),
        "{told}"
    );
    // The local user is called so, and is nobody else.
    let local = RunFacts {
        principal: None,
        ..facts()
    };
    let local = governance.run(local).await.unwrap();
    denied(world.call(&local, 0, "mail", "read", json!({})).await);
}

#[tokio::test]
async fn tools_that_are_always_denied_are_absent_and_unknown_ones_too() {
    let world = World::new();
    let governance = world.governance(NO_SENDING);
    let caller = Governance::caller(None, None, None);
    assert!(!governance.may_ever(&caller, "mail", "send"));
    assert!(governance.may_ever(&caller, "mail", "read"));
    assert!(!governance.may_ever(&caller, "mail", "new"));
    let run = begin(&governance).await;
    let told = denied(world.call(&run, 0, "mail", "new", json!({})).await);
    assert!(
        told.contains("the policies don't know the tool `mail.new`"),
        "{told}"
    );
}

#[tokio::test]
async fn tools_that_come_later_exist_from_then_on() {
    let world = World::new();
    let governance = world.governance(NO_SENDING);
    let (run, version) = (begin(&governance).await, governance.version());
    let mut tools = world.known()[0].tools.as_ref().unwrap().to_vec();
    tools.push(tool("new", json!({}), None));
    world.mail.list(tools);
    world
        .mail
        .offer([tool("$read", json!({"readOnlyHint": true}), None)]);
    governance.tools_changed(world.known()).unwrap();
    assert_ne!(governance.version(), version);
    for tool in ["new", "$read"] {
        world.call(&run, 0, "mail", tool, json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn tools_that_policies_do_not_fit_change_nothing() {
    let world = World::new();
    let governance = world.governance(
        r#"@id("to-us") forbid(principal, action == Action::"mail.send", resource) unless { context.arguments has to && context.arguments.to == "us" };"#,
    );
    let (run, version) = (begin(&governance).await, governance.version());
    let other = json!({"name": "send", "inputSchema": {"type": "object", "properties": {"to": {"type": "integer"}}}});
    world.mail.list([
        serde_json::from_value(other).unwrap(),
        tool("new", json!({}), None),
    ]);
    let problems = governance.tools_changed(world.known()).unwrap_err();
    assert!(
        problems.to_string().contains("to-us") || problems.to_string().contains("to"),
        "{problems}"
    );
    assert_eq!(governance.version(), version);
    world
        .call(&run, 0, "mail", "send", json!({"to": "us"}))
        .await
        .unwrap();
    denied(
        world
            .call(&run, 1, "mail", "send", json!({"to": "them"}))
            .await,
    );
    denied(world.call(&run, 2, "mail", "new", json!({})).await);
}

#[tokio::test]
async fn other_policies_hold_at_once_or_not_at_all() {
    let world = World::new();
    let log = world.log();
    let governance = world
        .builder(NO_SENDING)
        .audit(Arc::clone(&log))
        .build()
        .unwrap();
    let run = begin(&governance).await;
    denied(world.call(&run, 0, "mail", "send", json!({})).await);
    governance
        .policies_changed(sources("forbid(nonsense"), None)
        .unwrap_err();
    denied(world.call(&run, 1, "mail", "send", json!({})).await);
    let none = sources(r#"@id("x") forbid(principal, action == Action::"mail.read", resource);"#);
    governance
        .policies_changed(none, Some("grace".into()))
        .unwrap();
    world
        .call(&run, 2, "mail", "send", json!({}))
        .await
        .unwrap();
    denied(world.call(&run, 3, "mail", "read", json!({})).await);
    drop((run, governance));
    world.close(log).await;
    let events = world.events();
    let changed: Vec<_> = events
        .iter()
        .filter(|event| matches!(event, Event::PolicyChanged(_)))
        .collect();
    assert_eq!(changed.len(), 1);
}

#[tokio::test]
async fn what_was_decided_is_explained() {
    let world = World::new();
    let governance = world.governance(NO_SENDING);
    let caller = Governance::caller(Some(&Principal::new("ada")), None, None);
    let arguments = json!({});
    let act = Act::Call {
        server: "mail",
        tool: "send",
        arguments: &arguments,
    };
    let told = governance
        .explain(&caller, act, &RunLabels::new())
        .to_string();
    assert!(
        told.contains("deny") && told.contains("no-mail") && told.contains("does not exist"),
        "{told}"
    );
    assert_eq!(governance.fingerprint().len(), 64);
}

#[tokio::test]
async fn what_was_decided_for_a_tool_ends_when_the_run_reads_more() {
    let world = World::new();
    let mut sources = sources(
        r#"@id("clean") forbid(principal, action == Action::"mail.send", resource) when { context.labels.contains("customers") };"#,
    );
    sources.labels = labelled(r#"{"gives": {"crm.*": "customers"}}"#).labels;
    let governance = world.builder("").policies(sources).build().unwrap();
    let run = begin(&governance).await;
    for number in 0..3 {
        let sent = world.call(&run, number, "mail", "send", json!({}));
        sent.await.unwrap();
    }
    let read = world.call(&run, 3, "crm", "get", json!({}));
    read.await.unwrap();
    for number in 4..6 {
        let told = denied(world.call(&run, number, "mail", "send", json!({})).await);
        assert!(told.contains("`clean`"), "{told}");
    }
    // Another run has read nothing.
    let other = begin(&governance).await;
    let sent = world.call(&other, 0, "mail", "send", json!({}));
    sent.await.unwrap();
    assert_eq!(world.mail.take_calls().len(), 4);
}

#[tokio::test]
async fn what_was_decided_for_a_tool_ends_when_policies_change() {
    let world = World::new();
    let governance = world.governance(r#"permit(principal, action, resource);"#);
    let run = begin(&governance).await;
    for number in 0..2 {
        let sent = world.call(&run, number, "mail", "send", json!({}));
        sent.await.unwrap();
    }
    governance
        .policies_changed(sources(NO_SENDING), None)
        .unwrap();
    let told = denied(world.call(&run, 2, "mail", "send", json!({})).await);
    assert!(told.contains("`no-mail`"), "{told}");
    let changed = sources(r#"permit(principal, action == Action::"mail.send", resource);"#);
    governance.policies_changed(changed, None).unwrap();
    let sent = world.call(&run, 3, "mail", "send", json!({}));
    sent.await.unwrap();
    denied(world.call(&run, 4, "mail", "read", json!({})).await);
    assert_eq!(world.mail.take_calls().len(), 3);
}

#[tokio::test]
async fn what_is_known_of_a_tool_is_found_out_anew_where_others_read_arguments_too() {
    let world = World::new();
    let to_us = r#"@id("to-us") forbid(principal, action == Action::"mail.send", resource) unless { context.arguments has to && context.arguments.to == "us" };"#;
    let clean = r#"@id("clean") forbid(principal, action == Action::"mail.send", resource) when { context.labels.contains("customers") };"#;
    let mut both = sources(&format!("{to_us}\n{clean}"));
    both.labels = labelled(r#"{"gives": {"crm.*": "customers"}}"#).labels;
    let governance = world.builder("").policies(both).build().unwrap();
    let run = begin(&governance).await;
    let send = |number, to: &str| world.call(&run, number, "mail", "send", json!({"to": to}));
    send(0, "us").await.unwrap();
    let told = denied(send(1, "them").await);
    assert!(told.contains("`to-us`"), "{told}");
    // It has read something: what did not look at arguments holds now.
    let read = world.call(&run, 2, "crm", "get", json!({}));
    read.await.unwrap();
    for (number, to, by) in [(3, "us", "`clean`"), (4, "them", "`to-us, clean`")] {
        let told = denied(send(number, to).await);
        assert!(told.contains(by), "{told}");
    }
    // Only those are left that look at arguments.
    let changed = sources(to_us);
    governance.policies_changed(changed, None).unwrap();
    send(5, "us").await.unwrap();
    let told = denied(send(6, "them").await);
    assert!(told.contains("`to-us`"), "{told}");
}

#[tokio::test]
async fn what_depends_on_arguments_is_decided_for_each_call() {
    let world = World::new();
    let governance = world.governance(
        r#"@id("to-us") forbid(principal, action == Action::"mail.send", resource) unless { context.arguments has to && context.arguments.to == "us" };"#,
    );
    let run = begin(&governance).await;
    for number in 0..3 {
        let (us, them) = (json!({"to": "us"}), json!({"to": "them"}));
        let sent = world.call(&run, 2 * number, "mail", "send", us);
        sent.await.unwrap();
        let told = denied(world.call(&run, 2 * number + 1, "mail", "send", them).await);
        assert!(told.contains("`to-us`"), "{told}");
    }
    assert_eq!(world.mail.take_calls().len(), 3);
}

/// The log's own level says it, and the console's tag.
#[test]
fn a_warning_does_not_say_that_it_is_one() {
    let pattern = r#"forbid(principal, action in Action::"mail.drop_*", resource);"#;
    let mail = KnownServer {
        name: "mail".into(),
        says_it_is: None,
        tools: Some([tool("send", json!({}), None)].into()),
        offered: Arc::default(),
    };
    let builder = Governance::builder().policies(sources(pattern));
    let warnings = builder.servers(vec![mail]).build().unwrap().warnings();
    let said = "test.cedar:1:37: policy `test.cedar:1:1`: `mail.drop_*` matches no known tool";
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with(said), "{warnings:?}");
}
