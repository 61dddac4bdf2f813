//! What is said about a tool, and how much each part of it counts.

use std::collections::HashMap;

use ampoule_projection::Tool;
use serde_json::Value;

use super::glossary;
use super::lexicon::Lexicon;
use super::words::tokens;

/// How much of one description is read, in bytes. Some servers send whole manuals.
const MAX_DESCRIPTION: usize = 4_096;

/// How many parameters of one tool are read, those of parameters included.
const MAX_PARAMETERS: usize = 128;

/// How much of one tool is indexed, in bytes; its names come first.
const MAX_TEXT: usize = 32 * 1024;

/// How much of all tools of an index is, in bytes. Each has an equal share, but never less than some
/// sentences.
const MAX_TEXTS: usize = 64 * 1024 * 1024;
const MIN_TEXT: usize = 1_024;

/// How much of each tool is indexed where there are so many.
pub(super) fn room_for_each(tools: usize) -> usize {
    (MAX_TEXTS / tools.max(1)).clamp(MIN_TEXT, MAX_TEXT)
}

/// Where something is said.
#[derive(Clone, Copy)]
enum Part {
    Name,
    Server,
    Title,
    Description,
    Parameter,
    Choice,
    ParameterDescription,
    /// What the terms in its name mean in everyday words.
    Meaning,
}

/// How much a word counts there, and how much less it counts in a long text. Found by trying them
/// on the questions in `tests/corpora`.
const PARTS: [(Part, f32, f32); 8] = [
    (Part::Name, 4.0, 0.5),
    (Part::Server, 2.0, 0.0),
    (Part::Title, 2.0, 0.3),
    (Part::Description, 0.9, 0.5),
    (Part::Parameter, 0.6, 0.6),
    (Part::Choice, 0.7, 0.6),
    (Part::ParameterDescription, 0.5, 0.75),
    (Part::Meaning, 0.6, 0.4),
];

/// The words that are said about one tool.
pub(super) struct ToolText {
    parts: [Vec<u32>; PARTS.len()],
}

/// Reads what is said about one tool.
struct Reader<'l> {
    said: ToolText,
    lexicon: &'l mut Lexicon,
    /// How many bytes are still read.
    room: usize,
    parameters: usize,
}

impl Reader<'_> {
    fn tool(&mut self, binding: &str, tool: &Tool) {
        self.add(Part::Name, &tool.name);
        for term in glossary::terms(&tool.name) {
            let words = term.said.iter().map(|word| self.lexicon.number(word));
            self.said.parts[Part::Meaning as usize].extend(words);
        }
        self.add(Part::Server, binding);
        self.add(Part::Title, tool.title.as_deref().unwrap_or_default());
        self.add(
            Part::Description,
            cut(tool.description.as_deref().unwrap_or_default()),
        );
        if let Some(Value::Object(properties)) = tool.input_schema.outline().get("properties") {
            for (name, schema) in properties {
                self.parameter(name, schema, true);
            }
        }
    }

    /// A parameter, and what is in it, one level deep.
    fn parameter(&mut self, name: &str, schema: &Value, outermost: bool) {
        if self.parameters == 0 || self.room == 0 {
            return;
        }
        self.parameters -= 1;
        self.add(Part::Parameter, name);
        let description = schema.get("description").and_then(Value::as_str);
        self.add(
            Part::ParameterDescription,
            cut(description.unwrap_or_default()),
        );
        for schema in [Some(schema), schema.get("items")].into_iter().flatten() {
            let choices = schema.get("enum").and_then(Value::as_array);
            for choice in choices.into_iter().flatten().filter_map(Value::as_str) {
                self.add(Part::Choice, choice);
            }
            if let (true, Some(Value::Object(properties))) = (outermost, schema.get("properties")) {
                for (name, schema) in properties {
                    self.parameter(name, schema, false);
                }
            }
        }
    }

    fn add(&mut self, part: Part, text: &str) {
        let text = &text[..text.floor_char_boundary(self.room)];
        self.room -= text.len();
        let words = tokens(text).into_iter();
        let words = words.map(|word| self.lexicon.number(&word));
        self.said.parts[part as usize].extend(words);
    }
}

impl ToolText {
    /// What is said about a tool in at most that many bytes.
    pub(super) fn about(binding: &str, tool: &Tool, room: usize, lexicon: &mut Lexicon) -> Self {
        let mut reader = Reader {
            said: Self {
                parts: Default::default(),
            },
            lexicon,
            room,
            parameters: MAX_PARAMETERS,
        };
        reader.tool(binding, tool);
        let mut said = reader.said;
        said.parts.iter_mut().for_each(Vec::shrink_to_fit);
        said
    }

    /// The words of the tool's own name.
    pub(super) fn name(&self) -> &[u32] {
        &self.parts[Part::Name as usize]
    }

    /// The words of the server's.
    pub(super) fn server(&self) -> &[u32] {
        &self.parts[Part::Server as usize]
    }

    /// How often each word is said, as much as that counts.
    pub(super) fn counted(&self, usual: &Lengths) -> HashMap<u32, f32> {
        let mut counted = HashMap::new();
        for ((words, (_, counts, length_matters)), usual) in
            self.parts.iter().zip(PARTS).zip(usual.0)
        {
            let length = 1.0 - length_matters + length_matters * words.len() as f32 / usual;
            for word in words {
                *counted.entry(*word).or_default() += counts / length;
            }
        }
        counted
    }
}

/// How many words are said in each part, on average.
pub(super) struct Lengths([f32; PARTS.len()]);

impl Lengths {
    pub(super) fn of(all: &[ToolText]) -> Self {
        let mut lengths = [0.0; PARTS.len()];
        for said in all {
            for (length, words) in lengths.iter_mut().zip(&said.parts) {
                *length += words.len() as f32;
            }
        }
        Self(lengths.map(|length: f32| (length / all.len().max(1) as f32).max(1.0)))
    }
}

fn cut(description: &str) -> &str {
    &description[..description.floor_char_boundary(MAX_DESCRIPTION)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_tool_that_talks_without_end_the_beginning_is_indexed() {
        let words = "ü ".repeat(3000);
        let properties: serde_json::Map<String, Value> = (0..100)
            .map(|number| {
                (
                    format!("parameter{number}"),
                    json!({ "description": words }),
                )
            })
            .collect();
        let tool = json!({ "name": "endless", "inputSchema": { "properties": properties } });
        let tool: Tool = serde_json::from_value(tool).unwrap();
        let mut lexicon = Lexicon::default();
        for (room, most) in [(MAX_TEXT, 10), (MIN_TEXT, 1)] {
            let said = ToolText::about("server", &tool, room, &mut lexicon);
            let read = &said.parts[Part::Parameter as usize];
            assert!(read.contains(&lexicon.number("parameter0")));
            assert!((1..=most).contains(&read.len()), "{}", read.len());
        }
    }

    #[test]
    fn many_tools_share_the_room() {
        assert_eq!(room_for_each(0), MAX_TEXT);
        assert_eq!(room_for_each(2_000), MAX_TEXT);
        assert_eq!(room_for_each(16_384), 4_096);
        assert_eq!(room_for_each(1_000_000), MIN_TEXT);
    }

    #[test]
    fn parameters_within_parameters_and_choices_are_read() {
        let tool = json!({ "name": "tool", "inputSchema": { "properties": {
            "filter": { "properties": { "author": { "properties": { "deeper": {} } } } },
            "kinds": { "items": { "enum": ["alpha", 7, "beta"] } },
        } } });
        let (tool, mut lexicon) = (serde_json::from_value(tool).unwrap(), Lexicon::default());
        let said = ToolText::about("server", &tool, MAX_TEXT, &mut lexicon);
        let usual = Lengths::of(std::slice::from_ref(&said));
        let counted = said.counted(&usual);
        for word in ["filter", "author", "kind", "alpha", "beta"] {
            assert!(counted.contains_key(&lexicon.number(word)), "{word}");
        }
        assert!(!counted.contains_key(&lexicon.number("deep")));
    }
}
