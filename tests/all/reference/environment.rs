//! `docs/reference/environment.md`: the environment variables that the program reads.

use std::collections::BTreeSet;
use std::path::Path;

use ampoule_tests::repository;

/// The names of Ampoule's own variables in a text.
fn own(text: &str) -> BTreeSet<String> {
    let is_of_name = |character: char| character.is_ascii_uppercase() || character == '_';
    let names = text.split(|character| !is_of_name(character));
    let names = names.filter(|name| name.starts_with("AMPOULE_") && !name.contains("_TEST_"));
    names
        .map(|name| name.trim_end_matches('_').to_owned())
        .collect()
}

/// The variables that sources read, tests left out.
fn in_sources(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            if name != "tests" {
                in_sources(&path, found);
            }
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = std::fs::read_to_string(&path).expect("text");
            let is_test = name.to_string_lossy().contains("test");
            let (code, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
            if !is_test {
                found.extend(own(code));
            }
        }
    }
}

#[test]
fn every_variable_of_ampoule_is_on_the_page() {
    let path = repository().join("docs/reference/environment.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let mut read = BTreeSet::new();
    in_sources(&repository().join("host"), &mut read);
    // What variables for the inputs of an editor begin with, where sources show one in whole.
    read.retain(|name| !name.starts_with("AMPOULE_INPUT_"));
    assert!(read.contains("AMPOULE_LOG"), "{read:?}");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let named = own(&rows.collect::<Vec<_>>().join("\n"));
    let named: BTreeSet<_> = named
        .into_iter()
        .map(|name| match name.starts_with("AMPOULE_INPUT") {
            true => "AMPOULE_INPUT".to_owned(),
            false => name,
        })
        .collect();
    assert_eq!(named, read);
}
