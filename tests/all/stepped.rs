//! Interpreters are stepped: what waiting runs hold, and in which order they resume.

use ampoule::{Event, Functions, Grant, Runtime, Script};
use futures::future::pending;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// How many wait at once.
const WAITING: u32 = 1000;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

fn runtime() -> Runtime {
    let slow = Functions::new("slow")
        .tool("never", "Does not answer.", async |_: Nothing| {
            pending::<()>().await;
            Ok::<_, String>(())
        })
        .tool("yes", "Answers.", async |_: Nothing| Ok::<_, String>(true));
    let runtime = Runtime::builder().binding(slow).isolates(WAITING).build();
    runtime.expect("a runtime")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_waiting_runs_in_typescript_are_small() {
    are_small(Script::typescript("await slow.never({})"), 0.37).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_waiting_runs_in_python_are_small() {
    // In a release, where the host's own frames and tasks are smaller, it is 0.39 (`cargo bench
    // --bench live`).
    are_small(Script::python("await slow.never()"), 0.52).await;
}

/// Each takes at most so many MiB.
async fn are_small(script: Script, most: f64) {
    let runtime = runtime();
    let isolate = |script: &Script| runtime.isolate(script.clone()).grant(Grant::all());
    // Each shard loads the guest.
    for _ in 0..8 {
        tokio::spawn(isolate(&script).instantiate())
            .await
            .expect("no panic")
            .expect("an instance");
    }
    let before = proportional_mebibytes();
    let mut runs = Vec::new();
    for _ in 0..WAITING {
        let run = isolate(&script).start().await.expect("a run");
        let mut events = run.events();
        loop {
            let event = events.next().await.expect("it calls");
            if let Event::CallStarted { .. } = event.event {
                break;
            }
        }
        runs.push(run);
    }
    // The last one gets to its wait.
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let each = (proportional_mebibytes() - before) / f64::from(WAITING);
    assert!(
        (0.01..=most).contains(&each),
        "{each:.3} MiB for each run that waits"
    );
}

/// Physical memory of this process, shared pages counted in parts, without pages of files such as
/// the program's own: how many processes share those changes while other tests begin and end.
fn proportional_mebibytes() -> f64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").expect("Linux");
    let kibibytes = ["Pss_Anon:", "Pss_Shmem:"].map(|name| {
        let mut lines = rollup.lines();
        let number = lines.find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
        let number: Option<f64> = number.and_then(|number| number.parse().ok());
        number.expect("a number")
    });
    kibibytes.iter().sum::<f64>() / 1024.0
}

/// What has returned does nothing more; what returned nothing is not over before its timers are.
#[tokio::test]
async fn timers_run_until_the_script_has_returned() {
    let cases = [
        (
            "setTimeout(() => console.log('late'), 5); setTimeout(() => console.log('early'), 1);",
            json!(null),
            "early\nlate\n",
        ),
        (
            "setTimeout(() => console.log('too late'), 50); return (await slow.yes({}))",
            json!(true),
            "",
        ),
        (
            "setTimeout(() => console.log('never'), 0); const yes = await slow.yes({}); for (const end = Date.now() + 3; Date.now() < end;); return yes",
            json!(true),
            "",
        ),
        (
            "const order = []; setTimeout(() => order.push('timer'), 0); await Promise.all([slow.yes({}), new Promise(go => setTimeout(go, 4))]); return order",
            json!(["timer"]),
            "",
        ),
    ];
    let runtime = runtime();
    for (source, returned, printed) in cases {
        let isolate = runtime.isolate(Script::javascript(source));
        let outcome = isolate.grant(Grant::all()).run().await.expect("a run");
        let value = outcome.value::<serde_json::Value>().expect("it returns");
        assert_eq!(value, returned, "{source}");
        assert_eq!(outcome.output.to_string(), printed, "{source}");
    }
}

/// Async code that waits in the middle of other code, with other calls under way: none of their
/// ends is lost.
#[tokio::test]
async fn python_waits_within_a_wait() {
    let script = "
import asyncio, time

async def one():
    return await slow.yes()

first = slow.yes()
time.sleep(0.002)
inner = asyncio.run(one())
task = asyncio.create_task(one())
await asyncio.sleep(0)
again = slow.yes().result()
[await first, inner, await task, again, await slow.yes()]";
    let runtime = runtime();
    let isolate = runtime.isolate(Script::python(script)).grant(Grant::all());
    let outcome = isolate.run().await.expect("a run");
    let value = outcome.value::<serde_json::Value>().expect("it returns");
    assert_eq!(value, json!([true, true, true, true, true]));
}
