//! Where sources and their tests are.

use std::path::{Path, PathBuf};

use ampoule_tests::repository;

/// Above so many lines, a module of tests is a file.
const MOST_INLINE: usize = 100;

/// The sources of the workspace, but for the guests': what those are built from is known by its
/// digest, and a file that moves has them built again.
pub(crate) fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let roots = ["host", "xtask", "tests", "benches", "guests/builder"];
    let mut folders: Vec<_> = roots.iter().map(|root| repository().join(root)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_others = ["target", "node_modules", "corpora"]
                .iter()
                .any(|it| name == *it);
            if path.is_dir() && !is_others {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The lines of a module of tests that stands in its file.
fn inline_tests(text: &str) -> usize {
    let begin = "#[cfg(test)]\nmod tests {\n";
    text.split_once(begin)
        .map_or(0, |(_, tests)| tests.lines().count())
}

fn what_is_wrong(path: &Path, text: &str) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let folder = path.with_extension("");
    let has_folder = !["lib.rs", "main.rs", "build.rs", "mod.rs"].contains(&name)
        && std::fs::read_dir(folder).is_ok_and(|mut entries| {
            entries
                .any(|entry| entry.is_ok_and(|entry| entry.path().extension() == path.extension()))
        });
    if name.ends_with("_tests.rs") {
        Some("tests of a module `x` are in `x/tests.rs`")
    } else if has_folder {
        Some("a module with parts is `x/mod.rs`, not `x.rs` beside `x/`")
    } else if inline_tests(text) > MOST_INLINE {
        Some("long tests of a module `x` are in `x/tests.rs`")
    } else {
        None
    }
}

#[test]
fn sources_and_their_tests_are_laid_out_in_one_way() {
    let sources = sources();
    assert!(sources.len() > 900, "{}", sources.len());
    let wrong: Vec<_> = sources
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).expect("a source");
            let why = what_is_wrong(path, &text)?;
            Some(format!("{}: {why}", path.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
