//! The guests in `guests/examples` and `tests/guests`, built for tests. Each is built again only when
//! its sources change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::there_or_skipped;
use crate::programs::{self, succeed};
use xtask::repository;
use xtask::sources::{digest_of, files_in};

/// Where guests are: those that documents show, and those of tests alone.
const FOLDERS: [&str; 2] = ["guests/examples", "tests/guests"];

/// Builds all that can be built here, and gives the folder that has them: `rust-error.wasm` is made
/// of `guests/examples/rust-error`.
pub(super) fn build(node: Option<&Path>, python: Option<&Path>) -> Result<PathBuf> {
    let folder = repository().join("target/test-guests");
    fs::create_dir_all(&folder)?;
    for source in sources()? {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let built = guest(&source, &folder.join(format!("{name}.wasm")), node, python);
        there_or_skipped(&format!("the guest {name}"), built)?;
    }
    Ok(folder)
}

/// The folders of guests, relative to the repository.
fn sources() -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(repository().join(folder))? {
            let source = Path::new(folder).join(entry?.file_name());
            if repository().join(&source).is_dir() {
                sources.push(source);
            }
        }
    }
    sources.sort();
    Ok(sources)
}

fn guest(source: &Path, out: &Path, node: Option<&Path>, python: Option<&Path>) -> Result<()> {
    let name = source.file_name().and_then(|name| name.to_str());
    let name = name.context("a guest's folder has a name in UTF-8")?;
    let stamp = out.with_extension("made-from");
    let wanted = digest_of(&files_in(source)?)?;
    if out.exists() && fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        return Ok(());
    }
    // One of earlier sources must not pass for this.
    if out.exists() {
        fs::remove_file(out)?;
    }
    let source = repository().join(source);
    match name {
        rust if rust.starts_with("rust-") => programs::component(&source, out)?,
        "python" => componentize_py(&source, out, python)?,
        "javascript" => componentize_qjs(&source, out, node)?,
        other => bail!("unknown kind of guest: {other}"),
    }
    Ok(fs::write(stamp, wanted)?)
}

fn componentize_py(source: &Path, out: &Path, python: Option<&Path>) -> Result<()> {
    let python = python.context("the packages from PyPI are missing")?;
    succeed(
        Command::new(python.join("venv/bin/componentize-py"))
            .args(["--quiet", "-d", "wit", "-w", "program", "componentize"])
            .args(["app", "-o"])
            .arg(out)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .current_dir(source),
    )
}

fn componentize_qjs(source: &Path, out: &Path, node: Option<&Path>) -> Result<()> {
    let node = node.context("the packages from npm are missing")?;
    succeed(
        Command::new(node.join("node_modules/.bin/componentize-qjs"))
            .args(["--wit", "wit", "--world", "program", "--sync"])
            .args(["--js", "app.js", "-o"])
            .arg(out)
            .current_dir(source),
    )
}
