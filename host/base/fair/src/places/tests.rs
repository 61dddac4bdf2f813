use std::pin::pin;

use futures::FutureExt;
use futures::future::join_all;

use super::*;
use crate::testing::{Random, named};

const AT_ONCE: Duration = Duration::ZERO;

/// As many places as a principal gets that asks for so many.
async fn flood(places: &Places, owner: &Owner, asked: usize) -> Vec<Place> {
    let taken = (0..asked).map(|_| places.take(owner.as_ref(), 1, AT_ONCE));
    join_all(taken).await.into_iter().flatten().collect()
}

#[tokio::test(start_paused = true)]
async fn a_principal_that_floods_leaves_places_for_those_that_have_none() {
    let (ada, bob) = (named("ada", 1), named("bob", 1));
    for (all, most) in [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6), (1000, 750)] {
        let places = Places::new(all);
        let held = flood(&places, &bob, all + 1).await;
        assert_eq!(held.len(), most, "{all}");
        let other = places.take(ada.as_ref(), 1, AT_ONCE).await;
        assert_eq!(other.is_ok(), all > 1, "{all}");
    }
    // Of 1,000 heavier ones get more, and leave some.
    let places = Places::new(1000);
    let held = flood(&places, &named("carl", 10), 2000).await;
    assert_eq!(held.len(), 967);
    assert!(places.take(ada.as_ref(), 1, AT_ONCE).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn without_a_name_all_places_are_given_in_order() {
    let places = Places::new(4);
    let mut held = flood(&places, &None, 5).await;
    assert_eq!(held.len(), 4);
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(places.wait(None))).collect();
    for wait in &mut waiting {
        assert!(wait.now_or_never().is_none());
    }
    for n in 0..3 {
        drop(held.pop());
        for later in waiting.iter_mut().skip(1) {
            assert!(later.now_or_never().is_none(), "{n}");
        }
        let first = waiting.remove(0).now_or_never();
        held.insert(0, first.expect("its turn").expect("a place"));
    }
}

/// How often each had the only place, where all want it all the time and hold it for a while.
async fn shared(
    places: &Places,
    owners: &[(Owner, usize)],
    held: Duration,
    times: usize,
) -> Vec<usize> {
    let counts = parking_lot::Mutex::new(vec![0; owners.len()]);
    let floods = owners.iter().enumerate().flat_map(|(n, (owner, many))| {
        let counts = &counts;
        (0..*many).map(move |_| async move {
            while counts.lock().iter().sum::<usize>() < times {
                let place = places.wait(owner.as_ref()).await.expect("room");
                tokio::time::sleep(held).await;
                let mut counts = counts.lock();
                // Those who still wait at the end are not counted.
                counts[n] += usize::from(counts.iter().sum::<usize>() < times);
                drop(place);
            }
        })
    });
    join_all(floods).await;
    counts.into_inner()
}

#[tokio::test(start_paused = true)]
async fn places_are_shared_by_weight() {
    let owners = [(named("ada", 3), 5), (named("bob", 1), 50), (None, 20)];
    for places in [Places::new(1), Places::by_time(1), Places::one_by_one()] {
        for held in [1, 20].map(Duration::from_millis) {
            let counts = shared(&places, &owners, held, 1000).await;
            for (count, weight) in counts.iter().zip([3, 1, 1]) {
                assert!(
                    count.abs_diff(weight * 200) <= 5 * weight,
                    "{held:?}: {counts:?}"
                );
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn large_ones_have_their_turn_among_small_ones() {
    let places = Places::new(8);
    let (ada, bob) = (named("ada", 1), named("bob", 1));
    let mut small = flood(&places, &bob, 20).await;
    assert_eq!(small.len(), 6);
    let mut large = pin!(places.take(ada.as_ref(), 4, Duration::from_secs(9)));
    let mut next = pin!(places.take(bob.as_ref(), 1, Duration::from_secs(9)));
    assert!(futures::poll!(&mut large).is_pending());
    assert!(futures::poll!(&mut next).is_pending());
    small.truncate(5);
    assert!(futures::poll!(&mut large).is_pending());
    assert!(futures::poll!(&mut next).is_pending());
    small.truncate(4);
    let large = large.now_or_never().expect("its turn");
    assert!(large.is_ok() && futures::poll!(&mut next).is_pending());
    drop((large, small));
    assert!(next.await.is_ok());
    // What is larger than all gets all.
    assert!(places.take(None, 100, AT_ONCE).await.is_ok());
    assert!(places.line().is_empty());
}

#[tokio::test(start_paused = true)]
async fn above_the_room_to_wait_the_error_says_when_to_try_again() {
    let places = Places::by(Rule::Reserved, 1, 4);
    let (ada, bob) = (named("ada", 1), named("bob", 1));
    let long = Duration::from_secs(20);
    for _ in 0..50 {
        let _held = places.take(bob.as_ref(), 1, AT_ONCE).await.unwrap();
        tokio::time::advance(Duration::from_secs(6)).await;
    }
    let held = places.take(bob.as_ref(), 1, long).await.unwrap();
    let mut waiting: Vec<_> = (0..3)
        .map(|_| Box::pin(places.take(bob.as_ref(), 1, long)))
        .collect();
    for wait in &mut waiting {
        assert!(wait.now_or_never().is_none());
    }
    // Three wait, each for some six seconds.
    let busy = places.take(bob.as_ref(), 1, long).now_or_never();
    let busy = busy.expect("no wait").unwrap_err();
    assert!(!busy.waited);
    assert_eq!(busy.again.as_secs(), 24);
    // There is still room for another.
    let mut other = Box::pin(places.take(ada.as_ref(), 1, long));
    assert!((&mut other).now_or_never().is_none());
    let carl = named("carl", 1);
    let full = places.take(carl.as_ref(), 1, long).now_or_never();
    let full = full.expect("no wait").unwrap_err();
    assert!(full.again >= AGAIN.0 && full.again <= AGAIN.1);
    waiting.clear();
    drop(held);
    drop(other.await.unwrap());
    assert!(places.line().is_empty());
    // Who waited in vain leaves nothing, either.
    let held = places.take(None, 1, AT_ONCE).await.unwrap();
    let late = places.take(ada.as_ref(), 1, long).await.unwrap_err();
    assert!(late.waited);
    drop(held);
    assert!(places.line().is_empty());
}

/// One that took a place, or waits for one.
enum Contender {
    Has(Place),
    Waits(PlaceRequest),
}

/// Whatever happens in whatever order, places are neither lost nor made, and nobody is next who
/// could go.
#[tokio::test(start_paused = true)]
async fn no_place_is_lost() {
    for seed in 0..200 {
        let mut random = Random::of(seed);
        let all = random.below(12) + 1;
        let places = Places::by(
            [Rule::Reserved, Rule::ByTime, Rule::ByCount][random.below(3)],
            all as u64,
            20,
        );
        let owners = [None, named("ada", 1), named("bob", 3), named("carl", 1)];
        let mut contenders: Vec<Contender> = Vec::new();
        for _ in 0..200 {
            let at = random.below(contenders.len().max(1));
            match random.below(5) {
                0 | 1 => {
                    let size = if random.below(4) == 0 {
                        random.below(all) + 1
                    } else {
                        1
                    };
                    contenders.push(match places.begin(owners[random.below(4)].as_ref(), size) {
                        Ok(place) => Contender::Has(place),
                        Err(waiting) => Contender::Waits(waiting),
                    });
                }
                2 if !contenders.is_empty() => match contenders.swap_remove(at) {
                    Contender::Has(place) => contenders.push(Contender::Has(place)),
                    Contender::Waits(mut waiting) => match (&mut waiting).now_or_never() {
                        Some(Ok(place)) => contenders.push(Contender::Has(place)),
                        Some(Err(_)) => {}
                        None => contenders.push(Contender::Waits(waiting)),
                    },
                },
                3 if !contenders.is_empty() => drop(contenders.swap_remove(at)),
                _ => tokio::time::advance(Duration::from_millis(random.below(50) as u64)).await,
            }
            places.line().check();
        }
        let taken: u64 = contenders
            .iter()
            .map(|contender| match contender {
                Contender::Has(place) => place.size,
                Contender::Waits(_) => 0,
            })
            .sum();
        assert!(taken <= all as u64, "{seed}");
        contenders.clear();
        assert!(places.line().is_empty(), "{seed}: {places:?}");
    }
}
