//! Completions and the manual: the program tells them itself.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::answer;
use super::entries::gzip;
use super::release::Release;

/// Completions for shells, and pages for `man`.
#[derive(Debug)]
pub(super) struct Pages {
    /// For bash, zsh and fish, in this order.
    pub(super) completions: [Vec<u8>; 3],
    /// Names such as `ampoule-run.1`, and the pages, not compressed.
    pub(super) manual: Vec<(String, Vec<u8>)>,
}

impl Pages {
    /// The manual's pages as systems keep them: names and compressed text.
    pub(super) fn compressed(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let pages = self.manual.iter();
        let pages = pages.map(|(name, page)| Ok((format!("{name}.gz"), gzip(page)?)));
        pages.collect()
    }
}

/// Those of a release.
pub(super) fn of(release: &Release) -> Result<Pages> {
    let shell = |shell: &str| {
        let script = answer(release.command()?.args(["completions", shell]))?;
        ensure!(!script.is_empty(), "no completions for {shell}");
        Ok(script)
    };
    let completions = [shell("bash")?, shell("zsh")?, shell("fish")?];
    let folder = release.folder.join("manual");
    answer(release.command()?.arg("manual").arg(&folder))?;
    let mut manual = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok();
        let name = name.context("a page's name is text")?;
        manual.push((name, fs::read(entry.path())?));
    }
    manual.sort();
    fs::remove_dir_all(folder)?;
    Ok(Pages {
        completions,
        manual,
    })
}
