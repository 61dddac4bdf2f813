//! Cases in `tests/corpora/projection`: `NAME.json` with tools, and what they give in files of the same name. `BLESS=1` writes those.

use std::path::Path;

use super::super::{Detail, Interface};
use super::{json_files, lexer, tools_in, typescript};

#[test]
fn typescript_goldens() {
    let mut wrong = Vec::new();
    for path in json_files("projection") {
        let tools = tools_in(&path);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let declared = typescript(name, &tools, Detail::Full);
        lexer::assert_typescript(&declared);
        lexer::assert_typescript(&typescript(name, &tools, Detail::Brief));
        let text = notes(&tools, "//") + &declared;
        if !is_golden(&path.with_extension("ts"), &text) {
            wrong.push(format!("{name}.ts is now\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nBLESS=1 takes what is printed above as right",
        wrong.join("\n")
    );
}

/// What was not understood, as comments.
fn notes(tools: &[super::Tool], mark: &str) -> String {
    let functions = Interface::of(tools).functions;
    let notes = functions.iter().flat_map(|function| {
        function
            .notes
            .iter()
            .map(move |note| (&function.tool, note))
    });
    notes
        .map(|(tool, note)| format!("{mark} note: {tool}: {note}\n"))
        .collect()
}

/// Whether a file has this text. With `BLESS` set it has from now on.
fn is_golden(path: &Path, text: &str) -> bool {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    std::fs::read_to_string(path).is_ok_and(|golden| golden == text)
}
