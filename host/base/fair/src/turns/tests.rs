use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::{Notify, oneshot};
use tokio::task::{JoinHandle, spawn, yield_now};

use super::*;
use crate::testing::{Random, named};

/// Pending once, after it has woken itself: the end of a slice.
async fn slice() {
    let mut is_over = false;
    std::future::poll_fn(|context| {
        if is_over {
            return Poll::Ready(());
        }
        is_over = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A run of so many slices, each of which is counted when it begins.
fn run(turns: &Places, owner: &Owner, slices: usize, counted: &Arc<AtomicUsize>) -> JoinHandle<()> {
    let (turns, owner, counted) = (turns.clone(), owner.clone(), Arc::clone(counted));
    spawn(async move {
        let work = pin!(async {
            for n in 0..slices {
                counted.fetch_add(1, Relaxed);
                if n + 1 < slices {
                    slice().await;
                }
            }
        });
        SlicedFuture::at(turns, work, owner).await;
    })
}

#[tokio::test]
async fn what_computes_on_waits_for_its_turn_and_what_begins_does_not() {
    let turns = Places::by_time(2);
    let taken = [turns.wait(None).await, turns.wait(None).await];
    SlicedFuture::at(turns.clone(), pin!(async {}), None).await;
    let has_begun = Arc::new(Notify::new());
    let (told, all) = (Arc::clone(&has_begun), turns.clone());
    let computing = spawn(async move {
        let work = pin!(async {
            told.notify_one();
            slice().await;
        });
        SlicedFuture::at(all, work, None).await;
    });
    has_begun.notified().await;
    yield_now().await;
    assert!(!computing.is_finished());
    drop(taken);
    computing.await.unwrap();
    assert!(!turns.any_taken());
}

#[tokio::test]
async fn what_waits_has_no_turn_and_hears_of_what_it_waits_for() {
    for owner in [None, named("ada", 1)] {
        let turns = Places::by_time(2);
        let (answer, answered) = oneshot::channel();
        let (waits, is_waiting) = oneshot::channel();
        let all = turns.clone();
        let run = spawn(async move {
            let work = pin!(async {
                slice().await;
                slice().await;
                let _ = waits.send(());
                let answer: u32 = answered.await.unwrap();
                tokio::time::sleep(Duration::from_millis(1)).await;
                slice().await;
                answer
            });
            SlicedFuture::at(all, work, owner).await
        });
        is_waiting.await.unwrap();
        yield_now().await;
        assert!(!turns.any_taken());
        answer.send(7).unwrap();
        assert_eq!(run.await.unwrap(), 7);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wake_is_lost_between_slices() {
    let turns = Places::by_time(1);
    for n in 0..2000 {
        let (answer, answered) = oneshot::channel();
        let (all, owner) = (turns.clone(), named("ada", 1).filter(|_| n % 2 == 0));
        let run = spawn(async move {
            let work = pin!(async {
                slice().await;
                answered.await.unwrap()
            });
            SlicedFuture::at(all, work, owner).await
        });
        answer.send(()).unwrap();
        run.await.unwrap();
    }
    assert!(!turns.any_taken());
}

/// A run of so many slices, which says how many others had been counted at its end.
async fn others_meanwhile(turns: &Places, slices: usize, others: &Arc<AtomicUsize>) -> usize {
    let (turns, others) = (turns.clone(), Arc::clone(others));
    let before = others.load(Relaxed);
    let run = spawn(async move {
        let work = pin!(async {
            for _ in 1..slices {
                slice().await;
            }
            others.load(Relaxed)
        });
        SlicedFuture::at(turns, work, named("ada", 1)).await
    });
    run.await.unwrap() - before
}

#[tokio::test(start_paused = true)]
async fn endless_loops_delay_anothers_run_by_one_slice_each() {
    let (turns, counted) = (Places::by_time(2), Arc::default());
    for _ in 0..900 {
        run(&turns, &named("bob", 1), usize::MAX, &counted);
    }
    let slices_after = [(0, 1), (500, 1), (5000, 1), (5000, 10)];
    for (after, slices) in slices_after {
        while counted.load(Relaxed) < after {
            yield_now().await;
        }
        let others = others_meanwhile(&turns, slices, &counted).await;
        // A slice for each turn that there is, before each of its own.
        assert!(others <= 2 * slices, "{after}, {slices}: {others}");
    }
}

#[tokio::test(start_paused = true)]
async fn many_that_begin_at_once_delay_anothers_by_one_slice() {
    let (turns, counted) = (Places::by_time(2), Arc::default());
    let many: Vec<_> = (0..900)
        .map(|_| run(&turns, &named("bob", 1), 1, &counted))
        .collect();
    let others = others_meanwhile(&turns, 1, &counted).await;
    assert!(others <= 2, "{others}");
    join_all(many).await;
    assert_eq!(counted.load(Relaxed), 900);
    assert!(!turns.any_taken());
}

#[tokio::test(start_paused = true)]
async fn turns_are_shared_by_weight_and_not_by_the_number_of_runs() {
    let turns = Places::by_time(1);
    let owner = [named("ada", 3), named("bob", 1), named("carl", 2), None];
    let counts: [Arc<AtomicUsize>; 4] = Default::default();
    for (n, (owner, count)) in owner.iter().zip(&counts).enumerate() {
        for _ in 0..10 * (n + 1) {
            run(&turns, owner, usize::MAX, count);
        }
    }
    let all = || counts.iter().map(|it| it.load(Relaxed)).sum::<usize>();
    while all() < 7000 {
        yield_now().await;
    }
    let counts = counts.map(|it| it.load(Relaxed));
    for (count, weight) in counts.into_iter().zip([3, 1, 2, 1]) {
        assert!(count.abs_diff(weight * 1000) <= 50 * weight, "{counts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_dropped_anywhere_leaves_nothing() {
    let turns = Places::by_time(2);
    let owner = [None, named("ada", 1), named("bob", 3)];
    let mut random = Random::of(7);
    let counted = Arc::default();
    let mut runs = Vec::new();
    for _ in 0..5000 {
        let owner = &owner[random.below(3)];
        match random.below(4) {
            0 | 1 => {
                let slices = random.below(6) + 1;
                runs.push(run(&turns, owner, slices, &counted));
            }
            2 if !runs.is_empty() => runs.swap_remove(random.below(runs.len())).abort(),
            _ => yield_now().await,
        }
    }
    for run in &runs {
        run.abort();
    }
    join_all(runs).await;
    // What was aborted earlier is dropped when Tokio comes by.
    yield_now().await;
    assert!(turns.line().is_empty(), "{turns:?}");
    run(&turns, &owner[2], 3, &counted).await.unwrap();
    assert!(turns.line().is_empty());
}

#[tokio::test]
async fn work_elsewhere_takes_a_turn_like_a_run() {
    let turns = Places::by_time(1);
    let (bob, ada) = (named("bob", 1), named("ada", 1));
    let working = turns.wait(bob.as_ref()).await.unwrap();
    let mut next = pin!(turns.wait(bob.as_ref()));
    assert!(futures::poll!(&mut next).is_pending());
    let mut other = pin!(turns.wait(ada.as_ref()));
    assert!(futures::poll!(&mut other).is_pending());
    drop(working);
    // Bob has had one.
    assert!(futures::poll!(&mut next).is_pending());
    let Poll::Ready(Ok(_turn)) = futures::poll!(&mut other) else {
        panic!("it is ada's turn")
    };
}
