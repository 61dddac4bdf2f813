//! A client: where its file is, and how it is written.

use std::path::{Path, PathBuf};

use super::entry::usual;
use super::places::Places;
use super::table;
use super::variables::Variables;
use crate::tree::{Format, Node};
use crate::user::User;

/// An MCP client whose configuration is known.
#[derive(Debug)]
pub struct Client {
    /// What it is called in `import` and on the command line.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Where the user's own file may be.
    pub(super) files: Places,
    /// The files of a project, in its folder. They are read only where they are named: whoever
    /// wrote the project wrote them.
    pub(super) project_files: &'static [&'static str],
    /// The keys that lead to its servers. `@folder` is the working folder.
    pub(super) tables: &'static [&'static [&'static str]],
    /// Whether only the first of these tables that is there counts.
    pub(super) first_table_only: bool,
    pub(super) dialect: Dialect,
    /// Other clients that read the same project file.
    pub shares: &'static [&'static str],
}

/// What differs between clients in a server's entry.
#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) variables: Variables,
    /// The keys of the address, each with how a server is spoken to if nothing else is said.
    pub(super) urls: &'static [(&'static str, &'static str)],
    /// The key of the headers.
    pub(super) headers: &'static str,
    /// The unit of `timeout`, if that bounds calls.
    pub(super) timeout: Option<&'static str>,
    /// What holds for this client alone.
    pub(super) quirk: Quirk,
}

/// What holds for one client alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    None,
    /// It skips entries with an address.
    SkipsAddresses,
    /// Environment variables and tokens by name, `headers` ignored.
    Codex,
    /// Some variables refused, others kept in its keyring; extensions that are not MCP servers.
    Goose,
    /// Servers that its extensions bring.
    Zed,
    /// Lists of servers beside the table.
    Gemini,
    /// A list with the program in it; version 1 and 2 say differently what is off.
    Opencode,
}

impl Client {
    /// All of them.
    pub fn all() -> &'static [Self] {
        table::CLIENTS
    }

    /// The one of this name.
    pub fn called(id: &str) -> Option<&'static Self> {
        table::CLIENTS.iter().find(|client| client.id == id)
    }

    /// The user's own file: the one that is there, or else the one that would be made. `None`
    /// where it can't be known, for lack of a home.
    pub fn file(&self, user: &User) -> Option<PathBuf> {
        let mut possible = self.possible_files(user);
        let first = possible.next()?;
        if first.exists() {
            return Some(first);
        }
        possible.find(|file| file.exists()).or(Some(first))
    }

    /// Whether this is where the user's own file may be.
    pub(super) fn is_own(&self, file: &Path, user: &User) -> bool {
        self.possible_files(user).any(|own| own == file)
    }

    /// Where the user's own file may be, the first choice first.
    fn possible_files(&self, user: &User) -> impl Iterator<Item = PathBuf> {
        let files = self.files.on(user.system).iter();
        files.filter_map(|file| user.path(file))
    }

    /// The client whose file this is, by its place and name.
    pub(super) fn of_file(file: &Path, user: &User) -> Option<&'static Self> {
        let is_project = |client: &&Self| {
            let mut files = client.project_files.iter();
            files.any(|name| file.ends_with(name))
        };
        let is_user = |client: &&Self| client.is_own(file, user);
        let mut clients = table::CLIENTS.iter();
        clients
            .clone()
            .find(is_user)
            .or_else(|| clients.find(is_project))
    }

    /// The client that writes files like this one, by what is in it.
    pub(super) fn of_content(document: &Node, format: Format) -> Option<&'static Self> {
        let has = |key: &str| document.get(key).is_some();
        let id = match format {
            _ if has("mcpServers") => "claude-code",
            _ if has("context_servers") => "zed",
            Format::Toml => "codex",
            Format::Yaml if has("extensions") => "goose",
            Format::Yaml => "claude-code",
            Format::Json if document.at(&["mcp", "servers"]).is_some_and(is_editors) => "vscode",
            Format::Json if has("mcp") => "opencode",
            Format::Json => "vscode",
        };
        Self::called(id)
    }

    /// What the file's paths are relative to: its folder, or the project's.
    pub(super) fn folder_of(&self, file: &Path) -> PathBuf {
        let project = self.project_files.iter().find(|name| file.ends_with(name));
        let levels = project.map_or(1, |name| Path::new(name).components().count());
        file.ancestors().nth(levels).unwrap_or(file).to_owned()
    }

    /// The keys of the table that a new server is put into.
    pub(crate) fn table_in(&self, document: &Node) -> &'static [&'static str] {
        let is_there = |keys: &&&[&str]| {
            document
                .at(keys)
                .is_some_and(|table| !usual::is_server(table))
        };
        let usual = self.tables.last().copied().unwrap_or_default();
        if self.first_table_only {
            self.tables.iter().find(is_there).copied().unwrap_or(usual)
        } else {
            usual
        }
    }

    /// The tables of servers in its file, with the keys that lead to them.
    pub(super) fn tables_in<'a>(&self, document: &'a Node, user: &User) -> Vec<(String, &'a Node)> {
        let folder = user.folder.to_string_lossy();
        let named = |keys: &&[&str]| {
            let keys: Vec<&str> = keys
                .iter()
                .map(|key| if *key == "@folder" { &*folder } else { *key })
                .collect();
            let node = document.at(&keys)?;
            // A server may be called as the next version calls the table.
            (!usual::is_server(node)).then(|| (keys.join("."), node))
        };
        let found = self.tables.iter().filter_map(named);
        found
            .take(if self.first_table_only { 1 } else { usize::MAX })
            .collect()
    }
}

/// Whether a table of servers is VS Code's, which has it in its settings where opencode has its own.
fn is_editors(table: &Node) -> bool {
    let entries = table.members().iter().map(|member| &member.node);
    entries.chain(table.items()).any(|entry| {
        let kind = entry.get("type").and_then(Node::as_text);
        matches!(kind, Some("stdio" | "http" | "sse"))
            || entry
                .get("command")
                .is_some_and(|command| command.as_text().is_some())
    })
}
