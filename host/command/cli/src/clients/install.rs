//! `ampoule clients install` and `uninstall`: Ampoule in another client's configuration.

use std::process::ExitCode;

use ampoule_config::edit::{self, Plan};
use ampoule_config::{ClientFile, Config, User};
use clap::Args;

use crate::exit::Failure;
use crate::setup::Setup;
use crate::{changes, streams};

/// Writes `ampoule serve` into another client's configuration, and shows the change.
///
/// The file's other entries stay; `ampoule clients uninstall` restores the file.
#[derive(Debug, Args)]
pub(super) struct Install {
    /// The client, such as claude-code, cursor or vscode, or the path of its file, such as
    /// .mcp.json.
    client: String,
    /// Moves the client's other servers to ampoule.toml, references to variables included.
    #[arg(long = "move")]
    take_over: bool,
    /// Shows the change without making it.
    #[arg(long)]
    dry_run: bool,
}

/// Removes Ampoule from a client's configuration, and puts back the servers that `--move` took.
#[derive(Debug, Args)]
pub(super) struct Uninstall {
    /// The client, as for `ampoule clients install`.
    client: String,
    /// Shows the change without making it.
    #[arg(long)]
    dry_run: bool,
}

impl Install {
    pub(super) fn execute(&self, setup: &Setup) -> Result<ExitCode, Failure> {
        let user = User::here();
        let target = ClientFile::named(&self.client, &user).map_err(Failure::usage)?;
        let chosen = setup.file().map(std::path::absolute).transpose()?;
        let mut arguments = vec!["serve".to_owned()];
        if let Some(file) = &chosen {
            arguments.extend(["--config".to_owned(), file.to_string_lossy().into_owned()]);
        }
        // A client starts Ampoule in a folder of its own.
        let own = chosen.or_else(Config::of_user).filter(|_| self.take_over);
        let plan = edit::install(&target, &user, &arguments, own.as_deref());
        carry_out(&plan.map_err(Failure::usage)?, self.dry_run)
    }
}

impl Uninstall {
    pub(super) fn execute(&self) -> Result<ExitCode, Failure> {
        let user = User::here();
        let target = ClientFile::named(&self.client, &user).map_err(Failure::usage)?;
        let plan = edit::uninstall(&target, &user);
        carry_out(&plan.map_err(Failure::usage)?, self.dry_run)
    }
}

fn carry_out(plan: &Plan, dry_run: bool) -> Result<ExitCode, Failure> {
    plan.edits.iter().for_each(changes::show);
    for note in &plan.notes {
        streams::err().note(note);
    }
    if plan.edits.is_empty() {
        streams::err().note("nothing to change");
    } else if dry_run {
        streams::err().note("nothing was written; run without --dry-run to write it");
    } else {
        plan.apply()?;
        streams::err().note("done; restart the client");
    }
    Ok(ExitCode::SUCCESS)
}
