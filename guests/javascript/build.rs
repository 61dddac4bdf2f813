//! Compiles the engine as this crate has it: `c/engine.c`, and in it QuickJS with the changes of
//! `c/changes`; beside it QuickJS's regular expressions, also with changes.
//!
//! `rquickjs-sys` has the engine's sources, and compiles them too. The linker takes what defines a
//! name first, and that is this crate's library: what `quickjs.c` and `libregexp.c` define is all in
//! it, so nothing of the others is linked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

#[path = "build/changes.rs"]
mod changes;

/// What `c/` was written for. Its files say what they rely on: look at that before this is changed.
const SOURCES: &str = "rquickjs-sys-0.14.0";

/// Those that are changed.
const CHANGED: [&str; 3] = ["quickjs.c", "libregexp.c", "libregexp-opcode.h"];

fn main() {
    for path in ["build", "c", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let sources = sources();
    let changed = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder for this"));
    change(&sources.join("quickjs"), &changed)
        .expect("the engine's sources can be read and written");
    let mut build = cc::Build::new();
    build
        .file("c/engine.c")
        .file(changed.join("libregexp.c"))
        // Before those as they were published.
        .include(changed)
        .include("c")
        .include(sources.join("quickjs"))
        .warnings(false)
        .debug(false)
        // As `rquickjs-sys` has them.
        .define("_GNU_SOURCE", None)
        .define("NDEBUG", None);
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32") {
        let headers = sources.join("vendor/wasi-libc/include");
        build
            .flag(format!("-isystem{}", headers.display()))
            .flag("-msimd128")
            .define("EMSCRIPTEN", "1")
            .define("FE_DOWNWARD", "0")
            .define("FE_UPWARD", "0");
    }
    build.compile("ampoule_engine");
}

/// Writes the sources with the changes of `c/changes`.
fn change(sources: &Path, changed: &Path) -> io::Result<()> {
    let mut diffs = fs::read_dir("c/changes")?
        .map(|diff| Ok(diff?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    diffs.sort();
    let diffs = diffs
        .iter()
        .map(fs::read_to_string)
        .collect::<io::Result<Vec<_>>>()?;
    for diff in &diffs {
        let source = changes::source_of(diff);
        assert!(CHANGED.contains(&source), "{source} is not compiled here");
    }
    for name in CHANGED {
        let source = fs::read_to_string(sources.join(name))?;
        fs::write(changed.join(name), changes::apply(name, &source, &diffs))?;
    }
    Ok(())
}

/// Where the sources of `rquickjs-sys` are.
fn sources() -> PathBuf {
    let metadata = Command::new(env::var_os("CARGO").expect("cargo names itself"))
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
        ])
        .arg(env::var_os("TARGET").expect("cargo names the target"))
        .output()
        .expect("cargo can be started");
    let metadata = String::from_utf8_lossy(&metadata.stdout);
    let manifest = format!("{SOURCES}/Cargo.toml");
    let folder = metadata
        .split('"')
        .find_map(|text| text.strip_suffix(&manifest));
    let folder = folder
        .unwrap_or_else(|| panic!("c/ was written for {SOURCES}, which is not what is used here"));
    Path::new(folder).join(SOURCES)
}
