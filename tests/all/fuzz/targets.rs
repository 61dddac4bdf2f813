//! The targets of `tests/fuzz`, which nothing else builds: that each is a program, with what it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ampoule_tests::repository;
use toml::{Table, Value};

fn table(path: &Path) -> Table {
    let text = fs::read_to_string(path).expect("a file");
    text.parse().expect("TOML")
}

fn text<'a>(table: &'a Value, key: &str) -> &'a str {
    table[key].as_str().expect("a text")
}

/// The text of a target, and what it calls of another crate, in parts: `crate`, modules, function.
fn target(path: &Path) -> (String, Option<Vec<String>>) {
    let text = fs::read_to_string(path).expect("a target");
    let call = text.lines().find_map(|line| {
        let (path, rest) = line.trim().split_once('(')?;
        let is_of_crate = path.starts_with("ampoule_") && rest == "data);";
        is_of_crate.then(|| path.split("::").map(str::to_owned).collect())
    });
    (text, call)
}

/// All files of Rust in a folder, in one text.
fn sources(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => all += &sources(&path),
            false => all += &fs::read_to_string(&path).unwrap_or_default(),
        }
    }
    all
}

#[test]
fn each_target_is_a_program_that_has_what_it_needs() {
    let folder = repository().join("tests/fuzz");
    let manifest = table(&folder.join("Cargo.toml"));
    let readme = fs::read_to_string(folder.join("README.md")).expect("a page");
    let programs = manifest["bin"].as_array().expect("programs").iter();
    let programs: BTreeMap<&str, &Value> = programs.map(|it| (text(it, "name"), it)).collect();
    let files: Vec<PathBuf> = fs::read_dir(folder.join("targets"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(programs.len(), files.len(), "a program without a target");
    for file in files {
        let name = file.file_stem().and_then(|it| it.to_str()).expect("a name");
        let program = programs
            .get(name)
            .unwrap_or_else(|| panic!("{name} is not a program"));
        assert_eq!(text(program, "path"), format!("targets/{name}.rs"));
        assert!(readme.contains(&format!("`{name}`")), "{name}: the README");
        let (target, call) = target(&file);
        let Some(call) = call else {
            // Of the crate of the targets itself.
            let function = format!("ampoule_fuzz::{name}(data)");
            assert!(target.contains(&function), "{name}: {target}");
            continue;
        };
        let [krate, modules @ .., function] = &call[..] else {
            panic!("{name}: {call:?}");
        };
        assert_eq!(function, name);
        let krate = krate.replace('_', "-");
        let dependency = &manifest["dependencies"][&krate];
        let feature = krate.trim_start_matches("ampoule-");
        assert_eq!(dependency["optional"].as_bool(), Some(true), "{krate}");
        assert_eq!(
            manifest["features"][feature],
            Value::from(vec![format!("dep:{krate}")])
        );
        assert_eq!(program["required-features"], Value::from(vec![feature]));
        assert!(
            readme.contains(&format!("`{feature}`")),
            "{name}: the README"
        );
        // The modules are there where it is fuzzed, and not only in tests.
        let place = folder.join(text(dependency, "path"));
        assert_eq!(
            text(&table(&place.join("Cargo.toml"))["package"], "name"),
            krate
        );
        let sources = sources(&place.join("src"));
        assert_eq!(modules.last().map(String::as_str), Some("fuzzing"));
        assert!(sources.contains("#[cfg(any(test, fuzzing))]\npub mod fuzzing;"));
        for module in &modules[..modules.len() - 1] {
            assert!(
                sources.contains(&format!("pub mod {module};")),
                "{krate}: {module}"
            );
        }
        let function = format!("\npub fn {function}(data: &[u8]) -> String {{");
        assert!(sources.contains(&function), "{krate}: {function}");
    }
}

#[test]
fn the_targets_try_the_versions_that_the_program_has() {
    let packages = |path: &str| -> BTreeSet<(String, String)> {
        let lock = table(&repository().join(path));
        let packages = lock["package"].as_array().expect("packages").iter();
        let packages = packages.map(|it| (text(it, "name"), text(it, "version")));
        packages
            .map(|(name, version)| (name.to_owned(), version.to_owned()))
            .collect()
    };
    let of_program = packages("Cargo.lock");
    let own = ["ampoule-fuzz", "libfuzzer-sys"];
    let others: Vec<_> = packages("tests/fuzz/Cargo.lock")
        .into_iter()
        .filter(|package| !of_program.contains(package) && !own.contains(&&*package.0))
        .collect();
    assert!(
        others.is_empty(),
        "tests/fuzz/Cargo.lock has other versions than Cargo.lock: {others:?}. Copy Cargo.lock to tests/fuzz, and run `cargo metadata --manifest-path tests/fuzz/Cargo.toml`, which adds what only the targets have."
    );
}
