//! The header is what is exported.

use std::path::Path;
use std::{env, fs};

/// The heading in Rust's documentation, which is not usual in C.
const SAFETY: &str = " * # Safety\n *\n * ";
/// The words for C.
const MUST_HOLD: &str = " * What must hold: ";

#[test]
fn the_header_is_what_is_exported() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config =
        cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("a configuration");
    let mut header = Vec::new();
    cbindgen::generate_with_config(folder, config)
        .expect("a header")
        .write(&mut header);
    let header = String::from_utf8(header).expect("text");
    let header = header.replace(SAFETY, MUST_HOLD);
    let committed = folder.join("include/ampoule.h");
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(folder.join("include")).expect("a folder");
        fs::write(&committed, &header).expect("a file");
    }
    let committed = fs::read_to_string(committed).unwrap_or_default();
    assert!(
        header == committed,
        "BLESS=1 cargo nextest run --workspace -E 'package(ampoule-c)' writes it anew"
    );
}
