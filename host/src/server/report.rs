//! A run's outcome, as a model reads it.

use rmcp::model::{CallToolResult, ContentBlock};

use crate::isolate::{Ending, Outcome};

/// The output, and then the result or what went wrong, in at most about `most` bytes.
pub(super) fn of(outcome: &Outcome, most: usize) -> CallToolResult {
    let output = outcome.output.to_string();
    let end = match &outcome.ending {
        Ending::Returned(Some(value)) => value.get().to_owned(),
        Ending::Returned(None) if output.is_empty() => {
            "The script returned nothing and printed nothing. Return what you want to know."
                .to_owned()
        }
        Ending::Returned(None) => String::new(),
        Ending::Threw(thrown) => format!("The script threw an error.\n{thrown}"),
        Ending::Trapped(trapped) => format!("The script was stopped: {trapped}"),
        Ending::Limit(hit) => format!("The script was stopped: {hit}"),
    };
    // What matters most is at the end, so the output gives way first.
    let end = shortened(&end, most);
    let output = shortened(&output, most.saturating_sub(end.len()).max(most / 8));
    let text = match (output.is_empty(), end.is_empty()) {
        (true, _) => end,
        (false, true) => output,
        (false, false) => format!("{}\n\n{end}", output.trim_end()),
    };
    let content = vec![ContentBlock::text(text)];
    match outcome.ending {
        Ending::Returned(_) => CallToolResult::success(content),
        Ending::Threw(_) | Ending::Trapped(_) | Ending::Limit(_) => CallToolResult::error(content),
    }
}

/// Leaves out the middle of a text that has more than `most` bytes, and says so.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    format!(
        "{}\n… {} bytes left out; print or return less: filter, aggregate, or take the first few …\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_left_out_at_character_boundaries() {
        assert_eq!(shortened("short", 5), "short");
        let text = "ä".repeat(100);
        let short = shortened(&text, 21);
        assert!(short.starts_with("äääää\n… 180 bytes left out"), "{short}");
        assert!(short.ends_with("…\näääää"), "{short}");
    }
}
