//! Which runs leave a record, where, and for how long; and what is not in it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule::{
    Binding, BindingError, CallContext, CallError, Functions, Grant, Keep, Language, Principal,
    Script, Tool, ToolResult,
};
use ampoule_tests::{runtime_builder, test_tools};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{Recorded, options, same};

#[tokio::test]
async fn all_runs_leave_one_or_failures_or_none() {
    for (keep, returned, threw) in [
        (Keep::All, true, true),
        (Keep::Failures, false, true),
        (Keep::None, false, false),
    ] {
        let recorded = Recorded::with(options(keep));
        let returns = recorded.run(Language::TypeScript, "return 1").await;
        let throws = recorded.run(Language::TypeScript, "throw 1").await;
        assert_eq!(
            (returns.record.is_some(), throws.record.is_some()),
            (returned, threw)
        );
        let count = usize::from(returned) + usize::from(threw);
        let listed = match keep {
            Keep::None => Vec::new(),
            _ => recorded.runtime.records(None).unwrap().list().unwrap(),
        };
        assert_eq!(listed.len(), count);
        if keep != Keep::None {
            assert_eq!(listed[0].ended.ending, "threw");
            // Nothing is left of those that left none.
            let folder = recorded.folder.path().join("records/local");
            assert_eq!(std::fs::read_dir(folder).unwrap().count(), count);
        }
    }
}

#[tokio::test]
async fn principals_have_records_of_their_own() {
    let recorded = Recorded::new();
    let run = async |who: &str| {
        let isolate = recorded
            .isolate(Language::TypeScript, "return 1")
            .principal(who);
        isolate.run().await.unwrap().record.unwrap().to_string()
    };
    let (ada, bob) = (run("ada").await, run("bob").await);
    let of = |who: &str| {
        let principal = Principal::new(who);
        recorded.runtime.records(Some(&principal)).unwrap()
    };
    assert!(of("ada").record(&ada).is_ok() && of("bob").record(&bob).is_ok());
    let error = of("ada").record(&bob).unwrap_err().to_string();
    assert!(error.starts_with("no record of the run"), "{error}");
    assert!(
        recorded
            .runtime
            .records(None)
            .unwrap()
            .list()
            .unwrap()
            .is_empty()
    );
    let all = recorded.runtime.all_records().unwrap();
    let all: Vec<_> = all.iter().flat_map(|shelf| shelf.list().unwrap()).collect();
    assert_eq!(all.len(), 2);
    for id in ["../local", "..", "", "/etc/passwd", "a-b/../c"] {
        assert!(of("ada").record(id).is_err(), "{id}");
        assert!(of("ada").remove(id).is_err(), "{id}");
    }
}

#[tokio::test]
async fn the_oldest_go_first_and_one_that_is_too_large_is_not_left() {
    let mut small = options(Keep::All);
    small.limits.each = 30_000;
    small.limits.bytes = 100_000;
    let recorded = Recorded::with(small);
    let large = "return (await tools.testTools.text({ bytes: 40_000 })).length";
    let outcome = recorded.run(Language::TypeScript, large).await;
    assert_eq!(outcome.value::<u32>().unwrap(), 40_000);
    assert_eq!(outcome.record, None);
    let fits = "return (await tools.testTools.text({ bytes: 10_000 })).length";
    let first = recorded.run(Language::TypeScript, fits).await;
    for _ in 0..20 {
        let outcome = recorded.run(Language::TypeScript, fits).await;
        assert!(outcome.record.is_some());
    }
    let shelf = recorded.runtime.records(None).unwrap();
    let bytes: u64 = shelf
        .list()
        .unwrap()
        .iter()
        .map(|listed| listed.bytes)
        .sum();
    assert!(bytes <= 100_000 + 100_000 / 8 + 30_000, "{bytes}");
    let gone = first.record.unwrap().to_string();
    assert!(shelf.record(&gone).is_err());

    // Those that are too old, too.
    let old = shelf.list().unwrap()[0].head.run.clone();
    let file = recorded
        .folder
        .path()
        .join(format!("records/local/{old}.record"));
    let long_ago = SystemTime::now() - Duration::from_hours(8 * 24);
    let opened = std::fs::File::options().write(true).open(&file).unwrap();
    opened.set_modified(long_ago).unwrap();
    for _ in 0..3 {
        recorded.run(Language::TypeScript, fits).await;
    }
    assert!(!file.exists());
}

#[tokio::test]
async fn a_folder_that_can_not_be_used_fails_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    let runtime = runtime_builder()
        .binding(test_tools())
        .records(&file, options(Keep::All))
        .build()
        .unwrap();
    let isolate = runtime.isolate(Script::typescript("return 1"));
    let outcome = isolate.run().await.unwrap();
    assert_eq!((outcome.value::<u32>().unwrap(), outcome.record), (1, None));

    let recorded = Recorded::new();
    recorded.run(Language::TypeScript, "return 1").await;
    std::fs::remove_dir_all(recorded.folder.path().join("records/local")).unwrap();
    let outcome = recorded.run(Language::TypeScript, "return 2").await;
    assert_eq!((outcome.value::<u32>().unwrap(), outcome.record), (2, None));
}

/// A server that knows secrets, and says them.
struct Leaky(Functions);

const TOKEN: &str = "s3cret-\"token\"\\x";
const PIN: &str = "8675309123";

impl Binding for Leaky {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.0.tools()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.0.known_tools()
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.into(), PIN.into(), "short".into()]
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.call(tool, arguments, context)
    }
}

#[tokio::test]
async fn secrets_are_blotted_out_of_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut with_another = options(Keep::All);
    with_another.secrets = vec!["of-the-host".into()];
    let runtime = runtime_builder()
        .binding(Leaky(test_tools()))
        .records(folder.path().join("records"), with_another)
        .build()
        .unwrap();
    let source = format!(
        "const token = {TOKEN:?};
        const back = await tools.testTools.echo({{ value: {{ [token]: [token, {PIN}, 'it is of-the-host', 'short'] }} }});
        console.log(JSON.stringify(back), {PIN});
        return [back, JSON.stringify(JSON.stringify(token))]"
    );
    let isolate = runtime
        .isolate(Script::typescript(source))
        .grant(Grant::all());
    let outcome = isolate.run().await.unwrap();
    let text = outcome.ending.to_string();
    assert!(text.contains(PIN) && text.contains("of-the-host"), "{text}");
    let run = outcome.record.expect("it left a record");
    let file = folder.path().join(format!("records/local/{run}.record"));
    let file = std::fs::read_to_string(file).unwrap();
    for secret in ["s3cret", "token\\", "8675309", "of-the-host"] {
        assert!(!file.contains(secret), "{secret}: {file}");
    }
    assert!(file.contains("short"));
    // It is run again, and says what it can't know.
    let record = runtime
        .records(None)
        .unwrap()
        .record(&run.to_string())
        .unwrap();
    assert!(record.ended.blotted >= 8, "{}", record.ended.blotted);
    let replayed = runtime.replay(record).run().await.unwrap();
    assert!(replayed.notes[0].starts_with("secrets were redacted in the record, in "));
    let text = replayed.outcome.ending.to_string();
    assert!(text.contains("***") && !text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn runs_at_once_have_a_record_each() {
    let recorded = Arc::new(Recorded::new());
    let runs = (0..20).map(|n| {
        let recorded = Arc::clone(&recorded);
        tokio::spawn(async move {
            let source =
                format!("return [{n}, await tools.testTools.echo({{ value: Math.random() }})]");
            recorded.run(Language::TypeScript, &source).await
        })
    });
    let runs: Vec<_> = runs.collect();
    for (n, run) in runs.into_iter().enumerate() {
        let outcome = run.await.unwrap();
        let replayed = same(recorded.record(&outcome)).await;
        let value: Value = replayed.outcome.value().unwrap();
        assert_eq!(value[0], n);
    }
}

#[tokio::test]
async fn what_killed_processes_left_goes() {
    let recorded = Recorded::new();
    recorded.run(Language::TypeScript, "return 1").await;
    let folder = recorded.folder.path().join("records/local");
    let left = folder.join(".0123456789abcdef-1.record.part");
    std::fs::write(&left, "half of").unwrap();
    // Another process, which looks through the folder when it leaves its first record.
    let runtime = runtime_builder()
        .records(recorded.folder.path().join("records"), options(Keep::All))
        .build()
        .unwrap();
    let outcome = runtime
        .isolate(Script::typescript("return 1"))
        .run()
        .await
        .unwrap();
    assert!(outcome.record.is_some());
    assert!(!left.exists());
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2);
}
