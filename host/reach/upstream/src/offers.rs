//! What servers have besides tools, as tools: resources, templates, prompts and completion. Their
//! names begin with `$`, which no tool's does.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ampoule_projection::{Hints, ObservedShape, Tool};
use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::json::depth;
use http::HeaderMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::active_call::ActiveCall;
use super::attempt::{Attempt, Retry};
use super::connection::Connection;
use super::greeting::Offers;
use super::offload;

/// How many pages of a list are read.
const MAX_PAGES: usize = 200;

/// The longest cursor that is sent back, in bytes.
const MAX_CURSOR_BYTES: usize = 64 * 1024;

/// How deep a result may be nested: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// What becomes of a call of one of them.
pub(super) struct Inquiry {
    method: &'static str,
    gives: Gives,
}

/// What of the server's result is the call's.
#[derive(Clone, Copy)]
enum Gives {
    /// All items of this list, from all pages.
    Items(&'static str),
    /// This member.
    Member(&'static str),
    /// All of it, but for what is about the protocol.
    All,
}

type Members<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// What a call of this name asks the server for, if it is not the call of a tool.
pub(super) fn inquiry(name: &str) -> Option<Inquiry> {
    let (method, gives) = match name {
        "$resources" => ("resources/list", Gives::Items("resources")),
        "$templates" => (
            "resources/templates/list",
            Gives::Items("resourceTemplates"),
        ),
        "$read" => ("resources/read", Gives::Member("contents")),
        "$prompts" => ("prompts/list", Gives::Items("prompts")),
        "$prompt" => ("prompts/get", Gives::All),
        "$complete" => ("completion/complete", Gives::Member("completion")),
        _ => return None,
    };
    Some(Inquiry { method, gives })
}

impl Inquiry {
    /// What the server answers.
    pub(super) async fn answer(
        self,
        connection: &Connection,
        params: &mut Map<String, Value>,
        call: &ActiveCall,
    ) -> Result<ToolResult, CallError> {
        if self.method == "completion/complete" {
            name_what_is_completed(params);
        }
        let value = match self.gives {
            Gives::Items(list) => self.items(connection, list, call).await?,
            Gives::Member(_) | Gives::All => {
                let attempt = Attempt {
                    headers: HeaderMap::new(),
                    params,
                    retry: Retry::Yes,
                    call,
                };
                let raw = connection.request(self.method, attempt).await?;
                let gives = self.gives;
                offload::read(raw.get().len(), move || part(&raw, gives)).await?
            }
        };
        Ok(ToolResult {
            structured_content: Some(value),
            ..ToolResult::default()
        })
    }

    /// All items, page by page, as one list.
    async fn items(
        &self,
        connection: &Connection,
        list: &'static str,
        call: &ActiveCall,
    ) -> Result<Box<RawValue>, CallError> {
        let (mut items, mut cursors) = (String::from("["), HashSet::new());
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let params = cursor
                .take()
                .map(|cursor| ("cursor".to_owned(), cursor.into()));
            let mut params = params.into_iter().collect();
            let attempt = Attempt {
                headers: HeaderMap::new(),
                params: &mut params,
                retry: Retry::No,
                call,
            };
            let raw = connection.request(self.method, attempt).await?;
            let next;
            (items, next) = offload::read(raw.get().len(), move || {
                let next = add_page(&mut items, &raw, list)?;
                Ok::<_, CallError>((items, next))
            })
            .await?;
            let bytes = items.len() as u64;
            if bytes > call.result_bytes() {
                return Err(CallError::ResultTooLarge { bytes });
            }
            match next {
                Some(next) if cursors.insert(next.clone()) => cursor = Some(next),
                Some(_) => return Err(unreadable("a page leads back to an earlier one")),
                None => {
                    items.push(']');
                    return RawValue::from_string(items).map_err(|error| unreadable(&error));
                }
            }
        }
        let most = format!("there are more than {MAX_PAGES} pages");
        Err(unreadable(&most))
    }
}

fn unreadable(why: &(impl std::fmt::Display + ?Sized)) -> CallError {
    CallError::Protocol(format!("the server's answer can't be read: {why}"))
}

fn members(raw: &RawValue) -> Result<Members<'_>, CallError> {
    if depth(raw.get()) > MAX_DEPTH {
        let why = format!("it is nested deeper than {MAX_DEPTH} levels");
        return Err(unreadable(&why));
    }
    serde_json::from_str(raw.get()).map_err(|error| unreadable(&error))
}

/// The part of a result that is the call's.
fn part(raw: &RawValue, gives: Gives) -> Result<Box<RawValue>, CallError> {
    let mut members = members(raw)?;
    if let Gives::Member(name) | Gives::Items(name) = gives {
        let member = members.remove(name);
        let lacks = || unreadable(&format!("it has no `{name}`"));
        return member.map(ToOwned::to_owned).ok_or_else(lacks);
    }
    for protocol in ["_meta", "resultType", "ttlMs", "cacheScope"] {
        members.remove(protocol);
    }
    serde_json::value::to_raw_value(&members).map_err(|error| unreadable(&error))
}

/// Adds the items of a page, and gives the next page's cursor.
fn add_page(
    items: &mut String,
    raw: &RawValue,
    list: &'static str,
) -> Result<Option<String>, CallError> {
    let members = members(raw)?;
    let lacks = || unreadable(&format!("it has no list `{list}`"));
    let listed = members.get(list).ok_or_else(lacks)?.get();
    let inner = listed.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let inner = inner.ok_or_else(lacks)?.trim();
    if !inner.is_empty() {
        if items.len() > 1 {
            items.push(',');
        }
        items.push_str(inner);
    }
    let cursor = members.get("nextCursor");
    let cursor = cursor.filter(|cursor| cursor.get().len() <= MAX_CURSOR_BYTES);
    Ok(cursor.and_then(|cursor| serde_json::from_str(cursor.get()).ok()))
}

/// What is completed may be named by a text alone: a template's has a scheme, a prompt's has none.
fn name_what_is_completed(params: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = params.get("ref") {
        let named = match name.contains("://") {
            true => json!({ "type": "ref/resource", "uri": name }),
            false => json!({ "type": "ref/prompt", "name": name }),
        };
        params.insert("ref".to_owned(), named);
    }
}

/// What a server has besides tools, as tools.
pub(super) fn tools(offers: Offers) -> Arc<[Tool]> {
    let text = || json!({ "type": "string" });
    let resources = [
        tool(
            "$resources",
            "The server's resources.",
            &[],
            list_of(&["uri", "name"], &["title", "description", "mimeType"]),
        ),
        tool(
            "$templates",
            "Templates of the addresses of further resources.",
            &[],
            list_of(
                &["uriTemplate", "name"],
                &["title", "description", "mimeType"],
            ),
        ),
        tool(
            "$read",
            "Reads a resource: its parts, each with a text, or with bytes as a blob.",
            &[required("uri", text())],
            contents(),
        ),
    ];
    let prompts = [
        tool(
            "$prompts",
            "The server's prompts.",
            &[],
            list_of(&["name"], &["title", "description"]),
        ),
        tool(
            "$prompt",
            "A prompt, filled in with arguments.",
            &[
                required("name", text()),
                optional(
                    "arguments",
                    json!({ "type": "object", "additionalProperties": text() }),
                ),
            ],
            json!({
                "type": "object",
                "properties": {
                    "description": text(),
                    "messages": { "type": "array", "items": {
                        "type": "object",
                        "properties": { "role": text(), "content": {} },
                        "required": ["role", "content"],
                    } },
                },
                "required": ["messages"],
            }),
        ),
    ];
    let completion = tool(
        "$complete",
        "Values that an argument of a prompt, or of a template, may have.",
        &[
            required(
                "ref",
                json!({ "anyOf": [text(), { "type": "object" }],
                    "description": "A prompt's name, or a template's address." }),
            ),
            required(
                "argument",
                json!({ "type": "object", "properties": { "name": text(), "value": text() },
                    "required": ["name", "value"] }),
            ),
            optional("context", json!({ "type": "object" })),
        ],
        json!({
            "type": "object",
            "properties": {
                "values": { "type": "array", "items": text() },
                "total": { "type": "integer" },
                "hasMore": { "type": "boolean" },
            },
            "required": ["values"],
        }),
    );
    let mut tools = Vec::new();
    tools.extend(resources.into_iter().filter(|_| offers.resources));
    tools.extend(prompts.into_iter().filter(|_| offers.prompts));
    tools.extend(Some(completion).filter(|_| offers.completions));
    tools.into()
}

/// A parameter of a tool.
struct Parameter {
    name: &'static str,
    schema: Value,
    required: bool,
}

fn required(name: &'static str, schema: Value) -> Parameter {
    Parameter {
        name,
        schema,
        required: true,
    }
}

fn optional(name: &'static str, schema: Value) -> Parameter {
    Parameter {
        name,
        schema,
        required: false,
    }
}

fn tool(name: &str, description: &str, parameters: &[Parameter], output: Value) -> Tool {
    let properties = parameters.iter();
    let properties = properties.map(|it| (it.name.to_owned(), it.schema.clone()));
    let required = parameters.iter().filter(|it| it.required);
    let required: Vec<_> = required.map(|it| json!(it.name)).collect();
    let schema = [
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Value::Object(properties.collect())),
        ("required".to_owned(), required.into()),
        ("additionalProperties".to_owned(), json!(false)),
    ];
    Tool {
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        input_schema: schema.into_iter().collect::<Map<_, _>>().into(),
        output_schema: Some(output.into()),
        annotations: Hints {
            read_only: Some(true),
            ..Hints::default()
        },
        ui: None,
        seen: ObservedShape::default(),
    }
}

/// What `$read` gives. What is base64 to the protocol, scripts get as bytes.
fn contents() -> Value {
    let mut contents = list_of(&["uri"], &["mimeType", "text"]);
    contents["items"]["properties"]["blob"] =
        json!({ "description": "Bytes: a Uint8Array, in Python bytes" });
    contents
}

/// A list of objects with these texts, and whatever else the server says.
fn list_of(required: &[&str], others: &[&str]) -> Value {
    let texts = required.iter().chain(others);
    let texts = texts.map(|name| ((*name).to_owned(), json!({ "type": "string" })));
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": Value::Object(texts.collect()),
            "required": required,
        },
    })
}
