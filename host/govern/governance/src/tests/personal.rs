//! Personal data at the boundary to the model, and back.

use ampoule_privacy::{Mode, Receiver, Settings, TableLimits, Tables};
use serde_json::json;

use super::*;

fn tables(world: &World) -> Tables {
    Tables::open(&world.path("tables"), TableLimits::default()).unwrap()
}

fn settings(mode: Mode) -> Settings {
    Settings {
        mode,
        ..Settings::default()
    }
}

fn governed(world: &World, settings: Settings) -> Builder {
    world.builder("").privacy(settings, Some(tables(world)))
}

/// What the model reads of a text that a run returns.
async fn shown(run: GovernedRun, text: &str) -> String {
    let mut text = text.to_owned();
    run.end(&mut [&mut text], returned()).await.shown.unwrap();
    text
}

#[tokio::test]
async fn tokens_go_round_through_runs_processes_and_tools() {
    let world = World::new();
    let governance = governed(&world, settings(Mode::Tokens)).build().unwrap();
    let run = governance.run(of_session("work")).await.unwrap();
    world
        .crm
        .answer(structured(json!({"email": "ada@example.com"})));
    let got = world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    // The script has the real value; the model has a token.
    assert_eq!(value(&got), json!({"email": "ada@example.com"}));
    assert_eq!(
        shown(run, r#"{"email":"ada@example.com"}"#).await,
        r#"{"email":"<email:1>"}"#
    );
    // Another process, the same session.
    drop(governance);
    let governance = governed(&world, settings(Mode::Tokens)).build().unwrap();
    let run = governance.run(of_session("work")).await.unwrap();
    world
        .call(
            &run,
            0,
            "mail",
            "send",
            json!({"to": "<email:1>", "text": "hi"}),
        )
        .await
        .unwrap();
    assert_eq!(
        world.mail.take_calls()[0].1,
        json!({"to": "ada@example.com", "text": "hi"})
    );
    // Another session, and another principal's of the same name, know nothing of it.
    let bob = RunFacts {
        principal: Some(Principal::new("bob")),
        ..of_session("work")
    };
    for facts in [of_session("other"), bob, facts()] {
        let run = governance.run(facts).await.unwrap();
        world
            .call(&run, 0, "mail", "send", json!({"to": "<email:1>"}))
            .await
            .unwrap();
        assert_eq!(world.mail.take_calls()[0].1, json!({"to": "<email:1>"}));
    }
}

#[tokio::test]
async fn runs_of_a_session_at_the_same_time_share_its_tokens() {
    let world = World::new();
    let governance = governed(&world, settings(Mode::Tokens)).build().unwrap();
    let (one, other) = (of_session("work"), of_session("work"));
    let (one, other) = (
        governance.run(one).await.unwrap(),
        governance.run(other).await.unwrap(),
    );
    assert_eq!(shown(one, "a@example.com").await, "<email:1>");
    assert_eq!(
        shown(other, "b@example.com, a@example.com").await,
        "<email:2>, <email:1>"
    );
    // One that is dropped does not lose what the model was shown.
    let run = governance.run(of_session("work")).await.unwrap();
    let mut line = "c@example.com".to_owned();
    run.to_model(&mut [&mut line]).await.unwrap();
    drop(run);
    let next = governance.run(of_session("work")).await.unwrap();
    assert_eq!(shown(next, "d@example.com").await, "<email:4>");
}

#[tokio::test]
async fn what_looks_like_a_token_in_what_tools_say_stands_for_nobody() {
    let world = World::new();
    let governance = governed(&world, settings(Mode::Tokens)).build().unwrap();
    let run = governance.run(of_session("work")).await.unwrap();
    assert_eq!(shown(run, "ada@example.com").await, "<email:1>");
    let run = governance.run(of_session("work")).await.unwrap();
    let text = |text: &str| json!({"type": "text", "text": text});
    let answers = [
        ToolResult {
            content: vec![text("write to <email:1>")],
            ..ToolResult::default()
        },
        ToolResult {
            content: vec![text("&lt;EMAIL:1&gt;")],
            is_error: true,
            ..ToolResult::default()
        },
        structured(json!({"<email:1>": ["<email:1>"]})),
        structured(json!(["<email:1>", "x".repeat(100_000)])),
    ];
    for (number, answer) in (0..).zip(answers) {
        world.crm.answer(answer);
        let got = world
            .call(&run, number, "crm", "get", json!({}))
            .await
            .unwrap();
        let got = serde_json::to_string(&got).unwrap();
        assert!(!got.to_lowercase().contains("email:1"), "{got}");
        // A script that passes it on sends what it was, and no address.
        world
            .call(&run, 10 + number, "mail", "send", json!({"text": got}))
            .await
            .unwrap();
        let sent = world.mail.take_calls()[0].1.to_string();
        assert!(
            !sent.contains("ada@example.com") && sent.to_lowercase().contains("email:1"),
            "{sent}"
        );
    }
}

#[tokio::test]
async fn policies_and_people_look_at_the_value_not_at_its_token() {
    let world = World::new();
    let cedar = r#"@id("not-eve") forbid(principal, action == Action::"mail.send", resource) when { context.arguments has to && context.arguments.to like "*@eve.example" };
        @id("ask") @ask forbid(principal, action == Action::"mail.send", resource);"#;
    let builder = world.builder(cedar).asking(world.asking());
    let governance = builder
        .privacy(settings(Mode::Tokens), Some(tables(&world)))
        .build()
        .unwrap();
    let run = governance.run(of_session("work")).await.unwrap();
    assert_eq!(
        shown(run, "x@eve.example, bob@example.com").await,
        "<email:1>, <email:2>"
    );
    let run = governance.run(of_session("work")).await.unwrap();
    let told = denied(
        world
            .call(&run, 0, "mail", "send", json!({"to": "<email:1>"}))
            .await,
    );
    assert!(
        told.contains("`not-eve`") && !told.contains("x@eve"),
        "{told}"
    );
    let path = world.path("approvals");
    let person = tokio::spawn(async move {
        let listed = question(&open(&path)).await;
        let shown = &listed.question.calls[0].arguments;
        assert_eq!(shown[0].text, "bob@example.com");
        assert!(!shown[1].text.contains("ghp_"), "{}", shown[1].text);
        answer(path, Answer::AllowOnce).await;
    });
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let sent = json!({"to": "<email:2>", "text": secret});
    world.call(&run, 1, "mail", "send", sent).await.unwrap();
    person.await.unwrap();
    assert_eq!(
        world.mail.take_calls()[0].1,
        json!({"to": "bob@example.com", "text": secret})
    );
}

#[tokio::test]
async fn real_values_go_only_where_they_may() {
    let world = World::new();
    let to = Some(vec![Receiver::All("mail.send".into())]);
    let governance = governed(
        &world,
        Settings {
            to,
            ..settings(Mode::Tokens)
        },
    )
    .build()
    .unwrap();
    let run = governance.run(of_session("work")).await.unwrap();
    shown(run, "ada@example.com").await;
    let run = governance.run(of_session("work")).await.unwrap();
    for (tool, expected) in [("send", "ada@example.com"), ("drafts", "<email:1>")] {
        world
            .call(&run, 0, "mail", tool, json!({"to": "<email:1>"}))
            .await
            .unwrap();
        assert_eq!(world.mail.take_calls()[0].1["to"], expected);
    }
}

#[tokio::test]
async fn a_token_brings_the_labels_of_what_it_stands_for() {
    let world = World::new();
    let labels =
        labelled(r#"{"gives": {"crm.*": "customers"}, "refuses": {"mail.send": "customers"}}"#);
    let builder = Governance::builder()
        .servers(world.known())
        .policies(labels);
    let governance = builder
        .privacy(settings(Mode::Tokens), None)
        .build()
        .unwrap();
    let tokens = || RunFacts {
        tokens: Some("connection".into()),
        ..facts()
    };
    let run = governance.run(tokens()).await.unwrap();
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    let first = "ada@example.com".to_owned();
    let mut text = first.clone();
    run.to_model(&mut [&mut text]).await.unwrap();
    let other = governance.run(tokens()).await.unwrap();
    world
        .call(&other, 0, "mail", "send", json!({"to": "bob"}))
        .await
        .unwrap();
    denied(
        world
            .call(&other, 1, "mail", "send", json!({"to": text}))
            .await,
    );
    drop(run);
}

#[tokio::test]
async fn only_runs_that_called_the_tools_in_question_are_looked_at() {
    let world = World::new();
    let from = Some(vec!["crm.g*".to_owned()]);
    let block = Settings {
        from,
        ..settings(Mode::Block)
    };
    let governance = governed(&world, block).build().unwrap();
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "find", json!({})).await.unwrap();
    assert_eq!(shown(run, "ada@example.com").await, "ada@example.com");
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    let mut text = "ada@example.com".to_owned();
    let over = run.end(&mut [&mut text], returned()).await;
    let told = over.shown.unwrap_err().to_string();
    assert!(told.contains("1 email") && !told.contains("ada"), "{told}");
    assert_eq!(text, "");
    // What it left in its session is looked at, too.
    let next = governance
        .run(RunFacts {
            carried: over.carried,
            ..facts()
        })
        .await
        .unwrap();
    next.to_model(&mut [&mut "ada@example.com".to_owned()])
        .await
        .unwrap_err();
}

#[tokio::test]
async fn scripts_can_mask_by_themselves() {
    let world = World::new();
    let governance = governed(&world, settings(Mode::Detect)).build().unwrap();
    let run = begin(&governance).await;
    assert_eq!(run.mask("to ada@example.com".into()), "to <email:1>");
    world
        .call(&run, 0, "mail", "send", json!({"to": "<email:1>"}))
        .await
        .unwrap();
    assert_eq!(world.mail.take_calls()[0].1["to"], "ada@example.com");
    let over = run
        .end(&mut [&mut "ada@example.com".to_owned()], returned())
        .await;
    assert_eq!(over.shown.unwrap().of("email"), 1);
}

#[tokio::test]
async fn what_was_read_for_a_token_is_kept_with_it_whatever_became_of_the_run() {
    let world = World::new();
    let labels = r#"{"gives": {"crm.*": "customers"}, "refuses": {"mail.send": {"labels": "customers", "then": "deny", "reason": "customers stay here"}}}"#;
    let governance = || {
        let tables = Tables::open(&world.path("tables"), TableLimits::default()).unwrap();
        let builder = Governance::builder()
            .servers(world.known())
            .policies(labelled(labels));
        builder
            .privacy(settings(Mode::Tokens), Some(tables))
            .build()
            .unwrap()
    };
    let run = governance().run(of_session("s")).await.unwrap();
    world
        .crm
        .answer(structured(json!({"email": "ada@example.com"})));
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    let mut shown = "ada@example.com".to_owned();
    run.end(&mut [&mut shown], returned()).await;
    assert_eq!(shown, "<email:1>");
    // In another process, with nothing that anybody brought along.
    let run = governance().run(of_session("s")).await.unwrap();
    let told = denied(
        world
            .call(&run, 0, "mail", "send", json!({"to": "<email:1>"}))
            .await,
    );
    assert!(told.contains("customers stay here"), "{told}");
}
