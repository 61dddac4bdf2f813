//! Completions, by the shells themselves, and the manual, by `man`.

use std::fs;

use anyhow::{Result, ensure};

use super::prefix::unpacked;
use super::usage::Client;
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, answer};

pub(super) fn check(packages: &Packages, _: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["bash", "zsh", "fish", "man"]) {
        return Ok(skipped);
    }
    let folder = tempfile::tempdir()?;
    let share = unpacked(packages, folder.path())?.join("share");
    let at = |path: &str| share.join(path).display().to_string();
    let bash = format!(
        "set -e; source '{}'; COMP_WORDS=(ampoule wa); COMP_CWORD=1; _ampoule ampoule wa ampoule; echo \"${{COMPREPLY[@]}}\"",
        at("bash-completion/completions/ampoule")
    );
    let zsh = format!(
        "fpath=('{}' $fpath); autoload -U compinit; compinit -D; echo ${{_comps[ampoule]}}; autoload -X +X _ampoule 2>/dev/null; functions _ampoule | grep -o warm | head -1",
        at("zsh/site-functions")
    );
    let fish = format!(
        "source '{}'; complete --do-complete 'ampoule wa'",
        at("fish/vendor_completions.d/ampoule.fish")
    );
    let said = |shell: &str, arguments: &[&str]| {
        let said = answer(clean(shell, folder.path()).args(arguments))?;
        anyhow::Ok(String::from_utf8_lossy(&said).into_owned())
    };
    for (shell, options, script) in [
        ("bash", "-c", bash),
        ("zsh", "-fc", zsh),
        ("fish", "-c", fish),
    ] {
        let said = said(shell, &[options, &script])?;
        ensure!(said.contains("warm"), "{shell} completes `wa` to {said:?}");
    }
    for page in fs::read_dir(share.join("man/man1"))? {
        let page = page?.path().display().to_string();
        let read = clean("man", folder.path())
            .args(["--warnings", "--local-file", &page])
            .env("MANWIDTH", "80")
            .output()?;
        let complaints = String::from_utf8_lossy(&read.stderr);
        ensure!(
            read.status.success() && complaints.is_empty(),
            "man says of {page}: {complaints}"
        );
    }
    Ok(PartOutcome::Works)
}
