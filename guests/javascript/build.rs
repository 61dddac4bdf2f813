//! Compiles the engine as this crate has it: `c/engine.c`, and in it QuickJS with the changes of
//! `c/changes`.
//!
//! `rquickjs-sys` has the engine's sources, and compiles them too. The linker takes what defines a
//! name first, and that is this crate's library: what `quickjs.c` defines is all in it, so nothing
//! of the other is linked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

#[path = "build/changes.rs"]
mod changes;

/// What `c/` was written for. Its files say what they rely on: look at that before this is changed.
const SOURCES: &str = "rquickjs-sys-0.14.0";

fn main() {
    for path in ["build", "c", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={path}");
    }
    let sources = sources();
    let changed = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder for this"));
    change(
        &sources.join("quickjs/quickjs.c"),
        &changed.join("quickjs.c"),
    )
    .expect("the engine's source can be read and written");
    let mut build = cc::Build::new();
    build
        .file("c/engine.c")
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

/// Writes a source with the changes of `c/changes`.
fn change(source: &Path, changed: &Path) -> io::Result<()> {
    let mut diffs = fs::read_dir("c/changes")?
        .map(|diff| Ok(diff?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    diffs.sort();
    let diffs = diffs
        .iter()
        .map(fs::read_to_string)
        .collect::<io::Result<Vec<_>>>()?;
    fs::write(
        changed,
        changes::apply(&fs::read_to_string(source)?, &diffs),
    )
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
