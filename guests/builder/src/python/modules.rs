//! Which modules are in the guest's memory, and how they lie there; the guest's `library` module
//! reads it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::compiler::Compiler;
use super::libraries::{Files, Libraries};
use super::{Extensions, FOLDER};
use xtask::repository;

/// Parts of the standard library that are of no use without a screen, a network, processes or
/// files, or that are its own tests and tools.
const LEFT_OUT: [&str; 11] = [
    "__phello__",
    "curses",
    "dbm",
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "test",
    "tkinter",
    "turtledemo",
    "venv",
];

/// What the name of a module begins with whose place another one takes.
const REPLACED: &str = "replaced_";

/// Where packages of extensions say that their files are.
const PLACE: &str = "/lib/python/";

/// The module with the time zones, which is made from the package's data.
const ZONES: &str = "ampoule_guest/_zones.py";

/// The block of all modules: the standard library's, and the Python half's.
pub(super) fn block(
    libraries: &Libraries,
    extensions: &Extensions,
    module: &[u8],
) -> Result<Vec<u8>> {
    let mut sources = vec![(ZONES.to_owned(), libraries.zones.clone())];
    for (path, text) in &libraries.standard_library {
        let top = path.split('/').next().unwrap_or_default();
        if path.ends_with(".py") && !LEFT_OUT.contains(&top) {
            sources.push((path.clone(), text.clone()));
        }
    }
    let lib = repository().join(FOLDER).join("lib");
    own(&lib, &lib, &mut sources)?;
    extend(&mut sources, &extensions.sources);
    sources.sort();
    let mut compiler = Compiler::start(module)?;
    let mut block = Vec::new();
    for (path, text) in &sources {
        let (name, is_package) = name_of(path);
        let top = path.split('/').next().unwrap_or_default();
        let file = match extensions.packages.contains(&top) {
            true => format!("{PLACE}{path}"),
            false => format!("<frozen {name}>"),
        };
        let code = compiler
            .compile(&file, text)
            .with_context(|| format!("{path} does not compile"))?;
        let Some(code) = code else { continue };
        for number in [name.len() + 1, code.len(), is_package.into()] {
            block.extend((number as u32).to_le_bytes());
        }
        block.extend(name.as_bytes());
        block.push(0);
        block.extend(code);
    }
    Ok(block)
}

/// Adds the sources of extensions.
fn extend(sources: &mut Files, extensions: &Files) {
    for (path, text) in extensions {
        if let Some((replaced, _)) = sources.iter_mut().find(|(taken, _)| taken == path) {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            *replaced = format!("{folder}/{REPLACED}{file}");
        }
        sources.push((path.clone(), text.clone()));
    }
}

/// The name of a module, from its file's path, and whether it is a package.
fn name_of(path: &str) -> (String, bool) {
    let name = path.trim_end_matches(".py");
    match name.strip_suffix("/__init__") {
        Some(package) => (package.replace('/', "."), true),
        None => (name.replace('/', "."), false),
    }
}

pub(super) fn own(root: &Path, folder: &Path, sources: &mut Files) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            own(root, &path, sources)?;
        } else if path.extension().is_some_and(|extension| extension == "py") {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            sources.push((name, fs::read(&path)?));
        }
    }
    Ok(())
}
