//! `ampoule clients import`: the servers of another client, used here, too.

use std::process::ExitCode;

use ampoule_config::edit;
use ampoule_config::{Config, User};
use ampoule_untrusted::text;
use clap::Args;

use crate::changes::{file, make, read};
use crate::exit::Failure;
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

/// Also uses the servers of another client, read from its file at each start.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The client, such as claude-code, cursor or vscode, or the path of its file.
    client: String,
}

impl Import {
    pub(super) fn execute(self, setup: &Setup) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let imported = edit::import(&file, &self.client, &User::here());
        let imported = imported.map_err(Failure::usage)?;
        let before = if file.exists() {
            read(&file)?
        } else {
            Config::default()
        };
        make(&imported, Output::default())?;
        let after = read(&file)?;
        let known = |name: &&String| {
            !before.servers.contains_key(*name) && !before.disabled.contains_key(*name)
        };
        let new: Vec<&str> = after
            .servers
            .keys()
            .chain(after.disabled.keys())
            .filter(known)
            .map(String::as_str)
            .collect();
        streams::err().note(if new.is_empty() {
            "no new servers".to_owned()
        } else {
            format!("new: {}", text::one_line(&new.join(", ")))
        });
        let faulty = after.disabled.iter();
        for (name, problem) in faulty.filter(|(name, _)| known(name)) {
            let name = text::one_line(name);
            streams::err().warning(format_args!("`{name}` can't be used: {problem}"));
        }
        let said = after.notes.iter();
        said.filter(|note| !before.notes.contains(note))
            .for_each(|note| streams::err().note(note));
        Ok(ExitCode::SUCCESS)
    }
}
