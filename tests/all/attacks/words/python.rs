//! What becomes of hostile words in Python, as CPython reads it: the stubs that Ampoule writes, and
//! the bindings that componentize-py makes of its WIT.

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::prepared;

use super::{
    assert_same_shapes, files, generated, harmless_tools, hostile_tools, is_hidden, lines, looker,
};

async fn shapes(workplace: &Workplace, python: &Path, files: &[PathBuf]) -> Vec<String> {
    let python = python.join("venv/bin/python");
    lines(workplace, &python, &[looker("shape.py")], files).await
}

/// A docstring: how it is written, and the text that it is.
type Docstring = (String, String);

/// The docstrings of each of some files.
async fn docstrings(
    workplace: &Workplace,
    python: &Path,
    files: &[PathBuf],
) -> Vec<Vec<Docstring>> {
    let python = python.join("venv/bin/python");
    let printed = lines(workplace, &python, &[looker("docs.py")], files).await;
    let read = |line: &String| serde_json::from_str(line).expect("JSON");
    printed.iter().map(read).collect()
}

/// The bindings that componentize-py makes for the servers of a workplace.
async fn bindings(workplace: &Workplace, python: &Path) -> Vec<PathBuf> {
    let arguments = ["-d", "guest/wit", "-w", "program", "bindings", "bindings"];
    let ran = ended(workplace.command(python.join("venv/bin/componentize-py"), &arguments)).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    files(workplace, "bindings/wit_world", ".py")
}

#[tokio::test]
async fn the_bindings_of_componentize_py_are_those_of_harmless_words() {
    let Some(python) = prepared(
        "the_bindings_of_componentize_py_are_those_of_harmless_words",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let mut all = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "wit").await;
        let files = bindings(&workplace, &python).await;
        all.push(shapes(&workplace, &python, &files).await);
    }
    let harmless = all.pop().expect("two");
    assert_same_shapes(all.pop().expect("two"), harmless);
}

#[tokio::test]
async fn stubs_in_python_are_those_of_harmless_words() {
    let Some(python) = prepared(
        "stubs_in_python_are_those_of_harmless_words",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let mut all = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "python").await;
        all.push(shapes(&workplace, &python, &files(&workplace, "guest", ".pyi")).await);
    }
    let harmless = all.pop().expect("two");
    assert_same_shapes(all.pop().expect("two"), harmless);
}

/// The lines of a text, each without its indentation.
fn trimmed(text: &str) -> Vec<String> {
    let lines = text.trim().lines().map(str::trim);
    lines.map(str::to_owned).collect()
}

/// The docs of each function of a package in WIT.
fn docs_of_functions(package: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut docs = Vec::new();
    for line in package.lines().map(str::trim) {
        match line.strip_prefix("///") {
            Some(said) => docs.push(said.trim().to_owned()),
            None => {
                let docs = std::mem::take(&mut docs);
                if line.contains("func(") {
                    all.push(docs);
                }
            }
        }
    }
    all
}

#[tokio::test]
async fn docstrings_of_componentize_py_say_what_the_docs_in_wit_say() {
    let Some(python) = prepared(
        "docstrings_of_componentize_py_say_what_the_docs_in_wit_say",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let tools = hostile_tools();
    let workplace = generated(&tools, "wit").await;
    let files = bindings(&workplace, &python).await;
    let mut said = Vec::new();
    for (written, text) in docstrings(&workplace, &python, &files).await.concat() {
        // Nothing in it is an escape.
        assert_eq!(written, text);
        said.push(text);
    }
    for index in 0..tools.len() {
        let package = workplace
            .path()
            .join(format!("guest/wit/deps/mcp-s{index}/tools.wit"));
        let package = std::fs::read_to_string(package).expect("a package");
        let docs = docs_of_functions(&package);
        assert_eq!(docs.len(), 2, "{package}");
        for docs in docs {
            let found = said.iter().any(|text| trimmed(text).starts_with(&docs));
            assert!(found, "{docs:#?} is not in {said:#?}");
        }
    }
}

/// A description as docs have it: without what can't be seen, each kind of line end one, no two
/// empty lines.
fn shown(description: &str) -> Vec<String> {
    let ends = ['\n', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut shown: Vec<String> = Vec::new();
    for line in description.replace('\t', " ").split(ends) {
        let line: String = line.chars().filter(|c| !is_hidden(*c)).collect();
        let line = line.trim();
        if !line.is_empty() || shown.last().is_some_and(|last| !last.is_empty()) {
            shown.push(line.to_owned());
        }
    }
    while shown.last().is_some_and(String::is_empty) {
        shown.pop();
    }
    shown
}

#[tokio::test]
async fn docstrings_of_stubs_say_what_the_tools_say() {
    let Some(python) = prepared(
        "docstrings_of_stubs_say_what_the_tools_say",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let tools = hostile_tools();
    let workplace = generated(&tools, "python").await;
    let said = docstrings(&workplace, &python, &files(&workplace, "guest", ".pyi")).await;
    let said: Vec<String> = said.concat().into_iter().map(|(_, text)| text).collect();
    let descriptions = tools
        .iter()
        .flat_map(|tools| tools.as_array().expect("a list"));
    for description in descriptions.map(|tool| &tool["description"]) {
        let mut expected = shown(description.as_str().expect("a text"));
        match &mut expected[..] {
            [line] => line.push_str(" (read-only)"),
            _ => expected.push("(read-only)".to_owned()),
        }
        let found = said.iter().any(|text| trimmed(text).starts_with(&expected));
        assert!(found, "{expected:#?} is not in {said:#?}");
    }
}
