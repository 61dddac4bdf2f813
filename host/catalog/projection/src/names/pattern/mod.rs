//! Patterns of tools: the one form in which grants, roles, quotas, approvals, labels, and the audit
//! log say which tools they are about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ACCOUNT, Lookup, Names, camel_case, canonical, server_and_account};

/// Longer than any server's and tool's names together, in bytes.
const MOST_BYTES: usize = 1024;

/// Some tools of one server or several: `github` (all tools of a server), `github.create_issue`
/// (one), `github.get_*` (each `*` stands for any text), `*` (all tools).
///
/// Where a server has accounts, `jira` means all of them, and `jira@work` one, as in
/// `jira@work.create_issue`.
///
/// Names are written as the server gave them or as scripts write them. Without a `*` a name may also
/// differ from those in case and punctuation.
///
/// ```
/// # use ampoule_projection::names::ToolPattern;
/// let pattern: ToolPattern = "mail".parse()?;
/// assert!(pattern.matches("mail", "send"));
/// let pattern: ToolPattern = "demo.chargeCard".parse()?;
/// assert!(pattern.matches("demo", "charge_card"));
/// # Ok::<(), ampoule_projection::names::ToolPatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "PatternForm")]
pub struct ToolPattern {
    server: String,
    tool: String,
    /// It is known which server is meant: none whose name is only alike.
    is_resolved: bool,
}

/// How a pattern is written down. Records of earlier versions have its two names.
#[derive(Deserialize)]
#[serde(untagged)]
enum PatternForm {
    Text(String),
    Names { server: String, tool: String },
}

/// A pattern as files have it: a text, and nothing else.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct PatternText(pub ToolPattern);

impl TryFrom<String> for PatternText {
    type Error = ToolPatternError;

    fn try_from(text: String) -> Result<Self, ToolPatternError> {
        text.parse().map(Self)
    }
}

/// A pattern that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern for tools; write `server`, `server.tool` or `server.get_*`")]
pub struct ToolPatternError {
    pattern: String,
}

impl ToolPattern {
    /// Every tool of every server.
    pub fn all() -> Self {
        Self::of_server("*")
    }

    /// Every tool of one server.
    pub fn of_server(server: &str) -> Self {
        Self {
            server: server.to_owned(),
            tool: "*".to_owned(),
            is_resolved: false,
        }
    }

    /// Some tools of one server, of which the pattern has the tool's part: `create_issue`, `get_*`. The
    /// server's name may be any text.
    ///
    /// # Errors
    ///
    /// The part is empty, or too long.
    pub fn on_server(server: &str, tool: &str) -> Result<Self, ToolPatternError> {
        let mut pattern: Self = format!("*.{tool}").parse()?;
        pattern.set_server(server);
        Ok(pattern)
    }

    /// Several patterns, separated by commas.
    ///
    /// # Errors
    ///
    /// One of them is none.
    pub fn list(text: &str) -> Result<Vec<Self>, ToolPatternError> {
        text.split(',')
            .map(|pattern| pattern.trim().parse())
            .collect()
    }

    /// Whether it means every tool of every server.
    pub fn is_all(&self) -> bool {
        self.server == "*" && self.tool == "*"
    }

    /// The server's name in it.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The tool's name in it.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The same, of the server that has this name, and of no other whose name is alike.
    pub fn set_server(&mut self, name: &str) {
        name.clone_into(&mut self.server);
        self.is_resolved = true;
    }

    /// The same among servers of these names: one that is named exactly is meant, or else the only one
    /// that differs in nothing but case and punctuation. Where that is none or several, nothing
    /// changes: what restricts then restricts them all.
    #[must_use]
    pub fn among(mut self, servers: &Names) -> Self {
        if self.names_a_server()
            && let Lookup::One(place) = servers.find(&self.server)
            // No account has the name of another server, and none that of an account.
            && has_account(&self.server) == has_account(&servers.names()[place])
        {
            self.set_server(&servers.names()[place]);
        }
        self
    }

    /// Whether it names one server, rather than several by a `*`.
    pub fn names_a_server(&self) -> bool {
        !self.server.contains('*')
    }

    /// Whether it means whatever tools its servers have.
    pub fn means_all(&self) -> bool {
        self.tool == "*"
    }

    /// Whether it names what servers offer besides tools.
    pub fn is_of_offered(&self) -> bool {
        self.tool.starts_with('$')
    }

    /// Whether it may mean tools of this server: without an account, of all that the server has.
    pub fn is_of(&self, server: &str) -> bool {
        if self.is_resolved && self.server == server {
            return true;
        }
        let (server, account) = server_and_account(server);
        let (named, named_account) = server_and_account(&self.server);
        let is_meant = |pattern: &str, name: &str| match self.is_resolved {
            true => pattern == name,
            false => is_named(pattern, name),
        };
        match (named_account, account) {
            (None, _) => is_meant(named, server),
            (Some(pattern), Some(account)) => is_meant(named, server) && is_meant(pattern, account),
            (Some(_), None) => false,
        }
    }

    /// Whether it means this one of a server's tools: by the rule of scripts, or by its `*`.
    pub fn means(&self, tools: &Names, tool: usize) -> bool {
        if self.tool.contains('*') {
            return fits(&self.tool, &tools.names()[tool])
                || fits(&self.tool, &tools.identifiers()[tool]);
        }
        tools.find(&self.tool) == Lookup::One(tool)
    }

    /// The places of a server's tools that it [means](Self::means), in their order.
    pub fn places(&self, tools: &Names) -> Vec<usize> {
        match self.found(tools) {
            Some(Lookup::One(place)) => vec![place],
            Some(Lookup::Ambiguous(_) | Lookup::Nothing) => Vec::new(),
            None => self.fitting(tools),
        }
    }

    /// The places of a server's tools that it may mean: what restricts restricts them all, where
    /// several differ from it only in case and punctuation.
    pub fn restricted_places(&self, tools: &Names) -> Vec<usize> {
        match self.found(tools) {
            Some(Lookup::One(place)) => vec![place],
            Some(Lookup::Ambiguous(places)) => places,
            Some(Lookup::Nothing) => Vec::new(),
            None => self.fitting(tools),
        }
    }

    /// What it finds where it names one tool.
    fn found(&self, tools: &Names) -> Option<Lookup> {
        (!self.tool.contains('*')).then(|| tools.find(&self.tool))
    }

    fn fitting(&self, tools: &Names) -> Vec<usize> {
        let all = 0..tools.names().len();
        all.filter(|&place| self.means_all() || self.means(tools, place))
            .collect()
    }

    /// Whether it means what a server offers besides tools under this name: by the name itself, or by
    /// a `*`. A tool whose name differs only in the `$` is another.
    pub fn means_offered(&self, name: &str) -> bool {
        match self.tool.contains('*') {
            true => fits(&self.tool, name),
            false => self.tool == name,
        }
    }

    /// Whether it means this tool, where the other tools of its server are not at hand. Of tools
    /// whose names differ only in case and punctuation it means each: what restricts restricts them
    /// all.
    pub fn matches(&self, server: &str, tool: &str) -> bool {
        self.is_of(server) && is_named(&self.tool, tool)
    }
}

impl Default for ToolPattern {
    fn default() -> Self {
        Self::all()
    }
}

fn has_account(server: &str) -> bool {
    server_and_account(server).1.is_some()
}

/// Whether a name of a pattern means this name.
fn is_named(pattern: &str, name: &str) -> bool {
    if pattern == "*" || pattern == name {
        return true;
    }
    match pattern.contains('*') {
        true => fits(pattern, name) || fits(pattern, &camel_case(name)),
        false => are_alike(pattern, name),
    }
}

/// Whether names differ only in case and punctuation. It is asked of every governed call: names in
/// ASCII are not copied.
fn are_alike(one: &str, other: &str) -> bool {
    let letters = |name: &str| name.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let is_plain = |name: &str| name.is_ascii() && letters(name);
    if !(is_plain(one) && is_plain(other)) {
        return canonical(one) == canonical(other);
    }
    fn kept(name: &str) -> impl Iterator<Item = u8> {
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        kept.map(|byte| byte.to_ascii_lowercase())
    }
    kept(one).eq(kept(other))
}

/// Whether `text` is what `pattern` describes, where `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(found) = text.find(part) else {
            return false;
        };
        text = &text[found + part.len()..];
    }
    true
}

impl FromStr for ToolPattern {
    type Err = ToolPatternError;

    fn from_str(pattern: &str) -> Result<Self, ToolPatternError> {
        let (server, tool) = pattern.split_once('.').unwrap_or((pattern, "*"));
        let lacks_account = server.len() > 1 && server.ends_with(ACCOUNT);
        if server.is_empty() || tool.is_empty() || lacks_account || pattern.len() > MOST_BYTES {
            let shown = pattern.floor_char_boundary(MOST_BYTES);
            return Err(ToolPatternError {
                pattern: pattern[..shown].to_owned(),
            });
        }
        Ok(Self {
            server: server.to_owned(),
            tool: tool.to_owned(),
            is_resolved: false,
        })
    }
}

impl TryFrom<PatternForm> for ToolPattern {
    type Error = ToolPatternError;

    fn try_from(written: PatternForm) -> Result<Self, ToolPatternError> {
        match written {
            PatternForm::Text(text) => text.parse(),
            PatternForm::Names { server, tool } => Ok(Self {
                server,
                tool,
                is_resolved: false,
            }),
        }
    }
}

impl From<ToolPattern> for String {
    fn from(pattern: ToolPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.server, self.tool)
    }
}

#[cfg(test)]
mod tests;
