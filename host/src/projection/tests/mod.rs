//! Tests of the whole way from a schema to a declaration.
//!
//! - `goldens`: cases in files, with what they give beside them
//! - `corpora`: the tools of real servers
//! - `limits`: schemas that are large, deep, or made to take forever
//! - `printed`: packages that other tools print again
//! - `random`: schemas that nobody thought of
//! - `order`: tools in another order
//! - `linear`: how the time grows with a schema
//! - `words`: text that would be more than text
//! - `values`: documents as values of WIT, and back; `nullable`: where they may be null
//! - `support`: what must hold of any tools; also what the fuzz target checks

mod corpora;
mod goldens;
mod limits;
mod linear;
mod nullable;
mod order;
mod printed;
mod random;
pub(crate) mod support;
mod values;
mod words;

use std::path::PathBuf;

use super::Tool;

/// A folder of `tests/corpora`.
fn corpora(folder: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpora")).join(folder)
}

/// The files of a folder that end in `.json`, in order.
pub(crate) fn json_files(folder: &str) -> Vec<PathBuf> {
    let folder = corpora(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    files
}

/// The tools that a file lists.
pub(crate) fn tools_in(path: &PathBuf) -> Vec<Tool> {
    let text = std::fs::read(path).unwrap();
    let file: serde_json::Value =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_value(file["tools"].clone())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A tool with these schemas.
pub(crate) fn tool(
    name: &str,
    input: serde_json::Value,
    output: Option<serde_json::Value>,
) -> Tool {
    serde_json::from_value(
        serde_json::json!({ "name": name, "inputSchema": input, "outputSchema": output }),
    )
    .unwrap()
}

/// Bytes that depend on the case alone.
pub(crate) fn bytes(case: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new()
        .update(&case.to_le_bytes())
        .finalize_xof()
        .fill(&mut bytes);
    bytes
}
