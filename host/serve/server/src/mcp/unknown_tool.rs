//! Calls of other tools than Ampoule's own. Clients list tools of servers beside these, and models call
//! scripts' tools directly: the answer says which script to send. Nothing is called.

use ampoule::Principal;
use ampoule_effort::Effort;
use ampoule_projection::{Idiom, names};
use ampoule_tools::{GrantedTools, ResolvedTool};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::shown;
use super::server::Server;
use crate::content::text::quoted;

/// What models call `execute_code`, in lower case and without signs; and the language in which the
/// code is then, if that says one.
const RUNS: [(&str, Option<&str>); 29] = [
    ("executecode", None),
    ("runcode", None),
    ("execute", None),
    ("run", None),
    ("exec", None),
    ("eval", None),
    ("evaluate", None),
    ("code", None),
    ("script", None),
    ("runscript", None),
    ("executescript", None),
    ("codemode", None),
    ("codeexecution", None),
    ("codeinterpreter", None),
    ("sandbox", None),
    ("python", Some("python")),
    ("python3", Some("python")),
    ("ipython", Some("python")),
    ("runpython", Some("python")),
    ("executepython", Some("python")),
    ("runpythoncode", Some("python")),
    ("javascript", Some("javascript")),
    ("runjavascript", Some("javascript")),
    ("executejavascript", Some("javascript")),
    ("typescript", Some("typescript")),
    ("runtypescript", Some("typescript")),
    ("bash", None),
    ("shell", None),
    ("terminal", None),
];

/// What models call `search_tools`.
const SEARCHES: [&str; 10] = [
    "searchtools",
    "searchtool",
    "search",
    "toolsearch",
    "findtools",
    "findtool",
    "listtools",
    "gettools",
    "discovertools",
    "describe",
];

/// A call of an unknown tool.
pub(super) struct UnknownCall<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: JsonObject,
    pub(super) principal: Option<&'a Principal>,
    pub(super) client: Option<&'a str>,
    /// Whether the client has `call_tool`.
    pub(super) has_call_tool: bool,
}

/// The answer to such a call.
pub(super) async fn answer(server: &Server, call: UnknownCall<'_>) -> String {
    let UnknownCall {
        tool: name,
        arguments,
        principal,
        client,
        has_call_tool,
    } = call;
    if let Some(said) = of_the_two(name, &arguments) {
        return said;
    }
    let unknown = format!("unknown tool `{}`", quoted(name));
    let known = known(has_call_tool, !server.offer().exposure.direct.is_empty());
    let effort = Effort::without_a_run(principal.cloned());
    let _waiting = effort.until_dropped();
    let Ok(tools) = server.tools_of(principal, client) else {
        return format!("{unknown}; {known}");
    };
    let tools = tools.named_as(Idiom::TypeScript).paid_by(effort);
    let plain = plain(name);
    let (tool, begin) = match tools.resolve(plain).await {
        Ok(tool) => {
            let begin = format!("`{}`", own_name(&tool));
            (tool, begin)
        }
        Err(misspelt) => match near(&tools, plain, &misspelt.near).await {
            Some(tool) => {
                let begin = format!("{unknown}; did you mean `{}`? It", own_name(&tool));
                (tool, begin)
            }
            None => return format!("{unknown}; {known}"),
        },
    };
    if let Some(direct) = server.direct_name(&tool, principal, client).await {
        let arguments = Value::Object(arguments).to_string();
        return format!(
            "{begin} is a tool of its own: call `{direct}` with {}",
            shown(&arguments)
        );
    }
    let script = script(&tool, &arguments);
    match has_call_tool {
        true => format!(
            "{begin} is called inside a script, or by call_tool: {script}, or {}",
            by_call_tool(&tool, arguments)
        ),
        false => format!("{begin} is called inside a script: {script}"),
    }
}

/// Which tools there are.
fn known(has_call_tool: bool, has_direct_tools: bool) -> String {
    let own = match has_call_tool {
        true => "execute_code, search_tools and call_tool",
        false => "execute_code and search_tools",
    };
    let direct = match has_direct_tools {
        true => ", beside those that are listed as `server__tool`",
        false => "",
    };
    let all_others = match has_call_tool {
        true => "scripts and call_tool call all others",
        false => "scripts call all others",
    };
    format!("the tools are {own}{direct}, and {all_others}")
}

/// The same for another name of one of the two tools.
fn of_the_two(name: &str, arguments: &JsonObject) -> Option<String> {
    let plain = plain(name);
    let letters = plain.trim_start_matches('$').chars();
    let letters = letters.filter(|c| c.is_alphanumeric());
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let text_of = |keys: &[&str]| {
        let mut texts = keys.iter().filter_map(|key| arguments.get(*key)?.as_str());
        texts.next().map(str::to_owned)
    };
    if let Some((_, language)) = RUNS.iter().find(|(other, _)| *other == letters) {
        let code = text_of(&["code", "script", "source", "program", "input"]);
        let mut sent = json!({ "code": code.as_deref().unwrap_or("return 1") });
        if let Some(language) = language {
            sent["language"] = json!(language);
        }
        return Some(format!(
            "unknown tool `{}`: scripts in TypeScript, JavaScript and Python are run by execute_code. Call execute_code with {}",
            quoted(name),
            shown(&sent.to_string())
        ));
    }
    if SEARCHES.contains(&&*letters) {
        let words = text_of(&[
            "query", "q", "search", "words", "keywords", "text", "tool", "name",
        ]);
        let sent = json!({ "query": words.unwrap_or_default() });
        return Some(format!(
            "unknown tool `{}`: tools are found by search_tools. Call search_tools with {}",
            quoted(name),
            shown(&sent.to_string())
        ));
    }
    None
}

/// A name without what clients put before it, and what scripts write before it.
fn plain(name: &str) -> &str {
    let name = name.strip_prefix("functions.").unwrap_or(name);
    let own = ["mcp__ampoule__", "ampoule__", "ampoule.", "mcp_ampoule_"];
    let unprefixed = own.iter().find_map(|prefix| name.strip_prefix(prefix));
    let name = unprefixed.unwrap_or(name);
    name.strip_prefix("tools.").unwrap_or(name)
}

/// The first of the tools that may have been meant.
async fn near(tools: &GrantedTools, name: &str, near: &[String]) -> Option<ResolvedTool> {
    let near = near.first()?;
    let server = ["__", "."].iter().find_map(|sign| name.split_once(sign));
    let qualified = match server {
        Some((server, _)) if !near.contains('.') => format!("{server}.{near}"),
        _ => near.clone(),
    };
    tools.resolve(&qualified).await.ok()
}

/// A tool as its server lists it.
fn own_name(tool: &ResolvedTool) -> String {
    quoted(&format!("{}.{}", tool.server(), tool.name()))
}

/// The call of `call_tool` that makes a call.
fn by_call_tool(tool: &ResolvedTool, arguments: JsonObject) -> String {
    let call = json!({
        "server": &**tool.server(),
        "tool": &**tool.name(),
        "arguments": arguments,
    });
    format!("call call_tool with {}", shown(&call.to_string()))
}

/// The script that makes a call, as it is sent.
fn script(tool: &ResolvedTool, arguments: &JsonObject) -> String {
    let server = names::identifier(tool.server(), Idiom::TypeScript.style());
    let arguments = Value::Object(arguments.clone()).to_string();
    format!(
        "call execute_code with the code `return await tools.{server}.{}({})`",
        tool.identifier(),
        shown(&arguments)
    )
}
