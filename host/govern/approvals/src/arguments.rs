//! A call's arguments as a person sees them: bounded, with what is secret or labelled left out, and
//! nothing in them that is not seen or changes how something else is seen.

use ampoule_untrusted::text::is_hidden;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::{ARGUMENTS, ApprovalLimits, NAME_BYTES};

/// Why a value of the arguments is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hidden {
    /// It is a secret.
    Secret,
    /// It carries labels, such as `pii`.
    Labelled(String),
}

impl Hidden {
    fn mark(&self) -> String {
        match self {
            Self::Secret => "‹secret›".to_owned(),
            Self::Labelled(label) => format!("‹{}: not shown›", name(label)),
        }
    }
}

/// Says whether a value is to be hidden, by its place, a JSON pointer such as `/to/0`, and by what
/// it is. It is asked about each value, objects and arrays before what is in them.
pub type HideRule<'a> = &'a (dyn Fn(&str, &Value) -> Option<Hidden> + Sync);

/// How an argument is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// It is a text, shown as it is, line ends included.
    Text,
    /// It is shown as JSON, on one line. What is hidden in it is there as a mark in ‹these›, outside
    /// of any string.
    Json,
    /// It is not shown: `text` says why.
    Hidden,
}

/// One argument, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownArgument {
    /// What it is called.
    pub name: String,
    /// What is shown of it. Can be printed: what is not seen in it is there as an escape.
    pub text: String,
    /// How.
    pub form: Form,
    /// How many bytes of it are not shown because it is too long.
    pub left_out: u64,
}

/// The arguments as they are shown, and how many there are beyond those.
pub(crate) fn arguments(
    arguments: &Map<String, Value>,
    hides: HideRule<'_>,
    limits: &ApprovalLimits,
) -> (Vec<ShownArgument>, usize) {
    let mut room = limits.shown_bytes;
    let mut shown = Vec::new();
    for (key, value) in arguments.iter().take(ARGUMENTS) {
        let most = room.min(limits.argument_bytes);
        let argument = argument(key, value, hides, most);
        room -= argument.text.len().min(room);
        shown.push(argument);
    }
    (shown, arguments.len().saturating_sub(ARGUMENTS))
}

fn argument(key: &str, value: &Value, hides: HideRule<'_>, most: usize) -> ShownArgument {
    let mut path = String::new();
    step(&mut path, key);
    let mut cut = Cut::new(most);
    let form = match (hides(&path, value), value) {
        (Some(hidden), _) => {
            cut = Cut::new(NAME_BYTES * 2);
            cut.push_str(&hidden.mark());
            Form::Hidden
        }
        (None, Value::String(text)) => {
            for c in text.chars() {
                cut.push_seen(c, matches!(c, '\n' | '\t'));
            }
            Form::Text
        }
        (None, value) => {
            members(&mut cut, value, &mut path, hides);
            Form::Json
        }
    };
    ShownArgument {
        name: name(key),
        text: cut.text,
        form,
        left_out: cut.left_out,
    }
}

/// One step further in a JSON pointer.
fn step(path: &mut String, key: &str) {
    path.push('/');
    for c in key.chars() {
        match c {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            c => path.push(c),
        }
    }
}

fn json(cut: &mut Cut, value: &Value, path: &mut String, hides: HideRule<'_>) {
    match hides(path, value) {
        Some(hidden) => cut.push_str(&hidden.mark()),
        None => members(cut, value, path, hides),
    }
}

fn members(cut: &mut Cut, value: &Value, path: &mut String, hides: HideRule<'_>) {
    let here = path.len();
    match value {
        Value::Array(items) => {
            cut.push_str("[");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    cut.push_str(", ");
                }
                step(path, &index.to_string());
                json(cut, item, path, hides);
                path.truncate(here);
            }
            cut.push_str("]");
        }
        Value::Object(object) => {
            cut.push_str("{");
            for (index, (key, item)) in object.iter().enumerate() {
                if index > 0 {
                    cut.push_str(", ");
                }
                string(cut, key);
                cut.push_str(": ");
                step(path, key);
                json(cut, item, path, hides);
                path.truncate(here);
            }
            cut.push_str("}");
        }
        Value::String(text) => string(cut, text),
        plain => cut.push_str(&plain.to_string()),
    }
}

fn string(cut: &mut Cut, text: &str) {
    cut.push_str("\"");
    for c in text.chars() {
        match c {
            '"' => cut.push_str("\\\""),
            '\\' => cut.push_str("\\\\"),
            '\n' => cut.push_str("\\n"),
            '\t' => cut.push_str("\\t"),
            c => cut.push_seen(c, false),
        }
    }
    cut.push_str("\"");
}

/// A text that is cut off where it gets too long.
struct Cut {
    text: String,
    most: usize,
    left_out: u64,
}

impl Cut {
    fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            most,
            left_out: 0,
        }
    }

    fn push_str(&mut self, piece: &str) {
        // Once something is left out, so is all that comes after it.
        if self.left_out > 0 || self.text.len() + piece.len() > self.most {
            self.left_out += piece.len() as u64;
        } else {
            self.text.push_str(piece);
        }
    }

    /// A character; as an escape if it is not seen.
    fn push_seen(&mut self, c: char, stays: bool) {
        if is_hidden(c) && !stays {
            let escape: String = c.escape_default().collect();
            self.push_str(&escape);
        } else {
            self.push_str(c.encode_utf8(&mut [0; 4]));
        }
    }
}

/// A name from elsewhere: on one line, and not too long.
pub(crate) fn name(text: &str) -> String {
    bounded(text, NAME_BYTES)
}

/// A text from elsewhere, on one line, so many bytes long at most, and `…` where it is cut off.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    bounded_with_rest(text, most).0
}

/// The same, and how many bytes of the text are not in it.
pub(crate) fn bounded_with_rest(text: &str, most: usize) -> (String, u64) {
    let mut cut = Cut::new(most);
    for (at, c) in text.char_indices() {
        cut.push_seen(c, false);
        if cut.left_out > 0 {
            cut.text.push('…');
            return (cut.text, (text.len() - at) as u64);
        }
    }
    (cut.text, 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(value: Value) -> Vec<ShownArgument> {
        let Value::Object(object) = value else {
            panic!("arguments are an object")
        };
        let hides = |path: &str, value: &Value| match path {
            "/password" | "/login/password" | "/list/1" => Some(Hidden::Secret),
            "/body" => Some(Hidden::Labelled("pii\n\u{202e}".to_owned())),
            _ => (value == "s3cret").then_some(Hidden::Secret),
        };
        arguments(&object, &hides, &ApprovalLimits::default()).0
    }

    #[test]
    fn what_is_secret_or_labelled_is_not_there() {
        let shown = shown(json!({
            "password": "hunter2", "login": { "name": "a", "password": { "x": "hunter2" } },
            "list": [1, "hunter2", "s3cret"], "body": "hunter2", "plain": "\"‹secret›\"",
            "quoted": ["‹secret›"],
        }));
        let text = serde_json::to_string(&shown).unwrap();
        assert!(
            !text.contains("hunter2") && !text.contains("s3cret"),
            "{text}"
        );
        assert_eq!(shown[0].form, Form::Hidden);
        assert_eq!(shown[1].text, r#"{"name": "a", "password": ‹secret›}"#);
        assert_eq!(shown[2].text, "[1, ‹secret›, ‹secret›]");
        assert_eq!(shown[3].text, r"‹pii\n\u{202e}: not shown›");
        // What only looks like a mark is distinguished from one.
        assert_eq!(shown[4].form, Form::Text);
        assert_eq!(shown[5].text, r#"["‹secret›"]"#);
    }

    #[test]
    fn nothing_that_is_not_seen_is_left() {
        let shown = shown(json!({
            "text": "a\u{202e}b\u{1b}[2J\nc\td\u{e0041}", "json": ["a\u{202e}\u{1b}\n\"\\"],
            "na\nme\u{200b}": 1,
        }));
        assert_eq!(shown[0].text, "a\\u{202e}b\\u{1b}[2J\nc\td\\u{e0041}");
        assert_eq!(shown[1].text, r#"["a\u{202e}\u{1b}\n\"\\"]"#);
        assert_eq!(shown[2].name, r"na\nme\u{200b}");
    }

    #[test]
    fn long_arguments_are_cut_and_the_rest_is_counted() {
        let limits = ApprovalLimits::default();
        let long = "é".repeat(limits.argument_bytes);
        let mut many = Map::new();
        for index in 0..100 {
            many.insert(format!("a{index}"), json!(long));
        }
        let (shown, left_out) = arguments(&many, &|_, _| None, &limits);
        assert_eq!((shown.len(), left_out), (ARGUMENTS, 100 - ARGUMENTS));
        let all: usize = shown.iter().map(|argument| argument.text.len()).sum();
        assert_eq!(all, limits.shown_bytes);
        for argument in &shown {
            let whole = argument.text.len() as u64 + argument.left_out;
            assert_eq!(whole, long.len() as u64);
        }
        assert_eq!(bounded(&"x".repeat(500), 10), "xxxxxxxxxx…");
    }
}
