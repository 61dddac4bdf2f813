//! Grants: the part of the catalog that one run may call.

use std::fmt;
use std::str::FromStr;

use ampoule_projection::names::{Found, Names, Style, camel_case, canonical};
use serde::{Deserialize, Serialize};

/// The part of the catalog that a run may call. For the run, everything else does not exist.
///
/// Written as a list of patterns: `github` (all tools of a server), `github.create_issue` (one),
/// `github.get_*` (each `*` stands for any text). Names are written as the server gave them or as
/// scripts write them, and without a `*` also in any form that differs from those only in case and
/// punctuation, as long as it can mean only one. The default grants nothing.
///
/// ```
/// # use ampoule_tools::Grant;
/// let grant: Grant = "github.get_*, time".parse()?;
/// assert!(grant.allows("github", "get_issue"));
/// assert!(grant.allows("time", "convert"));
/// assert!(!grant.allows("github", "delete_repo"));
/// # Ok::<(), ampoule_tools::BadPattern>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    patterns: Vec<Pattern>,
}

/// Some tools of one server or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pattern {
    server: String,
    tool: String,
}

impl Grant {
    /// Every tool of every binding.
    pub fn all() -> Self {
        Self {
            patterns: vec![Pattern {
                server: "*".into(),
                tool: "*".into(),
            }],
        }
    }

    /// No tool at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What each pattern grants.
    ///
    /// # Errors
    ///
    /// [`BadPattern`] for one that is empty, or lacks the name before or after its dot.
    pub fn of<I>(patterns: I) -> Result<Self, BadPattern>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let patterns = patterns
            .into_iter()
            .map(|pattern| pattern.as_ref().parse())
            .collect::<Result<_, _>>()?;
        Ok(Self { patterns })
    }

    /// This, and every tool of that server.
    #[must_use]
    pub fn and_server(mut self, server: &str) -> Self {
        self.patterns.push(Pattern {
            server: server.to_owned(),
            tool: "*".into(),
        });
        self
    }

    /// Whether it grants this tool, if the server has no other whose name differs only in case and
    /// punctuation.
    pub fn allows(&self, server: &str, tool: &str) -> bool {
        self.allows_tool(server, &Names::new([tool], Style::Camel), 0)
    }

    /// Whether it may grant tools of this server.
    pub fn allows_server(&self, server: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_of(server))
    }

    /// Whether it names this server, rather than by a `*` that stands for others too.
    pub fn names_server(&self, server: &str) -> bool {
        let mut patterns = self.patterns.iter();
        patterns.any(|pattern| !pattern.server.contains('*') && pattern.is_of(server))
    }

    /// Whether it grants one of the server's `tools`.
    pub(super) fn allows_tool(&self, server: &str, tools: &Names, tool: usize) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.is_of(server) && pattern.means(tools, tool))
    }

    /// Whether it grants what the server offers besides tools under this name: by the name itself,
    /// or by a `*`. A tool whose name differs only in the `$` is another.
    pub(super) fn allows_offered(&self, server: &str, name: &str) -> bool {
        let means = |pattern: &Pattern| match pattern.tool.contains('*') {
            true => matches(&pattern.tool, name),
            false => pattern.tool == name,
        };
        self.patterns
            .iter()
            .any(|pattern| pattern.is_of(server) && means(pattern))
    }

    /// How many comparisons it takes to find which of that many tools of a server it grants.
    pub(super) fn comparisons(&self, server: &str, tools: usize) -> usize {
        let patterns = || self.patterns.iter().filter(|pattern| pattern.is_of(server));
        if patterns().any(Pattern::means_all) {
            // None; their places are written down.
            return tools / 64;
        }
        let with_stars = patterns()
            .filter(|pattern| pattern.tool.contains('*'))
            .count();
        self.patterns.len() + tools * with_stars
    }

    /// The places of a server's tools that it grants, in their order.
    pub fn places(&self, server: &str, tools: &Names) -> Vec<usize> {
        let patterns = || self.patterns.iter().filter(|pattern| pattern.is_of(server));
        let mut granted = vec![false; tools.names().len()];
        if patterns().any(Pattern::means_all) {
            granted.fill(true);
        } else {
            patterns().for_each(|pattern| pattern.mark(tools, &mut granted));
        }
        let places = granted.into_iter().enumerate();
        places
            .filter_map(|(place, granted)| granted.then_some(place))
            .collect()
    }

    /// The same grant with the servers' names as they are configured. `configured` finds the one
    /// that a name means.
    ///
    /// # Errors
    ///
    /// A name that means none: misspelt, it would grant nothing, silently.
    pub(super) fn resolved<'a>(
        mut self,
        configured: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, String> {
        for Pattern { server, .. } in &mut self.patterns {
            if server.contains('*') {
                continue;
            }
            match configured(server) {
                Some(name) if name == server => {}
                Some(name) => name.clone_into(server),
                None => return Err(std::mem::take(server)),
            }
        }
        Ok(self)
    }

    pub(super) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}

impl Pattern {
    /// Whether it may mean tools of this server. No catalog has two servers whose names differ only
    /// in case and punctuation.
    pub(super) fn is_of(&self, server: &str) -> bool {
        if self.server.contains('*') {
            return matches(&self.server, server) || matches(&self.server, &camel_case(server));
        }
        self.server == server || canonical(&self.server) == canonical(server)
    }

    /// Whether it means this one of a server's tools: by the rule of scripts, or by its `*`.
    pub(super) fn means(&self, tools: &Names, tool: usize) -> bool {
        if self.tool.contains('*') {
            return matches(&self.tool, &tools.names()[tool])
                || matches(&self.tool, &tools.identifiers()[tool]);
        }
        tools.find(&self.tool) == Found::One(tool)
    }

    /// Marks those of a server's tools that it means.
    fn mark(&self, tools: &Names, granted: &mut [bool]) {
        if !self.tool.contains('*') {
            if let Found::One(place) = tools.find(&self.tool) {
                granted[place] = true;
            }
            return;
        }
        for (place, granted) in granted.iter_mut().enumerate() {
            *granted |= self.means(tools, place);
        }
    }

    /// Whether it means whatever tools there are.
    pub(super) fn means_all(&self) -> bool {
        self.tool == "*"
    }

    /// Whether it names what servers offer besides tools.
    pub(super) fn is_of_offered(&self) -> bool {
        self.tool.starts_with('$')
    }

    /// The tool's name in it.
    pub(super) fn tool(&self) -> &str {
        &self.tool
    }
}

/// A comma-separated list of patterns.
impl FromStr for Grant {
    type Err = BadPattern;

    fn from_str(list: &str) -> Result<Self, BadPattern> {
        Self::of(list.split(',').map(str::trim))
    }
}

impl FromStr for Pattern {
    type Err = BadPattern;

    fn from_str(pattern: &str) -> Result<Self, BadPattern> {
        let (server, tool) = pattern.split_once('.').unwrap_or((pattern, "*"));
        if server.is_empty() || tool.is_empty() {
            return Err(BadPattern {
                pattern: pattern.to_owned(),
            });
        }
        Ok(Self {
            server: server.to_owned(),
            tool: tool.to_owned(),
        })
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pattern) in self.patterns.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{pattern}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.server, self.tool)
    }
}

/// A pattern that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern for tools; write `server`, `server.tool` or `server.get_*`")]
pub struct BadPattern {
    pattern: String,
}

/// Whether `text` is what `pattern` describes, where `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("get_*", "get_", true),
            ("get_*", "forget_it", false),
            ("*_issue", "create_issue", true),
            ("*_issue", "create_issues", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_tool_name_may_hold_dots() {
        let grant: Grant = "files.v1.read".parse().unwrap();
        assert!(grant.allows("files", "v1.read"));
        assert!(!grant.allows("files", "v1.write"));
    }

    #[test]
    fn names_may_be_in_camel_case() {
        let grant: Grant = "googleDrive.getDocument".parse().unwrap();
        assert!(grant.allows("google-drive", "get_document"));
        assert!(!grant.allows("google-drive", "get_documents"));
        assert!(grant.allows_server("google-drive"));
    }

    #[test]
    fn case_and_punctuation_do_not_matter_without_a_star() {
        let grant: Grant = "Google-Drive.get-document, FILES".parse().unwrap();
        assert!(grant.allows("googleDrive", "getDocument"));
        assert!(grant.allows("files", "read"));
        assert!(!grant.allows("googleDrives", "getDocument"));
        let starred: Grant = "files.get_*".parse().unwrap();
        assert!(starred.allows("files", "get_away"));
        assert!(!starred.allows("files", "getaway"));
    }

    #[test]
    fn a_name_grants_one_of_the_tools_that_are_alike_or_none() {
        let tools = Names::new(["get-item", "get item", "other"], Style::Camel);
        let granted = |pattern: &str| {
            let grant: Grant = pattern.parse().unwrap();
            let places = 0..tools.names().len();
            places
                .filter(|&tool| grant.allows_tool("odd", &tools, tool))
                .collect::<Vec<_>>()
        };
        assert_eq!(granted("odd.get-item"), [0]);
        assert_eq!(granted("odd.get item"), [1]);
        assert_eq!(granted("odd.get_item"), [0; 0]);
        assert_eq!(granted(&format!("odd.{}", tools.identifiers()[1])), [1]);
        assert_eq!(granted("odd.get*"), [0, 1]);
    }

    #[test]
    fn servers_are_called_what_they_are_configured_as() {
        let configured = |name: &str| (name == "DEMO").then_some("demo");
        let grant: Grant = "DEMO.a, d*.b".parse().unwrap();
        assert_eq!(
            grant.resolved(configured).unwrap().to_string(),
            "demo.a, d*.b"
        );
        let misspelt: Grant = "DEMO.a, demmo".parse().unwrap();
        assert_eq!(misspelt.resolved(configured).unwrap_err(), "demmo");
    }

    #[test]
    fn bad_patterns_are_refused() {
        for list in ["", "github.", ".tool", "github,,time"] {
            assert!(list.parse::<Grant>().is_err(), "{list:?}");
        }
    }

    #[test]
    fn nothing_is_granted_by_default() {
        assert!(!Grant::default().allows("a", "b"));
        assert!(Grant::all().allows("a", "b"));
    }
}
