//! Crates in Rust that are not part of Ampoule, as components: the examples, and what `ampoule
//! generate` writes.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use wit_component::ComponentEncoder;

use crate::toolchain::Toolchain;
use xtask::repository;

/// Builds a crate for WebAssembly, by what this machine has for that, and writes it as a component.
///
/// `cargo build --target wasm32-wasip2` does the same in one step where rustup has that target;
/// without it, this needs no WASI.
pub(crate) fn component(package: &Path, out: &Path) -> Result<()> {
    let manifest = package.join("Cargo.toml");
    let manifest = fs::read_to_string(&manifest)
        .with_context(|| format!("{} can't be read", manifest.display()))?;
    let name = manifest
        .lines()
        .find_map(|line| {
            line.strip_prefix("name = ")?
                .trim()
                .strip_prefix('"')?
                .strip_suffix('"')
        })
        .context("the package has no name")?;
    let module = format!("{}.wasm", name.replace('-', "_"));
    // One folder for all: the standard library is built once.
    let target = repository().join("target/test-guests/target");
    let module = Toolchain::find()?.build_any(package, &target, &module)?;
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| anyhow!("{name} is not a component: {error:?}"))?;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(out, component).with_context(|| format!("{} can't be written", out.display()))
}
