//! Calls that take something back are governed as any, and as destructive ones.

use ampoule::governance::approvals::{
    Answer, AnswerSource, Answerer, ApprovalLimits, Approvals, Caller, Channel, PersonAnswer,
    Question, State, Store,
};
use ampoule::governance::audit::Log;
use ampoule::governance::policy::{File, Sources};
use ampoule::governance::quota::{Class, Quotas, Rule};
use ampoule::governance::{Builder, Governance, KnownServer};
use ampoule::{Ending, Keep, RecordOptions};
use std::path::Path;
use std::time::Duration;

use super::*;

const ASK: &str = r#"@id("ask") @ask @reason("it destroys") forbid(principal, action in Action::"destructive", resource);"#;

/// A place where people are asked.
#[derive(Debug)]
struct Desk;

impl Channel for Desk {
    fn reaches(&self, _: &Caller) -> bool {
        true
    }

    fn asked(&self, _: &Arc<Question>) {}
}

fn sources(cedar: &str) -> Sources {
    let file = File {
        name: "test.cedar".into(),
        text: cedar.into(),
    };
    Sources {
        files: vec![file],
        ..Sources::default()
    }
}

/// The server that there will be, of whose tools nothing is known yet.
fn governance(sources: Sources) -> Builder {
    let known = KnownServer {
        name: "tracker".into(),
        says_it_is: None,
        tools: None,
        offered: Arc::default(),
    };
    Governance::builder().policies(sources).servers(vec![known])
}

fn runtime(tracker: &Tracker, governance: Builder) -> Runtime {
    let builder = tracker.builder().governance(governance.build().unwrap());
    builder.build().unwrap()
}

fn store(folder: &Path) -> Store {
    let mut limits = ApprovalLimits::default();
    limits.gather = Duration::from_millis(1);
    Store::open(&folder.join("approvals"), limits).unwrap()
}

/// Answers a question, as another process does. Gives the tool that it was about.
async fn answer(store: &Store, answer: Answer) -> String {
    loop {
        let listed = store.list().unwrap().into_iter().filter_map(Result::ok);
        if let Some(open) = listed.into_iter().find(|it| it.state == State::Open) {
            let seen = open.seen(store).unwrap();
            let by = Answerer::new("grace", AnswerSource::CommandLine);
            store
                .answer(open.question.id, PersonAnswer::new(seen, answer), by)
                .unwrap();
            return format!("{:?}", open.question);
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_person_is_asked_also_where_the_tool_says_that_it_only_reads() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let store = store(folder.path());
    let asking = Approvals::new(store.clone(), vec![Arc::new(Desk)]);
    let runtime = runtime(&tracker, governance(sources(ASK)).asking(asking));
    // Nobody is asked about the same call of a script.
    let reads = "await tools.tracker.create({ title: 'a' }); await tools.tracker.delete({ id: 99 }); throw 1";
    let outcome = failed(&runtime, reads).await;
    assert_eq!(tracker.deleted(), [99]);
    let deny = Answer::Deny {
        reason: "leave it".into(),
    };
    let run = offered(&outcome);
    let (undo, asked) = tokio::join!(undone(&runtime, &run), answer(&store, deny));
    assert!(asked.contains("delete"), "{asked}");
    assert!(
        undo.ending.to_string().contains("leave it"),
        "{}",
        undo.ending
    );
    assert_eq!(tracker.deleted(), [99]);
    // Nothing was taken back, so it may be tried again.
    let (undo, _) = tokio::join!(undone(&runtime, &run), answer(&store, Answer::AllowOnce));
    assert!(
        matches!(undo.ending, Ending::Returned(_)),
        "{}",
        undo.ending
    );
    assert_eq!(tracker.deleted(), [99, 1]);
}

#[tokio::test]
async fn a_run_that_a_person_rejects_offers_it() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let store = store(folder.path());
    let asking = Approvals::new(store.clone(), vec![Arc::new(Desk)]);
    let ask = r#"@id("ask") @ask forbid(principal, action == Action::"tracker.note", resource);"#;
    let runtime = runtime(&tracker, governance(sources(ask)).asking(asking));
    let source = "await tools.tracker.create({ title: 'a' }); await tools.tracker.note({})";
    let deny = Answer::Deny {
        reason: "no".into(),
    };
    let (outcome, _) = tokio::join!(failed(&runtime, source), answer(&store, deny));
    assert_eq!(outcome.undo.as_ref().unwrap().calls.len(), 1);
    undone(&runtime, &offered(&outcome)).await;
    assert_eq!(tracker.deleted(), [1]);
}

#[tokio::test]
async fn policies_and_quotas_apply() {
    let tracker = Tracker::default();
    let forbids = r#"@id("keep") @reason("issues stay") forbid(principal, action == Action::"tracker.delete", resource)
        when { context.arguments has id && context.arguments.id == 2 };"#;
    let runtime_of = |governance| runtime(&tracker, governance);
    let denied = runtime_of(governance(sources(forbids)));
    let outcome = failed(&denied, THREE).await;
    let told = undone(&denied, &offered(&outcome)).await.ending.to_string();
    assert!(told.contains("issues stay"), "{told}");
    assert!(
        told.contains("Taken back before that: tracker.create (call 2)."),
        "{told}"
    );
    assert_eq!(tracker.deleted(), [3]);

    let rule = Rule {
        class: Some(Class::Destructive),
        calls_per_day: Some(1),
        ..Rule::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let quotas = Quotas::new(
        vec![rule.called("deletes")],
        Some(&folder.path().join("quotas")),
    )
    .unwrap();
    let counted = runtime_of(governance(sources("")).quotas(Arc::new(quotas)));
    let outcome = failed(&counted, THREE).await;
    let told = undone(&counted, &offered(&outcome))
        .await
        .ending
        .to_string();
    assert!(told.contains("deletes"), "{told}");
    assert_eq!(tracker.deleted(), [3, 6]);
}

#[tokio::test]
async fn what_the_failed_run_had_read_is_known_of_its_undo() {
    let tracker = Tracker::default();
    let labels = json!({
        "gives": { "tracker.note": "customers" },
        "refuses": { "tracker.delete": { "labels": "customers", "then": "deny", "reason": "customers stay here" } },
    });
    let sources = Sources {
        labels: serde_json::from_value(labels).unwrap(),
        ..Sources::default()
    };
    let runtime = runtime(&tracker, governance(sources));
    let source =
        "await tools.tracker.create({ title: 'a' }); await tools.tracker.note({}); throw 1";
    let outcome = failed(&runtime, source).await;
    let told = undone(&runtime, &offered(&outcome))
        .await
        .ending
        .to_string();
    assert!(told.contains("customers stay here"), "{told}");
    assert_eq!(tracker.deleted(), Vec::<u64>::new());
}

#[tokio::test]
async fn the_audit_log_names_the_run_that_is_undone() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let log = Arc::new(Log::open(&folder.path().join("audit"), Default::default()).unwrap());
    let mut options = RecordOptions::default();
    options.keep = Keep::All;
    let runtime = tracker
        .builder()
        .governance(
            Governance::builder()
                .audit(Arc::clone(&log))
                .build()
                .unwrap(),
        )
        .records(folder.path().join("records"), options)
        .build()
        .unwrap();
    let run = offered(&failed(&runtime, THREE).await);
    undone(&runtime, &run).await;
    let mut files: Vec<_> = walk(&folder.path().join("audit"));
    files.sort();
    let lines: String = files
        .iter()
        .map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned())
        .collect();
    let started: Vec<Value> = (lines.lines())
        .filter(|line| line.contains("run-started"))
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(started.len(), 2, "{lines}");
    assert!(lines.contains(&format!(r#""undoes":"{run}""#)), "{lines}");
    assert_eq!(lines.matches(r#""undoes""#).count(), 1);
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(walk(&path)),
            false => files.push(path),
        }
    }
    files
}
