//! Imports that mean a server or a tool: `./servers/google-drive`, `servers/google-drive/index.ts`,
//! `./servers/google-drive/getDocument`, `~/.mcp/wrappers/github`, all of them in `./servers`, and
//! the client modules of such trees, `../client.js`.

use rquickjs::{Ctx, Result, Value};

use super::{node, paths};
use crate::host;
use crate::session::Session;
use crate::source::Wanted;
use crate::tools::Tools;
use crate::web::absent;

/// Folders of servers.
const SERVERS: [&str; 5] = ["servers", "wrappers", "tools", "mcp", ".mcp"];

/// Other folders that are no server's.
const FOLDERS: [&str; 3] = ["src", "lib", "~"];

/// The folder of what scripts have saved. Where anything can be, there is a server of that name, too.
const SKILLS: &str = "skills";

/// Files in a server's folder that are all of it.
const WHOLE: [&str; 4] = ["tools", "api", "functions", "mod"];

/// What a client module may be called.
const CLIENTS: [&str; 5] = [
    "client",
    "mcp-client",
    "mcpClient",
    "callMCPTool",
    "codemode",
];

/// What an import means that is no module of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// All tools of a server, by its configured name.
    Server(String),
    /// One tool: server, and name as it was written.
    Tool(String, String),
    /// A file in a server's folder that is named for no tool. It may hold any of them, but is none.
    Beside(String),
    /// All servers.
    Servers,
    /// What calls any tool by name.
    Client,
    /// A module of Node's, by its name without `node:`.
    Node(&'static str),
}

/// What is behind an exported name.
enum Export<'n> {
    /// A server's object.
    Server(String),
    /// A tool's function: server, and name.
    Tool(&'n str, &'n str),
    /// The class that wraps a server: server, and the class's name.
    Wrapper(&'n str, &'n str),
    /// What the prelude's client gives for a name.
    Client(&'n str),
}

/// Whether a package of this name would stand in the way of what scripts import already.
pub(crate) fn is_own_name(name: &str) -> bool {
    let names = [&SERVERS[..], &FOLDERS, &CLIENTS].concat();
    name == SKILLS || names.contains(&name) || node::is_name(name)
}

impl Target {
    /// What a specifier means; none if nothing in the grant.
    pub(crate) fn of(specifier: &str) -> Option<Self> {
        if let Some(module) = node::module(specifier) {
            return Some(Self::Node(module));
        }
        let parts = parts(specifier);
        let (last, before) = parts.split_last()?;
        if !before.is_empty() && absent::module_advice(specifier).is_some() {
            // A file of a package.
            return None;
        }
        let is_folder = |part: &str| SERVERS.contains(&part) || FOLDERS.contains(&part);
        let server_before = before
            .last()
            .filter(|folder| !is_folder(folder))
            .and_then(|folder| host::tools::server_name(folder).ok());
        if let Some(server) = &server_before
            && host::tools::resolve(Some(server), last).is_ok()
        {
            return Some(Self::Tool(server.clone(), last.clone()));
        }
        if let Ok(server) = host::tools::server_name(last) {
            return Some(Self::Server(server));
        }
        if CLIENTS.contains(&last.as_str()) {
            return Some(Self::Client);
        }
        match server_before {
            // What is saved is a module, or it is not there.
            Some(_) if is_skill(&parts) => None,
            Some(server) if WHOLE.contains(&last.as_str()) => Some(Self::Server(server)),
            Some(server) => Some(Self::Beside(server)),
            None => SERVERS.contains(&last.as_str()).then_some(Self::Servers),
        }
    }

    /// Whether a namespace of it is one object, its default export.
    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Server(_) | Self::Servers | Self::Node(_))
    }

    /// Whether there is a module with what is wanted, apart from the names in it.
    pub(super) fn is_there(&self, wanted: &Wanted) -> bool {
        match (self, wanted) {
            (Self::Beside(_), Wanted::Names(names)) => names.iter().all(|name| name != "default"),
            (Self::Beside(_), _) => false,
            _ => true,
        }
    }

    /// Whether it has the names that are wanted of it.
    ///
    /// # Errors
    ///
    /// The message for the first that it does not have.
    pub(super) fn check(&self, ctx: &Ctx<'_>, names: &[String]) -> std::result::Result<(), String> {
        if let Self::Node(module) = self {
            let missing = names.iter().find(|name| !node::has(ctx, module, name));
            return missing.map_or(Ok(()), |name| {
                Err(format!(
                    "The module \"node:{module}\" has no `{name}` here."
                ))
            });
        }
        names
            .iter()
            .try_for_each(|name| self.export(name).map(|_| ()))
    }

    /// The exports that an importer wants. Names that it does not have are not among them.
    ///
    /// # Errors
    ///
    /// There is not enough memory.
    pub(super) fn exports<'js>(
        &self,
        ctx: &Ctx<'js>,
        wanted: &Wanted,
    ) -> Result<Vec<(String, Value<'js>)>> {
        if let Self::Node(module) = self {
            return node::exports(ctx, module, wanted);
        }
        let names = match wanted {
            Wanted::Names(names) => names.clone(),
            Wanted::All | Wanted::Later => self.all_names(),
        };
        let session = Session::of(ctx);
        let tools = session.tools.borrow();
        let tools = tools
            .as_ref()
            .expect("the prelude is installed before a script runs");
        let mut exports: Vec<(String, Value<'js>)> = Vec::new();
        for name in names {
            if !exports.iter().any(|(known, _)| *known == name)
                && let Ok(export) = self.export(&name)
            {
                let value = export.value(tools)?;
                exports.push((name, value));
            }
        }
        Ok(exports)
    }

    fn export<'n>(&'n self, name: &'n str) -> std::result::Result<Export<'n>, String> {
        match self {
            Self::Server(server) if name == "default" => Ok(Export::Server(server.clone())),
            Self::Tool(server, tool) if name == "default" => Ok(Export::Tool(server, tool)),
            Self::Server(server) | Self::Tool(server, _) | Self::Beside(server) => {
                match host::tools::resolve(Some(server), name) {
                    Ok(_) => Ok(Export::Tool(server, name)),
                    Err(_) if is_class(name) => Ok(Export::Wrapper(server, name)),
                    Err(unknown) => match host::tools::server_name(name) {
                        Ok(own) if own == *server => Ok(Export::Server(own)),
                        _ => Err(unknown.message),
                    },
                }
            }
            Self::Servers => match host::tools::server_name(name) {
                Ok(server) => Ok(Export::Server(server)),
                Err(_) if name == "default" => Ok(Export::Client("tools")),
                Err(unknown) => client_export(name).ok_or(unknown.message),
            },
            Self::Node(_) => Err(String::new()),
            Self::Client => client_export(name).ok_or_else(|| {
                format!(
                    "The client module exports no `{name}`: it has `callMCPTool(\"server__tool\", arguments)`, `callTool`, \
                     `tools`, `codemode`, `ToolError` and `client`."
                )
            }),
        }
    }

    fn all_names(&self) -> Vec<String> {
        let mut names = vec!["default".to_owned()];
        match self {
            Self::Server(server) => {
                for tool in host::tools::tools_of(server).unwrap_or_default() {
                    names.extend([tool.identifier, tool.name]);
                }
            }
            Self::Tool(_, tool) => names.extend([tool.clone(), camel_case(tool)]),
            Self::Beside(_) | Self::Node(_) => {}
            Self::Servers => {
                for server in host::tools::servers() {
                    names.extend([camel_case(&server.name), server.name]);
                }
                names.push("tools".to_owned());
            }
            Self::Client => names.extend(
                [
                    "callMCPTool",
                    "callTool",
                    "tools",
                    "codemode",
                    "client",
                    "ToolError",
                ]
                .map(str::to_owned),
            ),
        }
        // Awaiting a namespace that has it, as `await import()` does, would call it.
        names.retain(|name| name != "then");
        names
    }
}

impl Export<'_> {
    fn value<'js>(&self, tools: &Tools<'js>) -> Result<Value<'js>> {
        match self {
            Self::Server(server) => tools.server.call((server.as_str(),)),
            Self::Tool(server, name) => tools.tool.call((*server, *name)),
            Self::Wrapper(server, name) => tools.wrapper.call((*server, *name)),
            Self::Client(name) => tools.client.call((*name,)),
        }
    }
}

/// What a client module exports by a name, however its case and punctuation; classes may have any
/// name.
fn client_export(name: &str) -> Option<Export<'_>> {
    let folded: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    let known = match folded.as_str() {
        "callmcptool" => "callMCPTool",
        "calltool" => "callTool",
        "tools" => "tools",
        "codemode" => "codemode",
        "toolerror" => "ToolError",
        _ if is_class(name) => name,
        "client" | "mcpclient" | "mcp" | "default" => "client",
        _ => return None,
    };
    Some(Export::Client(known))
}

/// A name as a script would write it: `googleDrive` for `google-drive`.
fn camel_case(name: &str) -> String {
    let mut identifier = String::with_capacity(name.len());
    let mut upper = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            upper = !identifier.is_empty();
        } else if std::mem::take(&mut upper) {
            identifier.extend(character.to_uppercase());
        } else {
            identifier.push(character);
        }
    }
    identifier
}

/// Names of classes begin with a capital; no tool's identifier does.
fn is_class(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The parts of a specifier that say something: without ending, and without `index`.
fn parts(specifier: &str) -> Vec<String> {
    let path = paths::clean(specifier);
    let mut parts: Vec<_> = paths::without_extension(&path)
        .split('/')
        .map(str::to_owned)
        .collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| last == "index") {
        parts.pop();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// What to say of a specifier that means nothing.
pub(super) fn advice(specifier: &str) -> String {
    let parts = parts(specifier);
    if is_skill(&parts) && host::tools::server_name(SKILLS).is_ok() {
        return format!(
            "No skill of that name is saved: `await {SKILLS}.list()` gives those that are."
        );
    }
    let folder = parts
        .iter()
        .rposition(|part| SERVERS.contains(&part.as_str()));
    let after_folder = folder.and_then(|at| parts.get(at + 1));
    let Some(last) = parts.last() else {
        return String::new();
    };
    let (server, tool) = match (after_folder, parts.as_slice()) {
        (Some(server), _) => (server, last),
        (None, [.., server, tool]) if host::tools::server_name(server).is_ok() => (server, tool),
        (None, _) => (last, last),
    };
    match host::tools::server_name(server) {
        Err(unknown) => unknown.message,
        Ok(server) => host::tools::resolve(Some(&server), tool)
            .err()
            .map_or_else(String::new, |unknown| unknown.message),
    }
}

/// Whether an import means a skill.
fn is_skill(parts: &[String]) -> bool {
    parts.len() > 1 && parts[0] == SKILLS
}
