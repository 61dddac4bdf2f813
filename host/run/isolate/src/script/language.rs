//! The languages of scripts, and which one a script is in.

use std::fmt;
use std::path::Path;

use ampoule_projection::Idiom;

use super::look;

/// A language that an interpreting guest runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Language {
    /// TypeScript; its types are taken off inside the isolate, and not checked.
    TypeScript,
    /// JavaScript: ES2023.
    JavaScript,
    /// Python: CPython 3.14 with its standard library.
    Python,
}

/// A guest that runs scripts. Displays as `the JavaScript guest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interpreter {
    /// QuickJS, for JavaScript and TypeScript.
    JavaScript,
    /// CPython.
    Python,
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JavaScript => "the JavaScript guest",
            Self::Python => "the Python guest",
        })
    }
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 3] = [Self::TypeScript, Self::JavaScript, Self::Python];

    /// The language's name, as in `--language`.
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::JavaScript => "javascript",
            Self::Python => "python",
        }
    }

    /// The language of this [name](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The language as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::TypeScript => "TypeScript",
            Self::JavaScript => "JavaScript",
            Self::Python => "Python",
        }
    }

    /// The language of a file, from its name's ending.
    pub fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "js" | "mjs" | "cjs" => Some(Self::JavaScript),
            "py" => Some(Self::Python),
            _ => None,
        }
    }

    /// The language that some code seems to be in, for when nothing else says: what the Markdown
    /// fence around it says, or else how its lines look. If neither says, TypeScript.
    ///
    /// The code is not parsed, and only the start of long code is looked at.
    pub fn of_code(source: &str) -> Self {
        look::language_of(source)
    }

    /// The guest that runs it.
    pub fn interpreter(self) -> Interpreter {
        match self {
            Self::TypeScript | Self::JavaScript => Interpreter::JavaScript,
            Self::Python => Interpreter::Python,
        }
    }

    /// How tools are named and declared for its scripts.
    #[doc(hidden)]
    pub fn idiom(self) -> Idiom {
        match self {
            Self::TypeScript | Self::JavaScript => Idiom::TypeScript,
            Self::Python => Idiom::Python,
        }
    }

    /// The name of a script's main module if it has no other.
    pub(super) fn main_module(self) -> &'static str {
        match self {
            Self::TypeScript => "script.ts",
            Self::JavaScript => "script.js",
            Self::Python => "script.py",
        }
    }
}
