//! Nix's flake. It unpacks the archive, and has the program find Nix's C library.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::built::Archive;
use super::super::{SUMMARY, VERSION};
use super::{Address, Manifest};

/// The flake, without the archives.
const TEMPLATE: &str = include_str!("../files/flake.nix");

pub(super) fn flake(archives: &[Archive], address: &Address) -> Result<Manifest> {
    let mut list = String::new();
    for archive in archives {
        if let Some(system) = archive.platform.nix() {
            let url = address.of(archive);
            let hash = subresource_integrity(&archive.digest)?;
            write!(
                list,
                "\n        {system} = {{\n          url = \"{url}\";\n          hash = \"{hash}\";\n        }};"
            )?;
        }
    }
    let text = TEMPLATE
        .replace("@SUMMARY@", SUMMARY)
        .replace("@VERSION@", VERSION)
        .replace("@ARCHIVES@", &list);
    Ok(Manifest {
        path: "nix/flake.nix".to_owned(),
        text,
    })
}

/// A digest as Nix writes it.
fn subresource_integrity(hex: &str) -> Result<String> {
    let digits = hex.as_bytes().chunks(2);
    let bytes: Vec<u8> = digits
        .map(|pair| Ok(u8::from_str_radix(str::from_utf8(pair)?, 16)?))
        .collect::<Result<_>>()
        .with_context(|| format!("{hex} is not a digest"))?;
    Ok(format!("sha256-{}", STANDARD.encode(bytes)))
}
