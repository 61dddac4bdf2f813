//! A server's entry in a client's file, translated to one of `ampoule.toml`: each value keeps its
//! place, so that what is wrong with it is told where it stands.
//!
//! - `process`: how a program is started; `remote`: an address, its headers, and how to sign in

mod process;
mod remote;

use std::ops::Range;

use super::super::User;
use super::super::tree::{Member, Node, Value};
use super::{Client, Quirk};

/// What an entry becomes.
pub(super) enum Translated {
    /// A server, as `ampoule.toml` would have it, and what there is to say of it.
    Server { node: Node, notes: Vec<String> },
    /// None for us, and why, unless that goes without saying.
    Skipped(Option<&'static str>),
    /// What is wrong, and where.
    Wrong(Vec<(Range<usize>, String)>),
}

/// Whether a table is a server's entry, and not one of servers.
pub(super) fn is_server(node: &Node) -> bool {
    ["command", "cmd", "url", "serverUrl", "httpUrl", "uri"]
        .iter()
        .any(|key| {
            node.get(key)
                .is_some_and(|value| !matches!(value.value, Value::Table(_)))
        })
}

/// An entry under translation.
struct Draft<'a> {
    client: &'a Client,
    user: &'a User,
    entry: &'a Node,
    members: Vec<Member>,
    notes: Vec<String>,
    wrong: Vec<(Range<usize>, String)>,
}

pub(super) fn translated(client: &Client, user: &User, entry: &Node) -> Translated {
    if let Some(skipped) = skipped(client, entry) {
        return skipped;
    }
    if !matches!(entry.value, Value::Table(_)) {
        return Translated::Wrong(vec![(
            entry.place.clone(),
            "this must be a table".to_owned(),
        )]);
    }
    let mut draft = Draft {
        client,
        user,
        entry,
        members: Vec::new(),
        notes: Vec::new(),
        wrong: Vec::new(),
    };
    draft.reach();
    draft.sign_in();
    draft.timeouts();
    draft.tools();
    draft.switch();
    if !draft.wrong.is_empty() {
        return Translated::Wrong(draft.wrong);
    }
    Translated::Server {
        node: Node {
            place: entry.place.clone(),
            value: Value::Table(draft.members),
        },
        notes: draft.notes,
    }
}

/// What the client itself does not take for a server, or runs within itself.
fn skipped(client: &Client, entry: &Node) -> Option<Translated> {
    let text = |key: &str| entry.get(key).and_then(Node::as_text);
    match client.dialect.quirk {
        Quirk::SkipsAddresses if entry.get("url").is_some() && entry.get("command").is_none() => {
            Some(Translated::Skipped(Some(
                "Claude Desktop skips entries with a `url`, and so does Ampoule; add it with `ampoule servers add NAME --url URL`",
            )))
        }
        Quirk::Goose => match text("type") {
            Some("stdio" | "streamable_http" | "sse") => None,
            _ => Some(Translated::Skipped(None)),
        },
        Quirk::Zed if text("source") == Some("extension") => Some(Translated::Skipped(Some(
            "an extension of Zed's starts it, which Ampoule can't",
        ))),
        // Zed keeps settings of its extensions' servers without saying that they are theirs.
        Quirk::Zed
            if entry.get("settings").is_some()
                && !is_server(entry)
                && entry.get("command").is_none() =>
        {
            Some(Translated::Skipped(Some(
                "an extension of Zed's starts it, which Ampoule can't",
            )))
        }
        _ => None,
    }
}

impl<'a> Draft<'a> {
    /// The command, or the address.
    fn reach(&mut self) {
        let urls = self.client.dialect.urls.iter();
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
        match self.client.dialect.variables.ours(text, self.user) {
            Ok(text) => Node::text(node.place.clone(), text),
            Err(message) => {
                self.wrong.push((node.place.clone(), message));
                node.clone()
            }
        }
    }

    /// Names and texts. Clients take numbers for texts there, too.
    fn texts_of(&mut self, table: &Node, texts: &mut Vec<Member>) {
        for entry in table.members().iter().filter(|entry| !entry.node.is_null()) {
            let node = match &entry.node.value {
                Value::Integer(number) => Node::text(entry.node.place.clone(), number.as_str()),
                Value::Boolean(is) => Node::text(entry.node.place.clone(), is.to_string()),
                _ => self.ours(&entry.node),
            };
            texts.push(member(&entry.name, entry.place.clone(), node));
        }
    }
}

fn member(name: &str, place: Range<usize>, node: Node) -> Member {
    Member {
        name: name.to_owned(),
        place,
        node,
    }
}

fn list(place: Range<usize>, items: Vec<Node>) -> Node {
    Node {
        place,
        value: Value::List(items),
    }
}
