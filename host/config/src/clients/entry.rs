//! A server's entry in a client's file, translated to one of `ampoule.toml`: each value keeps its
//! place, so that what is wrong with it is told where it stands.

use std::ops::Range;

use super::super::User;
use super::super::tree::{Member, Node, Value};
use super::{Client, Quirk};

/// The variables that Goose lets no extension have.
const REFUSED_BY_GOOSE: [&str; 31] = [
    "PATH",
    "PATHEXT",
    "SystemRoot",
    "windir",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_DEBUG",
    "LD_BIND_NOW",
    "LD_ASSUME_KERNEL",
    "DYLD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_FRAMEWORK_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "NODE_OPTIONS",
    "RUBYOPT",
    "GEM_PATH",
    "GEM_HOME",
    "CLASSPATH",
    "GO111MODULE",
    "GOROOT",
    "APPINIT_DLLS",
    "SESSIONNAME",
    "ComSpec",
    "TEMP",
    "TMP",
    "LOCALAPPDATA",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
];

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

    fn remote(&mut self, url: &Node, kind: Option<&str>, default: &'static str) {
        let transport = match kind {
            Some("sse") => "sse",
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => "http",
            _ => default,
        };
        self.text("url", url);
        self.push("transport", Node::text(url.place.clone(), transport));
        let mut headers = Vec::new();
        if let Some(table) = self.entry.get(self.client.dialect.headers) {
            self.texts_of(table, &mut headers);
        }
        if self.client.dialect.quirk == Quirk::Codex {
            self.codex_headers(&mut headers);
        }
        if !headers.is_empty() {
            self.push_table("headers", url.place.clone(), headers);
        }
        // Claude Code's: a line for the shell.
        if let Some(helper) = self.entry.get("headersHelper") {
            let words = [
                Node::text(helper.place.clone(), "sh"),
                Node::text(helper.place.clone(), "-c"),
            ];
            let line = self.ours(helper);
            let words = words.into_iter().chain([line]).collect();
            self.push("headers-command", list(helper.place.clone(), words));
        }
    }

    /// Codex names variables instead of writing references, and ignores `headers`.
    fn codex_headers(&mut self, headers: &mut Vec<Member>) {
        if self.entry.get("headers").is_some() {
            self.notes.push(
                "Codex ignores `headers`, and so does Ampoule: the key is `http_headers`"
                    .to_owned(),
            );
        }
        if let Some(token) = self.entry.get("bearer_token") {
            let refused = "Codex refuses a token in its file; name the variable that has it: `bearer_token_env_var = \"NAME\"`";
            self.wrong.push((token.place.clone(), refused.to_owned()));
        }
        if let Some(variable) = self.entry.get("bearer_token_env_var")
            && let Some(name) = variable.as_text()
        {
            let reference = Node::text(variable.place.clone(), format!("Bearer ${{{name}}}"));
            headers.push(member("Authorization", variable.place.clone(), reference));
        }
        let from_variables = self
            .entry
            .get("env_http_headers")
            .map_or(&[][..], Node::members);
        for header in from_variables {
            if let Some(name) = header.node.as_text()
                && self.user.variable(name).is_some()
            {
                let reference = Node::text(header.node.place.clone(), format!("${{{name}}}"));
                headers.push(member(&header.name, header.place.clone(), reference));
            }
        }
    }

    fn process(&mut self) {
        // Zed had them in a table of their own once.
        let command = self.first(&["command", "cmd"]);
        let nested = command.filter(|command| matches!(command.value, Value::Table(_)));
        let holder = nested.unwrap_or(self.entry);
        let program = nested.map_or(command, |nested| nested.get("path"));
        match program.map(|program| (program, &program.value)) {
            Some((list_of_words, Value::List(words))) if !words.is_empty() => {
                self.text("command", &words[0]);
                let args = words[1..].iter().map(|word| self.ours(word)).collect();
                self.push("args", list(list_of_words.place.clone(), args));
            }
            Some((program, _)) => self.text("command", program),
            None => {}
        }
        if let Some(args) = holder.get("args") {
            let words = args.items().iter().map(|word| self.ours(word)).collect();
            let args = match args.value {
                Value::List(_) => list(args.place.clone(), words),
                _ => args.clone(),
            };
            self.push("args", args);
        }
        let mut env = Vec::new();
        let table = ["env", "environment", "envs"]
            .iter()
            .find_map(|key| holder.get(key));
        if let Some(table) = table {
            match table.value {
                Value::Table(_) => self.texts_of(table, &mut env),
                _ => self.push("env", table.clone()),
            }
        }
        self.named_variables(&mut env);
        if self.client.dialect.quirk == Quirk::Goose {
            self.refuse_as_goose(&mut env);
        }
        if !env.is_empty() {
            self.push_table("env", self.entry.place.clone(), env);
        }
        if let Some(file) = self.entry.get("envFile") {
            let said =
                "Ampoule does not read `envFile`; write the variables into `env`, as `${env:NAME}`";
            self.wrong.push((file.place.clone(), said.to_owned()));
        }
        if let Some(cwd) = holder.get("cwd") {
            self.text("cwd", cwd);
        }
    }

    /// Variables that are passed on by name: Codex's, and those that Goose has in its keyring.
    fn named_variables(&mut self, env: &mut Vec<Member>) {
        for (key, must_be_set) in [("env_vars", false), ("env_keys", true)] {
            let names = self.entry.get(key).map_or(&[][..], Node::items);
            for variable in names {
                let Some(name) = variable.as_text() else {
                    continue;
                };
                if self.user.variable(name).is_some() {
                    let reference = Node::text(variable.place.clone(), format!("${{{name}}}"));
                    env.push(member(name, variable.place.clone(), reference));
                } else if must_be_set {
                    let said = "Goose keeps this variable in its keyring, which Ampoule can't read; set it in the environment";
                    self.wrong.push((variable.place.clone(), said.to_owned()));
                }
            }
        }
    }

    fn refuse_as_goose(&mut self, env: &mut Vec<Member>) {
        env.retain(|variable| {
            let refused = REFUSED_BY_GOOSE
                .iter()
                .find(|refused| refused.eq_ignore_ascii_case(&variable.name));
            if let Some(refused) = refused {
                self.notes.push(format!(
                    "Goose refuses to set {refused} for a server, and so does Ampoule: it starts without"
                ));
            }
            refused.is_none()
        });
    }

    /// What clients that sign in say of it, in whichever case.
    fn sign_in(&mut self) {
        let Some(auth) = self.first(&["oauth", "auth"]) else {
            return self.top_level_scopes();
        };
        let mut members = Vec::new();
        for (ours, theirs) in [
            ("client-id", ["clientId", "client_id", "CLIENT_ID"]),
            (
                "client-secret",
                ["clientSecret", "client_secret", "CLIENT_SECRET"],
            ),
        ] {
            if let Some(value) = theirs.iter().find_map(|key| auth.get(key)) {
                let value = self.ours(value);
                members.push(member(ours, value.place.clone(), value));
            }
        }
        if let Some(scopes) = auth.get("scopes").or_else(|| auth.get("scope")) {
            members.push(member("scopes", scopes.place.clone(), scope_list(scopes)));
        }
        if !members.is_empty() && self.has("url") {
            self.push_table("auth", auth.place.clone(), members);
        }
    }

    /// Codex has them beside the address.
    fn top_level_scopes(&mut self) {
        if let Some(scopes) = self.entry.get("scopes")
            && self.has("url")
        {
            let members = vec![member("scopes", scopes.place.clone(), scope_list(scopes))];
            self.push_table("auth", scopes.place.clone(), members);
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

/// Scopes as a list, also where they are one text.
fn scope_list(scopes: &Node) -> Node {
    let Some(text) = scopes.as_text() else {
        return scopes.clone();
    };
    let words = text.split_whitespace();
    list(
        scopes.place.clone(),
        words
            .map(|word| Node::text(scopes.place.clone(), word))
            .collect(),
    )
}
