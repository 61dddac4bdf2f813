//! A server's entry in a client's file, translated to one of `ampoule.toml`: each value keeps its
//! place, so that what is wrong with it is told where it stands.
//!
//! - `process`: how a program is started; `remote`: an address, its headers, and how to sign in
//! - `usual`: each client's word for a key; `line`: a command line in the place of a program

mod line;
mod process;
mod remote;
pub(super) mod usual;

use std::ops::Range;
use std::path::Path;

use ampoule_untrusted::text;

use super::super::User;
use super::super::tree::{Member, Node, Value, member};
use super::variables::Variables;
use super::{Client, Quirk};

/// What an entry becomes.
pub(super) enum Translation {
    /// A server, as `ampoule.toml` would have it, and what there is to say of it.
    Server { node: Node, notes: Vec<String> },
    /// None for us, and why, unless that goes without saying.
    Skipped(Option<&'static str>),
    /// What is wrong, and where.
    Wrong(Vec<(Range<usize>, String)>),
}

pub(super) use usual::{KEYS, is_server};

/// Where an entry stands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    /// What its paths are relative to.
    pub(super) folder: &'a Path,
    /// Nothing says whose it is, so each client's words are taken.
    pub(super) is_anybodys: bool,
}

/// An entry under translation.
struct Draft<'a> {
    client: &'a Client,
    user: &'a User,
    folder: &'a Path,
    variables: Variables,
    is_anybodys: bool,
    entry: &'a Node,
    members: Vec<Member>,
    notes: Vec<String>,
    wrong: Vec<(Range<usize>, String)>,
}

pub(super) fn translated(client: &Client, user: &User, at: At<'_>, entry: &Node) -> Translation {
    let (usual, notes) = match at.is_anybodys {
        true => usual::usual(entry),
        false => (entry.clone(), Vec::new()),
    };
    let entry = &usual;
    if let Some(skipped) = skipped(client, entry) {
        return skipped;
    }
    if !matches!(entry.value, Value::Table(_)) {
        return Translation::Wrong(vec![(
            entry.place.clone(),
            "this must be a table".to_owned(),
        )]);
    }
    let mut draft = Draft {
        client,
        user,
        folder: at.folder,
        is_anybodys: at.is_anybodys,
        variables: match client.dialect.variables {
            Variables::Braces if at.is_anybodys => Variables::Anybodys,
            its => its,
        },
        entry,
        members: Vec::new(),
        notes,
        wrong: Vec::new(),
    };
    draft.reach();
    draft.sign_in();
    draft.timeouts();
    draft.tools();
    draft.switch();
    if !draft.wrong.is_empty() {
        return Translation::Wrong(draft.wrong);
    }
    Translation::Server {
        node: Node {
            place: entry.place.clone(),
            value: Value::Table(draft.members),
        },
        notes: draft.notes,
    }
}

/// What the client itself does not take for a server, or runs within itself.
fn skipped(client: &Client, entry: &Node) -> Option<Translation> {
    let text = |key: &str| entry.get(key).and_then(Node::as_text);
    match client.dialect.quirk {
        Quirk::SkipsAddresses if entry.get("url").is_some() && entry.get("command").is_none() => {
            Some(Translation::Skipped(Some(
                "Claude Desktop skips entries with a `url`, and so does Ampoule; add it with `ampoule servers add NAME --url URL`",
            )))
        }
        Quirk::Goose => match text("type") {
            Some("stdio" | "streamable_http" | "sse") => None,
            _ => Some(Translation::Skipped(None)),
        },
        Quirk::Zed if text("source") == Some("extension") => Some(Translation::Skipped(Some(
            "an extension of Zed's starts it, which Ampoule can't",
        ))),
        // Zed keeps settings of its extensions' servers without saying that they are theirs.
        Quirk::Zed
            if entry.get("settings").is_some()
                && !is_server(entry)
                && entry.get("command").is_none() =>
        {
            Some(Translation::Skipped(Some(
                "an extension of Zed's starts it, which Ampoule can't",
            )))
        }
        _ => None,
    }
}

impl<'a> Draft<'a> {
    /// The command, or the address.
    fn reach(&mut self) {
        let urls = match self.is_anybodys {
            true => &[("url", "auto")],
            false => self.client.dialect.urls,
        };
        let urls = urls.iter();
        let url = urls
            .filter_map(|(key, transport)| Some((self.entry.get(key)?, *transport)))
            .next();
        let kind = self.first(&["type", "transport"]).and_then(Node::as_text);
        let is_remote = !matches!(kind, Some("stdio" | "local"));
        match url {
            Some((url, default)) if is_remote => self.remote(url, kind, default),
            _ => self.process(),
        }
    }

    fn timeouts(&mut self) {
        let usual = self
            .client
            .dialect
            .timeout
            .map(|unit| ("timeout", "call-timeout", unit));
        let codex = [
            ("tool_timeout_sec", "call-timeout", "s"),
            ("startup_timeout_sec", "start-timeout", "s"),
        ];
        for (theirs, ours, unit) in usual.into_iter().chain(codex) {
            if let Some(node) = self.entry.get(theirs)
                && let Value::Integer(number) = &node.value
            {
                let text = Node::text(node.place.clone(), format!("{number}{unit}"));
                self.push(ours, text);
            }
        }
    }

    /// Which tools there are. An empty list of Goose's means all.
    fn tools(&mut self) {
        let mut members = Vec::new();
        for (ours, theirs) in [
            (
                "allow",
                &["includeTools", "available_tools", "enabled_tools", "tools"][..],
            ),
            ("deny", &["excludeTools", "disabledTools", "disabled_tools"]),
        ] {
            if let Some(names) = self.first(theirs)
                && !names.items().is_empty()
            {
                members.push(member(ours, names.place.clone(), names.clone()));
            }
        }
        if !members.is_empty() {
            self.push_table("tools", self.entry.place.clone(), members);
        }
    }

    fn switch(&mut self) {
        let is = |key: &str, value: bool| {
            let node = self.entry.get(key)?;
            matches!(node.value, Value::Boolean(is) if is == value).then(|| node.place.clone())
        };
        if let Some(place) = is("disabled", true).or_else(|| is("enabled", false)) {
            let off = Node {
                place,
                value: Value::Boolean(true),
            };
            self.push("disabled", off);
        }
    }

    fn first(&self, keys: &[&str]) -> Option<&'a Node> {
        let entry = self.entry;
        keys.iter().find_map(|key| entry.get(key))
    }

    fn has(&self, key: &str) -> bool {
        self.members.iter().any(|member| member.name == key)
    }

    fn push(&mut self, key: &'static str, node: Node) {
        self.members.push(member(key, node.place.clone(), node));
    }

    fn push_table(&mut self, key: &'static str, place: Range<usize>, members: Vec<Member>) {
        let value = Value::Table(members);
        self.push(key, Node { place, value });
    }

    fn text(&mut self, key: &'static str, node: &Node) {
        let node = self.ours(node);
        self.push(key, node);
    }

    /// A text in our dialect; what is none is told when it is read.
    fn ours(&mut self, node: &Node) -> Node {
        let Some(text) = node.as_text() else {
            return node.clone();
        };
        match self.variables.ours(text, self.user) {
            Ok(text) => Node::text(node.place.clone(), text),
            Err(message) => {
                self.wrong.push((node.place.clone(), message));
                node.clone()
            }
        }
    }

    /// Names and texts, which `key` has: a table, or a list of pairs.
    fn texts_of(&mut self, key: &str, table: &Node, texts: &mut Vec<Member>) {
        let pairs = usual::pairs(table);
        for entry in pairs.as_deref().unwrap_or_else(|| table.members()) {
            let what = || format!("`{key}.{}`", text::one_line(&entry.name));
            if let Some(node) = self.as_text(what, &entry.node) {
                texts.push(member(&entry.name, entry.place.clone(), node));
            }
        }
    }

    /// A text; clients take numbers for texts, too. What is null is not there.
    fn as_text(&mut self, what: impl Fn() -> String, node: &Node) -> Option<Node> {
        let text = match &node.value {
            Value::Null => {
                self.notes
                    .push(format!("{} is null, and is left out", what()));
                return None;
            }
            Value::Integer(number) | Value::Fraction(number) => number.clone(),
            Value::Boolean(is) => is.to_string(),
            _ => return Some(self.ours(node)),
        };
        Some(Node::text(node.place.clone(), text))
    }
}
