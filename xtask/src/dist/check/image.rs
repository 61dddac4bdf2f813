//! The image, by podman, with a store of its own.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use xtask::repository;

use super::install_page::typed;
use super::usage::{Client, InstalledProgram};
use super::{PartOutcome, clean, installed, missing};
use crate::dist::{Packages, answer};

/// Nothing can be written, and nothing reached.
const CLOSED: [&str; 6] = [
    "--rm",
    "--interactive",
    "--read-only",
    "--network=none",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
];

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["podman"]) {
        return Ok(skipped);
    }
    let folder = tempfile::tempdir()?;
    let settings = settings(folder.path())?;
    let podman = |arguments: &[&str]| {
        let mut command = clean("podman", folder.path());
        command.envs(settings.clone()).args(arguments);
        command
    };
    let tag = &*packages.image.tag;
    let checked = if let Some(reason) = cannot_run(&podman, packages)? {
        Ok(PartOutcome::Skipped(reason))
    } else {
        used(&podman, packages, client, &settings, folder.path())
    };
    // What it has mounted would be in the folder's way.
    answer(&mut podman(&["image", "rm", "--force", tag]))?;
    checked
}

type Settings = [(&'static str, String); 2];

/// A store in this folder, in the plainest way, and limits that are not above those of the current
/// user.
fn settings(folder: &Path) -> Result<Settings> {
    let at = |name: &str| folder.join(name).display().to_string();
    let store = format!(
        "[storage]\ndriver = \"vfs\"\ngraphroot = \"{}\"\nrunroot = \"{}\"\n",
        at("store"),
        at("running")
    );
    fs::write(folder.join("storage.conf"), store)?;
    // What starts containers by default knows fewer arrangements of control groups than this.
    let runtime = match installed("runc") {
        Some(_) => "runtime = \"runc\"\n",
        None => "",
    };
    let podman = format!(
        "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n\
        [engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n{runtime}"
    );
    fs::write(folder.join("containers.conf"), podman)?;
    Ok([
        ("CONTAINERS_CONF", at("containers.conf")),
        ("CONTAINERS_STORAGE_CONF", at("storage.conf")),
    ])
}

/// Loads the image; why no container can be run here at all: what is wrong is then not the image.
fn cannot_run(podman: &impl Fn(&[&str]) -> Command, packages: &Packages) -> Result<Option<String>> {
    answer(podman(&["load", "--input"]).arg(&packages.image.archive))?;
    let run = [&["run"][..], &CLOSED, &[&packages.image.tag, "--version"]].concat();
    let tried = podman(&run).output()?;
    // 126 and less than that are podman's own, before anything of the image has run.
    Ok(matches!(tried.status.code(), Some(125 | 126)).then(|| {
        let said = String::from_utf8_lossy(&tried.stderr);
        format!("podman runs nothing here: {}", said.trim())
    }))
}

fn used(
    podman: &impl Fn(&[&str]) -> Command,
    packages: &Packages,
    client: &Client,
    settings: &Settings,
    folder: &Path,
) -> Result<PartOutcome> {
    let tag = &*packages.image.tag;
    let exports: String = settings
        .iter()
        .map(|(name, value)| format!("export {name}='{value}'; "))
        .collect();
    typed("podman", &[&packages.image.archive], folder, &exports)?;
    let volume = format!(
        "--volume={}:/examples:ro",
        repository().join("examples").display()
    );
    let words = ["podman", "run"].into_iter().chain(CLOSED);
    let words = words.chain([&*volume, tag]).map(str::to_owned);
    let mut environment = settings.to_vec();
    environment.push(("HOME", folder.display().to_string()));
    environment.push(("PATH", std::env::var("PATH").unwrap_or_default()));
    let installed = InstalledProgram {
        words: words.collect(),
        environment,
        examples: "/examples".to_owned(),
    };
    installed.works(client)?;
    let warm = installed.prints(&["warm"])?;
    ensure!(
        warm.matches("was already compiled").count() == 2,
        "the container compiles guests, which the image should have: {warm}"
    );
    let python = ["run", "--quiet", "--language", "python", "-e", "1"];
    let ran = installed.run(&python).output()?;
    let said = String::from_utf8_lossy(&ran.stderr);
    ensure!(
        ran.status.success()
            && said
                .lines()
                .all(|line| line.starts_with("ampoule: no ampoule.toml")),
        "warnings in the container: {said}"
    );
    let shell = podman(&["run", "--rm", "--entrypoint=/bin/sh", tag]).output()?;
    ensure!(!shell.status.success(), "the image has a shell");
    let user = answer(&mut podman(&[
        "image",
        "inspect",
        "--format={{.User}}",
        tag,
    ]))?;
    ensure!(
        user.starts_with(b"65532:"),
        "it runs as {}",
        String::from_utf8_lossy(&user)
    );
    Ok(PartOutcome::Works)
}
