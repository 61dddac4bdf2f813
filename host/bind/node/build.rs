//! Has napi write what is exported, beside what is built: `native.d.ts` is held to it by a test.

use std::path::Path;
use std::{env, fs};

/// The variable by which napi's macros know where to write, while the crate is compiled.
const FOLDER: &str = "NAPI_TYPE_DEF_TMP_FOLDER";

fn main() {
    let out = env::var_os("OUT_DIR").expect("cargo names the folder");
    // Of `PROFILE/build/PACKAGE/out`.
    let built = Path::new(&out).ancestors().nth(3).expect("it is that deep");
    let folder = built.join("types");
    fs::create_dir_all(&folder).expect("a folder can be made there");
    println!("cargo::rustc-env={FOLDER}={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
}
