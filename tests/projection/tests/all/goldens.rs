//! Cases in `tests/corpora/projection`: `NAME.json` with tools, and what they give in files of the
//! same name. `BLESS=1` writes those.

use std::path::Path;

use ampoule_projection::{Detail, Interface};
use ampoule_projection_tests::{
    assert_python, assert_typescript, assert_valid, json_files, python, tools_in, typescript, wit,
};

#[test]
fn typescript_goldens() {
    let mut wrong = Vec::new();
    for path in json_files("projection") {
        let tools = tools_in(&path);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let declared = typescript(name, &tools, Detail::Full);
        assert_typescript(&declared);
        assert_typescript(&typescript(name, &tools, Detail::Brief));
        let text = notes(&tools, "//") + &declared;
        let file = typescript(name, &tools, Detail::Whole);
        assert_typescript(&file);
        for (ending, text) in [("ts", &text), ("d.ts", &file)] {
            if !is_golden(&path.with_extension(ending), text) {
                wrong.push(format!("{name}.{ending} is now\n{text}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nBLESS=1 takes what is printed above as right",
        wrong.join("\n")
    );
}

#[test]
fn python_goldens() {
    let mut wrong = Vec::new();
    for path in json_files("projection") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        for (ending, detail) in [("py", Detail::Full), ("pyi", Detail::Whole)] {
            let text = python(&tools_in(&path), detail);
            assert_python(&text);
            if !is_golden(&path.with_extension(ending), &text) {
                wrong.push(format!("{name}.{ending} is now\n{text}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nBLESS=1 takes what is printed above as right",
        wrong.join("\n")
    );
}

#[test]
fn wit_goldens() {
    let mut wrong = Vec::new();
    for path in json_files("projection") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let tools = tools_in(&path);
        let text = wit(name, &tools);
        assert_valid(&text, tools.len());
        if !is_golden(&path.with_extension("wit"), &text) {
            wrong.push(format!("{name}.wit is now\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nBLESS=1 takes what is printed above as right",
        wrong.join("\n")
    );
}

/// What was not understood, as comments.
fn notes(tools: &[ampoule_projection::Tool], mark: &str) -> String {
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
