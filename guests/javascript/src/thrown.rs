//! Errors that a program did not catch, with places in its sources as they were written.
//!
//! [`stack`] reads the stack that QuickJS gave an error, [`sites`] finds the operations of a source
//! that it may mean, [`failure`] which of them fits the message, and [`answers`] what the answer is
//! that it was done to. [`data`] is what a tool told of its failure besides.

mod answers;
mod data;
mod failure;
mod sites;
mod stack;
mod tool_call;

pub(crate) use sites::Found;
pub(crate) use tool_call::{UnawaitedCall, unawaited_call};

use rquickjs::{Ctx, Error, Object, Value};

use failure::Failure;

use crate::bindings::exports::ampoule::guest::script::{Location, Thrown};
use crate::host;
use crate::lasting;
use crate::modules::{Modules, Source};
use crate::other_modes;
use crate::render::render;
use crate::session::Session;
use crate::source::{self, Fault};
use crate::tools;
use crate::web::absent;

/// How many causes are told, one within the other or beside each other.
const CAUSES_LIMIT: usize = 16;

/// How long the text of a thrown value or a cause may be, in bytes.
const TEXT_LIMIT: usize = 2_000;

/// How long the name of an error may be, in bytes.
const NAME_LIMIT: usize = 200;

/// How long a message may be, in bytes.
const MESSAGE_LIMIT: usize = 16 << 10;

/// How long a stack may be, in bytes: names of functions are the script's.
const STACK_LIMIT: usize = 8 << 10;

/// A fault in the source, before anything ran.
pub(crate) fn syntax_error(module: &str, written: &str, fault: &Fault) -> Thrown {
    let place = source::place(written, fault.offset);
    Thrown {
        name: "SyntaxError".to_owned(),
        message: cut(fault.message.clone(), MESSAGE_LIMIT),
        location: Some(Location {
            module: module.to_owned(),
            line: place.line,
            column: place.column,
            text: place.text,
        }),
        stack: String::new(),
        causes: Vec::new(),
    }
}

/// A mistake that was found before anything ran.
pub(crate) fn before_running(name: &str, message: String, location: Location) -> Thrown {
    Thrown {
        name: name.to_owned(),
        message: cut(message, MESSAGE_LIMIT),
        location: Some(location),
        stack: String::new(),
        causes: Vec::new(),
    }
}

/// What is said of a name that nothing declares.
pub(crate) fn undefined(name: &str) -> String {
    with_advice("ReferenceError", format!("{name} is not defined"))
}

/// A program that waits for what can't come.
pub(crate) fn stuck(ctx: &Ctx<'_>) -> Thrown {
    let advice = if lasting::has_cut_short(ctx) {
        "A call or a timer that an earlier run of the session did not wait for ended with that run: call, or set it, again."
    } else {
        "Check that each `new Promise` calls its resolve or reject."
    };
    let message = format!(
        "The script waits for a promise that nothing can settle: no call is under way and no timer is set. {advice}"
    );
    Thrown {
        name: "Error".to_owned(),
        message,
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}

/// What the sources read of answers that these have not, where it is likely which of their keys was
/// meant: a sentence each.
pub(crate) fn reads_in_vain(ctx: &Ctx<'_>) -> Vec<String> {
    let session = Session::of(ctx);
    let (answers, modules) = (session.answers.borrow(), session.modules.borrow());
    if answers.is_empty() {
        return Vec::new();
    }
    let sources = modules.sources().iter();
    sources
        .flat_map(|source| answers::in_vain(&answers, source))
        .collect()
}

/// How many integers are told of that were rounded, and of how many digits.
const ROUNDED_LIMIT: usize = 4;
const DIGITS_LIMIT: usize = 60;

/// The integers of a source that a number can't hold: a sentence each.
pub(crate) fn rounded(source: &Source) -> Vec<String> {
    let rounded = source.rounded().iter();
    let rounded = rounded.filter(|span| span.size() as usize <= DIGITS_LIMIT);
    let told = rounded.map(|span| {
        let digits = span.source_text(&source.text);
        let line = source
            .location(span.start)
            .map(|at| format!(" (line {})", at.line));
        let line = line.unwrap_or_default();
        format!("{digits}{line} is beyond 2^53, so it was rounded: write {digits}n")
    });
    told.take(ROUNDED_LIMIT).collect()
}

/// The context's pending exception.
pub(crate) fn uncaught(ctx: &Ctx<'_>, error: Error) -> Thrown {
    let value = if error.is_exception() {
        ctx.catch()
    } else {
        return internal(&error);
    };
    let session = Session::of(ctx);
    let modules = session.modules.borrow();
    let Some(object) = value.as_object().filter(|object| is_error(object)) else {
        return not_an_error(ctx, &value);
    };
    let error = ErrorText::of(&modules, object);
    let message = with_advice(&error.name, cut(error.message, MESSAGE_LIMIT));
    Thrown {
        location: error.location.or_else(|| failed_import(&modules, &message)),
        stack: cut(error.stack, STACK_LIMIT),
        causes: causes(ctx, &modules, object),
        name: error.name,
        message,
    }
}

/// What an error object tells.
struct ErrorText {
    name: String,
    message: String,
    location: Option<Location>,
    stack: String,
}

impl ErrorText {
    fn of(modules: &Modules, error: &Object<'_>) -> Self {
        let (name, message) = named(error);
        let stack = stack::read(modules, &text_of(error, "stack"), &name, &message);
        let hint = stack.failed.as_ref().and_then(|failed| {
            let session = Session::of(error.ctx());
            let answers = session.answers.borrow();
            match (Failure::of(&message), &*name) {
                (Some(failure), "TypeError") => {
                    answers::hint(&answers, failed.source, failure, &failed.site)
                }
                (None, "SyntaxError") if failed.calls("JSON.parse") => {
                    answers::of_json(&answers, &message)
                }
                _ => None,
            }
        });
        let mut told = Self {
            location: stack.frames.first().map(|frame| frame.location.clone()),
            stack: stack.text(),
            message: stack.message.unwrap_or(message),
            name,
        };
        if let Some(hint) = hint {
            told.message = format!("{}: {hint}", told.message);
        }
        if told.name == "ToolError" {
            let data = data::of(error, &told.message);
            told.of_tool(modules, &text_of(error, "server"), &text_of(error, "tool"));
            if let Some(data) = data {
                // There is room for the data whatever the message's length.
                told.message = cut(told.message, MESSAGE_LIMIT - 2 * TEXT_LIMIT) + &data;
            }
        }
        told
    }

    /// Says which tool failed, and where it was called if that is certain.
    fn of_tool(&mut self, modules: &Modules, server: &str, tool: &str) {
        if server.is_empty() || tool.is_empty() {
            return;
        }
        self.message = format!("{server}.{tool}: {}", self.message);
        let call = tool_call::tool_call(modules, server, tool);
        if let Some(at) = call.and_then(|(source, at)| source.location(at)) {
            self.location = Some(at);
        }
    }
}

/// QuickJS tells what an import did not find, but not where.
fn failed_import(modules: &Modules, message: &str) -> Option<Location> {
    let (importer, offset) = if let Some(rest) = message.strip_prefix("There is no module \"") {
        modules.importer_of(rest.split_once('"')?.0)?
    } else {
        let (export, module) = message
            .strip_prefix("Could not find export '")?
            .split_once("' in module '")?;
        modules.importer_of_name(module.strip_suffix('\'')?, export)?
    };
    Some(importer.location_as_written(offset))
}

/// What a thrown value is, in a line.
pub(crate) fn summary(ctx: &Ctx<'_>, value: &Value<'_>) -> String {
    let session = Session::of(ctx);
    let modules = session.modules.borrow();
    match value.as_object().filter(|object| is_error(object)) {
        Some(object) => line_of(&modules, object),
        None => not_an_error(ctx, value).message,
    }
}

fn internal(error: &Error) -> Thrown {
    Thrown {
        name: "InternalError".to_owned(),
        message: error.to_string(),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}

fn not_an_error(ctx: &Ctx<'_>, value: &Value<'_>) -> Thrown {
    let text = match value.as_string().map(rquickjs::String::to_string) {
        Some(Ok(text)) => text,
        _ if value.is_undefined() => "undefined".to_owned(),
        _ => render(ctx, value).map_or_else(
            |_| {
                ctx.catch();
                value.type_name().to_owned()
            },
            |rendered| rendered.json,
        ),
    };
    let text = cut(text, TEXT_LIMIT);
    Thrown {
        name: "Error".to_owned(),
        message: format!("The script threw a value that is not an Error: {text}"),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}

fn is_error(object: &Object<'_>) -> bool {
    object.is_error()
        || object.contains_key("stack").unwrap_or(false)
            && object.contains_key("message").unwrap_or(false)
}

/// The name and the message of an error.
fn named(error: &Object<'_>) -> (String, String) {
    let name = text_of(error, "name");
    let name = if name.is_empty() {
        "Error".to_owned()
    } else {
        cut(name, NAME_LIMIT)
    };
    (name, text_of(error, "message"))
}

/// A text that is too long, without its end.
fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let all = text.len();
        text.truncate(text.floor_char_boundary(limit));
        text.push_str(&format!("… (cut: {all} bytes)"));
    }
    text
}

/// A property's text. What throws or is none is empty.
fn text_of(object: &Object<'_>, name: &str) -> String {
    object
        .get::<_, rquickjs::Coerced<String>>(name)
        .map_or_else(
            |_| {
                object.ctx().catch();
                String::new()
            },
            |text| {
                if text.0 == "undefined" {
                    String::new()
                } else {
                    text.0
                }
            },
        )
}

/// An unknown name may be something that is called differently here, or a server that is spelt
/// differently.
fn with_advice(name: &str, message: String) -> String {
    let unknown = message
        .strip_suffix(" is not defined")
        .map(|name| name.trim_matches('\''));
    let Some(unknown) = unknown.filter(|_| name == "ReferenceError") else {
        return message;
    };
    if let Some(advice) = absent::advice(unknown) {
        return format!("{message}. {advice}");
    }
    if let Some(advice) = other_modes::advice(unknown) {
        return format!("{message}. {advice}");
    }
    if let Some(tool) = other_modes::external(unknown)
        && let Err(unknown) = host::tools::resolve(None, tool)
    {
        return format!("{message}: {}", unknown.message);
    }
    if let Ok(tool) = host::tools::resolve(None, unknown) {
        let server = host::tools::name_of(tool).server;
        let written = tools::written(tool);
        return format!("{message}. It is a tool of the server `{server}`: write `{written}(…)`");
    }
    match host::tools::server_name(unknown) {
        Err(server) if !server.near.is_empty() => {
            let near: Vec<_> = server
                .near
                .iter()
                .map(|near| format!("`{}`", tools::as_member("tools", near)))
                .collect();
            format!("{message}. Servers with names like it: {}", near.join(", "))
        }
        _ => message,
    }
}

/// The causes of an error, and the errors that it gathers.
fn causes(ctx: &Ctx<'_>, modules: &Modules, error: &Object<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = inner(error);
    while let (Some(value), true) = (rest.pop(), lines.len() < CAUSES_LIMIT) {
        match value.as_object().filter(|object| is_error(object)) {
            Some(object) => {
                lines.push(line_of(modules, object));
                rest.extend(inner(object));
            }
            None => lines.push(
                not_an_error(ctx, &value)
                    .message
                    .replace("The script threw a value that is not an Error: ", ""),
            ),
        }
    }
    lines
}

/// What an error holds of others, the first last.
fn inner<'js>(error: &Object<'js>) -> Vec<Value<'js>> {
    let mut values = Vec::new();
    if let Ok(list) = error.get::<_, rquickjs::Array<'js>>("errors") {
        values.extend(
            list.iter::<Value<'js>>()
                .take(CAUSES_LIMIT)
                .filter_map(Result::ok),
        );
    }
    if let Ok(cause) = error.get::<_, Value<'js>>("cause")
        && !cause.is_undefined()
    {
        values.insert(0, cause);
    }
    error.ctx().catch();
    values.reverse();
    values
}

fn line_of(modules: &Modules, error: &Object<'_>) -> String {
    let error = ErrorText::of(modules, error);
    let (name, message) = (error.name, cut(error.message, TEXT_LIMIT));
    match error.location {
        Some(at) => format!(
            "{name}: {message} ({}:{}:{})",
            at.module, at.line, at.column
        ),
        None => format!("{name}: {message}"),
    }
}

#[cfg(test)]
mod tests;
