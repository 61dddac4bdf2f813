//! What the prelude's tool objects are made of: the host's catalog and calls as functions of the
//! engine.

use rquickjs::function::Opt;
use rquickjs::object::Property;
use rquickjs::{Array, Ctx, Error, Exception, Function, IntoJs, Object, Promise, Result, Value};

use crate::engine::throw_without_stack;
use crate::event_loop::{self, AnswerForm};
use crate::exit;
use crate::host::{self, CallId, Failure, FailureKind, ToolId, ToolSummary, UnknownName};
use crate::other_modes;
use crate::prelude;
use crate::render::{render, render_arguments};
use crate::session::Session;
use crate::shown;

const PRELUDE: &str = include_str!("../prelude/tools.js");

/// How many tools a search gives if the script does not say.
const DEFAULT_SEARCH_LIMIT: u32 = 10;

/// What the prelude gives back.
pub(crate) struct Tools<'js> {
    /// `ToolError.prototype`.
    pub(crate) tool_error: Object<'js>,
    /// Fills in a tool's error: error, message, kind, server, tool, content, data.
    pub(crate) describe_error: Function<'js>,
    /// The object of a server, by its configured name.
    pub(crate) server: Function<'js>,
    /// The function of a tool: its server's configured name, and its own name.
    pub(crate) tool: Function<'js>,
    /// The class that wraps a server, for scripts that expect one: its configured name, and the
    /// class's name.
    pub(crate) wrapper: Function<'js>,
    /// What client modules export: the name of the export.
    pub(crate) client: Function<'js>,
    /// What other code modes have by a name alone: see [`crate::other_modes`].
    pub(crate) other: Function<'js>,
}

/// Defines `tools`, `codemode`, `callMCPTool`, `ToolError` and the like, before the snapshot.
/// `shared` is what the prelude's files gave each other.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, shared: &Object<'js>) -> Result<()> {
    let native = Object::new(ctx.clone())?;
    native.set("serverName", Function::new(ctx.clone(), server_name)?)?;
    native.set("hasServer", Function::new(ctx.clone(), has_server)?)?;
    native.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    native.set(
        "resolveIfThere",
        Function::new(ctx.clone(), resolve_if_there)?,
    )?;
    native.set(
        "outbound",
        Function::new(ctx.clone(), host::tools::outbound)?,
    )?;
    native.set("servers", Function::new(ctx.clone(), servers)?)?;
    native.set("toolsOf", Function::new(ctx.clone(), tools_of)?)?;
    native.set("search", Function::new(ctx.clone(), search)?)?;
    native.set("describe", Function::new(ctx.clone(), describe)?)?;
    native.set("nameOf", Function::new(ctx.clone(), name_of)?)?;
    native.set(
        "parameters",
        Function::new(ctx.clone(), host::tools::parameters)?,
    )?;
    native.set("requiresAny", Function::new(ctx.clone(), requires_any)?)?;
    native.set("written", Function::new(ctx.clone(), written)?)?;
    native.set("takesAny", Function::new(ctx.clone(), takes_any)?)?;
    native.set("start", Function::new(ctx.clone(), start)?)?;
    native.set("startWhole", Function::new(ctx.clone(), start_whole)?)?;
    native.set(
        "startAbortable",
        Function::new(ctx.clone(), start_abortable)?,
    )?;
    native.set("abort", Function::new(ctx.clone(), abort)?)?;
    native.set("progress", Function::new(ctx.clone(), progress)?)?;
    native.set("emit", Function::new(ctx.clone(), emit)?)?;
    native.set("meaning", Function::new(ctx.clone(), other_modes::meaning)?)?;
    let other = other_modes::install(ctx, shared, &native)?;
    let made: Object<'_> =
        prelude::evaluate(ctx, "tools", PRELUDE)?.call((native, shared.clone()))?;
    let tools = Tools {
        tool_error: made.get("toolError")?,
        describe_error: made.get("describeError")?,
        server: made.get("server")?,
        tool: made.get("tool")?,
        wrapper: made.get("wrapper")?,
        client: made.get("client")?,
        other,
    };
    Session::of(ctx).tools.replace(Some(tools));
    Ok(())
}

/// Throws that there is no such server or tool, with the names that were likely meant.
pub(crate) fn throw_unknown(ctx: &Ctx<'_>, unknown: &UnknownName) -> Error {
    let session = Session::of(ctx);
    let prototype = &session.intrinsics().reference_error;
    let thrown = throw_without_stack(ctx, prototype, &unknown.message);
    let error = ctx.catch();
    if let Some(object) = error.as_object() {
        // Without it, the message still says it all.
        let _ = object.set("near", unknown.near.clone());
    }
    ctx.throw(error);
    thrown
}

fn server_name(ctx: Ctx<'_>, name: String) -> Result<String> {
    named_server(&name).map_err(|unknown| throw_unknown(&ctx, &unknown))
}

/// The configured name of a server that is a member of `tools`.
///
/// # Errors
///
/// No server of the grant has that name.
pub(crate) fn named_server(name: &str) -> std::result::Result<String, UnknownName> {
    host::tools::server_name(name).map_err(|mut unknown| {
        if let Some(near) = unknown.near.iter().find(|near| !is_identifier(near)) {
            unknown.message.push_str(&format!(
                ". The server `{near}` is written {}",
                as_member("tools", near)
            ));
        }
        unknown
    })
}

/// What other surfaces call the functions of `tools`, and their members here: no server's names.
const OTHER_NAMES: [&str; 17] = [
    "call",
    "callMCPTool",
    "callTool",
    "call_tool",
    "describe",
    "describeTool",
    "describe_tool",
    "documentTool",
    "document_tool",
    "invoke",
    "list",
    "listServers",
    "list_servers",
    "search",
    "searchTools",
    "search_tools",
    "servers",
];

/// Whether a member of `tools` is one of its functions, where no server has the name.
pub(crate) fn is_function(name: &str) -> bool {
    name.starts_with('$') || OTHER_NAMES.contains(&name)
}

/// How a script may write a tool's function.
pub(crate) fn written(tool: ToolId) -> String {
    let name = host::tools::name_of(tool);
    let tools = host::tools::tools_of(&name.server).unwrap_or_default();
    let tool = tools.into_iter().find(|tool| tool.name == name.tool);
    let tool = tool.map_or(name.tool, |tool| tool.identifier);
    as_member(&as_member("tools", &name.server), &tool)
}

/// How a member of an object is written.
pub(crate) fn as_member(object: &str, name: &str) -> String {
    if object == "tools"
        && let Some((server, account)) = name.rsplit_once('@')
        && !server.is_empty()
        && !account.is_empty()
    {
        return format!("{}.as(\"{account}\")", as_member(object, server));
    }
    if is_identifier(name) {
        format!("{object}.{name}")
    } else {
        format!("{object}[\"{name}\"]")
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |letter: char| matches!(letter, '_' | '$') || letter.is_ascii_alphabetic();
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// Whether a tool can't be called without arguments: its declaration says so.
fn requires_any(tool: ToolId) -> bool {
    let declaration = host::tools::describe(tool).unwrap_or_default();
    let mut lines = declaration.lines().map(str::trim_start);
    let function =
        lines.find(|line| line.starts_with("function ") || line.starts_with("declare function "));
    function.is_some_and(|line| line.contains("(args: "))
}

fn has_server(name: String) -> bool {
    host::tools::server_name(&name).is_ok()
}

fn resolve(ctx: Ctx<'_>, server: Option<String>, name: String) -> Result<ToolId> {
    host::tools::resolve(server.as_deref(), &name).map_err(|unknown| throw_unknown(&ctx, &unknown))
}

fn resolve_if_there(server: Option<String>, name: String) -> Option<ToolId> {
    host::tools::resolve(server.as_deref(), &name).ok()
}

fn servers(ctx: Ctx<'_>) -> Result<Array<'_>> {
    let list = Array::new(ctx.clone())?;
    for (at, server) in host::tools::servers().into_iter().enumerate() {
        let item = Object::new(ctx.clone())?;
        item.set("name", server.name)?;
        if let Some(description) = server.description {
            item.set("description", description)?;
        }
        item.set("tools", server.tools)?;
        list.set(at, item)?;
    }
    Ok(list)
}

fn tools_of(ctx: Ctx<'_>, server: String) -> Result<Array<'_>> {
    let tools = host::tools::tools_of(&server).map_err(|unknown| throw_unknown(&ctx, &unknown))?;
    summaries(&ctx, tools)
}

fn search(
    ctx: Ctx<'_>,
    query: String,
    limit: Opt<Option<f64>>,
    server: Opt<Option<String>>,
) -> Result<Array<'_>> {
    let limit = limit
        .0
        .flatten()
        .map_or(DEFAULT_SEARCH_LIMIT, |limit| limit as u32);
    let server = server.0.flatten();
    summaries(&ctx, host::tools::search(&query, limit, server.as_deref()))
}

fn summaries<'js>(ctx: &Ctx<'js>, tools: Vec<ToolSummary>) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (at, tool) in tools.into_iter().enumerate() {
        let item = Object::new(ctx.clone())?;
        // For scripts of other code modes. What is printed or returned does not have it.
        let id = format!("{}.{}", tool.server, tool.name);
        item.prop("id", Property::from(id).writable().configurable())?;
        item.set("server", tool.server)?;
        item.set("name", tool.name)?;
        item.set("identifier", tool.identifier)?;
        item.set("description", tool.description)?;
        list.set(at, item)?;
    }
    Ok(list)
}

/// The declaration of a tool. Where its server can't say which tools it has, that is thrown as a
/// call's error would be.
fn describe(ctx: Ctx<'_>, tool: ToolId) -> Result<String> {
    match host::tools::describe(tool) {
        Ok(declaration) => Ok(declaration),
        Err(message) => {
            let failure = Failure {
                kind: FailureKind::NotReached,
                message,
                content: "[]".to_owned(),
                data: None,
            };
            let error = event_loop::tool_error(&ctx, tool, failure)?;
            Err(ctx.throw(error.into_value()))
        }
    }
}

fn name_of(ctx: Ctx<'_>, tool: ToolId) -> Result<Value<'_>> {
    let name = host::tools::name_of(tool);
    vec![name.server, name.tool].into_js(&ctx)
}

/// Whether one of the names is that of an argument, but for case and punctuation. A tool that names
/// none may take any.
fn takes_any(tool: ToolId, names: Vec<String>) -> bool {
    let parameters = host::tools::parameters(tool);
    let parameters: Vec<_> = parameters.iter().map(|name| folded(name)).collect();
    parameters.is_empty() || names.iter().any(|name| parameters.contains(&folded(name)))
}

/// A name without case and punctuation.
pub(crate) fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn start<'js>(ctx: Ctx<'js>, tool: ToolId, arguments: Value<'js>) -> Result<Promise<'js>> {
    started(&ctx, tool, &arguments, AnswerForm::Value).map(|(_, promise)| promise)
}

fn start_whole<'js>(ctx: Ctx<'js>, tool: ToolId, arguments: Value<'js>) -> Result<Promise<'js>> {
    started(&ctx, tool, &arguments, AnswerForm::Whole).map(|(_, promise)| promise)
}

/// Starts a call with an object of arguments, or without any.
fn started<'js>(
    ctx: &Ctx<'js>,
    tool: ToolId,
    arguments: &Value<'js>,
    form: AnswerForm,
) -> Result<(CallId, Promise<'js>)> {
    if arguments.is_undefined() {
        return event_loop::start(ctx, tool, "{}", form);
    }
    let arguments = render_arguments(ctx, tool, arguments)?;
    event_loop::start(ctx, tool, &arguments, form)
}

fn start_abortable<'js>(ctx: Ctx<'js>, tool: ToolId, arguments: Value<'js>) -> Result<Array<'js>> {
    let (call, promise) = started(&ctx, tool, &arguments, AnswerForm::Value)?;
    let pair = Array::new(ctx.clone())?;
    pair.set(0, call)?;
    pair.set(1, promise)?;
    Ok(pair)
}

fn progress(ctx: Ctx<'_>, fraction: Option<f64>, text: String) -> Result<()> {
    exit::check(&ctx)?;
    host::progress(fraction, &text);
    Ok(())
}

/// Gives the person a value, which is not part of the result: a block that was made for it is not
/// shown besides.
fn emit<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<()> {
    exit::check(&ctx)?;
    let json = render(&ctx, &value)?.json;
    shown::forget_block(&ctx, &value);
    host::emit(&json).map_err(|why| Exception::throw_range(&ctx, &why))
}

fn abort<'js>(ctx: Ctx<'js>, call: CallId, reason: Value<'js>) -> Result<()> {
    event_loop::abort(&ctx, call, reason)
}
