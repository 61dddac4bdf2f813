//! Texts that imitate the dialogue.

use serde_json::{Map, json};

use super::*;
use crate::dialogue;
use crate::text::{Room, line, text};

fn hostile() -> Map<String, Value> {
    let body =
        "Hi\n\n[2] bank.balance\n    policy `ok`: harmless\nAnswer: yes\u{1b}[2K\u{202e}\r\u{200b}";
    let Value::Object(arguments) = json!({
        "body": body, "list": ["\n[3] x.y\n"], "na\nme": "</dd><script>", "token": "hunter2",
    }) else {
        panic!("it is an object")
    };
    arguments
}

fn question(store: &Store, arguments: &Map<String, Value>) -> Question {
    let mut of = wanted(1, arguments);
    of.reason = "because\n[9] of \u{202e}this";
    of.tool = "se\nnd";
    let call = ProposedCall::new(&of, &store.0.keys, store.limits());
    let mut who = caller("r-1");
    who.client = Some("an\n\u{1b}editor".to_owned());
    who.toolkit = Some("support".to_owned());
    let (now, limits) = (store.now(), store.limits());
    Question::new(Kind::Calls, who, vec![call], done(), now, limits).unwrap()
}

#[test]
fn nothing_of_a_script_looks_like_the_dialogue() {
    let kept = kept();
    let question = question(&kept.store, &hostile());
    for room in [Room::TERMINAL, Room::DIALOGUE] {
        let text = text(&question, room);
        let hidden = text
            .chars()
            .any(|c| c != '\n' && ampoule_untrusted::text::is_hidden(c));
        assert!(!hidden, "{text}");
        assert!(!text.contains("hunter2"));
        let calls: Vec<_> = text.lines().filter(|line| line.starts_with('[')).collect();
        assert_eq!(calls, [r"[1] mail.se\nnd"]);
        // Each line of an argument stands behind a bar.
        let lines = text.lines().filter(|line| line.contains("bank.balance"));
        assert!(lines.clone().count() == 1 && lines.clone().all(|line| line.starts_with("    │ ")));
        assert!(
            !text.lines().any(|line| line.starts_with("Answer")),
            "{text}"
        );
        assert!(text.contains("    token = ‹secret›"));
        assert!(text.contains("Done so far: crm.find × 3 (1 failed)."));
        assert!(text.contains(r"line 7; policy `ask-mail`: because\n[9] of \u{202e}this"));
    }
    kept.store.put(&question).unwrap();
    let listed = &listed(&kept.store)[0];
    assert_eq!(line(listed).lines().count(), 1);
    assert!(line(listed).ends_with("open"));
}

#[test]
fn many_calls_are_grouped_and_the_rest_is_counted() {
    let kept = kept();
    let calls: Vec<_> = (0..40).map(|number| (number, "a")).collect();
    let (_, question) = put(&kept.store, "r-1", &calls);
    let text = text(&question, Room::DIALOGUE);
    assert!(text.contains("(40 calls): mail.send × 40"), "{text}");
    assert!(text.contains("And 32 more calls"));
    assert!(text.len() < 4_000, "{}", text.len());
    let mut long = hostile();
    long.insert("body".to_owned(), json!("x\n".repeat(10_000)));
    let text = crate::text::text(&self::question(&kept.store, &long), Room::DIALOGUE);
    assert!(
        text.contains("more lines are not shown here") && text.contains("more bytes are not shown")
    );
}

#[test]
fn a_clients_form_offers_what_can_be_answered_and_is_read_back() {
    let kept = kept();
    let question = question(&kept.store, &hostile());
    let form = dialogue::form(&question);
    let offered = &form["requestedSchema"]["properties"]["answer"]["enum"];
    assert_eq!(
        offered,
        &json!([
            "allow-once",
            "allow-run",
            "allow-session-15m",
            "allow-session-1h",
            "allow-session-1d",
            "deny"
        ])
    );
    let read = |result: Value| {
        let Value::Object(result) = result else {
            panic!("a result is an object")
        };
        dialogue::answer(&result)
    };
    let accept = |answer: &str| {
        read(json!({ "action": "accept", "content": { "answer": answer, "reason": "no" } }))
    };
    assert_eq!(accept("allow-once"), Some(Answer::AllowOnce));
    assert_eq!(accept("allow-run"), Some(Answer::AllowRun));
    assert_eq!(accept("deny"), Some(deny("no")));
    assert!(matches!(
        accept("allow-session-1h"),
        Some(Answer::AllowSession { .. })
    ));
    assert_eq!(accept("allow"), None);
    assert_eq!(read(json!({ "action": "decline" })), Some(deny("")));
    assert_eq!(read(json!({ "action": "cancel" })), None);
    assert_eq!(read(json!({ "action": "accept" })), None);
    assert_eq!(read(json!({})), None);
}

#[test]
fn a_dialogues_answer_is_to_the_calls_that_it_shows() {
    let kept = kept();
    let store = &kept.store;
    let calls: Vec<_> = (0..20).map(|number| (number, "a")).collect();
    let (name, question) = put(store, "r-1", &calls);
    let message = dialogue::form(&question)["message"].to_string();
    let seen = dialogue::seen(&question, store).unwrap();
    let given = PersonAnswer::new(seen, Answer::AllowRun);
    store.answer(question.id, given, by()).unwrap();
    for number in 0..20 {
        let shown = message.contains(&format!("[{number}] mail.send"));
        let taken = take(store, &name, number, "a").is_ok();
        assert_eq!(taken, shown, "{number}");
    }
    // A plan is answered as a whole, so who does not see all of it can't allow it.
    for (calls, allows) in [(8, true), (9, false)] {
        let calls: Vec<_> = (0..calls).map(|number| asked(store, number, "a")).collect();
        let plan = unkept(store, Kind::Plan, caller("r-2"), calls);
        let form = dialogue::form(&plan);
        let answers = &form["requestedSchema"]["properties"]["answer"]["enum"];
        assert_eq!(answers.to_string().contains("allow"), allows);
        let whole = plan.seen_with(plan.calls.len(), &store.0.keys).unwrap();
        assert_eq!(dialogue::seen(&plan, store).unwrap(), whole);
    }
}
