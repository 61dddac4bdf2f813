//! What a model reads of calls that can be taken back: how many, and how; and the same for programs.

use ampoule::UndoOffer;
use ampoule_untrusted::text::one_line;
use serde_json::{Map, Value, json};

/// The member of a result's `_meta` that names the run whose calls can be taken back: `{"run": ID}`.
/// Ampoule alone writes it.
pub const UNDO_OFFER: &str = "ampoule/undo";

/// How many calls are named that can't be taken back.
const MOST_NAMED: usize = 2;

/// A line for the model, if there is anything to be offered.
pub(super) fn offered(offer: &UndoOffer) -> Option<String> {
    let UndoOffer {
        run,
        calls,
        irreversible,
        left_out,
        ..
    } = offer;
    let many = match calls.len() {
        0 => return None,
        1 => "1 call".to_owned(),
        many => format!("{many} calls, newest first"),
    };
    let run = run.short();
    let mut said = format!(
        "Can be taken back: {many}. To do that, call execute_code with {{\"run\": \"{run}\", \"undo\": true}}."
    );
    let not = irreversible.len() as u64 + u64::from(*left_out);
    if not > 0 {
        let named = irreversible.iter().take(MOST_NAMED);
        let named: Vec<String> = named
            .map(|lost| format!("{}, as {}", lost.call.text(), one_line(&lost.why)))
            .collect();
        let named = named.join("; ");
        let more = match named.is_empty() {
            true => String::new(),
            false => format!(": {named}"),
        };
        said += &format!(" Can't be taken back: {not}{more}.");
    }
    Some(said)
}

/// The offer for programs, if there is one.
pub(super) fn for_programs(offer: &UndoOffer) -> Option<Value> {
    let has_calls = !offer.calls.is_empty();
    has_calls.then(|| json!({ "run": offer.run.short() }))
}

/// A result's `_meta` with this offer. What a server or a script wrote in its place goes.
pub(super) fn with_offer(
    meta: Option<Map<String, Value>>,
    offer: Option<Value>,
) -> Option<Map<String, Value>> {
    let mut meta = meta.unwrap_or_default();
    meta.remove(UNDO_OFFER);
    meta.extend(offer.map(|offer| (UNDO_OFFER.to_owned(), offer)));
    (!meta.is_empty()).then_some(meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(calls: usize, irreversible: usize, left_out: u32) -> UndoOffer {
        let made =
            |call: usize| json!({ "call": call, "server": "tracker", "tool": "create_issue" });
        let undo = |call: usize| json!({ "takesBack": made(call), "server": "tracker", "tool": "delete_issue", "arguments": "{}" });
        let lost = |call: usize| json!({ "call": made(call), "why": "`result.id` is missing" });
        let offer = json!({
            "run": "9f2c4e81a0b7d365-17",
            "calls": (0..calls).map(undo).collect::<Vec<Value>>(),
            "irreversible": (0..irreversible).map(lost).collect::<Vec<Value>>(),
            "leftOut": left_out,
        });
        serde_json::from_value(offer).unwrap()
    }

    #[test]
    fn the_offer_for_programs_is_ampoules_alone() {
        assert_eq!(for_programs(&offer(0, 3, 0)), None);
        let ours = for_programs(&offer(1, 0, 0));
        assert_eq!(ours, Some(json!({ "run": "d365-17" })));
        let theirs = json!({ UNDO_OFFER: { "run": "other" }, "mine": 1 });
        let theirs = theirs.as_object().cloned();
        let meta = with_offer(theirs.clone(), None);
        assert_eq!(meta.map(Value::from), Some(json!({ "mine": 1 })));
        let meta = with_offer(theirs, ours.clone()).map(Value::from);
        assert_eq!(meta, Some(json!({ UNDO_OFFER: ours, "mine": 1 })));
        assert_eq!(with_offer(None, None), None);
    }

    #[test]
    fn an_offer_is_short() {
        assert_eq!(offered(&offer(0, 3, 0)), None);
        assert_eq!(
            offered(&offer(1, 0, 0)).unwrap(),
            r#"Can be taken back: 1 call. To do that, call execute_code with {"run": "d365-17", "undo": true}."#
        );
        let long = offered(&offer(200, 100, 10)).unwrap();
        assert!(long.contains("200 calls, newest first"), "{long}");
        assert!(
            long.ends_with("Can't be taken back: 110: tracker.create_issue (call 0), as `result.id` is missing; tracker.create_issue (call 1), as `result.id` is missing."),
            "{long}"
        );
        assert!(long.len() < 320, "{}", long.len());
        assert!(
            offered(&offer(1, 0, 5))
                .unwrap()
                .ends_with(" Can't be taken back: 5.")
        );
    }
}
