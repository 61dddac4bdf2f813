//! In the same process.

use ampoule::{Ending, Event, Language};
use serde_json::json;

use super::{Parked, SOON, Shop, script, until_parked};

use Language::{Python, TypeScript};

const ORDER: [(Language, &str); 2] = [
    (
        TypeScript,
        "function* count() { let n = 0; while (true) yield ++n }
        const counter = count(); counter.next(); console.log('before');
        const begun = Date.now(), mark = performance.now();
        const { n } = await tools.shop.order({ n: env.n });
        console.log('after', Date.now() >= begun, performance.now() > mark);
        return [n, counter.next().value, tools.shop.order.name.length > 0]",
    ),
    (
        Python,
        "
def count():
    n = 0
    while True:
        n += 1
        yield n

counter = count()
next(counter)
print('before')
answer = await tools.shop.order(n=env['n'])
print('after True True')
[answer['n'], next(counter), True]",
    ),
];

#[tokio::test]
async fn more_runs_wait_than_there_are_isolates() {
    let mut parked = Parked::new();
    parked.isolates = 1;
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    for (language, source) in ORDER {
        let mut runs = Vec::new();
        for n in 0..5 {
            let script = ampoule::Script::new(language, source);
            let isolate = runtime
                .isolate(script.env("n", n))
                .grant(ampoule::Grant::all());
            runs.push(isolate.start().await.unwrap());
        }
        until_parked(&runtime, 5).await;
        assert_eq!(runtime.load(), (0, 0));
        assert_eq!(Parked::kept(&runtime).len(), 5);
        for run in Parked::kept(&runtime) {
            assert_eq!((run.state, run.calls, run.under_way), ("parked", 1, 1));
            assert!(run.kept_bytes < 150_000, "{run:?}");
            assert_eq!(run.printed, "before\n");
        }
        shop.open();
        for (n, run) in runs.into_iter().enumerate() {
            let mut events = run.events();
            let outcome = run.outcome().await.unwrap();
            let value = outcome.value::<serde_json::Value>();
            assert_eq!(value.unwrap(), json!([n, 2, true]), "{}", outcome.output);
            assert_eq!(outcome.usage.parked, 1);
            assert_eq!(
                outcome.output.to_string(),
                match language {
                    Python => "before\nafter True True\n",
                    _ => "before\nafter true true\n",
                }
            );
            let (mut told, mut number) = (Vec::new(), 0);
            while let Some(event) = events.next().await {
                assert_eq!(event.number, number);
                number += 1;
                match event.event {
                    Event::Parked => told.push("parked"),
                    Event::Woken => told.push("woken"),
                    _ => {}
                }
            }
            assert_eq!(told, ["parked", "woken"]);
        }
        assert!(Parked::kept(&runtime).is_empty());
        shop.open.send_replace(false);
    }
}

#[tokio::test]
async fn a_timer_wakes_it_and_quick_runs_are_never_parked() {
    let parked = Parked::new();
    let runtime = parked.runtime(&Shop::closed());
    for (language, quick, slow) in [
        (
            TypeScript,
            "await new Promise(r => setTimeout(r, 1)); return 1",
            "for (let n = 0; n < 3; n++) await new Promise(r => setTimeout(r, 60)); return 1",
        ),
        (
            Python,
            "import asyncio\nawait asyncio.sleep(0.001)\n1",
            "import asyncio\nfor n in range(3):\n    await asyncio.sleep(0.06)\n1",
        ),
    ] {
        for (source, times) in [(quick, 0), (slow, 3)] {
            let outcome = script(&runtime, language, source).run().await.unwrap();
            assert_eq!(outcome.value::<u32>().unwrap(), 1);
            assert_eq!(outcome.usage.parked, times, "{source}");
        }
    }
}

#[tokio::test]
async fn one_of_a_session_leaves_what_it_did() {
    let parked = Parked::new();
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    for (language, first, second) in [
        (
            TypeScript,
            "let a = 1; await tools.shop.order({}); a += 1; let b = () => a",
            "return [a, b()]",
        ),
        (Python, "a = 1\nawait tools.shop.order()\na += 1", "[a, 2]"),
    ] {
        shop.open.send_replace(false);
        let name = language.name();
        let run = script(&runtime, language, first).session(name).start();
        let run = run.await.unwrap();
        until_parked(&runtime, 1).await;
        shop.open();
        let outcome = run.outcome().await.unwrap();
        assert!(outcome.session.unwrap().kept);
        let outcome = script(&runtime, language, second).session(name).run();
        assert_eq!(outcome.await.unwrap().value::<[u32; 2]>().unwrap(), [2, 2]);
    }
}

#[tokio::test]
async fn what_cancels_it_or_drops_it_leaves_nothing() {
    let parked = Parked::new();
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    let source = "console.log('so far'); await tools.shop.order({})";
    let run = script(&runtime, TypeScript, source).start().await.unwrap();
    until_parked(&runtime, 1).await;
    run.cancel();
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Cancelled));
    assert_eq!(outcome.output.to_string(), "so far\n");
    assert!(Parked::kept(&runtime).is_empty());

    let run = script(&runtime, TypeScript, source).start().await.unwrap();
    until_parked(&runtime, 1).await;
    drop(run);
    until_parked(&runtime, 0).await;
    assert!(Parked::kept(&runtime).is_empty());
}

#[tokio::test]
async fn what_waits_in_the_middle_of_a_function_is_kept_alive_and_counted() {
    let parked = Parked::new();
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    let source = "def ask():\n    return tools.shop.order(n=1).result()\nask()['n']";
    let run = script(&runtime, Python, source).start().await.unwrap();
    while runtime.waiting().kept_alive != 1 {
        tokio::time::sleep(SOON / 10).await;
    }
    assert_eq!(runtime.standing(run.id()), Some("kept alive"));
    assert_eq!(runtime.waiting().parked, 0);
    assert_eq!(runtime.load().0, 1);
    shop.open();
    let outcome = run.outcome().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
    assert_eq!(outcome.usage.parked, 0);
    assert_eq!(runtime.waiting().kept_alive, 0);
}
