//! Identifiers for names that were made for other purposes.
//!
//! Servers, tools, properties and types may have any name: with spaces, dots or emoji, empty, or a
//! thousand characters long. Here each becomes an identifier in a [`Style`]; [`Names`] does so for
//! names that exist side by side, keeps them apart, and finds them again.
//!
//! An identifier depends on the set of names alone, never on their order.
//!
//! - `style`: how identifiers are written
//! - `words`: a name's words
//! - `reserved`: words that a language reserves
//! - `set`: names side by side
//! - `near`: names that someone may have meant
//! - `pattern`: some tools of some servers, by their names
//! - `account`: accounts of servers

mod account;
mod near;
mod pattern;
mod reserved;
mod set;
mod style;
#[cfg(test)]
mod tests;
mod words;

pub use account::{ACCOUNT, server_and_account};
pub use near::near;
pub use pattern::{PatternText, ToolPattern, ToolPatternError};
pub use set::{Lookup, Names};
pub use style::{MAX_IDENTIFIER_CHARS, Style};
pub use words::canonical;

pub use set::identifiers;
pub use words::words;

/// `createIssue` for `create-issue`: the name of a server or tool in TypeScript, when nothing
/// beside it has the same.
pub fn camel_case(name: &str) -> String {
    identifier(name, Style::Camel)
}

/// `CreateIssue` for `create-issue`: the name of a type in TypeScript.
pub fn pascal_case(name: &str) -> String {
    identifier(name, Style::Pascal)
}

/// `create_issue` for `create-issue`: the name of a server or tool in Python, when nothing beside
/// it has the same.
pub fn snake_case(name: &str) -> String {
    identifier(name, Style::Snake)
}

/// `create-issue` for `createIssue`: the name of anything in WIT, when nothing beside it has the
/// same.
pub fn kebab_case(name: &str) -> String {
    identifier(name, Style::Kebab)
}

/// `my-server` for `My Server`: the name of a server's package in WIT. Rust makes a module of it,
/// so it is not one of Rust's keywords.
pub fn package_case(name: &str) -> String {
    let package = words::join_kebab(words::ascii(words(name)));
    match reserved::RUST_KEYWORDS.contains(&package.as_str()) {
        true => package + "-server",
        false => kebab_case(name),
    }
}

/// The identifier for `name`, when nothing beside it has the same.
pub fn identifier(name: &str, style: Style) -> String {
    let joined = match style {
        Style::Camel if words::is_one_camel_word(name) => name.to_owned(),
        Style::Camel | Style::Pascal => words::join_capitalised(&words(name), style),
        Style::AsciiPascal => words::join_capitalised(&words::ascii(words(name)), style),
        Style::Snake => words::ascii(words(name)).join("_"),
        Style::Kebab => words::join_kebab(words::ascii(words(name))),
    };
    if joined.is_empty() {
        return with_hash(unnamed(style), name, style, HASH_DIGITS);
    }
    let started = start(joined, style);
    let bounded = match started.char_indices().nth(MAX_IDENTIFIER_CHARS) {
        None => started,
        Some(_) => with_hash(&started, name, style, HASH_DIGITS),
    };
    match (reserved::is_reserved(&bounded, style), style) {
        (false, _) => bounded,
        (true, Style::Kebab) => bounded + "-word",
        (true, _) => bounded + "_",
    }
}

/// What tells a name apart from others that would be written the same: `h1a2b3c`.
pub fn mark(name: &str) -> String {
    let hash = blake3::hash(name.as_bytes()).to_hex();
    format!("h{}", &hash[..HASH_DIGITS])
}

/// How many hexadecimal digits of a hash tell identifiers apart, unless more are needed.
const HASH_DIGITS: usize = 6;

/// `identifier`, cut if it is long, with a hash of `name`: `getX_h1a2b3c`. The letter makes the
/// hash a word in every style.
fn with_hash(identifier: &str, name: &str, style: Style, digits: usize) -> String {
    let room = MAX_IDENTIFIER_CHARS - digits - 2;
    let kept: String = identifier.chars().take(room).collect();
    let kept = kept.trim_end_matches(['-', '_']);
    let joint = if style == Style::Kebab { '-' } else { '_' };
    let hash = blake3::hash(name.as_bytes()).to_hex();
    format!("{kept}{joint}h{}", &hash[..digits])
}

/// What a name is called that has no letter or digit.
fn unnamed(style: Style) -> &'static str {
    match style {
        Style::Pascal | Style::AsciiPascal => "Unnamed",
        Style::Camel | Style::Snake | Style::Kebab => "unnamed",
    }
}

/// Lets an identifier that starts with a digit, or with a mark, start as identifiers may.
fn start(identifier: String, style: Style) -> String {
    let first = identifier.chars().next();
    match style {
        _ if first.is_some_and(unicode_ident::is_xid_start) => identifier,
        Style::Kebab => format!("n{identifier}"),
        Style::Pascal | Style::AsciiPascal => format!("N{identifier}"),
        Style::Camel | Style::Snake => format!("_{identifier}"),
    }
}
