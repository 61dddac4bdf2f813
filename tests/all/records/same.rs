//! Recorded runs come to the same again, wherever that is.

use std::time::Duration;

use ampoule::{Check, Ending, Functions, Grant, Keep, Language, Limit, Limits, Script};
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::Value;

use super::{Recorded, elsewhere, options, read, same};

/// Scripts that come to something else whenever they run.
const WORLDLY: [(Language, &str); 8] = [
    (
        Language::TypeScript,
        "const calls = [30, 10, 20].map(ms => tools.testTools.sleep({ ms }).then(n => { console.log('ended', n); return n }));
         const all = await Promise.all(calls);
         return [all, Math.random(), Date.now(), performance.now(), crypto.randomUUID()]",
    ),
    (
        Language::JavaScript,
        "const order = [];
         await Promise.all([1, 2, 3, 4].map(async n => { await tools.testTools.sleep({ ms: 5 * (n % 2) }); order.push(n) }));
         await new Promise(done => setTimeout(done, 20));
         console.warn(new Date().toISOString());
         return order",
    ),
    (
        Language::TypeScript,
        "const winner = await Promise.race([tools.testTools.sleep({ ms: 40 }), new Promise(done => setTimeout(() => done('timer'), 5))]);
         console.log(winner); void tools.testTools.hang({}); return Math.random()",
    ),
    (
        Language::TypeScript,
        "try { await tools.testTools.fail({}) } catch (error) { console.log(String(error)) }
         try { await tools.testTools.add({ a: 'x' } as never) } catch (error) { console.log(String(error)) }
         console.log((await tools.testTools.text({ bytes: 300_000 })).length);
         throw new RangeError('at ' + Date.now())",
    ),
    (
        Language::TypeScript,
        "const found = await tools.$search('add numbers');
         console.log(found, Object.keys(tools), await tools.$describe('test-tools.sleep'));
         await tools.testTools.echo({ value: { deep: [1.0, 'x'] } });
         console.log(await tools.$describe('test-tools.echo'));
         return (tools.testTools as any).ad === undefined",
    ),
    (
        Language::Python,
        "import asyncio, random, time, os, uuid
async def one(n):
    await tools.test_tools.sleep(ms=n)
    print('ended', n)
    return n
print(await asyncio.gather(one(30), one(10), one(20)))
await asyncio.sleep(0.01)
return [random.random(), time.time(), time.monotonic(), os.urandom(4).hex(), str(uuid.uuid4())]",
    ),
    (
        Language::Python,
        "import time
time.sleep(0.02)
try:
    await tools.test_tools.fail()
except ToolError as error:
    print(error)
print(tools.search('add numbers'), tools.describe('test-tools.echo'))
raise ValueError(str(time.time()))",
    ),
    (
        Language::Python,
        "import asyncio
done, waits = await asyncio.wait([asyncio.ensure_future(tools.test_tools.sleep(ms=n)) for n in (5, 60)], return_when=asyncio.FIRST_COMPLETED)
print(len(done), len(waits))
return await tools.test_tools.echo(value={'n': 1.5, 'big': 123456789012345678})",
    ),
];

#[tokio::test]
async fn a_recorded_run_comes_to_the_same_bytes_elsewhere() {
    let recorded = Recorded::new();
    for (language, source) in WORLDLY {
        let outcome = recorded.run(language, source).await;
        let record = recorded.record(&outcome);
        let (calls, fuel) = (record.calls().count(), outcome.usage.fuel);
        let replayed = same(record).await;
        assert_eq!(replayed.answered, calls, "{source}");
        assert_eq!(replayed.outcome.usage.fuel, fuel, "{source}");
        assert_eq!(
            replayed.outcome.ending.to_string(),
            outcome.ending.to_string(),
            "{source}"
        );
        assert_eq!(replayed.outcome.output, outcome.output, "{source}");
        // And it is not an accident: another run differs.
        let other = recorded.run(language, source).await;
        assert_ne!(other.record, outcome.record);
    }
}

#[tokio::test]
async fn a_script_that_was_refused_is_refused_again() {
    let recorded = Recorded::new();
    let languages = [
        (
            Language::TypeScript,
            "await tools.testTools.echo({ value: 1 }); await tools.testTools.add({ a: 'x' })",
        ),
        (
            Language::Python,
            "await tools.test_tools.echo(value=1)\nawait tools.test_tools.add(a='x')",
        ),
    ];
    for (language, source) in languages {
        let outcome = recorded.run(language, source).await;
        assert_eq!(outcome.usage.calls.len(), 0, "{}", outcome.ending);
        let replayed = same(recorded.record(&outcome)).await;
        let ending = outcome.ending.to_string();
        assert_eq!(replayed.outcome.ending.to_string(), ending);

        let script = Script::new(language, source).check(Check::Off);
        let unchecked = recorded.runtime.isolate(script).grant(Grant::all());
        let outcome = unchecked.run().await.expect("no host fault");
        assert_eq!(outcome.usage.calls.len(), 2, "{}", outcome.ending);
        same(recorded.record(&outcome)).await;
    }
}

#[tokio::test]
async fn runs_that_hit_limits_or_were_cut_short_end_where_they_did() {
    let recorded = Recorded::new();
    let limited = |change: fn(&mut Limits), source: &str| {
        let mut limits = *recorded.runtime.limits();
        change(&mut limits);
        recorded
            .isolate(Language::TypeScript, source)
            .limits(limits)
            .unwrap()
            .run()
    };
    let hit = |ending: &Ending| match ending {
        Ending::Limit(hit) => Some(hit.limit),
        _ => None,
    };
    let calls =
        "for (let n = 0; ; n++) { console.log(n); await tools.testTools.echo({ value: n }) }";
    let computes =
        "let n = 0; for (;;) { n += Math.random(); if (n % 1000 < 0.01) console.log(n) }";
    for (limit, change, source) in [
        (Limit::Calls, (|it| it.calls = 5) as fn(&mut Limits), calls),
        (Limit::Fuel, |it| it.fuel = 100_000_000, computes),
        (Limit::OutputBytes, |it| it.output_bytes = 500, calls),
        (
            Limit::Memory,
            |it| it.memory_bytes = 20 << 20,
            "const all = []; for (;;) all.push('x'.repeat(1000) + all.length)",
        ),
    ] {
        let outcome = limited(change, source).await.unwrap();
        assert_eq!(hit(&outcome.ending), Some(limit), "{}", outcome.ending);
        let replayed = same(recorded.record(&outcome)).await;
        assert_eq!(hit(&replayed.outcome.ending), Some(limit));
        assert_eq!(replayed.outcome.output, outcome.output);
    }
    let waits = "console.log(Date.now()); await tools.testTools.echo({ value: 1 }); console.log('waits'); await tools.testTools.hang({})";
    let spins = "console.log('spins'); for (;;) ;";
    for source in [waits, spins] {
        let time: fn(&mut Limits) = |it| it.wall_time = Duration::from_millis(300);
        let outcome = limited(time, source).await.unwrap();
        assert_eq!(hit(&outcome.ending), Some(Limit::WallTime));
        assert!(same(recorded.record(&outcome)).await.cut_short);

        let run = recorded
            .isolate(Language::TypeScript, source)
            .start()
            .await
            .unwrap();
        let mut events = run.events();
        let mut printed = 0;
        while printed < source.matches("console.log").count() {
            let event = events.next().await.expect("it goes on");
            printed += usize::from(matches!(event.event, ampoule::Event::Output(_)));
        }
        run.cancel();
        let outcome = run.outcome().await.unwrap();
        assert!(matches!(outcome.ending, Ending::Cancelled));
        let replayed = same(recorded.record(&outcome)).await;
        assert!(replayed.cut_short);
        assert_eq!(
            replayed.outcome.output.lines()[..printed],
            outcome.output.lines()[..printed]
        );
    }
}

#[tokio::test]
async fn the_answers_are_the_records_and_nothing_is_called() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let called = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&called);
    let counter = Functions::new("counter").tool("next", "Counts.", move |_: Nothing| {
        let count = Arc::clone(&count);
        async move { Ok::<_, String>(count.fetch_add(1, Relaxed)) }
    });
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime_builder()
        .binding(counter)
        .records(folder.path().join("records"), options(Keep::None))
        .build()
        .unwrap();
    let source = "return [await tools.counter.next({}), await tools.counter.next({})]";
    let isolate = runtime
        .isolate(Script::typescript(source))
        .grant(Grant::all());
    // Here too, where the runtime has the very tool.
    let outcome = isolate.record(Keep::All).run().await.unwrap();
    let run = outcome.record.unwrap().to_string();
    for _ in 0..2 {
        let record = runtime.records(None).unwrap().record(&run).unwrap();
        let replayed = runtime.replay(record).run().await.unwrap();
        assert_eq!(replayed.difference, None);
        assert_eq!(
            replayed.outcome.value::<Value>().unwrap(),
            serde_json::json!([0, 1])
        );
        assert_eq!(replayed.outcome.record, None);
    }
    assert_eq!(called.load(Relaxed), 2);
}

#[tokio::test]
async fn a_grant_is_the_recorded_one() {
    let recorded = Recorded::new();
    let source = "console.log(Object.keys(tools.testTools)); try { await (tools.testTools as any).sleep({ ms: 1 }) } catch (error) { return String(error) }";
    let isolate = recorded.runtime.isolate(Script::typescript(source));
    let granted = isolate.grant("test-tools.add".parse().unwrap());
    let outcome = granted.run().await.unwrap();
    let text: String = outcome.value().unwrap();
    assert!(text.contains("sleep"), "{text}");
    same(recorded.record(&outcome)).await;
}

#[tokio::test]
async fn modules_and_env_are_in_the_record() {
    let recorded = Recorded::new();
    let script = Script::typescript("import { twice } from './twice'; import data from './data.json'; return [twice(data.n), env.who]")
        .module("twice.ts", ampoule::Module::Source("export const twice = (n: number) => 2 * n".into()))
        .module("data.json", ampoule::Module::Json("{\"n\": 21}".into()))
        .env("who", "ada");
    let outcome = recorded.runtime.isolate(script).run().await.unwrap();
    let replayed = same(recorded.record(&outcome)).await;
    let value: Value = replayed.outcome.value().unwrap();
    assert_eq!(value, serde_json::json!([42, "ada"]));
}

#[tokio::test]
async fn a_run_of_a_session_is_run_again_as_long_as_the_session_has_what_it_began_with() {
    let recorded = Recorded::new();
    let run = async |language, source| {
        let isolate = recorded.isolate(language, source).session("it");
        isolate.run().await.unwrap()
    };
    let first = run(Language::TypeScript, "let n = Math.random(); return n").await;
    let second = run(
        Language::TypeScript,
        "n += 1; console.log(n, session.name); return n",
    )
    .await;
    for outcome in [&first, &second] {
        let replay = recorded.runtime.replay(recorded.record(outcome));
        let replayed = replay.run().await.unwrap();
        assert_eq!(replayed.difference, None);
        assert_eq!(replayed.outcome.output, outcome.output);
    }
    // What is run again changes no session.
    let third = run(Language::TypeScript, "return n").await;
    assert_eq!(
        third.value::<f64>().unwrap(),
        second.value::<f64>().unwrap()
    );

    let record = recorded.record(&second);
    let elsewhere = elsewhere().replay(record).run().await.unwrap_err();
    assert_eq!(elsewhere.to_string(), "this host keeps no sessions");
    recorded
        .runtime
        .sessions(None)
        .unwrap()
        .take("it")
        .unwrap()
        .remove()
        .unwrap();
    let gone = recorded
        .runtime
        .replay(recorded.record(&second))
        .run()
        .await;
    let gone = gone.unwrap_err().to_string();
    assert!(
        gone.contains("a state of the session `it` that is no longer stored"),
        "{gone}"
    );
}

#[tokio::test]
async fn another_build_is_told() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, "return 1").await;
    let mut record = recorded.record(&outcome);
    record.head.build.guest = "0123456789abcdef".into();
    let replayed = elsewhere().replay(record).run().await.unwrap();
    let [note] = &replayed.notes[..] else {
        panic!("{:?}", replayed.notes)
    };
    assert!(
        note.starts_with("the record was made with another interpreter (01234567, and this is "),
        "{note}"
    );
    let mut record = recorded.record(&outcome);
    record.head.build.version = "0.0.1".into();
    let replayed = elsewhere().replay(record).run().await.unwrap();
    assert!(replayed.notes[0].contains("made with Ampoule 0.0.1, and this is "));
}

#[tokio::test]
async fn a_runtime_without_records_leaves_none() {
    let runtime = runtime_builder().binding(test_tools()).build().unwrap();
    let isolate = runtime.isolate(Script::typescript("return 1"));
    let outcome = isolate.record(Keep::All).run().await.unwrap();
    assert_eq!(outcome.record, None);
    let error = runtime.records(None).unwrap_err();
    assert_eq!(error.to_string(), "this host keeps no records");
}

#[tokio::test]
async fn strings_are_part_of_a_record() {
    let recorded = Recorded::new();
    let script = Script::typescript("return strings.body").string("body", "a `text`");
    let isolate = recorded.runtime.isolate(script).grant(Grant::all());
    let outcome = isolate.run().await.unwrap();
    let replayed = same(read(&recorded.file(&outcome))).await;
    assert_eq!(replayed.outcome.value::<Value>().unwrap(), "a `text`");
}
