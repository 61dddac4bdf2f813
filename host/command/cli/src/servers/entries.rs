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
    /// The server's name in scripts.
    name: String,
    /// The server's program and its arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "url")]
    command: Vec<String>,
    /// An environment variable for the program. The value '${NAME}', in single quotes for the
    /// shell, refers to a variable of Ampoule's environment.
    #[arg(long, value_name = "KEY=VALUE", value_parser = variable, conflicts_with = "url")]
    env: Vec<(String, String)>,
    /// The address of a server over HTTP.
    #[arg(long)]
    url: Option<String>,
    /// A header for every request, with '${NAME}' as in `--env`.
    #[arg(long, value_name = "KEY=VALUE", value_parser = header, requires = "url")]
    header: Vec<(String, String)>,
    /// The transport. Default: found out by a request.
    #[arg(long, value_parser = ["auto", "http", "sse"], requires = "url")]
    transport: Option<String>,
}

/// Removes a server from ampoule.toml.
#[derive(Debug, Args)]
pub(super) struct Rm {
    /// The server's name.
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
                "{} may be secret, and is now in the file; to keep it out, write `${{NAME}}` in single quotes, the name of an environment variable that has the value",
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
                "`{name}` is imported from {origin}; remove it there, or disable it: `disabled = true` below `[servers.{name}]`"
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
