//! A page of `tools/list`: each tool is read by itself, and one that can't be is left out.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use ampoule_projection::{Hints, ObservedShape, SchemaText, Tool};
use ampoule_untrusted::json::{depth, parsed_bytes};
use ampoule_untrusted::text::one_line;
use serde::Deserialize;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::app;
use super::bounds::{EACH_ENTRY_BYTES, EACH_PAGE_BYTES, LIST_BYTES};
use super::freshness::Freshness;
use super::mirrored::{self, MirroredArguments};

/// [`LIST_BYTES`] as people read it.
pub(super) const LIST_MIB: u64 = LIST_BYTES >> 20;

/// How many problems are kept.
const MAX_PROBLEMS: usize = 100;

/// The longest name that a tool may have, in bytes.
const MAX_NAME_BYTES: usize = 256;

/// How deep a schema may be nested. What is kept of the list between processes is read as one text,
/// of at most 127 levels.
const MAX_SCHEMA_DEPTH: usize = 119;

/// How much one schema may take while it is parsed, in bytes. All of them are kept as text.
const MAX_SCHEMA_BYTES: u64 = 64 * 1024 * 1024;

/// How much a tool's hints may take once they are parsed, in bytes.
const MAX_HINT_BYTES: u64 = 64 * 1024;

/// The longest cursor that is sent back, in bytes.
const MAX_CURSOR_BYTES: usize = 64 * 1024;

/// The tools that were found on the pages until now, and what is wrong with others.
#[derive(Debug, Default)]
pub(super) struct ToolList {
    pub(super) tools: Vec<Tool>,
    pub(super) problems: Vec<String>,
    pub(super) freshness: Freshness,
    names: HashSet<String>,
    /// What counts of [`LIST_BYTES`] until now.
    bytes: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    next_cursor: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ttl_ms: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cache_scope: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    title: Option<&'a RawValue>,
    #[serde(borrow, default)]
    description: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl ToolList {
    /// Reads a page, and gives the cursor of the next one.
    ///
    /// # Errors
    ///
    /// Why it is not a page, in words that follow the server's name.
    pub(super) fn read(&mut self, raw: &RawValue) -> Result<Option<String>, String> {
        let none = || "answers tools/list without a list of tools".to_owned();
        // Structs are read from arrays as well.
        if !raw.get().starts_with('{') {
            return Err(none());
        }
        let page: Page<'_> = serde_json::from_str(raw.get())
            .map_err(|error| format!("sends a list of tools that can't be read: {error}"))?;
        let tools = page.tools.filter(|tools| tools.get().starts_with('['));
        let tools = tools.ok_or_else(none)?.get();
        self.freshness.add(page.ttl_ms, page.cache_scope);
        // The page was held against JSON's grammar, so this can't fail.
        let _ = serde_json::Deserializer::from_str(tools).deserialize_seq(Entries(self));
        let cursor = page.next_cursor.filter(|cursor| cursor.get() != "null");
        match cursor.map(RawValue::get) {
            Some(long) if long.len() > MAX_CURSOR_BYTES => {
                self.problem("the cursor of the next page of tools is too long".to_owned());
                Ok(None)
            }
            cursor => Ok(cursor.and_then(|cursor| serde_json::from_str(cursor).ok())),
        }
    }

    /// Takes room for a page of that many bytes, if there is any.
    pub(super) fn has_room_for_page(&mut self, bytes: usize) -> bool {
        self.bytes = (self.bytes + EACH_PAGE_BYTES).saturating_add(bytes as u64);
        !self.is_full()
    }

    /// Whether as much was read as ever is.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > LIST_BYTES
    }

    /// About how much work it is to look at all of it, in bytes of text.
    pub(super) fn bytes(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }

    /// What HTTP's headers repeat of calls. Tools that can't be called like that are left out.
    pub(super) fn keep_mirrored(&mut self) -> MirroredArguments {
        let mut tools = std::mem::take(&mut self.tools);
        let mirrored = mirrored::keep_valid(&mut tools, |problem| self.problem(problem));
        self.tools = tools;
        mirrored
    }

    pub(super) fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    fn add(&mut self, raw: &str) {
        if self.is_full() {
            return;
        }
        self.bytes += EACH_ENTRY_BYTES;
        if self.is_full() {
            self.problem(format!(
                "the list of tools is larger than {LIST_MIB} MiB; the rest is left out"
            ));
            return;
        }
        match self.tool(raw) {
            Ok(tool) if self.names.insert(tool.name.clone()) => self.tools.push(tool),
            Ok(tool) => self.problem(format!(
                "tool `{}` is listed twice; the first one is used",
                one_line(&tool.name)
            )),
            Err(problem) => self.problem(problem),
        }
    }

    /// Reads a tool. What is odd about one that can be called in spite of that is noted.
    fn tool(&mut self, raw: &str) -> Result<Tool, String> {
        if !raw.starts_with('{') {
            return Err(format!("an entry is {} instead of a tool", kind(Some(raw))));
        }
        let entry: Entry<'_> =
            serde_json::from_str(raw).map_err(|error| format!("a tool can't be read: {error}"))?;
        let name = name(entry.name)?;
        let shown = one_line(&name);
        let input_schema = match entry.input_schema.map(RawValue::get) {
            Some(schema) if schema.starts_with('{') => self
                .schema(schema, &shown, "input schema")
                .unwrap_or_else(anything),
            other => {
                let what = kind(other);
                return Err(format!("tool `{shown}` has no input schema: it is {what}"));
            }
        };
        let output_schema = match entry.output_schema.map(RawValue::get) {
            None | Some("null") => None,
            Some("true") => Some(Value::Bool(true).into()),
            Some("false") => Some(Value::Bool(false).into()),
            Some(schema) if schema.starts_with('{') => {
                let schema = self.schema(schema, &shown, "output schema");
                Some(schema.unwrap_or_else(|| Value::Bool(true).into()))
            }
            other => {
                self.problem(format!(
                    "tool `{shown}`: its output schema is {}",
                    kind(other)
                ));
                None
            }
        };
        let hints = entry.annotations.map(RawValue::get);
        let hints = hints.filter(|hints| parsed_bytes(hints) <= MAX_HINT_BYTES);
        let hints: Value = hints
            .and_then(|hints| serde_json::from_str(hints).ok())
            .unwrap_or_default();
        let ui = entry.meta.and_then(app::of).map(Arc::new);
        let mut text = |member: &str, raw| self.text(raw, &shown, member);
        let (title, description) = (
            text("title", entry.title),
            text("description", entry.description),
        );
        let hinted = || hints.get("title").and_then(Value::as_str);
        let hint = |key: &str| hints.get(key).and_then(Value::as_bool);
        Ok(Tool {
            title: title.or_else(|| hinted().map(ToOwned::to_owned)),
            description,
            input_schema,
            output_schema,
            annotations: Hints {
                read_only: hint("readOnlyHint"),
                destructive: hint("destructiveHint"),
                idempotent: hint("idempotentHint"),
                open_world: hint("openWorldHint"),
            },
            ui,
            seen: ObservedShape::default(),
            name,
        })
    }

    /// A schema, or none where it can't be had: then the tool can still be called, with whatever it
    /// takes.
    fn schema(&mut self, raw: &str, tool: &str, which: &str) -> Option<SchemaText> {
        let read = if depth(raw) > MAX_SCHEMA_DEPTH {
            Err(format!("is nested deeper than {MAX_SCHEMA_DEPTH} levels"))
        } else if parsed_bytes(raw) > MAX_SCHEMA_BYTES {
            Err("is too large".to_owned())
        } else {
            serde_json::from_str::<SchemaText>(raw)
                .map_err(|error| format!("can't be read ({error})"))
        };
        match read {
            Ok(schema) => Some(schema),
            Err(why) => {
                self.problem(format!(
                    "tool `{tool}`: its {which} {why}; any value is accepted instead"
                ));
                None
            }
        }
    }

    fn text(&mut self, raw: Option<&RawValue>, tool: &str, member: &str) -> Option<String> {
        let raw = raw.map(RawValue::get).filter(|raw| *raw != "null")?;
        let text = serde_json::from_str(raw).ok();
        if text.is_none() {
            self.problem(format!(
                "tool `{tool}`: its {member} is {}",
                kind(Some(raw))
            ));
        }
        text
    }
}

/// The schema of a tool that takes whatever it is given.
fn anything() -> SchemaText {
    json!({ "type": "object" }).into()
}

fn name(raw: Option<&RawValue>) -> Result<String, String> {
    let raw = raw.map(RawValue::get);
    match raw.map(serde_json::from_str::<Cow<'_, str>>) {
        Some(Ok(name)) if (1..=MAX_NAME_BYTES).contains(&name.len()) => Ok(name.into_owned()),
        Some(Ok(name)) => Err(format!("a tool's name has {} bytes", name.len())),
        None | Some(Err(_)) => Err(format!("a tool's name is {}", kind(raw))),
    }
}

fn kind(json: Option<&str>) -> &'static str {
    match json.and_then(|json| json.bytes().next()) {
        None | Some(b'n') => "missing",
        Some(b't' | b'f') => "a boolean",
        Some(b'"') => "a string",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        Some(_) => "a number",
    }
}

/// Reads entries one after the other, without a list of them.
struct Entries<'a>(&'a mut ToolList);

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tools")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(entry) = entries.next_element::<&RawValue>()? {
            self.0.add(entry.get());
        }
        Ok(())
    }
}
