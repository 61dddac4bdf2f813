//! The pages of the programming interfaces, below `api` in the site: what rustdoc, pdoc and TypeDoc
//! make of the sources.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use xtask::repository;

use crate::installs::{environment, npm_ci, prepare};
use crate::programs::{cargo, succeed};
use crate::{say, test};

/// The folder in the site.
pub(super) const FOLDER: &str = "api";
/// Where the pages of each language begin, as `docs/reference/api.md` names them.
const BEGINNINGS: [&str; 3] = [
    "api/rust/ampoule/index.html",
    "api/python/pyampoule.html",
    "api/node/index.html",
];
/// The page that links them, in the site's sources.
const PAGE: &str = "reference/api.md";
/// The files that say which tools are installed.
const TOOLS: &str = "xtask/src/docs/tools";
/// The sources of Node's package.
const NODE: &str = "host/bind/node";

/// Has the page that names the beginnings link them.
pub(super) fn link(pages: &Path) -> Result<()> {
    let page = pages.join(PAGE);
    let text = fs::read_to_string(&page)?;
    Ok(fs::write(page, linked(&text)?)?)
}

/// A page of the folder `reference` with links in place of names.
fn linked(text: &str) -> Result<String> {
    let mut text = text.to_owned();
    for beginning in BEGINNINGS {
        let name = format!("`{beginning}`");
        ensure!(
            text.contains(&name),
            "docs/{PAGE} does not name {beginning}"
        );
        text = text.replace(&name, &format!("[{name}](../{beginning})"));
    }
    Ok(text)
}

/// Makes the pages in a site.
pub(super) fn write(site: &Path) -> Result<()> {
    let api = site.join(FOLDER);
    fs::create_dir_all(&api)?;
    say("the interface of the crate");
    rust(&api.join("rust"))?;
    say("the interface of Python's package");
    python(&api.join("python"))?;
    say("the interface of Node's package");
    node(&api.join("node"))?;
    for beginning in BEGINNINGS {
        let is_there = site.join(beginning).is_file();
        ensure!(is_there, "{beginning} was not made");
    }
    Ok(())
}

/// A folder for tools and what they work on.
fn folder(name: &str) -> PathBuf {
    repository().join("target/docs-tools").join(name)
}

fn rust(to: &Path) -> Result<()> {
    let program = env::current_exe().context("can't tell where programs are built")?;
    let built = program.parent().and_then(Path::parent);
    let built = built.context("can't tell where programs are built")?;
    // Its pages get a folder of their own: those of other crates that lie in `target/doc` would be
    // linked, and found by its search. What is compiled for them is where all else is.
    let folder = folder("rustdoc");
    let mut doc = cargo([
        "doc",
        "--locked",
        "--quiet",
        "--no-deps",
        "--package",
        "ampoule",
        "--all-features",
        "--target-dir",
    ]);
    succeed(doc.arg(&folder).env("CARGO_BUILD_BUILD_DIR", built))?;
    copy(&folder.join("doc"), to)
}

fn python(to: &Path) -> Result<()> {
    let package = test::bindings_python()?;
    let folder = folder("pdoc");
    let requirements = "requirements.txt";
    prepare(&folder, TOOLS, &[requirements], |folder| {
        environment(folder, "venv", requirements)
    })?;
    // pdoc imports the package, with what its adapters import.
    let libraries = Command::new(package.join("venv/bin/python"))
        .args([
            "-c",
            "import sysconfig; print(sysconfig.get_path('purelib'))",
        ])
        .output()
        .context("the virtual environment has no Python")?;
    let libraries = String::from_utf8(libraries.stdout)?;
    let paths = [package.join("site"), PathBuf::from(libraries.trim())];
    let mut pdoc = Command::new(folder.join("venv/bin/python"));
    pdoc.args(["-m", "pdoc", "--no-show-source", "--output-directory"])
        .arg(to)
        .args(["pyampoule", "pyampoule.adapters"])
        .env("PYTHONPATH", env::join_paths(paths)?);
    succeed(&mut pdoc)
}

fn node(to: &Path) -> Result<()> {
    let folder = folder("typedoc");
    let files = ["package.json", "package-lock.json"];
    prepare(&folder, TOOLS, &files, |folder| {
        npm_ci(folder, &["--ignore-scripts"])
    })?;
    let package = folder.join("ampoule");
    fs::create_dir_all(&package)?;
    for file in [
        "index.d.ts",
        "outcome.d.ts",
        "errors.d.ts",
        "codemode.d.ts",
        "package.json",
    ] {
        fs::copy(repository().join(NODE).join(file), package.join(file))?;
    }
    fs::write(
        package.join("README.md"),
        include_str!("../dist/files/npm.md"),
    )?;
    let compiler = json!({
        "compilerOptions": {
            "strict": true,
            "module": "nodenext",
            "target": "es2023",
            "lib": ["es2023", "esnext.disposable"],
            "types": ["node"],
        },
        "files": ["index.d.ts", "codemode.d.ts"],
    });
    fs::write(package.join("tsconfig.json"), compiler.to_string())?;
    let options = json!({
        "entryPoints": ["index.d.ts", "codemode.d.ts"],
        "tsconfig": "tsconfig.json",
        "name": "ampoule",
        "disableSources": true,
        "treatWarningsAsErrors": true,
        "out": to,
    });
    fs::write(package.join("typedoc.json"), options.to_string())?;
    let mut typedoc = Command::new("node");
    typedoc
        .arg(folder.join("node_modules/typedoc/bin/typedoc"))
        .current_dir(&package);
    succeed(&mut typedoc)
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_the_beginnings_and_the_site_links_them() {
        let page = repository().join("docs").join(PAGE);
        let text = linked(&fs::read_to_string(page).expect("the page")).expect("names");
        for beginning in BEGINNINGS {
            assert!(text.contains(&format!("](../{beginning})")), "{text}");
        }
        assert!(linked("# A page without names\n").is_err());
    }
}
