//! `ampoule auth token`: tokens that identify the clients of `ampoule serve`.

use std::io::Read as _;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use ampoule_access::tokens::{self, Entry};
use ampoule_config::Config;
use ampoule_config::edit::Edit;
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

/// The name of the list where no other is configured.
const FILE_NAME: &str = "tokens";
/// No token from elsewhere is longer, in bytes.
const MOST_GIVEN: u64 = 4096;

/// Creates, lists and removes tokens of clients of `ampoule serve`.
///
/// A token is shown once, when it is created. Ampoule stores only its digest, in a list that a
/// running server reloads by itself.
#[derive(Debug, Args)]
pub(super) struct Token {
    #[command(subcommand)]
    what: Task,
    /// The list. Default: `serve.auth.tokens` of the configuration, else `tokens` in the user's
    /// configuration folder.
    #[arg(long, value_name = "FILE", global = true)]
    file: Option<PathBuf>,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    Add(Add),
    Ls(Ls),
    Rm(Rm),
}

/// Creates a token, and prints it once.
///
/// A principal may have several tokens: the old token works until it is removed.
#[derive(Debug, Args)]
struct Add {
    /// The owner: the name of a person, a team or a program, without spaces.
    name: String,
    /// How long the token is valid, such as 90d. Default: until it is removed.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    expires: Option<Duration>,
    /// A group of the owner, which roles and policies may name. May be repeated.
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// The principal's share of isolates, calls and processor time, beside the others' weights.
    #[arg(long, value_name = "N", default_value = "1")]
    weight: NonZeroU16,
    /// Reads an existing token from standard input instead of creating one.
    #[arg(long)]
    stdin: bool,
}

/// Lists tokens, with their owners and expiry.
#[derive(Debug, Args)]
struct Ls {
    #[command(flatten)]
    output: Output,
}

/// Removes the tokens of an owner. A running server rejects them within a second.
#[derive(Debug, Args)]
struct Rm {
    /// The owner.
    name: String,
    /// Only the token with this id, as the list shows it.
    #[arg(long)]
    id: Option<String>,
}

impl Token {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let (file, configured) = self.place()?;
        match self.what {
            Task::Add(add) => add.execute(&file, configured),
            Task::Ls(ls) => ls.execute(&file),
            Task::Rm(rm) => rm.execute(&file),
        }
    }

    /// The list, and whether the configuration names it.
    fn place(&self) -> Result<(PathBuf, bool), Failure> {
        let config = Config::find(self.setup.file());
        let config = config.map_err(|error| Failure::usage(error.to_string()))?;
        let configured = config.serve.auth.and_then(|access| access.tokens);
        let beside = || Config::of_user().map(|own| own.with_file_name(FILE_NAME));
        let file = self.file.clone().or_else(|| configured.clone());
        let file = file.or_else(beside).ok_or_else(|| {
            Failure::usage("HOME is not set, so there is no folder for the list of tokens: name a file with --file")
        })?;
        let file = std::path::absolute(file)?;
        let is_configured = configured.is_some_and(|configured| configured == file);
        Ok((file, is_configured))
    }
}

impl Add {
    fn execute(self, file: &Path, configured: bool) -> Result<ExitCode, Failure> {
        let token = if self.stdin {
            given()?
        } else {
            tokens::Token::random().map_err(refused)?
        };
        let expires = self.expires.map(|lives| {
            let end = SystemTime::now().checked_add(lives);
            end.ok_or_else(|| Failure::usage("a token can't be valid that long"))
        });
        let entry = Entry::new(&self.name, &token, self.weight, expires.transpose()?);
        let entry = entry.and_then(|entry| entry.in_groups(&self.group));
        let entry = entry.map_err(refused)?;
        change(file, |list| tokens::edit::with(list, &entry))?;
        if !self.stdin {
            streams::out().line(token.expose());
        }
        let err = streams::err();
        let place = shown(file);
        let name = entry.principal();
        err.note(format_args!(
            "created a token for {name}; only its digest is stored, in {place}"
        ));
        if !configured {
            err.note(format_args!(
                "for `ampoule serve` to accept it, name the list in ampoule.toml, below [serve.auth]: tokens = {place:?}"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A token on standard input, on one line.
fn given() -> Result<tokens::Token, Failure> {
    let mut given = String::new();
    std::io::stdin()
        .take(MOST_GIVEN)
        .read_to_string(&mut given)?;
    tokens::Token::from_elsewhere(given.trim()).map_err(refused)
}

impl Ls {
    fn execute(self, file: &Path) -> Result<ExitCode, Failure> {
        let list = std::fs::read_to_string(file);
        let list = list.map_err(|error| Failure::usage(format!("{}: {error}", shown(file))))?;
        let entries = tokens::edit::entries(&list).map_err(|error| wrong(file, &error))?;
        let (out, now) = (streams::out(), SystemTime::now());
        if self.output.as_json {
            let documents = entries.iter().map(|entry| document(entry, now));
            out.json(&json!(documents.collect::<Vec<_>>()).to_string());
            return Ok(ExitCode::SUCCESS);
        }
        entries.iter().for_each(|entry| out.line(line(entry, now)));
        Ok(ExitCode::SUCCESS)
    }
}

fn line(entry: &Entry, now: SystemTime) -> String {
    let name = entry.principal().name();
    let until = match entry.expires() {
        None => "until it is removed".to_owned(),
        Some(time) => {
            let ends = humantime::format_rfc3339_seconds(time);
            let how = if entry.has_expired(now) {
                "expired"
            } else {
                "until"
            };
            format!("{how} {ends}")
        }
    };
    let weight = entry.principal().weight();
    let id = entry.id();
    let groups = match entry.principal().groups() {
        [] => String::new(),
        groups => format!(", in {}", groups.join(" and ")),
    };
    format!("{name}  id {id}, weight {weight}, {until}{groups}")
}

fn document(entry: &Entry, now: SystemTime) -> Value {
    let owner = entry.principal();
    let groups: Vec<&str> = owner.groups().iter().map(|group| &**group).collect();
    let mut document = json!({
        "name": &**owner.name(),
        "id": entry.id(),
        "weight": owner.weight().get(),
        "groups": groups,
        "expired": entry.has_expired(now),
    });
    if let Some(time) = entry.expires() {
        document["expires"] = json!(humantime::format_rfc3339_seconds(time).to_string());
    }
    document
}

impl Rm {
    fn execute(self, file: &Path) -> Result<ExitCode, Failure> {
        let mut removed = 0;
        change(file, |list| {
            let (rest, gone) = tokens::edit::without(list, &self.name, self.id.as_deref())?;
            removed = gone.len();
            Ok(rest)
        })?;
        let (name, place) = (text::one_line(&self.name), shown(file));
        if removed == 0 {
            return Err(Failure::usage(format!(
                "{name} has no such token in {place}; `ampoule auth token ls` lists the tokens"
            )));
        }
        let what = if removed == 1 {
            "token is"
        } else {
            "tokens are"
        };
        streams::err().note(format_args!("{removed} {what} removed from {place}"));
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes the changed list.
fn change(
    file: &Path,
    change: impl FnOnce(&str) -> Result<String, ampoule_access::AccessError>,
) -> Result<(), Failure> {
    let edit = Edit::of(file, |list| change(list).map_err(|error| error.to_string()));
    edit.map_err(Failure::usage)?.apply()?;
    Ok(())
}

fn shown(file: &Path) -> String {
    text::one_line(&file.to_string_lossy()).into_owned()
}

fn wrong(file: &Path, error: &ampoule_access::AccessError) -> Failure {
    Failure::usage(format!("{}: {error}", shown(file)))
}

fn refused(error: ampoule_access::AccessError) -> Failure {
    Failure::usage(error.to_string())
}
