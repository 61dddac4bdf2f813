//! `ampoule completions`: completions for shells; and `ampoule manual`: pages for `man`.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::exit::{self, Failure};
use super::streams;

const EXAMPLES: &str = "For bash, zsh and fish:
  ampoule completions bash > ~/.local/share/bash-completion/completions/ampoule
  ampoule completions zsh > \"${fpath[1]}/_ampoule\"
  ampoule completions fish > ~/.config/fish/completions/ampoule.fish";

/// Prints the completions of Ampoule's commands and options for a shell.
#[derive(Debug, Args)]
#[command(after_help = exit::COMPLETIONS_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::COMPLETIONS_HELP))]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the manual's pages into a folder, one for each command.
#[derive(Debug, Args)]
pub(super) struct Manual {
    /// The folder; created if missing.
    folder: PathBuf,
}

impl Completions {
    pub(super) fn execute(self, mut command: Command) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "ampoule", &mut script);
        streams::out().line(String::from_utf8_lossy(&script).trim_end());
        ExitCode::SUCCESS
    }
}

impl Manual {
    pub(super) fn execute(self, command: Command) -> Result<ExitCode, Failure> {
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            clap_mangen::generate_to(command, &self.folder)
        };
        write().map_err(|error| {
            Failure::usage(format!(
                "{} can't be written: {error}",
                self.folder.display()
            ))
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
