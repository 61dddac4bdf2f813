//! The families of `host/`, and the arrows between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use ampoule_tests::repository;
use serde_json::Value;

/// The families that each family uses.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// A crate of the host.
struct Crate {
    name: String,
    family: String,
    folder: String,
    /// What its library or program is built with; not what its tests are.
    uses: Vec<String>,
}

fn crates() -> Vec<Crate> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let told = Command::new(cargo)
        .args(["metadata", "--locked", "--offline", "--no-deps"])
        .args(["--format-version", "1"])
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    assert!(told.status.success(), "{}", told.stderr.escape_ascii());
    let metadata: Value = serde_json::from_slice(&told.stdout).expect("JSON of cargo");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().filter_map(of_host).collect()
}

fn of_host(package: &Value) -> Option<Crate> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let folder = manifest.parent()?.strip_prefix(repository()).ok()?;
    let family = folder.strip_prefix("host").ok()?.iter().next()?;
    let uses = package["dependencies"].as_array()?.iter();
    Some(Crate {
        name: package["name"].as_str()?.to_owned(),
        family: family.to_str()?.to_owned(),
        folder: folder.to_str()?.to_owned(),
        uses: uses
            .filter(|other| other["kind"].as_str() != Some("dev"))
            .filter_map(|other| Some(other["name"].as_str()?.to_owned()))
            .collect(),
    })
}

/// The arrows that the dependencies of crates make.
fn built(crates: &[Crate]) -> Arrows {
    let family_of: BTreeMap<_, _> = crates
        .iter()
        .map(|each| (each.name.as_str(), each.family.as_str()))
        .collect();
    let mut arrows = Arrows::new();
    for each in crates {
        let used = arrows.entry(each.family.clone()).or_default();
        let others = each.uses.iter().filter_map(|name| family_of.get(&**name));
        used.extend(others.map(|family| (*family).to_owned()));
        used.remove(&each.family);
    }
    arrows
}

/// The cells of the tables of `ARCHITECTURE.md` whose first one is in backticks.
fn rows() -> Vec<Vec<String>> {
    let document = repository().join("ARCHITECTURE.md");
    let document = std::fs::read_to_string(document).expect("the document");
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}

/// The names in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// The arrows as the table of families has them.
fn drawn(families: &BTreeSet<String>) -> Arrows {
    let mut arrows = Arrows::new();
    for row in rows() {
        let family = row[0].trim_matches('`');
        if families.contains(family) && row.len() == 3 {
            arrows.insert(family.to_owned(), quoted(&row[2]));
        }
    }
    arrows
}

#[test]
fn arrows_between_families_are_those_of_the_document() {
    let built = built(&crates());
    assert_eq!(built.len(), 10, "{built:#?}");
    assert_eq!(drawn(&built.keys().cloned().collect()), built);
}

/// A family is used by those above it alone: taking away those that use nothing which is left, again
/// and again, leaves none.
#[test]
fn no_arrow_between_families_leads_back() {
    let mut left = built(&crates());
    while !left.is_empty() {
        let before = left.len();
        let names: BTreeSet<_> = left.keys().cloned().collect();
        left.retain(|_, used| !used.is_disjoint(&names));
        assert!(left.len() < before, "a circle: {left:#?}");
    }
}

#[test]
fn each_crate_has_a_row_and_each_row_a_crate() {
    let listed: BTreeSet<_> = rows()
        .into_iter()
        .filter(|row| row.len() == 3 && row[1].starts_with("`host/"))
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let there: BTreeSet<_> = crates()
        .into_iter()
        .map(|each| (format!("`{}`", each.name), format!("`{}`", each.folder)))
        .collect();
    assert_eq!(listed, there);
}
