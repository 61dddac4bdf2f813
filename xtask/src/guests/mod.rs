//! `cargo xtask guests`: from a guest's sources to the component that the host embeds.
//!
//! - [`example`]: other crates in Rust, as components
//! - [`toolchain`]: what builds for WebAssembly on this machine
//! - [`snapshot`]: the guest as it is after its initialisation
//! - [`manifest`]: what was built, from what, and with what

mod example;
mod link;
mod manifest;
mod python;
mod snapshot;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use wit_component::ComponentEncoder;

use crate::repository;
pub(crate) use example::{component, digest};
use manifest::Manifest;
use toolchain::Toolchain;

/// The JavaScript guest's artifact.
const JAVASCRIPT: &str = "javascript.wasm";

/// Builds the guests into `guests/dist`.
pub(crate) fn build() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let dist = dist();
    fs::create_dir_all(&dist)?;
    let python = python::build(&toolchain)?;
    fs::write(dist.join("python.wasm"), &python)?;
    report(&format!("built python {}", python.len()));
    if std::env::var_os("ONLY_PYTHON").is_some() { return Ok(()); }
    let component = javascript(&toolchain)?;
    fs::write(dist.join(JAVASCRIPT), &component)?;
    let manifest = Manifest::of(JAVASCRIPT, &component, &sources()?, &toolchain)?;
    manifest.write(&dist)?;
    report(&format!(
        "built {} ({} KiB)",
        JAVASCRIPT,
        component.len() / 1024
    ));
    Ok(())
}

/// Builds the guests again, and compares them with what is kept: sources, tools and bytes.
pub(crate) fn check() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let kept = fs::read(dist().join(JAVASCRIPT))
        .context("guests/dist holds no JavaScript guest; run `cargo xtask guests`")?;
    let manifest = Manifest::read(&dist())?;
    manifest.check(JAVASCRIPT, &kept, &sources()?, &toolchain)?;
    let built = javascript(&toolchain)?;
    if built != kept {
        bail!(
            "{JAVASCRIPT} is not what its sources give: {} bytes, and {} built now; run `cargo xtask guests`",
            kept.len(),
            built.len()
        );
    }
    report(&format!("{JAVASCRIPT} is what its sources give"));
    Ok(())
}

/// The JavaScript guest: built, initialised, made a component.
fn javascript(toolchain: &Toolchain) -> Result<Vec<u8>> {
    let module = toolchain.build(
        &repository().join("guests/javascript"),
        "ampoule_javascript.wasm",
    )?;
    let snapshot = snapshot::take(&module)
        .map_err(|error| anyhow::anyhow!("the guest can't be initialised: {error:?}"))?;
    encode(&snapshot)
}

/// A module as the component that its sections tell of.
fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| anyhow::anyhow!("the guest is no component: {error:?}"))
}

/// Every file that the JavaScript guest is made of.
fn sources() -> Result<Vec<PathBuf>> {
    let root = repository();
    let mut files = vec![
        "guests/javascript/Cargo.toml".into(),
        "guests/javascript/Cargo.lock".into(),
    ];
    for folder in [
        "guests/javascript/src",
        "guests/javascript/prelude",
        "guests/javascript/c",
        "wit",
    ] {
        collect(&root, Path::new(folder), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))
        .with_context(|| format!("{} can't be read", folder.display()))?
    {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn dist() -> PathBuf {
    repository().join("guests/dist")
}

#[expect(clippy::print_stdout, reason = "a task tells what it did")]
fn report(what: &str) {
    println!("{what}");
}
