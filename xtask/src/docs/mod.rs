//! `cargo xtask docs`: the pages that follow from the program, and the site.
//!
//! - `api`: the pages of the programming interfaces, with `--api`
//! - `source`: what the site is made from: the pages, with what they link to
//! - `index`: `llms.txt`, the list of pages for models
//! - `links`: whether each link of the site leads somewhere

mod api;
mod index;
mod links;
mod source;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use xtask::repository;

use crate::programs::{cargo, programs, succeed};
use crate::say;

/// Makes the site from the pages.
const MDBOOK: &str = "0.5.4";

/// The site.
#[derive(Debug, Args)]
pub(crate) struct Docs {
    /// Also makes the pages of the programming interfaces for Rust, Python and Node, in the site's
    /// folder `api`, by rustdoc, pdoc and TypeDoc.
    #[arg(long)]
    api: bool,
    /// Makes the site of the pages as they are. Other tests say whether they follow from the program.
    #[arg(long)]
    check: bool,
}

/// Writes the generated pages anew, makes the site, and checks its links.
pub(crate) fn run(docs: &Docs) -> Result<()> {
    if !docs.check {
        programs()?;
        generated_pages()?;
    }
    let site = site(docs)?;
    say(&format!("the site is in {}", site.display()));
    Ok(())
}

/// Has the tests write the pages that they hold.
fn generated_pages() -> Result<()> {
    say("pages that follow from the program");
    let pages = "test(/^reference::/) | test(=defaults::the_document_is_what_the_table_says) \
        | test(=cpython::the_page_tells_of_every_reason)";
    let mut generated = cargo(["nextest", "run", "--locked", "--workspace", "-E", pages]);
    generated
        .env("BLESS", "1")
        .env("NEXTEST_STATUS_LEVEL", "fail");
    succeed(&mut generated)
}

/// Makes the site in `target/docs/site`.
fn site(docs: &Docs) -> Result<PathBuf> {
    let folder = repository().join("target/docs");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (pages, site) = (folder.join("pages"), folder.join("site"));
    let book = source::gather(&pages)?;
    if docs.api {
        api::link(&pages)?;
    }
    say("the site");
    succeed(
        Command::new(mdbook()?)
            .arg("build")
            .arg(&pages)
            .arg("--dest-dir")
            .arg(&site),
    )?;
    for page in &book.pages {
        // Models read Markdown: each page is there in both forms.
        fs::copy(pages.join(page), site.join(page))?;
    }
    fs::write(site.join("llms.txt"), index::of(&pages, &book)?)?;
    if docs.api {
        api::write(&site)?;
    }
    links::check(&site)?;
    Ok(site)
}

/// The program that makes sites, installed if need be.
fn mdbook() -> Result<PathBuf> {
    let root = repository().join("target/docs-tools");
    let program = root.join("bin/mdbook");
    if !is_version(&program) {
        say("mdBook, installed: that takes a minute or two");
        let mut install = cargo([
            "install",
            "mdbook",
            "--locked",
            "--quiet",
            "--no-default-features",
        ]);
        install
            .args(["--features", "search", "--version", MDBOOK, "--root"])
            .arg(&root);
        // It makes some hundred pages: to build it well takes longer than that.
        install
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_TARGET_DIR", env::temp_dir().join("ampoule-mdbook"));
        succeed(&mut install).context("mdBook can't be installed")?;
    }
    Ok(program)
}

fn is_version(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(MDBOOK))
}
