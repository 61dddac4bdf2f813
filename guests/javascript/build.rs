//! Compiles the engine as this crate has it: `c/engine.c`.
//!
//! `rquickjs-sys` has the engine's sources, and compiles them too. The linker takes what defines a
//! name first, and that is this crate's library: what `quickjs.c` defines is all in it, so nothing
//! of the other is linked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What `c/` was written for. Its files say what they rely on: look at that before this is changed.
const SOURCES: &str = "rquickjs-sys-0.14.0";

fn main() {
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=Cargo.lock");
    let sources = sources();
    let mut build = cc::Build::new();
    build
        .file("c/engine.c")
        // Before the sources: `quickjs.c` is found there first.
        .include(changed(&sources))
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

/// What of the engine itself is another: the condition under which `return` is refused outside of
/// functions. Programs of a session are no functions, and return.
const CHANGE: (&str, &str) = (
    "if (s->cur_func->is_eval) {\n            js_parse_error(s, \"return not in a function\");",
    "if (s->cur_func->is_eval && !ampoule_may_return) {\n            js_parse_error(s, \"return not in a function\");",
);

/// Writes the engine with that change; gives the folder where it is.
fn changed(sources: &Path) -> PathBuf {
    let engine = sources.join("quickjs/quickjs.c");
    let engine = fs::read_to_string(&engine)
        .unwrap_or_else(|error| panic!("{} can't be read: {error}", engine.display()));
    assert_eq!(
        engine.matches(CHANGE.0).count(),
        1,
        "the parser refuses `return` elsewhere now"
    );
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder"));
    fs::write(folder.join("quickjs.c"), engine.replace(CHANGE.0, CHANGE.1))
        .expect("the folder can be written");
    folder
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
