//! What the libraries need besides: a table of their modules, from which CPython imports them, and
//! what C has that WebAssembly has not.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use xtask::repository;

use super::FOLDER;
use crate::python::Files;
use crate::toolchain::Toolchain;

/// The library with it, and its name.
pub(super) fn library(
    toolchain: &Toolchain,
    folder: &Path,
    modules: &Files,
) -> Result<(String, Vec<u8>)> {
    fs::create_dir_all(folder)?;
    let table = folder.join("modules.c");
    fs::write(&table, source(modules)?)?;
    let own = repository().join(FOLDER);
    let library = folder.join("support.so");
    let compiled = Command::new(toolchain.clang())
        .args([
            "--target=wasm32-wasip1",
            "-O2",
            "-fPIC",
            "-fvisibility=default",
        ])
        .arg("-nostdlib")
        .arg("-nostdlibinc")
        .arg("-isystem")
        .arg(own.join("include/c"))
        .args(["-shared", "-Wl,--experimental-pic", "-Wl,--no-entry"])
        .arg("-Wl,--unresolved-symbols=import-dynamic")
        .args([own.join("c/flags.c"), own.join("c/exceptions.c"), table])
        .arg("-o")
        .arg(&library)
        .status()
        .with_context(|| format!("{} can't be started", toolchain.clang()))?;
    if !compiled.success() {
        bail!("the table of modules does not compile");
    }
    Ok(("support.so".to_owned(), fs::read(&library)?))
}

/// A table of modules, and the function that gives it to CPython.
fn source(modules: &Files) -> Result<String> {
    let mut source = String::from(
        "struct module { const char *name; void *(*initialise)(void); };\n\
         int PyImport_ExtendInittab(struct module *);\n",
    );
    let mut entries = String::new();
    let mut functions = BTreeSet::new();
    for (name, _) in modules {
        let function = format!("PyInit_{}", name.rsplit('.').next().unwrap_or(name));
        writeln!(source, "extern void *{function}(void);")?;
        writeln!(entries, "    {{\"{name}\", {function}}},")?;
        ensure!(
            functions.insert(function.clone()),
            "two libraries have {function}"
        );
    }
    write!(
        source,
        "static struct module modules[] = {{\n{entries}    {{0, 0}},\n}};\n\
         __attribute__((export_name(\"build:register-modules\"))) void register_modules(void)\n\
         {{\n    if (PyImport_ExtendInittab(modules) != 0) __builtin_trap();\n}}\n"
    )?;
    Ok(source)
}
