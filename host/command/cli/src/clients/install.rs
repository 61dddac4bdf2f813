//! `ampoule clients install` and `uninstall`: Ampoule in another client's configuration.

use std::process::ExitCode;

use ampoule_config::edit::{self, Plan};
use ampoule_config::{ClientFile, Config, User, toolkit_of};
use ampoule_untrusted::text::one_line;
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
    /// The toolkit that the client gets, by its name in `[toolkits]`. Default: all tools.
    #[arg(long, value_name = "NAME")]
    toolkit: Option<String>,
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
        if let Some(name) = &self.toolkit {
            // As for the file below: it is the one that the client's Ampoule reads.
            let file = chosen.clone().or_else(Config::of_user);
            let config = file.filter(|file| file.exists());
            let config = config.map_or_else(|| Ok(Config::default()), |file| Config::load(&file));
            let config = config.map_err(|error| Failure::usage(error.to_string()))?;
            toolkit_of(&config.toolkits, name)
                .map_err(|why| Failure::usage(format!("--toolkit {}: {why}", one_line(name))))?;
            arguments.extend(["--toolkit".to_owned(), name.clone()]);
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
