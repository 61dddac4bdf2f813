//! Plans.

use super::*;
use crate::approvals::Approvals;
use crate::channel::CommandLine;
use crate::plan::{ApprovedPlan, Plan};
use std::sync::Arc;

fn plan(store: &Store, people: &[&str]) -> Plan {
    let mut plan = Plan::new(store);
    for whom in people {
        plan.add(&wanted(40, &to(whom))).unwrap();
    }
    plan
}

fn next(plan: &ApprovedPlan, whom: &str) -> Result<Approval, ApprovalError> {
    plan.take("mail", "send", &to(whom))
}

async fn approved(store: &Store, said: Answer) -> Result<ApprovedPlan, ApprovalError> {
    let asking = Approvals::new(store.clone(), vec![Arc::new(CommandLine)]);
    let answers = async {
        let question = loop {
            match listed(store).pop() {
                Some(found) if found.state == State::Open => break found.question,
                _ => tokio::task::yield_now().await,
            }
        };
        assert_eq!(question.kind, Kind::Plan);
        answer(store, &question, said).unwrap();
    };
    let (caller, plan) = (caller("r-1"), plan(store, &["a", "b", "a"]));
    tokio::join!(asking.approve(&caller, plan), answers).0
}

#[tokio::test]
async fn exactly_what_was_approved_is_done_in_its_order_and_once() {
    let kept = kept();
    let plan = approved(&kept.store, Answer::AllowOnce).await.unwrap();
    let differs = next(&plan, "b").unwrap_err();
    assert!(differs.to_string().contains("at 1 of 3"), "{differs}");
    next(&plan, "a").unwrap();
    assert!(matches!(
        next(&plan, "a"),
        Err(ApprovalError::NotPlanned(_))
    ));
    next(&plan, "b").unwrap();
    assert_eq!(plan.left(), 1);
    // Another process continues where this one stopped, and neither does it twice.
    let store = open(kept.folder.path(), ApprovalLimits::default());
    let id = listed(&store)[0].question.id;
    let again = ApprovedPlan::open(&store, id, Some("ada")).unwrap();
    assert_eq!(again.left(), 1);
    next(&again, "a").unwrap();
    assert_eq!(next(&plan, "a").unwrap_err(), ApprovalError::Used);
    assert!(matches!(
        next(&again, "a"),
        Err(ApprovalError::NotPlanned(_))
    ));
    assert!(matches!(
        ApprovedPlan::open(&store, id, Some("bob")),
        Err(ApprovalError::NotPlanned(_))
    ));
}

#[tokio::test]
async fn a_plan_is_approved_as_a_whole_or_not() {
    let kept = kept();
    let denied = approved(&kept.store, deny("no")).await.unwrap_err();
    assert!(matches!(denied, ApprovalError::Denied { .. }));
    let calls = plan(&kept.store, &["a", "b"]).into_calls();
    let question = unkept(&kept.store, Kind::Plan, caller("r-2"), calls);
    kept.store.put(&question).unwrap();
    assert!(ApprovedPlan::open(&kept.store, question.id, Some("ada")).is_err());
    let seen = question.seen_with(1, &kept.store.0.keys).unwrap();
    let whole = question.seen_with(2, &kept.store.0.keys).unwrap();
    let parts = [
        PersonAnswer::new(seen, Answer::AllowOnce),
        PersonAnswer {
            only: Some(vec![0]),
            ..PersonAnswer::new(whole, Answer::AllowOnce)
        },
        PersonAnswer::new(whole, Answer::AllowRun),
    ];
    for part in parts {
        let given = kept.store.answer(question.id, part, by());
        assert!(matches!(given, Err(QuestionError::NotOffered(_))));
    }
}

#[test]
fn a_plans_digest_is_of_its_calls_and_their_order() {
    let kept = kept();
    let digest = |people: &[&str]| plan(&kept.store, people).digest().unwrap();
    assert_eq!(digest(&["a", "b"]), digest(&["a", "b"]));
    assert_ne!(digest(&["a", "b"]), digest(&["b", "a"]));
    assert_ne!(digest(&["a", "b"]), digest(&["a"]));
    let mut full = Plan::new(&kept.store);
    for _ in 0..kept.store.limits().run {
        full.add(&wanted(0, &to("a"))).unwrap();
    }
    assert!(matches!(
        full.add(&wanted(0, &to("a"))),
        Err(QuestionError::Full(_))
    ));
}

#[tokio::test]
async fn a_plan_of_nothing_is_not_asked_about() {
    let kept = kept();
    let asking = Approvals::new(kept.store.clone(), vec![Arc::new(CommandLine)]);
    let caller = caller("r-1");
    let approved = asking.approve(&caller, Plan::new(&kept.store));
    let approved = tokio::time::timeout(std::time::Duration::from_secs(5), approved).await;
    assert!(matches!(
        approved.unwrap(),
        Err(ApprovalError::NotPlanned(_))
    ));
    assert!(listed(&kept.store).is_empty());
}

#[tokio::test]
async fn planted_files_and_clocks_give_no_more_of_a_plan() {
    let kept = kept();
    let plan = approved(&kept.store, Answer::AllowOnce).await.unwrap();
    skew(&kept.store, -7200);
    assert_eq!(next(&plan, "a").unwrap_err(), ApprovalError::Expired);
    skew(&kept.store, 0);
    let id = listed(&kept.store)[0].question.id;
    let planted = Name::new("r-1", id, crate::names::Part::Used(u32::MAX));
    std::fs::write(kept.folder.path().join(format!("approvals/{planted}")), "").unwrap();
    let again = ApprovedPlan::open(&kept.store, id, Some("ada")).unwrap();
    assert_eq!(again.left(), 0);
    assert!(next(&again, "a").is_err());
}
