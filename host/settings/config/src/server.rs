//! The entry of a server: each is read by itself, so that what is wrong with one disables it alone.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule_untrusted::text;

use super::error::Mistakes;
use super::keys;
use super::read::{Entry, Table};
use super::rules;
use super::{Command, ConfigError, Rate, Reach, ServerConfig, Tls, expand, remote, units, written};

/// The longest name that a server may have, in bytes.
const MAX_NAME_BYTES: usize = 64;

pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// What was put in for variables: their names and values.
pub(super) type Variables = BTreeSet<(String, String)>;

/// Where an entry's paths and variables lead.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// What its paths are relative to.
    pub(super) folder: &'a Path,
    pub(super) environment: Environment<'a>,
}

/// A server's entry, as it is read.
#[derive(Debug)]
pub(super) enum Read {
    Sound(Box<ServerConfig>),
    /// `disabled = true`.
    Off,
}

/// Servers by their names, each sound, switched off, or faulty.
pub(super) type Servers = BTreeMap<String, Result<Read, ConfigError>>;

pub(super) fn servers(table: &Table<'_>, tls: &Tls, around: Surroundings<'_>) -> Servers {
    let mut servers = Servers::new();
    for (name, place, entry) in table.entries() {
        let mut mistakes = Mistakes::default();
        if let Err(message) = check_name(name) {
            mistakes.add(entry.refuse_at(place, message));
        }
        let read = mistakes.unless(server(&entry, tls, around));
        let read = mistakes.none().map(|()| read.unwrap_or(Read::Off));
        servers.insert(name.to_owned(), read);
    }
    servers
}

/// Whether a server may be called that.
///
/// # Errors
///
/// A sentence that says what is wrong with the name.
pub fn check_name(name: &str) -> Result<(), String> {
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
    Ok(())
}

/// Reads an entry. `tls` is for those that say nothing else.
pub(super) fn server(
    entry: &Entry<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<Read, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    let keys_are_known = mistakes.unless(table.only(keys::servers::SERVER)).is_some();
    let off = table.read("disabled", Entry::boolean);
    let off = mistakes.unless(off).flatten().unwrap_or_default();
    let reach = match (table.get("command"), table.get("url")) {
        // What only says that it is off need not say what it is; what is misspelt is told already.
        (None, None) if off || !keys_are_known => None,
        (None, None) => {
            mistakes.add(
                table.refuse("`command` is missing, or `url` for a server that is reached by HTTP"),
            );
            None
        }
        (Some(_), Some(url)) => {
            mistakes.add(url.refuse("a server has a `command` or a `url`, not both; remove one"));
            None
        }
        (Some(command), None) => {
            mistakes.unless(only_for(&table, &REMOTE_KEYS, "a server with a `url`"));
            mistakes
                .unless(process(&command, &table, around))
                .map(Reach::Process)
        }
        (None, Some(url)) => {
            mistakes.unless(only_for(&table, &PROCESS_KEYS, "a server with a `command`"));
            let remote = remote::remote(&url, &table, tls, around);
            mistakes.unless(remote).map(Reach::Remote)
        }
    };
    let mut duration = |key: &str| {
        let read = table.read(key, |entry| entry.quantity(units::parse_duration));
        mistakes.unless(read).flatten()
    };
    let (call_timeout, start_timeout) = (duration("call-timeout"), duration("start-timeout"));
    let idle_timeout = duration("idle-timeout");
    let concurrency = mistakes.unless(table.read("concurrency", count)).flatten();
    let rate = mistakes.unless(table.read("rate", rate)).flatten();
    let tools = mistakes.unless(table.read("tools", rules::read)).flatten();
    let folder = |entry: &Entry<'_>| path(entry, around);
    let roots = table.read("roots", |roots| roots.each(folder));
    let roots = mistakes.unless(roots).flatten();
    let written = mistakes.unless(written::of(&table));
    mistakes.none()?;
    Ok(match reach {
        Some(reach) if !off => Read::Sound(Box::new(ServerConfig {
            written: written.unwrap_or_default(),
            reach,
            call_timeout,
            start_timeout,
            idle_timeout,
            concurrency,
            rate,
            tools: tools.unwrap_or_default(),
            roots: roots.unwrap_or_default(),
            origin: None,
        })),
        _ => Read::Off,
    })
}

const PROCESS_KEYS: [&str; 3] = ["args", "env", "cwd"];
const REMOTE_KEYS: [&str; 5] = ["transport", "headers", "headers-command", "auth", "tls"];

/// Refuses keys that mean nothing for such a server.
fn only_for(table: &Table<'_>, keys: &[&str], kind: &str) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    for entry in keys.iter().filter_map(|key| table.get(key)) {
        mistakes.add(entry.refuse(format!("this is for {kind}")));
    }
    mistakes.none()
}

fn process(
    command: &Entry<'_>,
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<Command, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut server = Command {
        program: mistakes
            .unless(program(command, around))
            .unwrap_or_default(),
        ..Command::default()
    };
    let env = table.read("env", |env| variables(env, "env", around.environment));
    if let Some((env, put_in)) = mistakes.unless(env).flatten() {
        (server.env, server.variables) = (env, put_in);
    }
    // What the server gets by its own `env`, its arguments may hold too.
    let own = |name: &str| server.env.get(name).map(OsString::from);
    let variable = |name: &str| own(name).or_else(|| (around.environment)(name));
    let args = table.read("args", |args| args.each(|arg| noted(arg, &variable)));
    for (arg, put_in) in mistakes.unless(args).flatten().unwrap_or_default() {
        server.args.push(arg);
        server.variables.extend(put_in);
    }
    let cwd = table.read("cwd", |cwd| path(cwd, around));
    server.cwd = mistakes.unless(cwd).flatten();
    mistakes.none().map(|()| server)
}

/// What is started: a path, or a name that is looked up in `PATH`.
pub(super) fn program(
    command: &Entry<'_>,
    around: Surroundings<'_>,
) -> Result<PathBuf, ConfigError> {
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

/// A path, relative to the file's folder.
pub(super) fn path(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<PathBuf, ConfigError> {
    Ok(around.folder.join(expanded(entry, around.environment)?))
}

/// A table of names and texts, and what was put into these for variables.
pub(super) fn variables(
    entry: &Entry<'_>,
    key: &str,
    environment: Environment<'_>,
) -> Result<(BTreeMap<String, String>, Variables), ConfigError> {
    let (kind, one) = match key {
        "env" => ("variables", "variable"),
        _ => ("headers", "header"),
    };
    let table = entry.table().map_err(|_| {
        entry.refuse(format!(
            "this must be a table of {kind}: `{key} = {{ NAME = \"value\" }}`"
        ))
    })?;
    let (mut texts, mut put_in) = (BTreeMap::new(), Variables::new());
    let mut mistakes = Mistakes::default();
    for (name, place, value) in table.entries() {
        let is_name = match key {
            "env" => !name.is_empty() && !name.contains(['=', '\0']),
            _ => is_header(name),
        };
        if !is_name {
            mistakes.add(entry.refuse_at(place, format!("this is not the name of a {one}")));
            continue;
        }
        // A name may be no name, but a secret that lost its own.
        let value = if expand::is_usual_name(name) || is_usual_header(key, name) {
            value
        } else {
            value.called(entry.key())
        };
        if let Some((text, variables)) = mistakes.unless(noted(&value, environment)) {
            texts.insert(name.to_owned(), text);
            put_in.extend(variables);
        }
    }
    mistakes.none().map(|()| (texts, put_in))
}

/// Whether a header's name may be shown.
pub(super) fn is_shown_header(name: &str) -> bool {
    expand::is_usual_name(name) || is_usual_header("headers", name)
}

/// Whether it is a token of HTTP.
pub(super) fn is_header(name: &str) -> bool {
    let signs = b"!#$%&'*+-.^_`|~";
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || signs.contains(&byte))
}

fn is_usual_header(key: &str, name: &str) -> bool {
    key == "headers"
        && ["authorization", "x-api-key", "api-key", "cookie"]
            .iter()
            .any(|usual| name.eq_ignore_ascii_case(usual))
}

/// A text, with its variables replaced, and those variables.
pub(super) fn noted(
    entry: &Entry<'_>,
    environment: Environment<'_>,
) -> Result<(String, Variables), ConfigError> {
    let variables = RefCell::new(Variables::new());
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

fn count(entry: &Entry<'_>) -> Result<NonZeroU32, ConfigError> {
    let number = entry.quantity(units::parse_count)?;
    let number = u32::try_from(number).ok().and_then(NonZeroU32::new);
    number.ok_or_else(|| entry.refuse(format!("this must be 1 to {}", u32::MAX)))
}

/// `10/s`, `300/min`, `1000/h`, `5000/day`.
pub(super) fn rate(entry: &Entry<'_>) -> Result<Rate, ConfigError> {
    let wrong = || entry.refuse("this is not a rate; write it like `10/s`, `300/min` or `1000/h`");
    let (calls, unit) = entry.text()?.split_once('/').ok_or_else(wrong)?;
    let calls: NonZeroU32 = calls.trim().parse().map_err(|_| wrong())?;
    let per = match unit.trim() {
        "s" | "second" => Duration::from_secs(1),
        "min" | "m" | "minute" => Duration::from_mins(1),
        "h" | "hour" => Duration::from_hours(1),
        "d" | "day" => Duration::from_hours(24),
        _ => return Err(wrong()),
    };
    Ok(Rate { calls, per })
}
