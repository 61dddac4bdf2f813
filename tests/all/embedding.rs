//! Ampoule as a crate: what the documentation of its API says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{
    CallContext, CallEnd, CallError, CallState, Ending, Event, Functions, Grant, Language, Layer,
    Limit, Limits, Module, Next, Recording, Replay, Runtime, Script, ToolResult, World,
};
use ampoule_tests::{binary, runtime, test_tools};
use futures::future::{BoxFuture, FutureExt, ready};
use serde_json::{Map, Value, json};

#[tokio::test]
async fn a_script_of_several_modules_gets_text_json_and_bytes() {
    let modules = BTreeMap::from([
        ("main.ts".to_owned(), Module::Source("import { twice } from './lib/math.ts'; import text from './note.txt'; import data from 'data.json'; import bytes from './raw.bin';
            export default async () => ({ twice: twice(data.n), text, bytes: bytes.length, kind: bytes.constructor.name })".to_owned())),
        ("lib/math.ts".to_owned(), Module::Source("import { factor } from './factor.ts'; export const twice = (n: number): number => factor * n".to_owned())),
        ("lib/factor.ts".to_owned(), Module::Source("export const factor: number = 2".to_owned())),
        ("note.txt".to_owned(), Module::Text("a note".to_owned())),
        ("data.json".to_owned(), Module::Json("{\"n\": 21}".to_owned())),
        ("raw.bin".to_owned(), Module::Bytes(vec![0, 255, 7])),
    ]);
    let script = Script::from_modules(Language::TypeScript, "main.ts", modules).unwrap();
    let outcome = runtime().isolate(script).run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!({"twice": 42, "text": "a note", "bytes": 3, "kind": "Uint8Array"})
    );
}

#[tokio::test]
async fn an_error_in_a_module_names_it() {
    let script = Script::typescript("import { f } from './lib.ts'; return f()").module(
        "lib.ts",
        Module::Source("export const f = () => {\n  throw new RangeError('here') }".into()),
    );
    let outcome = runtime().isolate(script).run().await.unwrap();
    let Ending::Threw(thrown) = outcome.ending else {
        panic!("{}", outcome.ending)
    };
    let location = thrown.location.expect("a location");
    assert_eq!(
        (location.module.as_str(), location.line, location.column),
        ("lib.ts", 2, 9)
    );
}

#[tokio::test]
async fn env_is_given_as_plain_values() {
    let script = Script::javascript("return [env.region, env.limits.max, Object.keys(env)]")
        .env("region", "eu")
        .env("limits", json!({"max": 5}));
    let outcome = runtime().isolate(script).run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!(["eu", 5, ["region", "limits"]])
    );
}

#[tokio::test]
async fn a_run_may_have_a_binding_of_its_own() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let user = Functions::new("user").tool("name", "The user's name.", async |_: Nothing| {
        Ok::<_, String>("Ada")
    });
    let isolate = runtime()
        .isolate(Script::typescript("return await user.name()"))
        .binding(user)
        .grant("user".parse().unwrap());
    assert_eq!(
        isolate.run().await.unwrap().value::<String>().unwrap(),
        "Ada"
    );
    let clash = runtime()
        .isolate(Script::typescript("0"))
        .binding(Functions::new("testTools"));
    assert!(clash.run().await.unwrap_err().is_request());
}

#[tokio::test]
async fn what_is_not_granted_does_not_exist() {
    let source = "return [Object.keys(tools), (await tools.$servers()).length, (await tools.$search('')).length]";
    let outcome = runtime()
        .isolate(Script::typescript(source))
        .run()
        .await
        .unwrap();
    assert_eq!(outcome.value::<Value>().unwrap(), json!([[], 0, 0]));

    let source = "const known = (await tools.$search('')).map((tool) => tool.name);
        try { tools.testTools.fail } catch (error) { return [known, error.message.includes('fail'), error.message.includes('hang')] }";
    let isolate = runtime()
        .isolate(Script::typescript(source))
        .grant("test-tools.add, test-tools.e*".parse().unwrap());
    let outcome = isolate.run().await.unwrap();
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!([["echo", "add"], true, false])
    );
}

#[tokio::test]
async fn a_misspelt_grant_is_refused() {
    let error = runtime()
        .isolate(Script::typescript("0"))
        .grant(Grant::of(["test-tols"]).unwrap())
        .run()
        .await
        .unwrap_err();
    assert!(error.is_request());
    assert_eq!(
        error.to_string(),
        "there is no server `test-tols` to grant tools of; did you mean `test-tools`? Servers: test-tools, odd"
    );
}

#[tokio::test]
async fn limits_can_be_lowered_and_not_raised_above_the_ceiling() {
    let low = Runtime::builder()
        .ceilings(Limits {
            wall_time: Duration::from_secs(1),
            ..Limits::default_ceilings()
        })
        .build()
        .unwrap();
    assert_eq!(low.limits().wall_time, Duration::from_secs(1));
    let asked = Limits {
        wall_time: Duration::from_secs(2),
        ..*low.limits()
    };
    let error = low
        .isolate(Script::typescript("0"))
        .limits(asked)
        .err()
        .expect("refused");
    assert_eq!(
        error.to_string(),
        "the limit `wall-time` is 2000 ms, above the ceiling of 1000 ms"
    );
}

#[tokio::test]
async fn what_a_script_throws_is_cut_and_counted() {
    let source = "const error = new Error('m'.repeat(3e6), { cause: new Error('c'.repeat(3e6)) });
        error.name = 'n'.repeat(3e6); error.stack = 's'.repeat(3e6); throw error";
    let outcome = runtime()
        .isolate(Script::typescript(source))
        .run()
        .await
        .unwrap();
    let Ending::Threw(thrown) = &outcome.ending else {
        panic!("{}", outcome.ending)
    };
    assert!(thrown.message.starts_with("mmm") && thrown.message.ends_with('…'));
    let told = outcome.ending.to_string().len();
    assert!(told < 100 << 10, "{told}");
    let counted = outcome.usage.output_bytes;
    assert!(
        (1000..=told as u64).contains(&counted),
        "{counted} of {told}"
    );
}

#[tokio::test]
async fn env_counts_among_what_the_host_holds() {
    let limits = Limits {
        host_bytes: 1 << 20,
        ..Limits::default()
    };
    let script = Script::typescript("return 1").env("big", "x".repeat(2 << 20));
    let isolate = runtime().isolate(script).limits(limits).unwrap();
    let ended = isolate.run().await.unwrap().ending;
    assert!(
        matches!(ended, Ending::Limit(hit) if hit.limit == Limit::HostBytes),
        "{ended}"
    );
}

#[tokio::test]
async fn times_of_any_length_are_heeded() {
    let limits = Limits {
        wall_time: Duration::MAX,
        ..Limits::default_ceilings()
    };
    let options = UpstreamOptions {
        start_timeout: Duration::MAX,
        call_timeout: Duration::MAX,
        cache_dir: None,
    };
    let command = ServerCommand::new(binary()).args(["demo-server"]);
    let patient = Runtime::builder()
        .ceilings(limits)
        .slot_wait(Duration::MAX)
        .binding(Upstream::stdio("demo", command, options))
        .build()
        .unwrap();
    let script = Script::typescript("return (await tools.demo.getBusiness({})).name");
    let isolate = patient.isolate(script).grant(Grant::all());
    let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
    assert_eq!(outcome.value::<String>().unwrap(), "Birch & Bolt");
    patient.close().await;
}

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
        self.0.lock().unwrap().push(json!(&*context.call));
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
        trapped.message.contains("its record has no more times"),
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

#[tokio::test]
async fn dropping_the_caller_ends_the_run_and_its_calls_at_once() {
    let (started, mut ended) = (
        Arc::new(tokio::sync::Notify::new()),
        tokio::sync::oneshot::channel::<()>(),
    );
    let gone = Mutex::new(Some(ended.0));
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let notify = Arc::clone(&started);
    let hold = Functions::new("hold").tool("on", "Never answers.", move |_: Nothing| {
        let (notify, gone) = (Arc::clone(&notify), gone.lock().unwrap().take());
        async move {
            notify.notify_one();
            let _gone = gone;
            std::future::pending::<Result<(), String>>().await
        }
    });
    let isolate = runtime()
        .isolate(Script::typescript("await hold.on()"))
        .binding(hold)
        .grant(Grant::all());
    let run = tokio::spawn(isolate.run());
    started.notified().await;
    run.abort();
    assert!(run.await.unwrap_err().is_cancelled());
    // The function's future is dropped, and its end of the channel with it.
    assert!((&mut ended.1).await.is_err());
}

#[tokio::test]
async fn a_full_house_is_an_error_that_can_be_told() {
    let one = Runtime::builder()
        .binding(test_tools())
        .isolates(1)
        .slot_wait(Duration::from_millis(100))
        .build()
        .unwrap();
    let first = tokio::spawn(
        one.isolate(Script::typescript("await tools.testTools.hang({})"))
            .grant(Grant::all())
            .run(),
    );
    one.warm(Language::TypeScript).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let error = one
        .isolate(Script::typescript("1"))
        .run()
        .await
        .unwrap_err();
    assert!(error.is_busy(), "{error}");
    first.abort();
    let _ = first.await;
    assert_eq!(
        one.isolate(Script::typescript("return 1"))
            .run()
            .await
            .unwrap()
            .value::<u32>()
            .unwrap(),
        1
    );
}

#[tokio::test]
async fn a_source_that_is_no_text_is_refused() {
    assert!(
        Script::from_bytes(Language::TypeScript, vec![0x66, 0xfe])
            .unwrap_err()
            .is_request()
    );
}
