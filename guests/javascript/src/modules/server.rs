//! Imports that mean a server or a tool: `./servers/google-drive`, `servers/google-drive/index.ts`,
//! `./servers/google-drive/getDocument`, `~/.mcp/wrappers/github`, and the client modules of such trees, `../client.js`.

use rquickjs::{Ctx, Result, Value};

use super::paths;
use crate::host;
use crate::session::Session;
use crate::source::Wanted;
use crate::tools::Tools;

/// Folders that hold servers.
const FOLDERS: [&str; 8] = [
    "servers", "wrappers", "tools", "mcp", ".mcp", "src", "lib", "~",
];

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
    /// What calls any tool by name.
    Client,
}

impl Target {
    /// What a specifier means; none if nothing in the grant.
    pub(crate) fn of(specifier: &str) -> Option<Self> {
        let parts = parts(specifier);
        let (last, before) = parts.split_last()?;
        let server_before = || {
            let folder = before
                .last()
                .filter(|folder| !FOLDERS.contains(&folder.as_str()))?;
            host::tools::server_name(folder).ok()
        };
        if let Some(server) = server_before()
            && host::tools::resolve(Some(&server), last).is_ok()
        {
            return Some(Self::Tool(server, last.clone()));
        }
        if let Ok(server) = host::tools::server_name(last) {
            return Some(Self::Server(server));
        }
        if CLIENTS.contains(&last.as_str()) {
            return Some(Self::Client);
        }
        // A file of types or the like beside a server's tools is the server.
        server_before().map(Self::Server)
    }

    /// Whether a namespace of it is the server's object.
    pub(crate) fn is_server(&self) -> bool {
        matches!(self, Self::Server(_))
    }

    /// Whether it has the names that are wanted of it.
    ///
    /// # Errors
    ///
    /// The message for the first that it does not have.
    pub(super) fn check(&self, names: &[String]) -> std::result::Result<(), String> {
        let Self::Server(server) = self else {
            return Ok(());
        };
        for name in names
            .iter()
            .filter(|name| *name != "default" && !is_class(name))
        {
            host::tools::resolve(Some(server), name).map_err(|unknown| unknown.message)?;
        }
        Ok(())
    }

    /// The exports that an importer wants.
    ///
    /// # Errors
    ///
    /// There is no such tool.
    pub(super) fn exports<'js>(
        &self,
        ctx: &Ctx<'js>,
        wanted: &Wanted,
    ) -> Result<Vec<(String, Value<'js>)>> {
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
            if !exports.iter().any(|(known, _)| *known == name) {
                let value = self.export(tools, &name)?;
                exports.push((name, value));
            }
        }
        Ok(exports)
    }

    fn export<'js>(&self, tools: &Tools<'js>, name: &str) -> Result<Value<'js>> {
        match self {
            Self::Server(server) if name == "default" => tools.server.call((server.as_str(),)),
            Self::Server(server)
                if is_class(name) && host::tools::resolve(Some(server), name).is_err() =>
            {
                tools.wrapper.call((server.as_str(), name))
            }
            Self::Server(server) => tools.tool.call((server.as_str(), name)),
            Self::Tool(server, tool) if name == "default" => {
                tools.tool.call((server.as_str(), tool.as_str()))
            }
            Self::Tool(server, tool) => {
                // The file may hold more than the tool that it is named for: types, or another tool of the server.
                let name = if host::tools::resolve(Some(server), name).is_ok() {
                    name
                } else {
                    tool
                };
                tools.tool.call((server.as_str(), name))
            }
            Self::Client => tools.client.call((name,)),
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
            Self::Tool(_, tool) => names.push(tool.clone()),
            Self::Client => names.extend(
                ["callMCPTool", "callTool", "tools", "codemode", "client"].map(str::to_owned),
            ),
        }
        // Awaiting a namespace that has it, as `await import()` does, would call it.
        names.retain(|name| name != "then");
        names
    }
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
    let last = parts(specifier).pop().unwrap_or_default();
    match host::tools::server_name(&last) {
        Err(unknown) => unknown.message,
        Ok(_) => String::new(),
    }
}
