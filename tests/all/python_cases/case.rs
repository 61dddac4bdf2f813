//! What a case says, and how an outcome is held against it. `guests/python/tests/test_cases.py`
//! does the same natively.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use std::time::Duration;

use ampoule::{Ending, Location, Module, Outcome, Script, Thrown};
use serde::Deserialize;
use serde_json::{Map, Value};

/// How much longer than it says a run may wait, on a machine that does much else. A run that waits
/// for what it need not takes longer.
const SLACK: Duration = Duration::from_secs(6);

/// How the cases write that there is no value.
const NO_VALUE: &str = "none";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// A program, and what becomes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) source: String,
    /// The main module's name.
    #[serde(default = "main")]
    file: String,
    /// The other modules: name, kind and content.
    #[serde(default)]
    modules: Vec<(String, Kind, Content)>,
    /// The values of `env`, as a JSON object.
    #[serde(default = "empty")]
    env: String,
    /// The texts of `strings`, as a JSON object.
    #[serde(default = "empty")]
    strings: String,
    /// Why it runs natively alone.
    pub(super) native_only: Option<String>,
    /// Why it does not run natively.
    #[serde(rename = "isolated_only")]
    _isolated_only: Option<String>,
    /// The value that it returns, as JSON.
    value: Option<String>,
    /// The error that it throws; without it, it ends well.
    throws: Option<Throws>,
    /// The texts that it writes.
    output: Option<Vec<String>>,
    /// Parts of them.
    #[serde(default)]
    writes: Vec<String>,
    /// Their levels, from 0 for debug to 4 for error.
    levels: Option<Vec<u8>>,
    /// The calls that it starts: name and arguments.
    started: Option<Vec<String>>,
    /// How long it waits, in milliseconds.
    elapsed: Option<u64>,
}

/// An error, as far as it matters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Throws {
    name: Option<String>,
    message: Option<String>,
    /// Parts of the message.
    #[serde(default)]
    says: Vec<String>,
    module: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    /// The line itself.
    text: Option<String>,
    /// Parts of the stack.
    #[serde(default)]
    stack: Vec<String>,
    causes: Option<Vec<String>>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Source,
    Text,
    Json,
    Bytes,
}

#[derive(Deserialize, Clone)]
#[serde(untagged)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

fn main() -> String {
    "main.py".to_owned()
}

fn empty() -> String {
    "{}".to_owned()
}

/// The cases of a file.
pub(super) fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("text");
    let file: File =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    file.case
}

impl Case {
    /// Whether it throws nothing.
    pub(super) fn ends_well(&self) -> bool {
        self.throws.is_none()
    }

    pub(super) fn script(&self) -> Script {
        let env: Map<String, Value> = serde_json::from_str(&self.env).expect("an object");
        let script = Script::python(&*self.source).named(&*self.file);
        let strings: BTreeMap<String, String> =
            serde_json::from_str(&self.strings).expect("an object of texts");
        let script = strings
            .into_iter()
            .fold(script, |script, (name, text)| script.string(name, text));
        let script = env
            .into_iter()
            .fold(script, |script, (key, value)| script.env(key, value));
        self.modules
            .iter()
            .cloned()
            .fold(script, |script, (name, kind, content)| {
                script.module(name, module(kind, content))
            })
    }

    /// What is not as the case says, a line each.
    pub(super) fn held_against(&self, outcome: &Outcome, started: &[String]) -> Vec<String> {
        let mut wrong = Wrong::default();
        match (&self.throws, &outcome.ending) {
            (None, Ending::Returned(_)) => {}
            (Some(expected), Ending::Threw(thrown)) => expected.held_against(thrown, &mut wrong),
            (_, ending) => wrong.note(format!("it ends otherwise: {ending}")),
        }
        let value = match &outcome.ending {
            Ending::Returned(Some(value)) => serde_json::from_str(value.get()).ok(),
            _ => None,
        };
        let expected = self.value.as_deref().map(expected_value);
        wrong.unless_same("value", expected.as_ref(), &value);

        let lines = outcome.output.lines();
        let texts: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
        let levels = lines.iter().map(|line| line.level as u8).collect();
        wrong.unless_same("output", self.output.as_ref(), &texts);
        wrong.unless_same("levels", self.levels.as_ref(), &levels);
        wrong.unless_parts("output", &self.writes, &texts.join("\n"));
        wrong.unless_same("started", self.started.as_ref(), &started.to_vec());
        if let Some(expected) = self.elapsed.map(Duration::from_millis) {
            let took = outcome.usage.wall_time;
            if took < expected || took > expected + SLACK {
                wrong.note(format!("it took {took:?}, not {expected:?}"));
            }
        }
        wrong.notes
    }
}

impl Throws {
    fn held_against(&self, thrown: &Thrown, wrong: &mut Wrong) {
        wrong.unless_same("name", self.name.as_ref(), &thrown.name);
        wrong.unless_same("message", self.message.as_ref(), &thrown.message);
        wrong.unless_parts("message", &self.says, &thrown.message);
        wrong.unless_parts("stack", &self.stack, &thrown.stack);
        wrong.unless_same("causes", self.causes.as_ref(), &thrown.causes);
        let nowhere = Location {
            module: String::new(),
            line: 0,
            column: 0,
            text: String::new(),
        };
        let place = thrown.location.as_ref().unwrap_or(&nowhere);
        wrong.unless_same("module", self.module.as_ref(), &place.module);
        wrong.unless_same("line", self.line.as_ref(), &place.line);
        wrong.unless_same("column", self.column.as_ref(), &place.column);
        wrong.unless_same("text", self.text.as_ref(), &place.text);
    }
}

/// What is not as it should be.
#[derive(Default)]
struct Wrong {
    notes: Vec<String>,
}

impl Wrong {
    fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    /// Where something is expected, it is this.
    fn unless_same<T: PartialEq + Debug>(&mut self, what: &str, expected: Option<&T>, found: &T) {
        if let Some(expected) = expected
            && expected != found
        {
            self.note(format!("{what}: {found:?}, not {expected:?}"));
        }
    }

    fn unless_parts(&mut self, what: &str, parts: &[String], found: &str) {
        for part in parts {
            if !found.contains(part) {
                self.note(format!("{what}: {found:?}, without {part:?}"));
            }
        }
    }
}

/// A value as a case writes it.
fn expected_value(text: &str) -> Option<Value> {
    (text != NO_VALUE).then(|| {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text} is no JSON: {error}"))
    })
}

fn module(kind: Kind, content: Content) -> Module {
    match (kind, content) {
        (Kind::Source, Content::Text(text)) => Module::Source(text),
        (Kind::Text, Content::Text(text)) => Module::Text(text),
        (Kind::Json, Content::Text(text)) => Module::Json(text),
        (Kind::Bytes, Content::Bytes(bytes)) => Module::Bytes(bytes),
        (Kind::Bytes, Content::Text(_)) | (_, Content::Bytes(_)) => {
            panic!("a module's content is not of its kind")
        }
    }
}
