//! What parked runs may take.

use std::time::Duration;

use ampoule::{Ending, Language, Limit, Limits};

use super::{Parked, Shop, script, until_parked};

const WAITS: &str = "console.log('so far'); await tools.shop.order({}); return 1";

#[tokio::test]
async fn the_wall_time_holds_while_a_run_is_parked() {
    let parked = Parked::new();
    let runtime = parked.runtime(&Shop::closed());
    let limits = Limits {
        wall_time: Duration::from_millis(200),
        ..*runtime.limits()
    };
    let isolate = script(&runtime, Language::TypeScript, WAITS).limits(limits);
    let outcome = isolate.unwrap().run().await.unwrap();
    assert!(matches!(&outcome.ending, Ending::Limit(hit) if hit.limit == Limit::WallTime));
    assert_eq!(outcome.usage.parked, 1);
    assert!(outcome.output.to_string().starts_with("so far\n"));
    assert!(Parked::kept(&runtime).is_empty());
}

#[tokio::test]
async fn a_run_for_which_there_is_no_room_keeps_its_isolate() {
    let mut parked = Parked::new();
    parked.limits.most = 2;
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    let mut runs = Vec::new();
    for _ in 0..3 {
        let isolate = script(&runtime, Language::TypeScript, WAITS);
        runs.push(isolate.start().await.unwrap());
    }
    until_parked(&runtime, 2).await;
    while runtime.waiting().kept_alive != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(Parked::kept(&runtime).len(), 2);
    // Somebody else has room.
    let isolate = script(&runtime, Language::TypeScript, WAITS).principal("ada");
    runs.push(isolate.start().await.unwrap());
    until_parked(&runtime, 3).await;
    shop.open();
    for run in runs {
        assert_eq!(run.outcome().await.unwrap().value::<u32>().unwrap(), 1);
    }
}

#[tokio::test]
async fn one_that_is_too_large_keeps_its_isolate() {
    let mut parked = Parked::new();
    parked.limits.each = 200_000;
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    let source = "const much = Array.from({ length: 200_000 }, (_, n) => n + 0.5); await tools.shop.order({}); return much.length";
    let run = script(&runtime, Language::TypeScript, source).start();
    let run = run.await.unwrap();
    while runtime.waiting().kept_alive != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    shop.open();
    let outcome = run.outcome().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 200_000);
}

#[tokio::test]
async fn principals_see_their_own() {
    let parked = Parked::new();
    let shop = Shop::closed();
    let runtime = parked.runtime(&shop);
    let isolate = script(&runtime, Language::TypeScript, WAITS).principal("ada");
    let run = isolate.start().await.unwrap();
    until_parked(&runtime, 1).await;
    let (ada, bob) = ("ada".into(), "bob".into());
    let of = |principal| runtime.parked(principal).unwrap().len();
    assert_eq!([of(Some(&ada)), of(Some(&bob)), of(None)], [1, 0, 0]);
    assert_eq!(runtime.all_parked().unwrap().len(), 1);
    let id = run.id().to_string();
    let error = runtime.remove_parked(&id, Some(&bob)).unwrap_err();
    assert!(error.to_string().contains("unknown parked run"));
    let error = runtime.remove_parked(&id, Some(&ada)).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
}
