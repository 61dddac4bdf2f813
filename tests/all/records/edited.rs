//! Changed scripts, and runs that are others than the recorded ones.

use ampoule::{Difference, Language};
use serde_json::{Value, json};

use super::{Recorded, elsewhere};

const SOURCE: &str = "const sum = await tools.testTools.add({ a: 1, b: 2 });
const waited = await tools.testTools.sleep({ ms: 400 });
const echo = await tools.testTools.echo({ value: 'it' });
return [sum, waited, echo]";

#[tokio::test]
async fn a_changed_script_gets_the_recorded_answers_and_waits_for_nothing() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, SOURCE).await;
    let replay = async |source: &str| {
        let record = recorded.record(&outcome);
        let replay = elsewhere().replay(record).edited(source).unwrap();
        replay.run().await.unwrap()
    };
    // In another order, some not at all, and with a timer of an hour.
    let began = std::time::Instant::now();
    let source = "const [echo, slow] = await Promise.all([tools.testTools.echo({ value: 'it' }), tools.testTools.sleep({ ms: 400 })]);
        const first = await Promise.race([new Promise(done => setTimeout(() => done('timer'), 3_600_000)), new Promise(done => setTimeout(() => done('sooner'), 1000))]);
        return { echo, slow, first }";
    let replayed = replay(source).await;
    let value: Value = replayed.outcome.value().unwrap();
    assert_eq!(value, json!({"echo": "it", "slow": 400, "first": "sooner"}));
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    assert_eq!(replayed.answered, 2);

    // Answers take as long as they did: against a timer, too.
    let race = "const slow = tools.testTools.sleep({ ms: 400 });
        const timer = (ms: number) => new Promise(done => setTimeout(() => done(ms), ms));
        return [await Promise.race([slow, timer(5)]), await Promise.race([slow, timer(60_000)])]";
    let replayed = replay(race).await;
    let value: Value = replayed.outcome.value().unwrap();
    assert_eq!(value, json!([5, 400]));

    // An answer is given once.
    let twice = "await tools.testTools.add({ b: 2, a: 1 });\n  return await tools.testTools.add({ a: 1, b: 2 })";
    let replayed = replay(twice).await;
    let Some(Difference::Unanswered { call, got, near }) = &replayed.difference else {
        panic!("{:?}", replayed.difference)
    };
    assert_eq!((*call, near), (1, &None));
    assert_eq!(got.to_string(), "test-tools.add({\"a\":1,\"b\":2})");
    let ending = replayed.outcome.ending.to_string();
    assert!(ending.contains("script.ts:2:"), "{ending}");

    let other = "return await tools.testTools.add({ a: 1, b: 3 })";
    let difference = replay(other).await.difference.unwrap().to_string();
    assert_eq!(
        difference,
        "call 0 has no recorded answer\n  now:      test-tools.add({\"a\":1,\"b\":3})\n  recorded: test-tools.add({\"a\":1,\"b\":2})"
    );
}

#[tokio::test]
async fn a_script_in_python_can_be_changed_as_well() {
    let recorded = Recorded::new();
    let source = "print(await tools.test_tools.sleep(ms=300))";
    let outcome = recorded.run(Language::Python, source).await;
    let changed = "import asyncio, time
await asyncio.sleep(600)
time.sleep(600)
return [await tools.test_tools.sleep(ms=300), str(tools.search('add'))]";
    let replay = elsewhere().replay(recorded.record(&outcome));
    let replayed = replay.edited(changed).unwrap().run().await.unwrap();
    assert_eq!(replayed.answered, 1, "{}", replayed.outcome.ending);
    let value: Value = replayed.outcome.value().unwrap();
    assert_eq!(value[0], 300);
    // The tools were not asked for then, but for the one's server.
    assert!(value[1].as_str().unwrap().contains("add"), "{value}");
}

#[tokio::test]
async fn until_a_call() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, SOURCE).await;
    for (until, asked) in [
        (0, "test-tools.add({\"a\":1,\"b\":2})"),
        (2, "test-tools.echo({\"value\":\"it\"})"),
    ] {
        let replay = elsewhere().replay(recorded.record(&outcome)).until(until);
        let replayed = replay.run().await.unwrap();
        let (call, stopped) = replayed.stopped.expect("it stopped");
        assert_eq!((call, &*stopped.to_string()), (until, asked));
        assert_eq!(
            (replayed.answered, replayed.difference),
            (until as usize, None)
        );
    }
    let replay = elsewhere().replay(recorded.record(&outcome)).until(3);
    let replayed = replay.run().await.unwrap();
    assert!(replayed.stopped.is_none() && replayed.difference.is_none());
}

#[tokio::test]
async fn the_first_difference_of_a_record_that_was_changed_is_shown() {
    let recorded = Recorded::new();
    let source = "console.log('one'); const n = await tools.testTools.add({ a: 1, b: 2 }); console.log('two'); return n";
    let outcome = recorded.run(Language::TypeScript, source).await;
    let text = std::fs::read_to_string(recorded.file(&outcome)).unwrap();
    let replay = async |from: &str, to: &str| {
        let changed = super::hostile::sealed(&text.replacen(from, to, 1));
        let file = recorded.folder.path().join("changed.record");
        std::fs::write(&file, changed).unwrap();
        let replayed = elsewhere().replay(super::read(&file)).run().await.unwrap();
        replayed.difference.expect("a difference").to_string()
    };
    let said = replay("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":7}").await;
    assert!(
        said.starts_with("call 0 differs\n  recorded: test-tools.add("),
        "{said}"
    );
    let said = replay("{\"sum\":3.0}", "{\"sum\":4.0}").await;
    assert_eq!(
        said,
        "the value differs\n  recorded: {\"sum\":3}\n  now:      {\"sum\":4}"
    );
    let said = replay("\"text\":\"two\"", "\"text\":\"three\"").await;
    assert!(said.starts_with("the output differs\n"), "{said}");
    let fuel = format!("\"fuel\":{},\"blotted\"", outcome.usage.fuel);
    let said = replay(&fuel, "\"fuel\":1,\"blotted\"").await;
    assert!(
        said.starts_with("the fuel differs\n  recorded: 1\n"),
        "{said}"
    );
}
