//! A run's outcome, as a model reads it.

use ampoule::{Ending, Language, Outcome};
use rmcp::model::{CallToolResult, ContentBlock};

use super::returned::{self, Part};

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

/// The output, and then the result or what went wrong, in at most about `most` bytes of text; in
/// one block, but for what is a content block of its own. The language comes after that, as a text
/// of its own.
pub(super) fn of(outcome: &Outcome, ran: Ran, most: usize) -> CallToolResult {
    let output = outcome.output.to_string();
    let noun = ran.noun();
    let end = match &outcome.ending {
        Ending::Returned(Some(value)) => returned::parts(value),
        Ending::Returned(None) if output.is_empty() => vec![Part::Text(format!(
            "The {noun} returned nothing and printed nothing. Return what you want to know."
        ))],
        Ending::Returned(None) => Vec::new(),
        Ending::Threw(thrown) => vec![Part::Text(format!(
            "The {noun} {} an error.\n{thrown}",
            ran.threw()
        ))],
        ended => vec![Part::Text(format!("The {noun} was stopped: {ended}"))],
    };
    let mut content = content(&output, end, most);
    content.extend(ran.language(&outcome.ending).map(ContentBlock::text));
    match outcome.ending {
        Ending::Returned(_) => CallToolResult::success(content),
        _ => CallToolResult::error(content),
    }
}

/// The output and what follows it. What matters most is at the end, so the output gives way first.
fn content(output: &str, end: Vec<Part<'_>>, most: usize) -> Vec<ContentBlock> {
    let mut left = most;
    let end = end.into_iter().map(|part| fitting(part, &mut left));
    let mut content: Vec<ContentBlock> = end.collect();
    let output = shortened(output, left.max(most / 8));
    match content.first_mut() {
        _ if output.is_empty() => {}
        Some(ContentBlock::Text(end)) => {
            end.text = format!("{}\n\n{}", output.trim_end(), end.text);
        }
        _ => content.insert(0, ContentBlock::text(output)),
    }
    content
}

/// A part of the result, with as much of its text as `left` allows. What is made of bytes is whole:
/// the run's `output-bytes` have counted it.
fn fitting(part: Part<'_>, left: &mut usize) -> ContentBlock {
    let text = match part {
        Part::Block(block) if block.is_binary() => return block.into_content(),
        Part::Block(block) if block.json().len() <= *left => {
            *left -= block.json().len();
            return block.into_content();
        }
        Part::Block(block) => shortened(block.json(), *left),
        Part::Text(text) => shortened(&text, *left),
        Part::Json(json) => shortened(json, *left),
    };
    *left = left.saturating_sub(text.len());
    ContentBlock::text(text)
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
    use serde_json::{Value, json};

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

    /// What a client gets of a run that printed and returned this.
    fn given(output: &str, value: &Value, most: usize) -> Value {
        let value = RawValue::from_string(value.to_string()).unwrap();
        json!(content(output, returned::parts(&value), most))
    }

    fn image(data: &str) -> Value {
        json!({"type": "image", "data": data, "mimeType": "image/png"})
    }

    fn text(text: impl Into<String>) -> Value {
        json!({"type": "text", "text": text.into()})
    }

    #[test]
    fn what_was_printed_and_returned_is_one_block_where_it_is_text() {
        assert_eq!(
            given("a\n", &json!("b\n\"c\""), 100),
            json!([text("a\n\nb\n\"c\"")])
        );
        assert_eq!(
            given("", &json!({"a": "b"}), 100),
            json!([text(r#"{"a":"b"}"#)])
        );
        assert_eq!(given("", &json!(""), 100), json!([text("\"\"")]));
    }

    #[test]
    fn an_image_is_a_block_however_large_and_text_beside_it_is_cut() {
        let large = image(&"AAAA".repeat(1000));
        assert_eq!(given("", &large, 100), json!([large]));
        assert_eq!(given("a\n", &large, 100), json!([text("a\n"), large]));
        let listed = json!(["here", {"n": 1}, large, "there"]);
        assert_eq!(
            given("a\n", &listed, 100),
            json!([text("a\n\nhere\n{\"n\":1}"), large, text("there")])
        );
        let long = json!(["x".repeat(1000), large]);
        let cut = given("", &long, 100);
        assert_eq!(cut[1], large);
        let said = cut[0]["text"].as_str().unwrap();
        assert!(
            said.contains("900 bytes left out") && said.len() < 250,
            "{said}"
        );
    }

    #[test]
    fn a_resource_of_text_counts_as_text() {
        let resource = |text: &str| json!({"type": "resource", "resource": {"uri": "file:///a.txt", "text": text}});
        let short = resource("a");
        assert_eq!(given("", &short, 100), json!([short]));
        let cut = given("", &resource(&"x".repeat(1000)), 100);
        assert!(
            cut[0]["text"].as_str().unwrap().contains("bytes left out"),
            "{cut}"
        );
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
