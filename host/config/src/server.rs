//! The entry of a server: each is read by itself, so that what is wrong with one disables it alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ampoule_projection::names::canonical;
use ampoule_untrusted::text;

use super::read::{Entry, Table};
use super::{Command, ConfigError, ServerConfig, expand, units};

/// The longest name that a server may have, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The keys of an entry.
const KEYS: [&str; 6] = [
    "command",
    "args",
    "env",
    "cwd",
    "call-timeout",
    "start-timeout",
];

pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Where an entry's paths and variables lead.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// What its paths are relative to.
    pub(super) folder: &'a Path,
    pub(super) environment: Environment<'a>,
}

/// The servers that can be used, and why the others can't, by their names.
pub(super) type Servers = (
    BTreeMap<String, ServerConfig>,
    BTreeMap<String, ConfigError>,
);

pub(super) fn servers(table: &Table<'_>, around: Surroundings<'_>) -> Servers {
    let names: Vec<&str> = table.entries().map(|(name, ..)| name).collect();
    let (mut sound, mut disabled) = Servers::default();
    for (name, place, entry) in table.entries() {
        let read = check_name(name, &names)
            .map_err(|message| entry.refuse_at(place, message))
            .and_then(|()| server(&entry, around));
        match read {
            Ok(server) => drop(sound.insert(name.to_owned(), server)),
            Err(error) => drop(disabled.insert(name.to_owned(), error)),
        }
    }
    (sound, disabled)
}

fn check_name(name: &str, names: &[&str]) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("a server needs a name".to_owned());
    }
    if name.starts_with('$') {
        return Err("names that begin with `$` are Ampoule's own".to_owned());
    }
    if name.contains(['.', ',', '*']) {
        return Err(
            "a name may not contain `.`, `,` or `*`: grants are written with them".to_owned(),
        );
    }
    if name.contains(text::is_hidden) {
        return Err(
            "a name may not contain control characters, or others that are invisible".to_owned(),
        );
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!("a name may have at most {MAX_NAME_BYTES} bytes"));
    }
    let alike = |other: &&&str| **other != name && canonical(other) == canonical(name);
    match names.iter().find(alike) {
        Some(other) => Err(format!(
            "it differs from `{}` only in case and punctuation, so scripts could mean either; rename one",
            text::one_line(other)
        )),
        None => Ok(()),
    }
}

fn server(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<ServerConfig, ConfigError> {
    let table = entry.table()?;
    table.only(&KEYS)?;
    let command = table
        .get("command")
        .ok_or_else(|| table.refuse("`command` is missing"))?;
    let mut server = Command {
        program: program(&command, around)?,
        ..Command::default()
    };
    if let Some(env) = table.get("env") {
        variables(&env, around, &mut server)?;
    }
    if let Some(args) = table.get("args") {
        for arg in args.list()? {
            // What the server gets by its own `env`, its arguments may hold too.
            let own = |name: &str| server.env.get(name).map(OsString::from);
            let variable = |name: &str| own(name).or_else(|| (around.environment)(name));
            let (arg, variables) = noted(&arg, &variable)?;
            server.args.push(arg);
            server.variables.extend(variables);
        }
    }
    if let Some(cwd) = table.get("cwd") {
        server.cwd = Some(around.folder.join(expanded(&cwd, around.environment)?));
    }
    let timeout = |key: &str| {
        let timeout = table.get(key);
        timeout
            .map(|entry| entry.quantity(units::parse_duration))
            .transpose()
    };
    Ok(ServerConfig {
        written: written(&table)?,
        command: server,
        call_timeout: timeout("call-timeout")?,
        start_timeout: timeout("start-timeout")?,
    })
}

/// The command line as the file has it, with its variables by their names.
fn written(table: &Table<'_>) -> Result<String, ConfigError> {
    let mut words = Vec::new();
    words.extend(table.get("command"));
    if let Some(args) = table.get("args") {
        words.extend(args.list()?);
    }
    let words = words.iter().map(|word| {
        let word = word.text()?;
        Ok(if word.is_empty() || word.contains([' ', '\t', '\n']) {
            format!("'{word}'")
        } else {
            word.to_owned()
        })
    });
    Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
}

fn program(command: &Entry<'_>, around: Surroundings<'_>) -> Result<PathBuf, ConfigError> {
    let program = expanded(command, around.environment)?;
    if program.trim().is_empty() {
        return Err(command.refuse("the command is empty"));
    }
    Ok(if program.contains('/') {
        around.folder.join(program)
    } else {
        PathBuf::from(program)
    })
}

fn variables(
    env: &Entry<'_>,
    around: Surroundings<'_>,
    server: &mut Command,
) -> Result<(), ConfigError> {
    let table = env.table().map_err(|_| {
        env.refuse("this must be a table of variables: `env = { NAME = \"value\" }`")
    })?;
    for (name, place, value) in table.entries() {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(env.refuse_at(place, "this is not the name of a variable"));
        }
        // A name may be no name, but a secret that lost its own.
        let value = if expand::is_usual_name(name) {
            value
        } else {
            value.called(env.key())
        };
        let (value, variables) = noted(&value, around.environment)?;
        server.env.insert(name.to_owned(), value);
        server.variables.extend(variables);
    }
    Ok(())
}

/// A text, with its variables replaced, and those variables.
fn noted(
    entry: &Entry<'_>,
    environment: Environment<'_>,
) -> Result<(String, BTreeSet<(String, String)>), ConfigError> {
    let variables = RefCell::new(BTreeSet::new());
    let noting = |name: &str| {
        let value = environment(name)?;
        if let Some(text) = value.to_str() {
            let variable = (name.to_owned(), text.to_owned());
            variables.borrow_mut().insert(variable);
        }
        Some(value)
    };
    let text = expanded(entry, &noting)?;
    Ok((text, variables.into_inner()))
}

/// A text, with its variables replaced. Programs get it as a C string.
pub(super) fn expanded(
    entry: &Entry<'_>,
    environment: Environment<'_>,
) -> Result<String, ConfigError> {
    let text =
        expand::expand(entry.text()?, environment).map_err(|message| entry.refuse(message))?;
    if text.contains('\0') {
        return Err(entry.refuse("this may not contain a NUL character"));
    }
    Ok(text)
}
