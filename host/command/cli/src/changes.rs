//! `ampoule servers add`, `remove` and `import`: changes of `ampoule.toml`. `ampoule init`: its
//! beginning.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ampoule_config::edit::{self, Edit, NewServer};
use ampoule_config::{Config, User};
use ampoule_untrusted::text;
use clap::Args;

use super::exit::Failure;
use super::setup::Setup;
use super::streams;

/// Adds a server to ampoule.toml, which is a command, or an address.
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
pub(super) struct Remove {
    /// Its name.
    name: String,
}

/// Uses the servers of another client too, as they are in its file at each start.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The client, such as claude-code, cursor or vscode, or the path of a file that one reads.
    client: String,
}

/// Writes an ampoule.toml with comments that say what may be in it.
///
/// The JSON Schema that editors check it with is written beside it. A file that is there is never
/// overwritten.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// Prints the JSON Schema instead.
    #[arg(long, conflicts_with = "file")]
    schema: bool,
    /// The file. Default: ampoule.toml in the user's configuration folder, where it is found from
    /// everywhere.
    #[arg(long)]
    file: Option<PathBuf>,
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

impl Remove {
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
        make(&[imported])?;
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
            "no server is new".to_owned()
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

/// Makes changes, and shows them.
fn make(edits: &[Edit]) -> Result<ExitCode, Failure> {
    if edits.iter().all(Edit::is_empty) {
        streams::err().note("there is nothing to change");
    }
    for edit in edits {
        edit.apply()?;
        show(edit);
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a change as a diff.
pub(super) fn show(edit: &Edit) {
    for line in edit.diff().lines() {
        streams::out().line(text::one_line(line));
    }
}

/// The file that is changed: the one that is read, or else the user's own.
fn file(setup: &Setup) -> Result<PathBuf, Failure> {
    let file = Config::place(setup.file()).ok_or_else(homeless)?;
    Ok(std::path::absolute(file)?)
}

fn homeless() -> Failure {
    Failure::usage("there is no HOME for ampoule.toml to be in; name a file")
}

fn read(file: &Path) -> Result<Config, Failure> {
    Config::load(file).map_err(|error| Failure::usage(error.to_string()))
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
