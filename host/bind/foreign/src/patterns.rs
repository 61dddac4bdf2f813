//! Patterns of tools, for programs that ask somebody before some calls.

use ampoule_projection::names::ToolPattern;

use crate::{Fault, Grants, option};

/// Patterns of tools, as `[approvals]` of an `ampoule.toml` has them: `github.delete_*`, `github`,
/// `*`. What they restrict, they restrict in every spelling: names may differ in case and
/// punctuation, and `jira` means all accounts of `jira`.
#[derive(Debug, Clone)]
pub struct ToolPatterns(Vec<ToolPattern>);

impl ToolPatterns {
    /// Patterns that are written as JSON: a text, in which commas separate them, or an array of
    /// texts.
    ///
    /// # Errors
    ///
    /// One of them is not a pattern.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        let patterns = match option("approve", text)? {
            Grants::Text(list) => ToolPattern::list(&list),
            Grants::List(each) => each.iter().map(|pattern| pattern.trim().parse()).collect(),
        };
        let patterns = patterns.map_err(|error| Fault::usage(format!("`approve`: {error}")))?;
        Ok(Self(patterns))
    }

    /// Whether one of them means this tool.
    pub fn matches(&self, server: &str, tool: &str) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|pattern| pattern.matches(server, tool))
    }
}
