//! How tools are named and shown to a script, and to its author.

use super::names::Style;

/// How tools are named and declared: as the language of a script has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Idiom {
    /// `tools.github.createIssue({ … })`, declared in TypeScript.
    #[default]
    TypeScript,
    /// `tools.github.create_issue(…)`, declared in Python.
    Python,
}

impl Idiom {
    /// How a tool's name becomes an identifier.
    pub fn style(self) -> Style {
        match self {
            Self::TypeScript => Style::Camel,
            Self::Python => Style::Snake,
        }
    }

    /// How a script names an account of a server: `jira.as("work")`.
    pub fn account(self, server: &str, account: &str) -> String {
        match self {
            Self::TypeScript => format!("{server}.as(\"{account}\")"),
            Self::Python => format!("{server}.as_(\"{account}\")"),
        }
    }

    /// How a script searches for tools.
    pub fn search(self) -> &'static str {
        match self {
            Self::TypeScript => "tools.$search(query)",
            Self::Python => "tools.search(query)",
        }
    }
}
