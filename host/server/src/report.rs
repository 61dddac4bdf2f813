//! A run's outcome, as a model reads it.

use ampoule::{Ending, Language, Outcome};
use rmcp::model::{CallToolResult, ContentBlock};

/// What was run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ran {
    Script {
        language: Language,
        /// The code was looked at to know it.
        looked_at: bool,
    },
    Component,
}

impl Ran {
    fn noun(self) -> &'static str {
        match self {
            Self::Script { .. } => "script",
            Self::Component => "component",
        }
    }

    fn threw(self) -> &'static str {
        match self {
            Self::Script {
                language: Language::Python,
                ..
            } => "raised",
            _ => "threw",
        }
    }

    /// What is said of the language, where nobody had named it.
    fn language(self, ending: &Ending) -> Option<String> {
        let Self::Script {
            language,
            looked_at: true,
        } = self
        else {
            return None;
        };
        let advice = match ending {
            Ending::Returned(_) => "",
            _ => "; if that is wrong, name the right one with `language`",
        };
        Some(format!(
            "language: {}, by the look of the code{advice}",
            language.name()
        ))
    }
}

/// The output, and then the result or what went wrong, in at most about `most` bytes. The language
/// comes after that, as a text of its own.
pub(super) fn of(outcome: &Outcome, ran: Ran, most: usize) -> CallToolResult {
    let output = outcome.output.to_string();
    let noun = ran.noun();
    let end = match &outcome.ending {
        Ending::Returned(Some(value)) => value.get().to_owned(),
        Ending::Returned(None) if output.is_empty() => {
            format!(
                "The {noun} returned nothing and printed nothing. Return what you want to know."
            )
        }
        Ending::Returned(None) => String::new(),
        Ending::Threw(thrown) => format!("The {noun} {} an error.\n{thrown}", ran.threw()),
        ended => format!("The {noun} was stopped: {ended}"),
    };
    // What matters most is at the end, so the output gives way first.
    let end = shortened(&end, most);
    let output = shortened(&output, most.saturating_sub(end.len()).max(most / 8));
    let text = match (output.is_empty(), end.is_empty()) {
        (true, _) => end,
        (false, true) => output,
        (false, false) => format!("{}\n\n{end}", output.trim_end()),
    };
    let language = ran.language(&outcome.ending);
    let content = [text].into_iter().chain(language);
    let content = content.map(ContentBlock::text).collect();
    match outcome.ending {
        Ending::Returned(_) => CallToolResult::success(content),
        _ => CallToolResult::error(content),
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
    use ampoule::{Limit, Limits, Output, Usage};
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn the_middle_is_left_out_at_character_boundaries() {
        assert_eq!(shortened("short", 5), "short");
        let text = "ä".repeat(100);
        let short = shortened(&text, 21);
        assert!(short.starts_with("äääää\n… 180 bytes left out"), "{short}");
        assert!(short.ends_with("…\näääää"), "{short}");
    }

    fn outcome(ending: Ending) -> Outcome {
        Outcome::new(ending, Output::default(), Usage::default())
    }

    fn texts(ending: Ending, ran: Ran) -> Vec<String> {
        let answer = of(&outcome(ending), ran, 1000);
        let texts = answer.content.iter();
        texts
            .map(|block| block.as_text().expect("a text").text.clone())
            .collect()
    }

    #[test]
    fn the_language_is_said_where_the_code_was_looked_at() {
        let ran = |looked_at| Ran::Script {
            language: Language::Python,
            looked_at,
        };
        let value = || Ending::Returned(Some(RawValue::from_string("1".to_owned()).unwrap()));
        assert_eq!(texts(value(), ran(false)), ["1"]);
        assert_eq!(texts(value(), Ran::Component), ["1"]);
        assert_eq!(
            texts(value(), ran(true)),
            ["1", "language: python, by the look of the code"]
        );
        let hit = || Ending::Limit(Limit::Fuel.hit(2, &Limits::default()));
        let said = texts(hit(), ran(true));
        assert_eq!(
            said[1],
            "language: python, by the look of the code; if that is wrong, name the right one with `language`"
        );
        assert!(said[0].starts_with("The script was stopped: "), "{said:?}");
        let said = texts(hit(), Ran::Component);
        assert!(
            said[0].starts_with("The component was stopped: "),
            "{said:?}"
        );
    }
}
