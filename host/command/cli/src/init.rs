//! `ampoule init`: a first configuration.

use std::path::PathBuf;
use std::process::ExitCode;

use ampoule_config::Config;
use ampoule_config::edit;
use ampoule_untrusted::text;
use clap::Args;

use super::changes::homeless;
use super::exit::Failure;
use super::streams;

/// Writes an ampoule.toml whose comments explain its keys.
///
/// Also writes the JSON Schema for editors beside it. Never overwrites a file.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// Prints the JSON Schema instead.
    #[arg(long, conflicts_with = "file")]
    schema: bool,
    /// The file. Default: ampoule.toml in the user's configuration folder, which Ampoule reads from
    /// any folder.
    #[arg(long)]
    file: Option<PathBuf>,
}

impl Init {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        if self.schema {
            streams::out().line(format_args!("{:#}", ampoule_config::schema()));
            return Ok(ExitCode::SUCCESS);
        }
        let file = self.file.or_else(Config::of_user).ok_or_else(homeless)?;
        for edit in edit::init(&file).map_err(Failure::usage)? {
            edit.apply()?;
            let file = edit.file.to_string_lossy();
            streams::out().line(format_args!("wrote {}", text::one_line(&file)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
