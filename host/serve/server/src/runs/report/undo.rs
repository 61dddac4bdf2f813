//! What a model reads of calls that can be taken back: how many, and how.

use ampoule::UndoOffer;
use ampoule_untrusted::text::one_line;

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
