//! The manifests, by the programs that read them: `shellcheck`, Ruby and Nix read their syntax.
//! Homebrew, Scoop and winget themselves are not tried. The folder that `AMPOULE_SCHEMAS` names has
//! the schemas of Scoop and winget: `scoop.json`, and winget's with its own names.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::usage::Client;
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, answer};
use crate::{say, test};

pub(super) fn check(packages: &Packages, _: &Client) -> Result<PartOutcome> {
    let home = tempfile::tempdir()?;
    let mut skipped = Vec::new();
    for manifest in &packages.manifests {
        let name = manifest.file_name().unwrap_or_default().to_string_lossy();
        if let Some(reason) = read(&name, manifest, home.path())
            .with_context(|| format!("{} is not sound", manifest.display()))?
        {
            skipped.push(format!("{name}: {reason}"));
        } else {
            say(&format!("read: {name}"));
        }
    }
    Ok(match &*skipped {
        [] => PartOutcome::Works,
        reasons => PartOutcome::Skipped(reasons.join("; ")),
    })
}

/// Reads one; says why that can't be tried here.
fn read(name: &str, file: &Path, home: &Path) -> Result<Option<String>> {
    let evaluated = format!(
        "builtins.attrNames ((import {}).outputs {{ self = null; nixpkgs = null; }}).packages",
        file.display()
    );
    let path = file.display().to_string();
    let (program, arguments): (&str, Vec<&str>) = if name.ends_with(".sh") {
        ("shellcheck", vec!["--shell=sh", &path])
    } else if name.ends_with(".rb") {
        ("ruby", vec!["-wc", &path])
    } else if name.ends_with(".nix") {
        // The systems are known without Nix's packages.
        let evaluate = vec!["--eval", "--strict", "--expr", &evaluated];
        ("nix-instantiate", evaluate)
    } else {
        return by_schema(name, file, home);
    };
    if let Some(PartOutcome::Skipped(reason)) = missing(&[program]) {
        return Ok(Some(reason));
    }
    answer(clean(program, home).args(arguments))?;
    Ok(None)
}

/// Validates one by its schema.
fn by_schema(name: &str, file: &Path, home: &Path) -> Result<Option<String>> {
    let Some(schemas) = env::var_os("AMPOULE_SCHEMAS").map(PathBuf::from) else {
        return Ok(Some(
            "AMPOULE_SCHEMAS names no folder with schemas".to_owned(),
        ));
    };
    let kind = ["installer", "locale"]
        .iter()
        .find(|kind| name.contains(**kind));
    let schema = match (name, kind) {
        ("ampoule.json", _) => "scoop.json".to_owned(),
        (_, Some(&"locale")) => "manifest.defaultLocale.1.10.0.json".to_owned(),
        (_, Some(kind)) => format!("manifest.{kind}.1.10.0.json"),
        (_, None) => "manifest.version.1.10.0.json".to_owned(),
    };
    let python = test::python()?.join("venv/bin/python");
    answer(
        clean(python, home)
            .args(["-c", include_str!("schema.py")])
            .args([&schemas.join(schema), file]),
    )?;
    Ok(None)
}
