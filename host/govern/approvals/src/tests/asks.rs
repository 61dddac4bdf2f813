//! Calls that wait.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{join_all, select};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::approvals::Approvals;
use crate::channel::{Channel, CommandLine};
use crate::id::QuestionId;

/// Tells the test of questions.
#[derive(Debug)]
struct Told {
    asked: mpsc::UnboundedSender<Arc<Question>>,
    over: Mutex<Vec<QuestionId>>,
}

impl Channel for Told {
    fn reaches(&self, caller: &Caller) -> bool {
        caller.client.is_some()
    }

    fn asked(&self, question: &Arc<Question>) {
        self.asked.send(Arc::clone(question)).unwrap();
    }

    fn over(&self, question: QuestionId) {
        self.over.lock().push(question);
    }
}

/// Calls of a busy machine come as one, too.
fn gathers() -> ApprovalLimits {
    ApprovalLimits {
        gather: Duration::from_millis(500),
        ..ApprovalLimits::default()
    }
}

struct Asks {
    asking: Approvals,
    told: Arc<Told>,
    asked: mpsc::UnboundedReceiver<Arc<Question>>,
}

fn asks(store: &Store) -> Asks {
    let (sends, asked) = mpsc::unbounded_channel();
    let told = Arc::new(Told {
        asked: sends,
        over: Mutex::default(),
    });
    let place: Arc<dyn Channel> = told.clone();
    Asks {
        asking: Approvals::new(store.clone(), vec![place]),
        told,
        asked,
    }
}

async fn ask(
    asking: &Approvals,
    run: &str,
    number: u32,
    whom: &str,
) -> Result<Approval, ApprovalError> {
    let arguments = to(whom);
    let (caller, wanted) = (caller(run), wanted(number, &arguments));
    asking.ask(&caller, &wanted, &done()).await
}

#[tokio::test]
async fn calls_that_come_at_once_arrive_as_one_question() {
    let kept = kept_with(gathers());
    let mut asks = asks(&kept.store);
    let people = ["a", "b", "c"];
    let calls = people
        .iter()
        .zip(1..)
        .map(|(whom, number)| ask(&asks.asking, "r-1", number, whom));
    let answers = async {
        let question = asks.asked.recv().await.unwrap();
        assert_eq!(question.calls.len(), 3);
        assert_eq!(question.done, done());
        answer(&kept.store, &question, Answer::AllowOnce).unwrap();
        question.id
    };
    let (granted, id) = tokio::join!(join_all(calls), answers);
    for granted in granted {
        assert_eq!(granted.unwrap().question, id);
    }
    assert_eq!(*asks.told.over.lock(), [id]);
}

#[tokio::test]
async fn a_call_that_comes_later_is_added_and_not_covered_by_what_was_shown_before() {
    let kept = kept();
    let mut asks = asks(&kept.store);
    let first = ask(&asks.asking, "r-1", 1, "a");
    let rest = async {
        let before = asks.asked.recv().await.unwrap();
        let seen = kept
            .store
            .get(before.id)
            .unwrap()
            .seen(&kept.store)
            .unwrap();
        let second = ask(&asks.asking, "r-1", 2, "b");
        let answers = async {
            let after = asks.asked.recv().await.unwrap();
            assert_eq!((after.id, after.calls.len()), (before.id, 2));
            // The answering person has not looked since.
            let given = PersonAnswer::new(seen, Answer::AllowOnce);
            kept.store.answer(before.id, given, by()).unwrap();
            let anew = asks.asked.recv().await.unwrap();
            assert_eq!((anew.calls.len(), anew.calls[0].number), (1, 2));
            answer(&kept.store, &anew, deny("no")).unwrap();
        };
        tokio::join!(second, answers).0
    };
    let (first, second) = tokio::join!(first, rest);
    first.unwrap();
    assert!(matches!(second, Err(ApprovalError::Denied { .. })));
}

#[tokio::test]
async fn other_processes_answers_are_seen_soon() {
    let kept = kept();
    let mut asks = asks(&kept.store);
    let mut heard = asks.asking.answered();
    let other = open(kept.folder.path(), ApprovalLimits::default());
    // A question of a run that sleeps: nothing waits for it here.
    let (_, asleep) = put(&other, "r-9", &[(1, "a")]);
    let answers = async {
        let question = asks.asked.recv().await.unwrap();
        answer(&other, &question, Answer::AllowOnce).unwrap();
        answer(&other, &asleep, Answer::AllowOnce).unwrap();
    };
    let call = ask(&asks.asking, "r-1", 1, "a");
    let both = async { tokio::join!(call, answers).0 };
    timeout(Duration::from_secs(10), both)
        .await
        .unwrap()
        .unwrap();
    let mut runs = vec![
        heard.recv().await.unwrap().run,
        heard.recv().await.unwrap().run,
    ];
    runs.sort();
    assert_eq!(runs, ["r-1", "r-9"]);
}

#[tokio::test]
async fn what_a_run_had_asked_that_sleeps_is_asked_by_the_next_process() {
    let kept = kept();
    let (_, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    put(&kept.store, "r-2", &[(1, "bob")]);
    let mut asks = asks(&kept.store);
    assert!(asks.asking.open_of("r-1").is_empty());
    for _ in 0..2 {
        asks.asking.recall("r-1").await.unwrap();
    }
    let told = asks.asked.recv().await.unwrap();
    assert_eq!((told.id, told.calls.len()), (question.id, 1));
    assert!(asks.asked.try_recv().is_err());
    assert_eq!(asks.asking.open_of("r-1"), [told]);
    // Other calls of the run are given up on.
    asks.asking.withdraw("r-1", Some(&[7])).unwrap();
    assert_eq!(asks.asking.open_of("r-1").len(), 1);
    let mut answered = asks.asking.answered();
    answer(&kept.store, &question, Answer::AllowOnce).unwrap();
    assert_eq!(answered.recv().await.unwrap().question, question.id);
    let over = async {
        while asks.told.over.lock().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), over).await.unwrap();
    assert!(asks.asking.open_of("r-1").is_empty());
    // And not again once there is an answer.
    asks.asking.recall("r-1").await.unwrap();
    assert!(asks.asking.open_of("r-1").is_empty());
    assert!(ask(&asks.asking, "r-1", 1, "ada").await.is_ok());
}

#[tokio::test]
async fn a_run_that_slept_has_its_answer_when_it_wakes_in_another_process() {
    let kept = kept();
    let mut before = asks(&kept.store);
    let id = {
        let call = std::pin::pin!(ask(&before.asking, "r-1", 1, "a"));
        let question = std::pin::pin!(before.asked.recv());
        match select(question, call).await {
            futures::future::Either::Left((question, _)) => question.unwrap().id,
            futures::future::Either::Right(_) => panic!("nobody answered"),
        }
    };
    drop(before);
    let next = open(kept.folder.path(), ApprovalLimits::default());
    // It wakes before there is an answer: the same question, and no second one.
    let mut woken = asks(&next);
    let answers = async {
        let question = woken.asked.recv().await.unwrap();
        assert_eq!(question.id, id);
        answer(&kept.store, &question, Answer::AllowOnce).unwrap();
    };
    let (granted, ()) = tokio::join!(ask(&woken.asking, "r-1", 1, "a"), answers);
    assert_eq!(granted.unwrap().question, id);
    assert_eq!(listed(&next).len(), 1);
    let again = ask(&woken.asking, "r-1", 1, "a").await;
    assert_eq!(again.unwrap_err(), ApprovalError::Used);
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_call_fails_at_once_and_says_how_to_allow_it() {
    let kept = kept();
    let asks = asks(&kept.store);
    let arguments = to("a");
    let mut alone = caller("r-1");
    alone.client = None;
    let refused = asks.asking.ask(&alone, &wanted(1, &arguments), &[]).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, ApprovalError::NobodyToAsk(_)));
    assert!(
        refused.to_string().contains("[approvals] in ampoule.toml"),
        "{refused}"
    );
    assert!(listed(&kept.store).is_empty());
    assert!(CommandLine.reaches(&alone));
}

#[tokio::test]
async fn one_run_can_ask_only_so_much() {
    let kept = kept_with(ApprovalLimits {
        calls: 4,
        run: 6,
        ..gathers()
    });
    let mut asks = asks(&kept.store);
    let calls = (0..6).map(|number| ask(&asks.asking, "r-1", number, "a"));
    let answers = async {
        let question = asks.asked.recv().await.unwrap();
        assert_eq!(question.calls.len(), 4);
        answer(&kept.store, &question, Answer::AllowOnce).unwrap();
    };
    let (granted, ()) = tokio::join!(join_all(calls), answers);
    let too_many = granted
        .iter()
        .filter(|one| matches!(one, Err(ApprovalError::TooMany(_))));
    assert_eq!(too_many.count(), 2);
    let calls = (6..9).map(|number| ask(&asks.asking, "r-1", number, "a"));
    let answers = async {
        let question = asks.asked.recv().await.unwrap();
        assert_eq!(question.calls.len(), 2);
        answer(&kept.store, &question, Answer::AllowOnce).unwrap();
    };
    let (granted, ()) = tokio::join!(join_all(calls), answers);
    assert_eq!(granted.iter().filter(|one| one.is_ok()).count(), 2);
    let refused = granted.iter().find_map(|one| one.as_ref().err());
    let said = refused.unwrap().to_string();
    assert!(said.contains("6 calls already"), "{said}");
}

#[tokio::test]
async fn an_unwanted_question_is_withdrawn() {
    let kept = kept_with(gathers());
    let mut asks = asks(&kept.store);
    let both = async {
        let calls = [
            ask(&asks.asking, "r-1", 1, "a"),
            ask(&asks.asking, "r-1", 2, "b"),
        ];
        join_all(calls).await
    };
    let withdraws = async {
        asks.asked.recv().await.unwrap();
        asks.asking.withdraw("r-1", Some(&[1])).unwrap();
        assert_eq!(listed(&kept.store).len(), 1, "the other call waits");
        asks.asking.withdraw("r-1", None).unwrap();
        assert!(listed(&kept.store).is_empty());
    };
    let (both, ()) = tokio::join!(both, withdraws);
    for one in both {
        assert_eq!(one.unwrap_err(), ApprovalError::Withdrawn);
    }
    assert!(asks.asking.0.is_idle());
}

#[tokio::test]
async fn questions_that_expire_or_are_withdrawn_elsewhere_end_the_calls() {
    let kept = kept();
    let mut asks = asks(&kept.store);
    let expires = async {
        asks.asked.recv().await.unwrap();
        skew(
            &kept.store,
            kept.store.limits().expires.as_secs() as i64 + 1,
        );
    };
    let (late, ()) = tokio::join!(ask(&asks.asking, "r-1", 1, "a"), expires);
    assert_eq!(late.unwrap_err(), ApprovalError::Expired);
    skew(&kept.store, 0);
    let withdraws = async {
        let question = asks.asked.recv().await.unwrap();
        let other = open(kept.folder.path(), ApprovalLimits::default());
        other.withdraw(question.id).unwrap();
    };
    let (gone, ()) = tokio::join!(ask(&asks.asking, "r-2", 1, "a"), withdraws);
    assert_eq!(gone.unwrap_err(), ApprovalError::Withdrawn);
}

#[tokio::test]
async fn a_call_that_is_asked_about_again_meanwhile_is_there_once() {
    let kept = kept_with(gathers());
    let mut asks = asks(&kept.store);
    for _ in 0..3 {
        let call = ask(&asks.asking, "r-1", 1, "a");
        let _ = timeout(Duration::from_millis(50), call).await;
    }
    let answers = async {
        let question = asks.asked.recv().await.unwrap();
        assert_eq!(question.calls.len(), 1);
        // The same number with other arguments: nobody could tell which of them was allowed.
        let other = async {
            let anew = asks.asked.recv().await.unwrap();
            assert_ne!(anew.id, question.id);
            answer(&kept.store, &anew, deny("")).unwrap();
            answer(&kept.store, &question, Answer::AllowOnce).unwrap();
        };
        tokio::join!(ask(&asks.asking, "r-1", 1, "b"), other).0
    };
    let (first, other) = tokio::join!(ask(&asks.asking, "r-1", 1, "a"), answers);
    first.unwrap();
    assert!(matches!(other, Err(ApprovalError::Denied { .. })));
}

#[tokio::test]
async fn what_is_withdrawn_while_it_is_written_is_not_asked() {
    let kept = kept();
    let asks = asks(&kept.store);
    let asking = asks.asking.clone();
    let call = tokio::spawn(async move { ask(&asking, "r-1", 1, "a").await });
    while !asks.asking.0.is_writing() {
        tokio::task::yield_now().await;
    }
    asks.asking.withdraw("r-1", None).unwrap();
    let call = timeout(Duration::from_secs(10), call).await.unwrap();
    assert_eq!(call.unwrap().unwrap_err(), ApprovalError::Withdrawn);
    assert!(listed(&kept.store).is_empty() && asks.asking.0.is_idle());
}
