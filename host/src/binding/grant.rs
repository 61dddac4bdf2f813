//! Grants: the part of the catalog that one run may call.

use std::fmt;
use std::str::FromStr;

use crate::projection::names::camel_case;

/// The part of the catalog that a run may call. For the run, everything else does not exist.
///
/// Written as a list of patterns: `github` (all tools of a server), `github.create_issue` (one), `github.get_*` (each `*` stands for any text).
/// Names are written as the server gave them, or in camelCase.
/// The default grants nothing.
///
/// ```
/// # use ampoule::binding::Grant;
/// let grant: Grant = "github.get_*, time".parse()?;
/// assert!(grant.allows("github", "get_issue"));
/// assert!(grant.allows("time", "convert"));
/// assert!(!grant.allows("github", "delete_repo"));
/// # Ok::<(), ampoule::binding::BadPattern>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    patterns: Vec<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
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

    /// Whether it grants this tool.
    pub fn allows(&self, server: &str, tool: &str) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.matches_server(server) && means(&pattern.tool, tool))
    }

    /// Whether it may grant tools of this server.
    pub fn allows_server(&self, server: &str) -> bool {
        self.patterns
            .iter()
            .any(|pattern| pattern.matches_server(server))
    }

    /// The server parts of its patterns that name one server each.
    pub(crate) fn named_servers(&self) -> impl Iterator<Item = &str> {
        self.patterns
            .iter()
            .map(|pattern| pattern.server.as_str())
            .filter(|server| !server.contains('*'))
    }
}

impl Pattern {
    fn matches_server(&self, server: &str) -> bool {
        means(&self.server, server)
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
        for (index, Pattern { server, tool }) in self.patterns.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{server}.{tool}")?;
        }
        Ok(())
    }
}

/// A pattern that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern for tools; write `server`, `server.tool` or `server.get_*`")]
pub struct BadPattern {
    pattern: String,
}

/// Whether `name` is what `pattern` describes, as it was given or in camelCase: lists show it so.
fn means(pattern: &str, name: &str) -> bool {
    matches(pattern, name) || matches(pattern, &camel_case(name))
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
