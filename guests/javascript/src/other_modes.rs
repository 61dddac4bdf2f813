//! What scripts call by its name alone that were written for other code modes: `text(…)`,
//! `store(…)`, `ALL_TOOLS`, `external_<tool>(…)`. Each is made when a script first names it, and
//! only where nothing else has that name.

use rquickjs::{Ctx, Function, Object, Result, Value};

use crate::host::{self, Level};
use crate::prelude;
use crate::render::render;
use crate::session::Session;
use crate::tools;
use crate::{exit, shown};

const PRELUDE: &str = include_str!("../prelude/other-modes.js");

/// Functions that are there for a script that calls them. One that only reads such a name has
/// forgotten to declare it.
const FUNCTIONS: [&str; 7] = [
    "text",
    "json",
    "notify",
    "store",
    "load",
    "exit",
    "yield_control",
];

/// The list of the granted tools.
const ALL_TOOLS: &str = "ALL_TOOLS";

/// What stands before a tool's name.
const EXTERNAL: &str = "external_";

/// Makes what makes them, before the snapshot. `made` is what the tools' prelude gave.
pub(crate) fn install<'js>(
    ctx: &Ctx<'js>,
    shared: &Object<'js>,
    native: &Object<'js>,
) -> Result<Function<'js>> {
    native.set("textOf", Function::new(ctx.clone(), text_of)?)?;
    native.set("print", Function::new(ctx.clone(), print)?)?;
    native.set("exit", Function::new(ctx.clone(), exit::exit)?)?;
    native.set("checkEnd", Function::new(ctx.clone(), check_end)?)?;
    native.set("show", Function::new(ctx.clone(), shown::note)?)?;
    prelude::evaluate(ctx, "other-modes", PRELUDE)?.call((native.clone(), shared.clone()))
}

/// What a name is, if it is one of these. `is_called` says whether the script calls it.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn global<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    is_called: bool,
) -> Result<Option<Value<'js>>> {
    let session = Session::of(ctx);
    let tools = session.tools.borrow();
    let tools = tools
        .as_ref()
        .expect("the prelude is installed before a script runs");
    if name == ALL_TOOLS || is_called && FUNCTIONS.contains(&name) {
        return tools.other.call((name,)).map(Some);
    }
    // What is not there is told when the script comes to it.
    let external = external(name).and_then(|tool| host::tools::resolve(None, tool).ok());
    let Some(tool) = external else {
        return Ok(None);
    };
    let name = host::tools::name_of(tool);
    tools.tool.call((name.server, name.tool)).map(Some)
}

/// Whether it is one of these names.
pub(crate) fn is_name(name: &str) -> bool {
    name == ALL_TOOLS || FUNCTIONS.contains(&name) || external(name).is_some()
}

/// The tool's name in `external_<tool>`.
pub(crate) fn external(name: &str) -> Option<&str> {
    name.strip_prefix(EXTERNAL).filter(|tool| !tool.is_empty())
}

/// What to write instead of one of these names that a script does not call.
pub(crate) fn advice(name: &str) -> Option<String> {
    match name {
        "text" | "json" | "notify" => Some(format!(
            "Print with `console.log(…)`, or call it: `{name}(value)`."
        )),
        "store" | "load" | "exit" | "yield_control" => Some(format!("Call it: `{name}(…)`.")),
        _ => None,
    }
}

/// A value as the answer would have it: a text as it is, anything else as JSON.
fn text_of<'js>(ctx: Ctx<'js>, value: Value<'js>, quotes: bool) -> Result<String> {
    if let (Some(text), false) = (value.as_string(), quotes) {
        return text.to_string();
    }
    Ok(render(&ctx, &value)?.json)
}

fn print(ctx: Ctx<'_>, text: String, aside: bool) -> Result<()> {
    exit::check(&ctx)?;
    let level = if aside { Level::Warn } else { Level::Log };
    host::write(level, &text);
    Ok(())
}

fn check_end(ctx: Ctx<'_>) -> Result<()> {
    exit::check(&ctx)
}

/// What a name is where no server has it, and several servers, or none, a tool of that name: the
/// tool's number, the error that says which there are, or nothing.
pub(crate) fn meaning<'js>(ctx: Ctx<'js>, name: String) -> Result<Value<'js>> {
    use rquickjs::IntoJs;

    match host::tools::resolve(None, &name) {
        Ok(tool) => tool.into_js(&ctx),
        Err(unknown) => {
            let folded = tools::folded(&name);
            let has_it = |near: &String| {
                let parts = [near.split_once('.'), near.rsplit_once('.')];
                let mut names = parts.into_iter().flatten().map(|(_, tool)| tool);
                names.any(|tool| tools::folded(tool) == folded)
            };
            let is_of_several = unknown.near.len() > 1 && unknown.near.iter().all(has_it);
            if is_of_several {
                unknown.message.into_js(&ctx)
            } else {
                Ok(Value::new_undefined(ctx))
            }
        }
    }
}
