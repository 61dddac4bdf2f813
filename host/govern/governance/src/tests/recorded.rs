//! The audit log.

use std::process::Command;
use std::sync::Arc;

use ampoule_audit::{ArgumentForm, CallOutcome, Verdict};
use ampoule_tools::{Deadline, Layers};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use super::*;

/// What happened, in a word each.
fn told(events: &[Event]) -> Vec<String> {
    let told = events.iter().map(|event| match event {
        Event::RunStarted(it) => format!("started {}", it.principal.as_deref().unwrap()),
        Event::RunEnded(it) => format!("ended {}", it.outcome),
        Event::CallAsked(it) => format!(
            "asked {}.{} {:?} {:?}",
            it.server,
            it.tool,
            it.decision,
            it.policy.as_deref()
        ),
        Event::CallEnded(it) => format!("{}: {:?}", it.call, it.outcome),
        Event::Decision(it) => format!(
            "{:?} {:?} {}.{}",
            it.decision,
            it.policy.as_deref(),
            it.server,
            it.tool
        ),
        Event::Answer(it) => format!("{} by {}", it.answer, it.by.as_deref().unwrap()),
        Event::RequestDenied(it) => format!("refused {}", it.request),
        other => format!("{other:?}"),
    });
    told.collect()
}

#[tokio::test]
async fn a_run_is_recorded_from_its_beginning_to_its_end() {
    let world = World::new();
    let log = world.log();
    let cedar = format!(
        "{} @id(\"r\") @redact(\"x\") forbid(principal, action == Action::\"crm.find\", resource); @id(\"no\") forbid(principal, action == Action::\"mail.drafts\", resource);",
        asking::ASK
    );
    let builder = world.builder(&cedar).asking(world.asking());
    let governance = builder.audit(Arc::clone(&log)).build().unwrap();
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    world.crm.answer(ToolResult::failed("no"));
    world.call(&run, 1, "crm", "find", json!({})).await.unwrap();
    denied(world.call(&run, 2, "mail", "drafts", json!({})).await);
    for said in [
        Answer::AllowOnce,
        Answer::Deny {
            reason: String::new(),
        },
    ] {
        let to = format!("{said:?}");
        tokio::spawn(answer(world.path("approvals"), said));
        let _ = world.call(&run, 3, "mail", "send", json!({"to": to})).await;
    }
    world.crm.hang();
    let layers = run.inside_of(&Layers::default());
    let hangs = layers.before(&world.crm, "get").call(
        object(json!({})),
        context(&run, 5, "crm", "get", Deadline::never()),
    );
    assert!(
        tokio::time::timeout(Duration::from_millis(5), hangs)
            .await
            .is_err()
    );
    run.end(&mut [], returned()).await;
    drop(begin(&governance).await);
    drop((governance, layers));
    world.close(log).await;
    let events = world.events();
    assert_eq!(
        told(&events),
        [
            "started ada",
            "asked crm.get Allowed Some(\"default\")",
            "0: Answered",
            "asked crm.find Changed Some(\"r\")",
            "1: ToolFailed",
            "Denied Some(\"no\") mail.drafts",
            "Asked Some(\"ask-mail\") mail.send",
            "allowed by grace",
            "asked mail.send Approved Some(\"ask-mail\")",
            "3: Answered",
            "Asked Some(\"ask-mail\") mail.send",
            "denied by grace",
            "Denied Some(\"ask-mail\") mail.send",
            "asked crm.get Allowed Some(\"default\")",
            "5: Cancelled",
            "ended returned",
            "started ada",
            "ended dropped",
        ]
    );
    let asked = events.iter().find_map(|event| match event {
        Event::CallAsked(it) if it.decision == Verdict::Approved => Some(it),
        _ => None,
    });
    let asked = asked.unwrap();
    assert_eq!(asked.fingerprint.as_ref().unwrap().len(), 64);
    assert_eq!(asked.arguments.digest.len(), 32);
    let report =
        ampoule_audit::verify(&world.path("audit"), &ampoule_audit::Against::default()).unwrap();
    assert!(report.is_whole());
}

#[tokio::test]
async fn labels_and_refused_runs_are_recorded() {
    let world = World::new();
    let log = world.log();
    let limits = ampoule_quota::Rule {
        runs_per_day: Some(1),
        ..Default::default()
    };
    let quotas = ampoule_quota::Quotas::new(vec![limits.called("one")], None).unwrap();
    let builder = Governance::builder()
        .servers(world.known())
        .policies(labelled(
            r#"{"gives": {"crm.*": "customers"}, "refuses": {"mail.send": "customers"}}"#,
        ));
    let governance = builder
        .audit(Arc::clone(&log))
        .quotas(Arc::new(quotas))
        .build()
        .unwrap();
    let run = begin(&governance).await;
    for number in 0..2 {
        world
            .call(&run, number, "crm", "get", json!({}))
            .await
            .unwrap();
    }
    run.end(&mut [], returned()).await;
    governance.run(facts()).await.unwrap_err();
    drop(governance);
    world.close(log).await;
    let events = world.events();
    let labels: Vec<usize> = events
        .iter()
        .filter_map(|event| match event {
            Event::CallAsked(it) => Some(it.labels.len()),
            Event::RunEnded(it) => Some(it.labels.len()),
            _ => None,
        })
        .collect();
    assert_eq!(labels, [0, 1, 1]);
    assert_eq!(told(&events).last().unwrap(), "refused run");
    let outcome = |event: &Event| matches!(event, Event::CallEnded(it) if it.outcome == CallOutcome::Answered);
    assert_eq!(events.iter().filter(|event| outcome(event)).count(), 2);
}

/// No file may grow beyond that.
fn limit(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let current = bytes.or(maximum);
    setrlimit(Resource::Fsize, Rlimit { current, maximum }).unwrap();
}

#[tokio::test]
#[ignore = "another process runs it"]
async fn full() {
    let world = World::new();
    let log = world.log();
    let builder = world.builder(
        r#"@id("r") @redact("x") forbid(principal, action == Action::"mail.send", resource);"#,
    );
    let governance = builder.audit(Arc::clone(&log)).build().unwrap();
    let run = begin(&governance).await;
    limit(Some(64));
    for (server, tool) in [("crm", "get"), ("mail", "send")] {
        let told = denied(world.call(&run, 0, server, tool, json!({})).await);
        assert!(told.contains("can't be recorded"), "{told}");
    }
    let refused = governance.run(facts()).await.unwrap_err();
    assert!(
        refused.to_string().contains("can't be recorded"),
        "{refused}"
    );
    let other = sources(r#"@id("x") forbid(principal, action == Action::"crm.get", resource);"#);
    governance.policies_changed(other, None).unwrap_err();
    assert_eq!(
        (world.crm.take_calls(), world.mail.take_calls()),
        (vec![], vec![])
    );
    limit(None);
    world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
    assert_eq!(world.crm.take_calls().len(), 1);
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    let mut command = Command::new("/bin/sh");
    // A file that grows too large is an error, and no signal.
    command.args(["-c", r#"trap "" XFSZ; exec "$0" "$@""#]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "tests::recorded::full", "--include-ignored"]);
    let done = command.output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn huge_arguments_keep_no_call_from_being_made_and_make_no_long_line() {
    /// A line may have 256 KiB, and what each line has.
    const MOST_LINE: usize = 260 << 10;
    let deep = (0..40).fold(json!(1), |inner, _| json!({ "in": inner }));
    let wide: Map<String, Value> = (0..20_000)
        .map(|at| (format!("{at:0>100}"), json!(at)))
        .collect();
    let huge = [
        json!({"text": "x".repeat(4 << 20)}),
        // Six bytes each, as JSON has them.
        json!({"text": "\u{1}".repeat(60 << 10)}),
        json!({"text": "\"".repeat(40 << 10)}),
        json!({"text": "x", "wide": wide}),
        json!({"text": "x", "deep": deep}),
        json!({"text": "x", "x".repeat(1 << 20): "x"}),
    ];
    for how in [
        ArgumentForm::Full,
        ArgumentForm::Redacted,
        ArgumentForm::Digest,
    ] {
        let world = World::new();
        let mut settings = Settings::default();
        settings.arguments.otherwise = how;
        let log = Arc::new(Log::open(&world.path("audit"), settings).unwrap());
        let builder = world.builder("").audit(Arc::clone(&log));
        let governance = builder.build().unwrap();
        let run = begin(&governance).await;
        for (number, arguments) in (0..).zip(&huge) {
            let call = world.call(&run, number, "mail", "send", arguments.clone());
            call.await.unwrap();
            assert_eq!(world.mail.take_calls()[0].1, *arguments, "{how:?} {number}");
        }
        drop((run, governance));
        world.close(log).await;
        let asked = world.events().into_iter();
        let asked = asked.filter(|it| matches!(it, Event::CallAsked(_)));
        assert_eq!(asked.count(), huge.len(), "{how:?}");
        for file in std::fs::read_dir(world.path("audit")).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let longest = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
            assert!(
                longest.is_none_or(|it| it < MOST_LINE),
                "{how:?} {longest:?}"
            );
        }
        let against = ampoule_audit::Against::default();
        let found = ampoule_audit::verify(&world.path("audit"), &against).unwrap();
        assert!(found.is_whole(), "{how:?}");
    }
}
