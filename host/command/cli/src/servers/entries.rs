//! `ampoule servers add` and `rm`: a server's entry in `ampoule.toml`.

use std::process::ExitCode;

use ampoule_config::User;
use ampoule_config::edit::{self, NewServer};
use ampoule_untrusted::text;
use clap::Args;

use crate::changes::{file, make, read};
use crate::exit::Failure;
use crate::setup::Setup;
use crate::streams;

/// Adds a server to ampoule.toml: a command, or an address.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// What scripts call it.
    name: String,
    /// The program that is the server, and its arguments, behind `--`.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "url")]
    command: Vec<String>,
    /// A variable for the program. '${NAME}' is the value of one of the environment, in single
    /// quotes for the shell.
    #[arg(long, value_name = "KEY=VALUE", value_parser = variable, conflicts_with = "url")]
    env: Vec<(String, String)>,
    /// The address of a server that is reached by HTTP.
    #[arg(long)]
    url: Option<String>,
    /// A header of every request, with '${NAME}' as in `--env`.
    #[arg(long, value_name = "KEY=VALUE", value_parser = header, requires = "url")]
    header: Vec<(String, String)>,
    /// How it is reached. Default: by whichever it speaks.
    #[arg(long, value_parser = ["auto", "http", "sse"], requires = "url")]
    transport: Option<String>,
}

/// Removes a server from ampoule.toml.
#[derive(Debug, Args)]
pub(super) struct Rm {
    /// Its name.
    name: String,
}

impl Add {
    pub(super) fn execute(self, setup: &Setup) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let server = NewServer {
            command: self.command,
            env: self.env,
            url: self.url,
            headers: self.header,
            transport: self.transport,
        };
        let added = edit::add(&file, &self.name, &server, &User::here());
        make(&[added.map_err(Failure::usage)?])?;
        let secrets = server.secrets();
        if !secrets.is_empty() {
            streams::err().warning(format_args!(
                "{} may be secret, and is in the file now; `${{NAME}}` instead, in single quotes, names a variable of the environment that has it",
                text::one_line(&secrets.join(", "))
            ));
        }
        let config = read(&file)?;
        if let Some(problem) = config.disabled.get(&self.name) {
            let name = text::one_line(&self.name);
            streams::err().warning(format_args!("`{name}` can't be used yet: {problem}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Rm {
    pub(super) fn execute(self, setup: &Setup) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let name = text::one_line(&self.name);
        if file.exists()
            && let Some(server) = read(&file)?.servers.get(&self.name)
            && let Some(origin) = &server.origin
        {
            return Err(Failure::usage(format!(
                "`{name}` is imported from {origin}; remove it there, or switch it off: `disabled = true` below `[servers.{name}]`"
            )));
        }
        let removed = edit::remove(&file, &self.name);
        make(&[removed.map_err(Failure::usage)?])
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    pair(text, &['='])
}

/// As in a request, too.
fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = pair(text, &['=', ':'])?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn pair(text: &str, signs: &[char]) -> Result<(String, String), String> {
    match text.split_once(signs) {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE".to_owned()),
    }
}
