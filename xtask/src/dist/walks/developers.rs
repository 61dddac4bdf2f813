//! Developers: from the package, or from a clone, to a script that has called a tool.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use xtask::repository;

use super::page::blocks;
use super::place::Place;
use crate::dist::answer;
use crate::dist::check::install_page::commands;

pub(super) fn python(place: &mut Place) -> Result<()> {
    place.has(&["python3-venv"])?;
    place.knows_registries()?;
    place.brings("pyampoule-", ".whl")?;
    installed(place, "wheel")?;
    let program = blocks("docs/start/python.md", "python")?.join("\n");
    place.writes("first.py", &program)?;
    place.step(
        "the page's program: a tool, runs, a limit",
        "environment/bin/python first.py",
    )?;
    Ok(())
}

pub(super) fn node(place: &mut Place) -> Result<()> {
    with_node(place)?;
    place.knows_registries()?;
    place.brings("ampoule-", ".tgz")?;
    installed(place, "npm")?;
    let program = blocks("docs/start/node.md", "js")?.join("\n");
    place.writes("first.mjs", &program)?;
    place.step(
        "the page's program: a tool, runs, a limit",
        "node first.mjs",
    )?;
    Ok(())
}

pub(super) fn rust(place: &mut Place) -> Result<()> {
    place.has(&["gcc", "libc6-dev"])?;
    place.knows_registries()?;
    // The toolchain and what Cargo has downloaded are this machine's.
    place.shows(said("rustc", &["--print", "sysroot"])?, "/opt/rust");
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    place.shows(home.context("Cargo has no folder")?, "/opt/cargo");
    place.sets("CARGO_HOME", "/opt/cargo");
    let started = Instant::now();
    let clone = place.path("root/ampoule");
    answer(
        Command::new("git")
            .args(["clone", "--quiet", "--depth", "1"])
            .arg(format!("file://{}", repository().display()))
            .arg(&clone),
    )?;
    place.took("clone the repository", started);
    let page = "docs/start/rust.md";
    let dependencies = &blocks(page, "text")?[0];
    let package = "[package]\nname = \"first\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    place.writes("first/Cargo.toml", &format!("{package}\n{dependencies}"))?;
    place.writes("first/src/main.rs", &blocks(page, "rust")?[0])?;
    place.step(
        "build a program of one's own",
        "cd first && cargo build --quiet",
    )?;
    let printed = place.step(
        "run it: two tools and a script",
        "cd first && cargo run --quiet",
    )?;
    ensure!(
        printed.starts_with("2 calls"),
        "the program prints {printed}"
    );
    Ok(())
}

/// Types what the page on installing says, which ends with a script.
fn installed(place: &mut Place, way: &str) -> Result<()> {
    let said = place.step("install, and run first scripts", &commands(way)?)?;
    ensure!(
        said.lines().next_back() == Some("42"),
        "the first scripts give:\n{said}"
    );
    Ok(())
}

/// Puts this machine's Node and npm where a developer has them.
fn with_node(place: &Place) -> Result<()> {
    let local = place.path("usr/local");
    fs::copy(
        said("node", &["-p", "process.execPath"])?,
        local.join("bin/node"),
    )?;
    let modules = local.join("lib/node_modules");
    fs::create_dir_all(&modules)?;
    let npm = Path::new(&said("npm", &["root", "--global"])?).join("npm");
    answer(
        Command::new("cp")
            .args(["--recursive", "--dereference"])
            .args([&npm, &modules]),
    )?;
    for name in ["npm", "npx"] {
        let script = format!("../lib/node_modules/npm/bin/{name}-cli.js");
        symlink(script, local.join("bin").join(name))?;
    }
    Ok(())
}

/// What a program of this machine says, in a line.
fn said(program: &str, arguments: &[&str]) -> Result<String> {
    let said = answer(Command::new(program).args(arguments))?;
    Ok(String::from_utf8(said)?.trim().to_owned())
}
