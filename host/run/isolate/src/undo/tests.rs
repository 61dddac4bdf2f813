use std::time::Duration;

use ampoule_tools::{Call, CallContext, CallState, CallUndo, Deadline};

use super::*;
use crate::usage::{CallEnd, CallUsage};

fn usage() -> Vec<CallUsage> {
    let usage = CallUsage {
        server: "tracker".into(),
        tool: "create_issue".into(),
        end: CallEnd::Returned,
        state: CallState::Answered,
        wall_time: Duration::ZERO,
        argument_bytes: 0,
        result_bytes: 0,
    };
    vec![usage; 1000]
}

fn context(number: u32) -> CallContext {
    let call = Call::new(
        RunId::new(),
        number,
        &"tracker".into(),
        &"create_issue".into(),
        None,
        Deadline::never().time(),
    );
    CallContext::new(call, 1 << 20, Deadline::never(), None)
}

fn note(notes: &mut UndoNotes, call: u32, arguments: String) {
    let undo = CallUndo::Call {
        server: "tracker".into(),
        tool: "delete_issue".into(),
        arguments,
    };
    notes.note(&context(call), undo);
}

#[test]
fn the_newest_answer_is_taken_back_first_also_after_the_run_was_parked() {
    let mut notes = UndoNotes::default();
    // Call 2 was answered before call 1.
    for call in [0, 2, 1] {
        note(&mut notes, call, format!("{{\"id\":{call}}}"));
    }
    notes.add_irreversible(&context(3), "`result.id` is missing");
    notes.add(&context(4));
    let kept = serde_json::to_string(&notes).unwrap();
    let notes: UndoNotes = serde_json::from_str(&kept).unwrap();
    let run = RunId::new();
    let offer = notes.offer(run, &usage()).unwrap();
    let order: Vec<u32> = offer
        .calls
        .iter()
        .map(|call| call.takes_back.call)
        .collect();
    assert_eq!((offer.run, order, offer.left_out), (run, vec![1, 2, 0], 0));
    assert_eq!(offer.calls[0].text(), r#"tracker.delete_issue({"id":1})"#);
    assert_eq!(
        offer.calls[0].takes_back.text(),
        "tracker.create_issue (call 1)"
    );
    assert_eq!(offer.irreversible[0].call.call, 3);
    assert_eq!(offer.irreversible[0].why, "`result.id` is missing");
    let document = serde_json::to_string(&offer).unwrap();
    let read: UndoOffer = serde_json::from_str(&document).unwrap();
    assert_eq!(read, offer);
}

#[test]
fn without_such_calls_there_is_no_offer() {
    let mut notes = UndoNotes::default();
    notes.add(&context(0));
    assert_eq!(notes.offer(RunId::new(), &usage()), None);
}

#[test]
fn notes_are_bounded_and_the_newest_stay() {
    let mut notes = UndoNotes::default();
    for call in 0..300 {
        note(&mut notes, call, format!("{{\"id\":{call}}}"));
    }
    let offer = notes.offer(RunId::new(), &usage()).unwrap();
    assert_eq!((offer.calls.len(), offer.left_out), (200, 100));
    assert_eq!(offer.calls[0].takes_back.call, 299);
    let mut notes = UndoNotes::default();
    for call in 0..100 {
        note(&mut notes, call, "x".repeat(10 << 10));
    }
    assert!(notes.bytes() <= 64 << 10);
    assert_eq!(notes.offer(RunId::new(), &usage()).unwrap().calls.len(), 6);
}
