//! Looks at code, to tell which language it is in.
//!
//! The fence that a model has put around its code names the language. Without one, each line is
//! looked at for what only one of the two families has, strings and comments left out. Nothing is
//! parsed: the time is linear, and no text can do more than mislead it.
//!
//! - `line`: what one line tells
//! - `text`: a line without its strings and comments

mod line;
#[cfg(test)]
mod tests;
pub(super) mod text;

use super::Language;
use text::Stripper;

/// How much of the code is looked at, in bytes.
const LOOKED_AT_BYTES: usize = 16 << 10;

/// What speaks for each family of languages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Signs {
    python: u32,
    typescript: u32,
}

pub(super) fn language_of(source: &str) -> Language {
    let start = &source[..source.floor_char_boundary(LOOKED_AT_BYTES)];
    if let Some(language) = started_by(start) {
        return language;
    }
    let mut signs = Signs::default();
    let mut stripper = Stripper::default();
    let mut in_fence = false;
    for line in start.lines() {
        // One inside a string belongs to a text of the script.
        if let (false, Some(info)) = (stripper.in_string(), fence(line)) {
            match named(info) {
                Some(language) => return language,
                None if in_fence => break,
                // What comes before it is said about the code.
                None => (in_fence, signs) = (true, Signs::default()),
            }
            continue;
        }
        let told = line::signs(&stripper.strip(line));
        signs.python += told.python;
        signs.typescript += told.typescript;
    }
    if signs.python > signs.typescript {
        Language::Python
    } else {
        Language::TypeScript
    }
}

/// What a line says that is a Markdown fence.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let info = line
        .strip_prefix("```")
        .or_else(|| line.strip_prefix("~~~"))?;
    Some(info.trim_start_matches(['`', '~']))
}

/// The language that a fence names.
pub(super) fn named(info: &str) -> Option<Language> {
    let info = info.trim_start();
    let end = info.find(|c: char| !c.is_alphanumeric());
    let name = info[..end.unwrap_or(info.len())].to_ascii_lowercase();
    match name.as_str() {
        "python" | "python3" | "py" | "py3" | "pycon" | "ipython" => Some(Language::Python),
        "typescript" | "ts" | "tsx" | "mts" | "cts" => Some(Language::TypeScript),
        "javascript" | "js" | "jsx" | "mjs" | "cjs" | "node" => Some(Language::JavaScript),
        _ => None,
    }
}

/// The language of the program that a file's first line names: `#!/usr/bin/env python3`.
fn started_by(code: &str) -> Option<Language> {
    let program = code.strip_prefix("#!")?.lines().next()?;
    if program.contains("python") {
        return Some(Language::Python);
    }
    let others = ["node", "deno", "bun", "tsx"];
    let is_other = others.iter().any(|other| program.contains(other));
    is_other.then_some(Language::TypeScript)
}
