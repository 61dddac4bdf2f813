//! Markdown fences that say that what is in them is of another language.

use super::super::Language;
use super::super::look;
use super::reading::{Family, line_of, quoted};
use super::shell::{self, NO_SHELL, of_shell};

/// Words that fences have which say nothing of a language.
const OF_NO_LANGUAGE: [&str; 8] = [
    "text",
    "txt",
    "plaintext",
    "plain",
    "code",
    "tool_code",
    "script",
    "output",
];

/// A fence of another language than the script's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// What it says.
    name: String,
    /// Where it is, and how it is written.
    pub(super) line: u32,
    pub(super) text: String,
    /// The first line in it.
    first: String,
}

impl Foreign {
    /// What is wrong with it.
    pub(super) fn said(&self, language: Language) -> String {
        let Self { name, first, .. } = self;
        if shell::is_language(name) {
            let family = Family::of(language);
            return match shell::command(first) {
                Some(purpose) => of_shell(first, purpose, family),
                None => format!("The code is a shell script, and {NO_SHELL}."),
            };
        }
        match look::named(name) {
            Some(other) => format!(
                "The code is in a fence of {}, and is run as {}: say which it is with `language`.",
                other.title(),
                language.title()
            ),
            None => format!(
                "The code is in a fence of {}: scripts are TypeScript, JavaScript or Python.",
                quoted(name)
            ),
        }
    }
}

/// The first fence, where the code begins with it, and all fences are of other languages. No script
/// begins so: in JavaScript, it would be a call of an empty text.
pub(super) fn alone(code: &str, language: Language) -> Option<Foreign> {
    begins_with_fence(code).then(|| foreign(code, language))?
}

/// The first fence, where all fences are of other languages.
pub(super) fn foreign(code: &str, language: Language) -> Option<Foreign> {
    let mut first = None;
    let mut open: Option<&str> = None;
    for line in code.lines() {
        let text = line.trim_matches(is_space);
        let Some((mark, info)) = fence(text) else {
            continue;
        };
        if let Some(opening) = open {
            if info.is_empty() && mark.starts_with(opening) {
                open = None;
            }
            continue;
        }
        open = Some(mark);
        let name = word(info);
        let is_own =
            look::named(name).is_some_and(|other| other.interpreter() == language.interpreter());
        if name.is_empty() || is_own || OF_NO_LANGUAGE.contains(&name) {
            return None;
        }
        let at = line.as_ptr() as usize - code.as_ptr() as usize;
        let inside = code[at..].lines().skip(1);
        first.get_or_insert_with(|| Foreign {
            name: name.to_owned(),
            line: line_of(code, at),
            text: line.to_owned(),
            first: (inside.map(str::trim).find(|line| !line.is_empty()))
                .unwrap_or_default()
                .to_owned(),
        });
    }
    first
}

/// Code that begins with a fence which names no language, though it has a word, with spaces for that
/// word: so guests take it for a fence that names none.
pub(crate) fn with_known_fence(code: &str) -> Option<String> {
    if !begins_with_fence(code) {
        return None;
    }
    let start = code.find(['`', '~'])?;
    let end = code[start..].find('\n').map(|end| start + end)?;
    let (_, info) = fence(code[start..end].trim_end())?;
    let name = word(info);
    if !OF_NO_LANGUAGE.contains(&name) {
        return None;
    }
    let at = name.as_ptr() as usize - code.as_ptr() as usize;
    let mut known = code.to_owned();
    known.replace_range(at..end, &" ".repeat(end - at));
    Some(known)
}

fn begins_with_fence(code: &str) -> bool {
    let code = code.trim_start_matches(is_space);
    code.starts_with("```") || code.starts_with("~~~")
}

/// The mark of a line that is a fence, and what it says.
fn fence(text: &str) -> Option<(&str, &str)> {
    let mark = if text.starts_with("```") { '`' } else { '~' };
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3 && !info.contains('`')).then(|| (&text[..length], info.trim()))
}

fn word(info: &str) -> &str {
    let end = info.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '+' | '#'));
    &info[..end.unwrap_or(info.len())]
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
