//! Changes of `ampoule.toml`, made and shown.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ampoule_config::Config;
use ampoule_config::edit::Edit;
use ampoule_untrusted::text;
use serde_json::{Value, json};

use super::exit::Failure;
use super::output::Output;
use super::setup::Setup;
use super::streams;

/// Makes a change, and shows it.
pub(super) fn make(edit: &Edit, output: Output) -> Result<ExitCode, Failure> {
    if edit.is_empty() {
        streams::err().note("nothing to change");
    }
    edit.apply()?;
    match output.as_json {
        true => streams::out().json(&document(edit).to_string()),
        false => show(edit),
    }
    Ok(ExitCode::SUCCESS)
}

/// A change, as JSON.
fn document(edit: &Edit) -> Value {
    json!({
        "file": edit.file.to_string_lossy(),
        "changed": !edit.is_empty(),
        "diff": edit.diff(),
    })
}

/// Shows a change as a diff.
pub(super) fn show(edit: &Edit) {
    for line in edit.diff().lines() {
        streams::out().line(text::one_line(line));
    }
}

/// The file to change: the one that Ampoule reads, or else the user's own.
pub(super) fn file(setup: &Setup) -> Result<PathBuf, Failure> {
    let file = Config::place(setup.file()).ok_or_else(homeless)?;
    Ok(std::path::absolute(file)?)
}

pub(super) fn homeless() -> Failure {
    Failure::usage("HOME is not set, so there is no folder for ampoule.toml: name a file")
}

pub(super) fn read(file: &Path) -> Result<Config, Failure> {
    Config::load(file).map_err(|error| Failure::usage(error.to_string()))
}
