//! The arguments of Ampoule's own tools, as models send them: names that are nearly right are understood
//! or suggested, and unknown arguments that change nothing are ignored, with a note.

use std::collections::BTreeMap;

use ampoule_projection::Idiom;
use ampoule_projection::names::near;
use ampoule_untrusted::document;
use rmcp::model::JsonObject;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::wording::HitDetail;
use crate::content::text::quoted;
use crate::runs::code::CodeLanguage;
use crate::runs::start::SessionKeep;

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
pub(super) struct ExecuteCode {
    /// The script. What it returns is the result; what it prints comes with it.
    pub(super) code: Option<String>,
    /// Texts that are hard to quote in the script: `strings.name`.
    #[serde(default)]
    pub(super) strings: BTreeMap<String, String>,
    /// Seconds until the answer, if the run is not over by then; the run continues, and has an id.
    pub(super) wait: Option<f64>,
    /// The id of such a run, to wait for it.
    pub(super) run: Option<String>,
    /// To end it.
    #[serde(default)]
    pub(super) cancel: bool,
    /// To take back the calls of such a run, which has failed.
    #[serde(default)]
    pub(super) undo: bool,
    /// Its language. Default: guessed from the code; the answer says which.
    #[serde(default)]
    pub(super) language: Option<CodeLanguage>,
    /// Seconds until the script is stopped. Default: the operator's.
    pub(super) timeout_seconds: Option<f64>,
    /// The session that it is a run of: its top-level names are there in the next one.
    pub(super) session: Option<String>,
    /// Which of its ends are kept in the session.
    #[serde(default)]
    pub(super) keep: SessionKeep,
    /// A component's arguments. Only clients that may run components see this in the schema.
    pub(super) arguments: Option<Box<RawValue>>,
}

/// The arguments of `search_tools`.
#[derive(Debug, Deserialize)]
pub(super) struct SearchTools {
    /// What the tool should do, in a few words. Without it, all tools are listed.
    #[serde(default)]
    pub(super) query: String,
    /// Only tools of this server.
    pub(super) server: Option<String>,
    /// How many at the most. Default: 10, or 200 without a query.
    pub(super) limit: Option<u32>,
    /// How much is said of each. Default: declarations, or summaries without a query.
    pub(super) detail: Option<HitDetail>,
    /// The language that they are declared in. Default: typescript.
    #[serde(default)]
    pub(super) language: DeclarationLanguage,
}

/// The arguments of `call_tool`.
#[derive(Debug, Deserialize)]
pub(super) struct CallTool {
    /// The server's name.
    pub(super) server: String,
    /// The tool's name.
    pub(super) tool: String,
    /// The tool's arguments; some models write the object as text.
    #[serde(default, deserialize_with = "object")]
    pub(super) arguments: Option<JsonObject>,
}

/// An object, or the text of one.
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonObject>, D::Error> {
    let wrong = || D::Error::custom("`arguments` must be an object");
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Object(object) => Ok(Some(object)),
        Value::String(text) => serde_json::from_str(&text).map(Some).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DeclarationLanguage {
    #[default]
    #[serde(alias = "ts", alias = "TypeScript", alias = "javascript", alias = "js")]
    Typescript,
    #[serde(alias = "py", alias = "python3", alias = "Python")]
    Python,
}

impl From<DeclarationLanguage> for Idiom {
    fn from(declared: DeclarationLanguage) -> Self {
        match declared {
            DeclarationLanguage::Typescript => Self::TypeScript,
            DeclarationLanguage::Python => Self::Python,
        }
    }
}

/// What a tool's arguments are called.
pub(super) struct Arguments {
    tool: &'static str,
    names: &'static [&'static str],
    /// What models call them, too.
    others: &'static [(&'static str, &'static str)],
}

pub(super) const EXECUTE_CODE: Arguments = Arguments {
    tool: "execute_code",
    names: &[
        "code",
        "strings",
        "wait",
        "run",
        "cancel",
        "undo",
        "language",
        "timeout_seconds",
        "session",
        "keep",
        "arguments",
    ],
    others: &[
        ("script", "code"),
        ("source", "code"),
        ("source_code", "code"),
        ("program", "code"),
        ("snippet", "code"),
        ("lang", "language"),
        ("timeout_s", "timeout_seconds"),
        ("timeout_secs", "timeout_seconds"),
        ("session_id", "session"),
        ("run_id", "run"),
    ],
};

pub(super) const SEARCH_TOOLS: Arguments = Arguments {
    tool: "search_tools",
    names: &["query", "server", "limit", "detail", "language"],
    others: &[
        ("q", "query"),
        ("search", "query"),
        ("keywords", "query"),
        ("words", "query"),
        ("text", "query"),
        ("server_name", "server"),
        ("max", "limit"),
        ("max_results", "limit"),
        ("top_k", "limit"),
        ("lang", "language"),
    ],
};

pub(super) const CALL_TOOL: Arguments = Arguments {
    tool: "call_tool",
    names: &["server", "tool", "arguments"],
    others: &[
        ("server_name", "server"),
        ("tool_name", "tool"),
        ("name", "tool"),
        ("args", "arguments"),
        ("input", "arguments"),
        ("params", "arguments"),
        ("parameters", "arguments"),
    ],
};

/// Arguments that would keep a call from doing something. If they were ignored, the call would do
/// it.
const RESTRICTING: [&str; 10] = [
    "dry_run",
    "preview",
    "simulate",
    "plan_only",
    "validate_only",
    "check_only",
    "read_only",
    "allowed_tools",
    "tools",
    "permissions",
];

/// What a model can't answer: people do.
const ANSWERING: [&str; 8] = [
    "answer",
    "approve",
    "approved",
    "allow",
    "content",
    "request_state",
    "input_responses",
    "elicitation",
];

/// What models write to themselves beside a call, and no tool is likely to take.
const THINKING: [&str; 7] = [
    "reasoning",
    "thought",
    "thoughts",
    "thinking",
    "rationale",
    "explanation",
    "intent",
];

/// How many ignored names a note has.
const MOST_NAMED: usize = 5;

impl Arguments {
    /// The arguments of a model, and a note about ignored ones.
    ///
    /// # Errors
    ///
    /// What is wrong, and what was likely meant.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        sent: Option<JsonObject>,
    ) -> Result<(T, Option<String>), String> {
        let (read, passed_over) = self.split(sent)?;
        Ok((read, self.note(&passed_over)))
    }

    /// The arguments of a model, of which none is ignored but what it writes to itself; and a note
    /// about that.
    ///
    /// # Errors
    ///
    /// What is wrong, and what to write instead, which is made of what was understood and the rest.
    pub(super) fn read_alone<T: DeserializeOwned>(
        &self,
        sent: Option<JsonObject>,
        instead: impl FnOnce(&T, JsonObject) -> Value,
    ) -> Result<(T, Option<String>), String> {
        let (read, beside) = self.split(sent)?;
        let (thinking, beside): (JsonObject, JsonObject) = beside
            .into_iter()
            .partition(|(name, _)| is_one_of(&THINKING, name));
        if beside.is_empty() {
            return Ok((read, self.note(&thinking)));
        }
        let named = named(&beside);
        let instead = instead(&read, beside).to_string();
        Err(format!(
            "{} Nothing was called. Leave out what the tool does not take; the tool's own arguments belong into `arguments`. Call {} with {}",
            self.wrong(format!("it has no {named}.")),
            self.tool,
            shown(&instead)
        ))
    }

    fn wrong(&self, said: String) -> String {
        format!("the arguments of {} are wrong: {said}", self.tool)
    }

    /// What was understood, and the rest.
    fn split<T: DeserializeOwned>(
        &self,
        sent: Option<JsonObject>,
    ) -> Result<(T, JsonObject), String> {
        let wrong = |said: String| self.wrong(said);
        let sent = sent.unwrap_or_default();
        let (mut known, unknown): (JsonObject, JsonObject) = sent
            .into_iter()
            .partition(|(name, _)| self.names.contains(&&**name));
        let mut passed_over = JsonObject::new();
        for (name, value) in unknown {
            match self.meant(&name) {
                Some(meant) if !known.contains_key(meant) => {
                    known.insert(meant.to_owned(), value);
                }
                Some(_) => drop(passed_over.insert(name, value)),
                None => {
                    if let Some(said) = self.refused(&name) {
                        return Err(wrong(said));
                    }
                    passed_over.insert(name, value);
                }
            }
        }
        let read = document::of_value(Value::Object(known));
        let read = read.map_err(|error| wrong(error.to_string()))?;
        Ok((read, passed_over))
    }

    /// The argument that a name means, for names that models write in another way.
    fn meant(&self, name: &str) -> Option<&'static str> {
        let same = |other: &str| letters(other).eq(letters(name));
        let names = self.names.iter().map(|name| (*name, *name));
        let mut all = names.chain(self.others.iter().copied());
        all.find(|(other, _)| same(other)).map(|(_, meant)| meant)
    }

    /// Why an unknown name can't be ignored.
    fn refused(&self, name: &str) -> Option<String> {
        let shown = quoted(name);
        if is_one_of(&ANSWERING, name) {
            return Some(format!(
                "unknown argument `{shown}`: questions to people are answered by people, not by arguments"
            ));
        }
        if is_one_of(&RESTRICTING, name) {
            return Some(format!(
                "unknown argument `{shown}`: it seems to restrict what the call may do, and would have no effect; leave it out"
            ));
        }
        let near = near(name, self.names.iter().copied(), 1);
        let near = near.first()?;
        Some(format!(
            "unknown argument `{shown}`: did you mean `{near}`? The arguments are {}",
            self.names.join(", ")
        ))
    }

    fn note(&self, passed_over: &JsonObject) -> Option<String> {
        let was = match passed_over.len() {
            0 => return None,
            1 => "was",
            _ => "were",
        };
        Some(format!(
            "Note: {} has no {}; {was} ignored. Its arguments: {}",
            self.tool,
            named(passed_over),
            self.names.join(", ")
        ))
    }
}

/// The first of these arguments by name, and how many more there are.
fn named(passed_over: &JsonObject) -> String {
    let names = passed_over.keys().take(MOST_NAMED);
    let names: Vec<String> = names.map(|name| format!("`{}`", quoted(name))).collect();
    let more = match passed_over.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let noun = match passed_over.len() {
        1 => "argument",
        _ => "arguments",
    };
    format!("{noun} {}{more}", names.join(", "))
}

/// How much of the arguments is shown, in bytes.
const MOST_SHOWN_BYTES: usize = 2_000;

/// Arguments, as far as a message has room for them.
pub(super) fn shown(json: &str) -> &str {
    match json.len() > MOST_SHOWN_BYTES {
        true => "{ … }",
        false => json,
    }
}

/// Whether a name is one of these, however it is written.
fn is_one_of(names: &[&str], name: &str) -> bool {
    names.iter().any(|it| letters(it).eq(letters(name)))
}

/// The letters of a name, by which `timeoutSeconds` is `timeout_seconds`.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let plain = name.chars().filter(|c| c.is_alphanumeric());
    plain.map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
