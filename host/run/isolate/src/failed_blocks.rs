//! What failed calls gave besides text: images, links, resources. The reader of a run's error gets
//! them, too.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_tools::ToolFailure;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::host_memory::{HeldBytes, Hold};
use crate::outcome::Thrown;

/// How many failures are kept, the newest: of several calls that fail at once, a script throws the
/// first that it gets.
const MOST: usize = 4;

/// The newest failures that gave such blocks.
#[derive(Default)]
pub(crate) struct FailedBlocks(VecDeque<Failure>);

/// One of them.
struct Failure {
    message: String,
    /// The content blocks that are not text, as the tool sent them.
    blocks: Vec<Box<RawValue>>,
    _held: Hold,
}

impl FailedBlocks {
    /// Keeps what a failure gave besides text, unless it is more than so many bytes, or than the
    /// host may hold for the run. How many bytes were read for that.
    pub(crate) fn add(&mut self, failure: &ToolFailure, most: u64, held: &Arc<HeldBytes>) -> u64 {
        let bytes = failure.content.len() as u64;
        if failure.content == "[]" || bytes > most {
            return 0;
        }
        let blocks: Vec<&RawValue> = serde_json::from_str(&failure.content).unwrap_or_default();
        let blocks = blocks.into_iter().filter(|block| !is_text(block));
        let blocks: Vec<_> = blocks.map(ToOwned::to_owned).collect();
        let kept: usize = blocks.iter().map(|block| block.get().len()).sum();
        if !blocks.is_empty()
            && let Ok(held) = held.hold((kept + failure.message.len()) as u64)
        {
            self.0.truncate(MOST - 1);
            self.0.push_front(Failure {
                message: failure.message.clone(),
                blocks,
                _held: held,
            });
        }
        bytes
    }

    /// The blocks of the failure that an error reports, if it reports one.
    pub(crate) fn told_by(&mut self, thrown: &Thrown) -> Vec<Box<RawValue>> {
        let texts = || [&thrown.message].into_iter().chain(&thrown.causes);
        let is_told = |failure: &Failure| {
            let message = &failure.message;
            !message.is_empty() && texts().any(|text| tells_of(text, message))
        };
        let told = self.0.iter().position(is_told);
        let failure = told.and_then(|at| self.0.remove(at));
        failure.map_or_else(Vec::new, |failure| failure.blocks)
    }
}

/// Whether a text of an error reports a failure with this message. Names may stand before the
/// message: `shop.buy: no disk`. Behind it may be a place, or further lines, such as the error's
/// data.
fn tells_of(text: &str, message: &str) -> bool {
    text.match_indices(message).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + message.len()..]);
        (before.is_empty() || before.ends_with(": "))
            && (after.is_empty() || after.starts_with('\n') || after.starts_with(" ("))
    })
}

/// Whether a content block is text, which the error has already.
fn is_text(block: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Kind<'b> {
        #[serde(borrow, rename = "type")]
        kind: std::borrow::Cow<'b, str>,
    }
    serde_json::from_str::<Kind<'_>>(block.get()).is_ok_and(|block| block.kind == "text")
}

#[cfg(test)]
mod tests {
    use ampoule_limits::Limits;
    use ampoule_tools::FailureKind;
    use serde_json::{Value, json};

    use super::*;
    use crate::direct_call::tool_error;

    fn failure(message: &str, content: &Value) -> ToolFailure {
        ToolFailure {
            content: content.to_string(),
            ..ToolFailure::new(FailureKind::Failed, message.to_owned())
        }
    }

    fn picture(data: &str) -> Value {
        json!({ "type": "image", "data": data, "mimeType": "image/png" })
    }

    fn held(host_bytes: u64) -> Arc<HeldBytes> {
        let limits = Limits {
            host_bytes,
            ..Limits::default()
        };
        Arc::new(HeldBytes::new(limits))
    }

    fn blocks(failed: &mut FailedBlocks, message: &str) -> Vec<Value> {
        let blocks = failed.told_by(&tool_error(message.to_owned()));
        let blocks = blocks.iter();
        blocks
            .map(|block| serde_json::from_str(block.get()).unwrap())
            .collect()
    }

    #[test]
    fn an_error_has_the_blocks_of_the_failure_that_it_tells_of() {
        let (mut failed, held) = (FailedBlocks::default(), held(10_000));
        let text = json!({ "type": "text", "text": "no" });
        let (one, two) = (picture("AAAA"), picture("BBBB"));
        let first = failure("no disk", &json!([text, one, two]));
        assert!(failed.add(&first, 1_000, &held) > 100);
        failed.add(&failure("no network", &json!([two])), 1_000, &held);
        failed.add(&failure("only text", &json!([text])), 1_000, &held);
        assert_eq!(failed.add(&failure("nothing", &json!([])), 1_000, &held), 0);
        for other in ["only text", "nothing", "another error"] {
            assert!(blocks(&mut failed, other).is_empty(), "{other}");
        }
        assert_eq!(blocks(&mut failed, "shop.buy: no disk"), [one, two.clone()]);
        // Once given, they are not given again.
        assert!(blocks(&mut failed, "shop.buy: no disk").is_empty());
        let mut thrown = tool_error("the order failed".to_owned());
        thrown.causes = vec!["ToolError: no network".to_owned()];
        assert_eq!(failed.told_by(&thrown).len(), 1);
    }

    #[test]
    fn an_error_tells_of_a_failure_in_the_forms_that_guests_have() {
        for text in [
            "no",
            "shop.buy: no",
            "shop.buy: no\nThe error's `data`: 1",
            "ToolError: shop.buy: no (main.ts:2:17)",
            "Error: not now: no",
        ] {
            assert!(tells_of(text, "no"), "{text}");
        }
        for text in ["not now", "piano", "say no", "shop.buy: nothing", "no: 1"] {
            assert!(!tells_of(text, "no"), "{text}");
        }
    }

    #[test]
    fn what_is_kept_is_held_and_bounded() {
        let (mut failed, held) = (FailedBlocks::default(), held(1_000));
        let of = |number: usize| failure(&format!("no {number}."), &json!([picture("AAAA")]));
        for number in 0..10 {
            failed.add(&of(number), 1_000, &held);
        }
        assert!(held.left() < 1_000);
        assert!(blocks(&mut failed, "no 5.").is_empty());
        assert_eq!(blocks(&mut failed, "no 6.").len(), 1);
        // More than may be printed, or held, is left out.
        let large = failure("large", &json!([picture(&"A".repeat(2_000))]));
        assert_eq!(failed.add(&large, 1_000, &held), 0);
        failed.add(&large, 10_000, &held);
        assert!(blocks(&mut failed, "large").is_empty());
        drop(failed);
        assert_eq!(held.left(), 1_000);
    }
}
