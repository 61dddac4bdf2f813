//! What is said at the top of a `SKILL.md`: its name and its description, in YAML between two lines
//! of `---`.

use saphyr_parser::{Event, Parser};

/// The head of a `SKILL.md`, and what comes below it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) below: String,
}

/// Reads it. Other keys are left out; so is what is not text.
///
/// # Errors
///
/// There is no head, or it is not YAML: why.
pub(crate) fn read(text: &str) -> Result<FrontMatter, String> {
    let text = text.trim_start_matches('\u{feff}');
    let none = || {
        "SKILL.md begins with a line of `---`, then `name:` and `description:`, then another such line".to_owned()
    };
    let rest = text.strip_prefix("---").ok_or_else(none)?;
    let rest = rest.trim_start_matches([' ', '\r']);
    let rest = rest.strip_prefix('\n').ok_or_else(none)?;
    let mut end = None;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            end = Some((at, at + line.len()));
            break;
        }
        at += line.len();
    }
    let (end, below) = end.ok_or_else(none)?;
    let mut front = FrontMatter {
        below: rest[below..].trim().to_owned(),
        ..FrontMatter::default()
    };
    let (mut depth, mut key) = (0_u32, None::<String>);
    for event in Parser::new_from_str(&rest[..end]) {
        let (event, _) = event.map_err(|error| format!("the head of SKILL.md: {error}"))?;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                key = key.filter(|_| depth == 1);
            }
            Event::MappingEnd | Event::SequenceEnd => depth = depth.saturating_sub(1),
            Event::Scalar(text, ..) if depth == 1 => match key.take() {
                None => key = Some(text.into_owned()),
                Some(key) => match &*key {
                    "name" => front.name = Some(text.into_owned()),
                    "description" => front.description = Some(text.into_owned()),
                    _ => {}
                },
            },
            Event::Alias(_) if depth == 1 => key = None,
            _ => {}
        }
    }
    Ok(front)
}

/// The head, written.
pub(crate) fn written(name: &str, description: &str) -> String {
    // A text in JSON is one in YAML, whatever is in it.
    let description = serde_json::Value::from(description).to_string();
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_with_other_keys_left_out() {
        let text = "---\nname: pdf-processing\ndescription: >\n  Extracts text: and tables.\n  From PDFs.\nmetadata:\n  name: other\nallowed-tools: [a, b]\n---\n\n# How\n";
        let front = read(text).unwrap();
        assert_eq!(front.name.as_deref(), Some("pdf-processing"));
        let description = front.description.unwrap();
        assert_eq!(description.trim(), "Extracts text: and tables. From PDFs.");
        assert_eq!(front.below, "# How");
    }

    #[test]
    fn what_is_written_is_read_again() {
        for description in [
            "plain",
            "with: colon # and \"quotes\"\nand lines",
            "---",
            "ä\u{2028}",
        ] {
            let front = read(&(written("a-b", description) + "below")).unwrap();
            assert_eq!(front.description.as_deref(), Some(description));
            assert_eq!(
                (front.name.as_deref(), &*front.below),
                (Some("a-b"), "below")
            );
        }
    }

    #[test]
    fn what_has_no_head_is_refused() {
        for text in ["", "# Title", "---", "---\nname: a", "---\nname: [\n---\n"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
