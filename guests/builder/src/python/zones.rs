//! Time zones: the package `tzdata` as the source of a module, since the guest has no files.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The folder of the database in the packages' folder.
const FOLDER: &str = "tzdata/zoneinfo";
/// What each file of a zone begins with (RFC 9636).
const MAGIC: &[u8] = b"TZif";

/// The source of the module that holds the database: `ZONES`, the zones' data by their names.
pub(super) fn source(packages: &Path) -> Result<Vec<u8>> {
    let folder = packages.join(FOLDER);
    let mut zones = Vec::new();
    collect(&folder, &folder, &mut zones)
        .with_context(|| format!("the package has no {FOLDER}"))?;
    ensure!(!zones.is_empty(), "{FOLDER} has no time zones");
    zones.sort();
    let mut source = String::from("ZONES = {\n");
    for (name, data) in zones {
        let mut literal = String::with_capacity(4 * data.len());
        for byte in data {
            write!(literal, "\\x{byte:02x}")?;
        }
        writeln!(source, "    {name:?}: b\"{literal}\",")?;
    }
    source.push_str("}\n");
    Ok(source.into_bytes())
}

fn collect(root: &Path, folder: &Path, zones: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, zones)?;
            continue;
        }
        let data = fs::read(&path)?;
        if data.starts_with(MAGIC) {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            zones.push((name, data));
        }
    }
    Ok(())
}
