//! The map of modules at the head of each crate.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ampoule_tests::repository;

use super::crates;

/// Crates with fewer modules need no map.
const SMALL: usize = 4;

/// The `lib.rs` and `main.rs` of the crates that have modules worth a map.
fn heads() -> Vec<PathBuf> {
    let tools = [
        repository().join("xtask"),
        repository().join("guests/builder"),
    ];
    let sources = crates()
        .into_iter()
        .chain(tools)
        .map(|folder| folder.join("src"));
    sources
        .flat_map(|folder| [folder.join("lib.rs"), folder.join("main.rs")])
        .filter(|file| file.is_file())
        .collect()
}

/// The modules that a file declares, but for those of tests.
fn modules(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_for_tests = false;
    for line in text.lines() {
        let declared = line.trim_start_matches("pub").trim_start_matches("(crate)");
        let declared = declared.trim_start().strip_prefix("mod ");
        if let Some(name) = declared.and_then(|rest| rest.strip_suffix(';'))
            && !is_for_tests
        {
            found.insert(name.to_owned());
        }
        is_for_tests = line.starts_with("#[cfg(test)]");
    }
    found
}

/// The comments before a crate's first line of code: its documentation and, where that is for
/// those who use the crate, lines beside it for those who read it.
fn head(text: &str) -> Vec<&str> {
    let is_before_code = |line: &&str| !line.starts_with("pub mod ") && !line.starts_with("mod ");
    let lines = text.lines().take_while(is_before_code);
    lines
        .filter(|line| line.starts_with("//"))
        .map(|line| {
            line.trim_start_matches('/')
                .trim_start_matches('!')
                .trim_start()
        })
        .collect()
}

/// All names in backticks of the head.
fn named(text: &str) -> BTreeSet<String> {
    let head = head(text).join("\n");
    let quoted = head.split('`').skip(1).step_by(2);
    quoted
        .map(|name| name.trim_end_matches("::").to_owned())
        .collect()
}

/// The name that begins an entry of a list.
fn entry(line: &str) -> Option<&str> {
    let entry = line.strip_prefix("- ")?.trim_start_matches('[');
    Some(entry.strip_prefix('`')?.split_once('`')?.0)
}

/// The names that begin the entries of maps: of lists in which one of them is a module.
fn entries(text: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let head = head(text);
    let lists = head.split(|line| line.is_empty());
    lists
        .map(|list| list.iter().copied().filter_map(entry).collect::<Vec<_>>())
        .filter(|list| list.iter().any(|name| modules.contains(*name)))
        .flatten()
        .map(str::to_owned)
        .collect()
}

#[test]
fn maps_name_the_modules_that_are_there() {
    let mut wrong = Vec::new();
    let heads = heads();
    assert!(heads.len() > 30, "{}", heads.len());
    for file in heads {
        let text = std::fs::read_to_string(&file).expect("a source");
        let name = file.strip_prefix(repository()).expect("in the repository");
        let (modules, named) = (modules(&text), named(&text));
        if modules.len() >= SMALL {
            let missing = modules.difference(&named);
            wrong.extend(missing.map(|module| format!("{}: {module} is missing", name.display())));
        }
        let folder = file.parent().expect("a folder");
        for entry in entries(&text, &modules) {
            let path = entry.trim_end_matches('/').replace("::", "/");
            let is_there = [format!("{path}.rs"), path]
                .iter()
                .any(|path| folder.join(path).exists());
            if !is_there {
                wrong.push(format!("{}: there is no {entry}", name.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
