//! Runs that are held: listened to, cancelled, with layers around their calls, in a recorded world.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ampoule::{
    CallContext, CallEnd, CallError, CallState, Ending, Event, Grant, Language, Layer, Next,
    Recording, Replay, Script, ToolResult, World,
};
use ampoule_tests::runtime;
use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::{Map, Value, json};

#[tokio::test]
async fn events_tell_what_happens_as_it_happens() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let script = Script::typescript(
        "console.log('a'); await tools.testTools.add({ a: 1, b: 2 }); console.warn('b')",
    );
    let isolate = runtime()
        .isolate(script)
        .grant(Grant::all())
        .on_event(move |event| {
            sink.lock().unwrap().push(match &event.event {
                Event::Output(line) => format!("{:?} {}", line.level, line.text),
                Event::CallStarted { server, tool, .. } => format!("start {server}.{tool}"),
                Event::CallEnded { usage, .. } => format!("end {:?}", usage.end),
                _ => "?".to_owned(),
            });
        });
    isolate.run().await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        ["Log a", "start test-tools.add", "end Returned", "Warn b"]
    );
}

#[tokio::test]
async fn a_run_that_is_cancelled_says_what_it_printed_and_used() {
    let script = Script::typescript(
        "console.log('before'); await tools.testTools.hang({}); console.log('after')",
    );
    let isolate = runtime().isolate(script).grant(Grant::all());
    let run = isolate.principal("ada").start().await.unwrap();
    let (mut events, mut other) = (run.events(), run.events());
    let mut numbers = Vec::new();
    while let Some(event) = events.next().await {
        assert_eq!(event.run, run.id());
        numbers.push(event.number);
        if let Event::CallStarted { .. } = event.event {
            run.cancel();
        }
    }
    assert_eq!(numbers, [0, 1]);
    let first = other.next().await.unwrap();
    let told = serde_json::to_value(&*first).unwrap();
    assert_eq!(
        (&told["event"], &told["level"], &told["text"]),
        (&json!("output"), &json!("log"), &json!("before"))
    );
    assert_eq!(told["run"], run.id().to_string());
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Cancelled));
    assert_eq!(outcome.output.to_string(), "before\n");
    assert_eq!(outcome.usage.calls[0].end, CallEnd::Cancelled);
    assert_eq!(outcome.usage.calls[0].state, CallState::Unknown);
    assert!(outcome.usage.fuel > 1000, "{:?}", outcome.usage);
}

#[tokio::test]
async fn a_run_that_computes_can_be_cancelled_and_one_that_is_over_stays_what_it_is() {
    // A guest that is loaded first takes longer than what follows, on a machine that is busy.
    runtime().warm(ampoule::Language::TypeScript).await.unwrap();
    let run = runtime().isolate(Script::typescript("while (true);"));
    let run = run.start().await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    run.cancel();
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Cancelled));
    assert!(outcome.usage.fuel > 1_000_000, "{:?}", outcome.usage);

    let run = runtime().isolate(Script::typescript("return 1"));
    let run = run.start().await.unwrap();
    let mut events = run.events();
    assert!(events.next().await.is_none());
    run.cancel();
    let outcome = run.outcome().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn who_listens_and_never_reads_keeps_no_run_waiting() {
    let script = "for (let n = 0; n < 5000; n++) console.log(n); return 'done'";
    let run = runtime().isolate(Script::typescript(script));
    let run = run.start().await.unwrap();
    let mut events = run.events();
    let outcome = run.outcome().await.unwrap();
    assert_eq!(outcome.value::<String>().unwrap(), "done");
    assert_eq!(outcome.output.lines().len(), 5000);
    let first = events.next().await.unwrap();
    assert_eq!(events.missed(), first.number);
    assert!(events.missed() > 3000, "{}", events.missed());
}

/// Notes each call that passes, and lets it wait for its run's deadline to be paused.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<Value>>>);

impl Layer for Noting {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.lock().unwrap().push(json!(context.call()));
        if arguments.get("a") == Some(&json!(0)) {
            return ready(Err(CallError::Denied("nothing is added to 0".into()))).boxed();
        }
        next.call(arguments, context)
    }
}

#[tokio::test]
async fn layers_see_calls_that_are_valid_and_may_deny_them() {
    let (outer, inner) = (Noting::default(), Noting::default());
    let script = Script::typescript(
        "const add = (a, b) => tools.testTools.add({ a, b }).then((it) => it.sum, (error) => error.message);
        return [await add(1, 2), await add(0, 1), (await add('x', 1)).length > 0]",
    );
    let isolate = runtime().isolate(script).grant(Grant::all());
    let isolate = isolate.layer(outer.clone()).layer(inner.clone());
    let outcome = isolate.principal("ada").run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!([3, "nothing is added to 0", true])
    );
    let states: Vec<_> = outcome.usage.calls.iter().map(|call| call.state).collect();
    assert_eq!(
        states,
        [CallState::Answered, CallState::NotSent, CallState::NotSent]
    );
    let seen = outer.0.lock().unwrap();
    assert_eq!((seen.len(), inner.0.lock().unwrap().len()), (2, 1));
    assert_eq!(
        (
            &seen[1]["number"],
            &seen[1]["server"],
            &seen[1]["tool"],
            &seen[1]["principal"]
        ),
        (
            &json!(1),
            &json!("test-tools"),
            &json!("add"),
            &json!("ada")
        )
    );
    assert_eq!(seen[0]["run"], seen[1]["run"]);
    assert!(seen[0]["deadlineMs"].as_u64().unwrap() > 1_700_000_000_000);
}

/// Scripts whose every line depends on what they can't compute.
const WORLDLY: [(Language, &str); 2] = [
    (
        Language::TypeScript,
        "const order = [];
        await Promise.all([30, 1, 20, 10].map((ms) => tools.testTools.sleep({ ms }).then((it) => order.push(it))));
        const first = await Promise.race([5, 3].map((ms) => new Promise((done) => setTimeout(done, ms, ms))));
        return [order, first, Math.random(), crypto.randomUUID(), Date.now(), new Date().toISOString(), performance.now(), Array.from({ length: 20 }, Math.random)]",
    ),
    (
        Language::Python,
        "import asyncio, datetime, os, random, time, uuid
order = []
for each in asyncio.as_completed([tools.test_tools.sleep(ms=ms) for ms in (30, 1, 20, 10)]):
    order.append(await each)
await asyncio.sleep(0.01)
return [order, random.random(), str(uuid.uuid4()), os.urandom(8).hex(), time.time(), time.monotonic(), str(datetime.datetime.now()), random.sample(range(1000), 20)]",
    ),
];

#[tokio::test]
async fn a_run_in_a_recorded_world_is_the_same_again() {
    for (language, source) in WORLDLY {
        let run = async |world: Arc<dyn World>| {
            let isolate = runtime().isolate(Script::new(language, source));
            let outcome = isolate
                .grant(Grant::all())
                .world(world)
                .run()
                .await
                .unwrap();
            outcome
                .value::<Value>()
                .unwrap_or_else(|error| panic!("{error}"))
                .to_string()
        };
        let recording = Recording::default();
        let recorded = run(Arc::new(recording.clone())).await;
        let other = run(Arc::new(Recording::default())).await;
        assert_ne!(recorded, other);
        // A tape is data.
        let tape = serde_json::to_string(&recording.tape().unwrap()).unwrap();
        for _ in 0..2 {
            let tape = serde_json::from_str(&tape).unwrap();
            assert_eq!(run(Arc::new(Replay::new(tape))).await, recorded);
        }
    }
}

#[tokio::test]
async fn a_run_that_does_otherwise_than_its_record_ends() {
    let recording = Recording::default();
    let run = async |source: &str, world: Arc<dyn World>| {
        let isolate = runtime().isolate(Script::typescript(source));
        isolate.world(world).run().await.unwrap().ending
    };
    let ended = run("return Date.now()", Arc::new(recording.clone())).await;
    assert!(matches!(ended, Ending::Returned(Some(_))), "{ended}");
    let tape = recording.tape().unwrap();
    let more = "return [Date.now(), Date.now(), Date.now()]";
    let ended = run(more, Arc::new(Replay::new(tape))).await;
    let Ending::Trapped(trapped) = ended else {
        panic!("{ended}")
    };
    assert!(
        trapped.message.contains("the record has no more times"),
        "{}",
        trapped.message
    );
}

#[test]
fn outside_of_tokio_a_run_is_an_error() {
    let isolate = || runtime().isolate(Script::typescript("return 1"));
    for error in [
        futures::executor::block_on(isolate().run()).unwrap_err(),
        futures::executor::block_on(isolate().start())
            .err()
            .unwrap(),
    ] {
        assert!(error.is_request());
        assert!(error.to_string().contains("Tokio"), "{error}");
    }
}

#[tokio::test(flavor = "current_thread")]
async fn one_thread_is_enough() {
    let run = runtime().isolate(Script::typescript("return 1"));
    let outcome = run.start().await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
}
