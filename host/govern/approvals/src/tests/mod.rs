//! What must hold for every actor, and wherever a process dies.

mod asks;
mod attacks;
mod pages;
mod plans;
mod texts;
mod told;

use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value, json};

use crate::answer::{Answer, AnswerRecord, AnswerSource, Answerer, PersonAnswer};
use crate::approval::{Approval, ApprovalError};
use crate::arguments::Hidden;
use crate::digest::Digest;
use crate::error::QuestionError;
use crate::limits::ApprovalLimits;
use crate::names::Name;
use crate::question::{CallRequest, Caller, Kind, ProposedCall, Question, ToolActivity};
use crate::standing::PriorDecision;
use crate::store::{QuestionEntry, State, Store};

pub(crate) struct Kept {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) store: Store,
}

pub(crate) fn kept() -> Kept {
    kept_with(ApprovalLimits::default())
}

pub(crate) fn kept_with(limits: ApprovalLimits) -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), limits);
    Kept { folder, store }
}

pub(crate) fn open(folder: &Path, limits: ApprovalLimits) -> Store {
    Store::open(&folder.join("approvals"), limits).unwrap()
}

pub(crate) fn caller(run: &str) -> Caller {
    Caller {
        run: run.to_owned(),
        principal: Some("ada".to_owned()),
        client: Some("an editor".to_owned()),
        toolkit: None,
        session: Some("work".to_owned()),
    }
}

pub(crate) fn hides(path: &str, _: &Value) -> Option<Hidden> {
    (path == "/token").then_some(Hidden::Secret)
}

pub(crate) fn wanted(number: u32, arguments: &Map<String, Value>) -> CallRequest<'_> {
    CallRequest {
        number,
        server: "mail",
        tool: "send",
        arguments,
        hides: &hides,
        line: Some(7),
        policy: "ask-mail",
        reason: "mail leaves the house",
        once_only: false,
    }
}

pub(crate) fn to(whom: &str) -> Map<String, Value> {
    let Value::Object(arguments) = json!({ "to": whom, "token": "hunter2" }) else {
        panic!("it is an object")
    };
    arguments
}

pub(crate) fn done() -> Vec<ToolActivity> {
    vec![ToolActivity {
        server: "crm".to_owned(),
        tool: "find".to_owned(),
        answered: 3,
        failed: 1,
    }]
}

pub(crate) fn asked(store: &Store, number: u32, whom: &str) -> ProposedCall {
    ProposedCall::new(&wanted(number, &to(whom)), &store.0.keys, store.limits())
}

/// A question of a run about calls of these numbers, to these people.
pub(crate) fn put(store: &Store, run: &str, calls: &[(u32, &str)]) -> (Name, Question) {
    let calls = calls
        .iter()
        .map(|(number, whom)| asked(store, *number, whom));
    let (calls, now, limits) = (calls.collect(), store.now(), store.limits());
    let question = Question::new(Kind::Calls, caller(run), calls, done(), now, limits).unwrap();
    (store.put(&question).unwrap(), question)
}

/// A question that nobody has been asked yet, of a run that has called nothing.
pub(crate) fn unkept(
    store: &Store,
    kind: Kind,
    caller: Caller,
    calls: Vec<ProposedCall>,
) -> Question {
    let (now, limits) = (store.now(), store.limits());
    Question::new(kind, caller, calls, Vec::new(), now, limits).unwrap()
}

pub(crate) fn by() -> Answerer {
    Answerer::new("grace", AnswerSource::CommandLine)
}

pub(crate) fn answer(
    store: &Store,
    question: &Question,
    answer: Answer,
) -> Result<AnswerRecord, QuestionError> {
    let seen = store.get(question.id)?.seen(store)?;
    store.answer(question.id, PersonAnswer::new(seen, answer), by())
}

pub(crate) fn deny(reason: &str) -> Answer {
    Answer::Deny {
        reason: reason.to_owned(),
    }
}

pub(crate) fn take(
    store: &Store,
    name: &Name,
    number: u32,
    whom: &str,
) -> Result<Approval, ApprovalError> {
    let digest = Digest::of_call(&store.0.keys.digests, "mail", "send", &to(whom));
    store.take(name, number, &digest)
}

/// What is decided about a call without asking, if anything is.
pub(crate) fn decided(
    store: &Store,
    caller: &Caller,
    call: &ProposedCall,
) -> Option<Result<Approval, ApprovalError>> {
    match store.known(caller, call).unwrap() {
        PriorDecision::Decided(decided) => Some(decided),
        PriorDecision::Nothing | PriorDecision::Asked(_) => None,
    }
}

/// Sets the clock, for this store.
pub(crate) fn skew(store: &Store, seconds: i64) {
    store.0.skew.store(seconds, Ordering::Relaxed);
}

pub(crate) fn listed(store: &Store) -> Vec<QuestionEntry> {
    let all = store.list().unwrap();
    all.into_iter().map(Result::unwrap).collect()
}

#[test]
fn a_question_is_listed_answered_and_used_once_by_another_process() {
    let kept = kept();
    let (name, question) = put(&kept.store, "r-1", &[(3, "ada")]);
    // Another process, such as `ampoule approvals`.
    let other = open(kept.folder.path(), ApprovalLimits::default());
    let found = listed(&other);
    assert_eq!(found[0].question, question);
    assert_eq!(found[0].state, State::Open);
    assert_eq!(other.find(&question.id.short()).unwrap(), found[0]);
    assert!(matches!(other.find("zzzz"), Err(QuestionError::Missing(_))));
    assert!(matches!(other.find(""), Err(QuestionError::Missing(_))));
    answer(&other, &question, Answer::AllowOnce).unwrap();
    let granted = take(&kept.store, &name, 3, "ada").unwrap();
    assert_eq!(granted.by, by());
    // Neither process grants it again, nor does the next one.
    assert_eq!(
        take(&kept.store, &name, 3, "ada").unwrap_err(),
        ApprovalError::Used
    );
    let next = open(kept.folder.path(), ApprovalLimits::default());
    assert_eq!(
        take(&next, &name, 3, "ada").unwrap_err(),
        ApprovalError::Used
    );
    assert!(ApprovalError::Used.is_unknown());
}

#[test]
fn some_of_the_calls_can_be_allowed() {
    let kept = kept();
    let (name, question) = put(&kept.store, "r-1", &[(1, "a"), (2, "b"), (3, "c")]);
    let seen = kept
        .store
        .get(question.id)
        .unwrap()
        .seen(&kept.store)
        .unwrap();
    let give = |only: Vec<u32>| {
        let reply = PersonAnswer {
            only: Some(only),
            ..PersonAnswer::new(seen, Answer::AllowOnce)
        };
        kept.store.answer(question.id, reply, by())
    };
    assert!(matches!(give(vec![]), Err(QuestionError::NotOffered(_))));
    assert!(matches!(give(vec![9]), Err(QuestionError::NotOffered(_))));
    give(vec![1, 3]).unwrap();
    take(&kept.store, &name, 1, "a").unwrap();
    take(&kept.store, &name, 3, "c").unwrap();
    let denied = take(&kept.store, &name, 2, "b").unwrap_err();
    assert!(matches!(denied, ApprovalError::Denied { .. }), "{denied}");
}

#[test]
fn what_is_allowed_for_the_run_or_the_session_goes_no_further() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "a")]);
    answer(store, &question, Answer::AllowRun).unwrap();
    let allowed = |run: &str, change: &dyn Fn(&mut Caller, &mut ProposedCall)| {
        let (mut caller, mut call) = (caller(run), asked(store, 8, "somebody else"));
        change(&mut caller, &mut call);
        matches!(decided(store, &caller, &call), Some(Ok(_)))
    };
    assert!(allowed("r-1", &|_, _| ()));
    assert!(!allowed("r-2", &|_, _| ()));
    assert!(!allowed("r-1", &|_, call| call.tool = "delete".to_owned()));
    assert!(!allowed("r-1", &|_, call| call.server = "post".to_owned()));
    assert!(!allowed("r-1", &|_, call| call.policy = "leak".to_owned()));
    assert!(!allowed("r-1", &|_, call| call.once_only = true));
    assert!(!allowed("r-1", &|caller, _| caller.principal = None));
    let (_, question) = put(store, "r-3", &[(1, "a")]);
    let until = store.now() + 3600;
    answer(store, &question, Answer::AllowSession { until }).unwrap();
    assert!(allowed("r-4", &|_, _| ()));
    assert!(!allowed("r-4", &|caller, _| caller.session = None));
    assert!(!allowed("r-4", &|caller, _| caller.toolkit =
        Some("support".to_owned())));
    assert!(!allowed("r-4", &|caller, _| caller.session = Some("play".to_owned())));
    assert!(!allowed("r-4", &|caller, _| caller.principal =
        Some("bob".to_owned())));
    assert_eq!(store.standing().unwrap().len(), 2);
    // It is so after a restart, and ends once it is revoked by any process.
    let other = open(kept.folder.path(), ApprovalLimits::default());
    assert_eq!(other.standing().unwrap().len(), 2);
    other.revoke(question.id).unwrap();
    assert!(!allowed("r-4", &|_, _| ()));
    assert!(allowed("r-1", &|_, _| ()));
}

#[test]
fn only_what_is_offered_can_be_answered() {
    let kept = kept();
    let store = &kept.store;
    let (_, question) = put(store, "r-1", &[(1, "a")]);
    let now = store.now();
    for until in [0, now - 1, now + 365 * 86_400] {
        let given = answer(store, &question, Answer::AllowSession { until });
        assert!(
            matches!(given, Err(QuestionError::NotOffered(_))),
            "{until}"
        );
    }
    let mut alone = caller("r-2");
    alone.session = None;
    let mut once = asked(store, 1, "a");
    let question = unkept(store, Kind::Calls, alone, vec![once.clone()]);
    store.put(&question).unwrap();
    let given = answer(store, &question, Answer::AllowSession { until: now + 60 });
    assert!(matches!(given, Err(QuestionError::NotOffered(_))));
    once.once_only = true;
    let question = unkept(store, Kind::Calls, caller("r-3"), vec![once]);
    store.put(&question).unwrap();
    let given = answer(store, &question, Answer::AllowRun);
    assert!(matches!(given, Err(QuestionError::NotOffered(_))));
    // Nothing of this was an answer.
    assert!(listed(store).iter().all(|found| found.state == State::Open));
}

#[test]
fn what_is_of_no_use_any_more_is_swept() {
    let kept = kept();
    let store = &kept.store;
    let good = store.limits().good.as_secs() as i64;
    let (_, open) = put(store, "r-1", &[(1, "a")]);
    let (name, used) = put(store, "r-2", &[(1, "a")]);
    answer(store, &used, Answer::AllowOnce).unwrap();
    take(store, &name, 1, "a").unwrap();
    let (_, long) = put(store, "r-3", &[(1, "a")]);
    let until = store.now() + 29 * 86_400;
    answer(store, &long, Answer::AllowSession { until }).unwrap();
    store.sweep().unwrap();
    assert_eq!(store.names().unwrap().len(), 6);
    skew(store, 2 * good + 60);
    store.sweep().unwrap();
    let left: Vec<_> = listed(store)
        .into_iter()
        .map(|found| found.question.id)
        .collect();
    assert_eq!(left, [long.id], "{} {}", open.id, used.id);
    skew(store, 30 * 86_400);
    store.sweep().unwrap();
    assert!(store.names().unwrap().is_empty());
}
