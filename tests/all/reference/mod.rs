//! Pages of the documentation that follow from the program. `BLESS=1` writes them anew, as does
//! `cargo xtask docs`.
//!
//! - `bindings`: names in Rust, Python, Node and C; `c`: what the header of the C library declares
//! - `cli`: every command, as its help has it
//! - `console_api`: the routes of the console's HTTP API
//! - `config`: every key of `ampoule.toml`, as the schema has it
//! - `environment`: the environment variables that the program reads
//! - `errors`: the errors that models get for their mistakes
//! - `exit_codes`: the codes that the command ends with
//! - `languages`: what TypeScript, JavaScript and Python have in scripts
//! - `metrics`: what `/metrics` has; `pictures`: a terminal, and bars of tokens

mod bindings;
mod c;
mod cli;
mod config;
mod console_api;
mod environment;
mod errors;
mod exit_codes;
mod languages;
mod metrics;
mod pictures;

use ampoule_tests::repository;

/// Holds a page of `docs/reference` against what it must be.
fn holds(page: &str, expected: &str) {
    let path = repository().join("docs/reference").join(page);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expected).expect("the page is written");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{page}: BLESS=1 writes it");
}

/// A paragraph or an item of a list, wrapped as documents are; further lines of an item are
/// indented.
pub(super) fn wrapped(text: &str) -> String {
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 100 {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines.push(line);
    lines.join("\n")
}

/// A text in a cell of a table: on one line, and without the table's own marks.
fn cell(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|")
}
