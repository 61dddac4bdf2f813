//! Whether declarations of tools with hostile text are what they are with harmless words: but for
//! names, texts and comments.

use std::fmt::{Display, Write as _};

use ampoule_projection::{Detail, Tool};
use serde_json::Value;

use super::lexer::{is_hidden, python_comments, python_shape, typescript_shape};
use super::wit_parser::shape as wit_shape;
use super::{assert_python, assert_typescript, assert_valid, python, typescript, wit};

/// Panics unless what hostile tools are declared as differs from harmless ones in names, texts and
/// comments alone, and docs in WIT are fit for all that they are copied to.
pub(crate) fn assert_only_said(hostile: &Value, harmless: &Value) {
    let (hostile, harmless) = (&tools_of(hostile), &tools_of(harmless));
    for detail in [Detail::Brief, Detail::Full] {
        let declared = typescript("server", hostile, detail);
        assert_typescript(&declared);
        assert_tags(&declared);
        let wanted = typescript_shape(&typescript("server", harmless, detail));
        assert_eq!(typescript_shape(&declared), wanted, "{declared}");
        let declared = python(hostile, detail);
        assert_python(&declared);
        assert_comments(&declared);
        let wanted = python_shape(&python(harmless, detail));
        assert_eq!(python_shape(&declared), wanted, "{declared}");
    }
    // Files have more for names that can be one in the language.
    let declared = typescript("server", hostile, Detail::Whole);
    assert_typescript(&declared);
    assert_tags(&declared);
    let declared = python(hostile, Detail::Whole);
    assert_python(&declared);
    assert_comments(&declared);
    let declared = wit("server", hostile);
    assert_valid(&declared, hostile.len());
    assert_eq!(
        wit_shape(&declared),
        wit_shape(&wit("server", harmless)),
        "{declared}"
    );
    assert_docs(&declared);
}

fn tools_of(listed: &Value) -> Vec<Tool> {
    serde_json::from_value(listed.clone()).expect("tools")
}

/// Panics where a comment in TypeScript has a tag that is not the printer's own. Those begin a
/// line.
fn assert_tags(declared: &str) {
    for line in declared.lines().map(str::trim_start) {
        let Some(said) = line
            .strip_prefix("* ")
            .or_else(|| line.strip_prefix("/** "))
        else {
            continue;
        };
        let own = ["@param args ", "@returns ", "@deprecated"];
        let said = own
            .iter()
            .find_map(|tag| said.strip_prefix(tag))
            .unwrap_or(said);
        let tag = said.match_indices('@').find(|(at, _)| {
            let before = said[..*at].chars().next_back();
            let after = said[at + 1..].chars().next();
            before.is_none_or(|c| c.is_whitespace() || matches!(c, '{' | '*'))
                && after.is_some_and(|c| !c.is_whitespace())
        });
        assert!(tag.is_none(), "{line}\n{declared}");
    }
}

/// The orders to type checkers that files have.
const OWN_ORDERS: [&str; 2] = [
    "# mypy: disable-error-code=override",
    "# pyright: reportIncompatibleMethodOverride=false",
];

/// Panics where a comment in Python is an order to a type checker.
fn assert_comments(declared: &str) {
    let comments = python_comments(declared);
    let said = comments
        .iter()
        .filter(|comment| !OWN_ORDERS.contains(comment));
    for part in said.flat_map(|comment| comment.split('#')) {
        let part = part.trim_start();
        let order = ["type:", "mypy:", "pyright:"]
            .iter()
            .find(|order| part.starts_with(**order));
        assert!(order.is_none(), "{part}\n{declared}");
    }
}

/// Panics where docs in WIT have what ends a docstring or a comment, is an escape, a program or a
/// tag to one of those who copy them.
fn assert_docs(declared: &str) {
    for line in declared
        .lines()
        .map(str::trim_start)
        .filter_map(|line| line.strip_prefix("/// "))
    {
        for never in [
            "\"\"\"",
            "'''",
            "\\",
            "*/",
            "```",
            "~~~",
            "    ",
            "<script",
            "</",
            "<!",
            " @deprecated",
            " @ts-",
            "{@",
        ] {
            assert!(!line.contains(never), "{never} in {line}\n{declared}");
        }
        let hidden = line.chars().find(|c| is_hidden(*c));
        assert!(hidden.is_none(), "{hidden:?} in {line}\n{declared}");
    }
}

/// A shape in a line for each of its parts, as failures show it.
pub(super) fn lines(parts: impl IntoIterator<Item = impl Display>) -> String {
    parts.into_iter().fold(String::new(), |mut text, part| {
        let _ = writeln!(text, "{part}");
        text
    })
}
