use std::time::Duration;

use ampoule_tools::FailureKind;
use serde_json::json;

use super::arguments::{MOST_BYTES, shortened};
use super::*;

fn usage(end: CallEnd, state: CallState) -> CallUsage {
    CallUsage {
        server: "demo".into(),
        tool: "create_issue".into(),
        end,
        state,
        wall_time: Duration::ZERO,
        argument_bytes: 0,
        result_bytes: 0,
    }
}

fn done() -> CallUsage {
    usage(CallEnd::Returned, CallState::Answered)
}

fn failed() -> CallUsage {
    usage(CallEnd::Failed, CallState::Answered)
}

/// The log of calls that ended so, whose arguments are their numbers.
fn log(usage: &[CallUsage]) -> Option<CallLog> {
    let mut notes = CallNotes::default();
    for call in 0..usage.len() {
        notes.add(call as u32, &format!("{{\"id\":{call}}}"));
    }
    notes.log(usage)
}

#[test]
fn few_calls_have_a_line_each() {
    let ends = [
        done(),
        failed(),
        usage(CallEnd::Failed, CallState::NotSent),
        usage(CallEnd::Cancelled, CallState::Unknown),
    ];
    assert_eq!(
        log(&ends).unwrap().to_string(),
        "Calls made until then, none of them undone. Continue after them:\n\
         - demo.create_issue({\"id\":0}): done\n\
         - demo.create_issue({\"id\":1}): failed\n\
         - demo.create_issue({\"id\":2}): not sent\n\
         - demo.create_issue({\"id\":3}): unknown whether done"
    );
}

#[test]
fn of_many_calls_the_first_and_the_last_have_lines() {
    let mut ends = vec![done(); 52];
    let lines = |ends: &[CallUsage]| -> Vec<String> {
        let log = log(ends).unwrap().to_string();
        log.lines().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(lines(&ends[..15]).len(), 15);
    let many = lines(&ends);
    assert_eq!(many.len(), 16);
    assert_eq!(many[4], "- demo.create_issue({\"id\":4}): done");
    assert_eq!(many[5], "… 37 more, all done");
    assert_eq!(many[6], "- demo.create_issue({\"id\":42}): done");
    ends[20] = failed();
    assert_eq!(lines(&ends)[5], "… 37 more, 1 of them not done");
}

#[test]
fn there_is_no_log_if_no_call_can_have_changed_anything() {
    assert_eq!(log(&[]), None);
    let not_sent = usage(CallEnd::Failed, CallState::NotSent);
    assert_eq!(log(&[failed(), not_sent]), None);
    assert!(log(&[failed(), usage(CallEnd::Failed, CallState::Unknown)]).is_some());
}

#[test]
fn a_denied_call_says_so_also_after_the_run_was_parked() {
    let mut notes = CallNotes::default();
    notes.add(0, "{}");
    notes.add(1, "{}");
    notes.failed(1, FailureKind::Denied);
    let kept = serde_json::to_string(&notes).unwrap();
    let resumed: CallNotes = serde_json::from_str(&kept).unwrap();
    let not_sent = usage(CallEnd::Failed, CallState::NotSent);
    let log = resumed.log(&[done(), not_sent]).unwrap().to_string();
    let (_, lines) = log.split_once('\n').unwrap();
    assert_eq!(
        lines,
        "- demo.create_issue({}): done\n- demo.create_issue({}): denied, not sent"
    );
}

#[test]
fn a_value_that_the_run_ended_before_was_done_and_an_unreadable_answer_may_be() {
    let mut notes = CallNotes::default();
    notes.add(0, "{}");
    notes.add(1, "{}");
    notes.failed(1, FailureKind::Protocol);
    let over = usage(CallEnd::Cancelled, CallState::Answered);
    let log = notes.log(&[over, failed()]).unwrap();
    let results: Vec<CallResult> = log.calls.iter().map(|call| call.result).collect();
    assert_eq!(results, [CallResult::Done, CallResult::Unknown]);
    assert_eq!(notes.log(&[failed(), failed()]).unwrap().calls.len(), 2);
}

#[test]
fn a_note_of_long_arguments_is_short() {
    let mut notes = CallNotes::default();
    let body = "ann@example.com ".repeat(200);
    for call in 0..30 {
        notes.add(call, &json!({"body": body, "n": call}).to_string());
    }
    assert!(serde_json::to_string(&notes).unwrap().len() < 2_000);
    let log = notes.log(&vec![done(); 30]).unwrap();
    assert_eq!(log.calls[0].arguments, r#"{"body":"…","n":0}"#);
    assert_eq!(log.calls[14].arguments, r#"{"body":"…","n":29}"#);
}

#[test]
fn arguments_are_short_and_their_texts_whole_or_left_out() {
    let short = r#"{"title":"A \"quoted\" title","n":[1,2.5,null]}"#;
    assert_eq!(shortened(short), short);
    let body = "ann@example.com ".repeat(20);
    let long = json!({"body": body, "title": "t"}).to_string();
    assert_eq!(shortened(&long), r#"{"body":"…","title":"t"}"#);
    let numbers = json!({"ids": (1000..2000).collect::<Vec<_>>()}).to_string();
    let shown = shortened(&numbers);
    assert!(shown.len() <= MOST_BYTES + '…'.len_utf8());
    assert!(shown.ends_with(",…"), "{shown}");
    let texts = json!({"texts": vec!["ann@example.com"; 100]}).to_string();
    let shown = shortened(&texts);
    assert!(shown.len() <= MOST_BYTES + '…'.len_utf8());
    assert!(shown.ends_with("\"ann@example.com\",…"), "{shown}");
    assert_eq!(shortened("{\"unfinished"), "{\"unfinished");
    let escaped = r#"{"a":"\\","b":"x\\\"y","c":"\""}"#;
    assert_eq!(shortened(escaped), escaped);
    for text in [short, &long, &numbers, &texts, escaped] {
        let once = shortened(text);
        assert_eq!(shortened(&once), once);
    }
}

#[test]
fn a_line_shows_the_beginning_of_the_arguments() {
    let call = LoggedCall {
        call: 0,
        server: "demo".into(),
        tool: "send".into(),
        arguments: "x\n".repeat(80),
        result: CallResult::Done,
    };
    let line = call.to_string();
    assert!(line.contains("…): done") && !line.contains('\n'), "{line}");
}
