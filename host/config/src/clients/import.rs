//! What `import` names: files found, their servers taken over, two of one name told apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ampoule_projection::names::{self, canonical};
use ampoule_untrusted::text;

use super::super::error::{ConfigError, Mistakes};
use super::super::read::{Entry, Source};
use super::super::server::{self, Read, Surroundings};
use super::super::tree::{Format, Node};
use super::super::{Config, Reach, ServerConfig, Tls, User};
use super::entry::{self, Translated};
use super::{Client, Origin, Quirk, pasted};

/// The largest file that is read, in bytes: Claude Code keeps what people asked in the same one.
pub(super) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// The most files that a path with `*` stands for.
const MAX_FILES: usize = 1000;

/// A file to import.
#[derive(Debug)]
pub(crate) struct Found {
    file: PathBuf,
    /// Whose it is, where that is known before it is read.
    client: Option<&'static Client>,
    /// What a server is called whose file has but one.
    name: Option<String>,
}

/// The files that an entry of `import` names: a client's own, a path, or a path with `*` in it.
pub(crate) fn named(
    entry: &Entry<'_>,
    folder: &Path,
    user: &User,
) -> Result<Vec<Found>, ConfigError> {
    let written = entry.text()?;
    if let Some(client) = Client::called(written) {
        let file = client.file(user).filter(|file| file.exists());
        return Ok(file
            .map(|file| found(file, Some(client)))
            .into_iter()
            .collect());
    }
    // In a file, paths are relative to its folder.
    let at_home = User {
        folder: folder.to_owned(),
        ..user.clone()
    };
    let path = super::named::path(written, &at_home).map_err(|message| entry.refuse(message))?;
    if path.to_string_lossy().contains('*') {
        return Ok(matching(&path)
            .into_iter()
            .map(|file| found(file, None))
            .collect());
    }
    if !path.exists() {
        return Err(entry.refuse("there is no such file"));
    }
    let client = Client::of_file(&path, user);
    Ok(vec![found(path, client)])
}

fn found(file: PathBuf, client: Option<&'static Client>) -> Found {
    let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
    let name = match stem(&file).as_deref() {
        Some("config" | "mcp" | "server") => file.parent().and_then(stem),
        own => own.map(ToOwned::to_owned),
    };
    Found { file, client, name }
}

/// The files whose paths this one describes, in their order; each `*` stands for any part of a
/// name, but those that begin with a dot.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let part = part.as_os_str();
        let written = part.to_string_lossy();
        let Some((before, after)) = written.split_once('*') else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let matches = |name: &str| {
            !name.starts_with('.')
                && name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        };
        let mut deeper = Vec::new();
        for folder in &found {
            let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names = names.take(MAX_FILES).map(|entry| entry.file_name());
            deeper.extend(
                names
                    .filter(|name| name.to_str().is_some_and(matches))
                    .map(|name| folder.join(name)),
            );
        }
        deeper.sort();
        deeper.truncate(MAX_FILES);
        found = deeper;
    }
    found.retain(|file| file.is_file());
    found
}

/// Takes over the servers of these files. What is wrong with a file is a note, and what is wrong
/// with a server disables it alone.
pub(crate) fn import(
    config: &mut Config,
    files: impl Iterator<Item = Found>,
    tls: &Tls,
    user: &User,
) {
    let own = config
        .servers
        .keys()
        .chain(config.disabled.keys())
        .chain(&config.off);
    let mut taken: BTreeMap<String, String> = own
        .map(|name| (name.clone(), "ampoule.toml".to_owned()))
        .collect();
    for found in files {
        match servers_of(&found, tls, user) {
            Ok(imported) => take(config, imported, &mut taken),
            Err(error) => config.notes.push(format!("nothing is imported: {error}")),
        }
    }
}

fn take(config: &mut Config, imported: Imported, taken: &mut BTreeMap<String, String>) {
    config.notes.extend(imported.notes);
    let from = imported.origin.to_string();
    for (name, read) in imported.servers {
        if let Some(first) = taken.get(&name) {
            // Off in a client's file is no wish of this file's, and what a client has for this folder
            // alone comes before what it has for all.
            if !matches!(read, Ok(Read::Off)) && *first != from {
                config.notes.push(format!(
                    "server `{}` is in {first} and in {from}; {first} counts. To use the other, rename one, or change the order of `import`",
                    text::one_line(&name)
                ));
            }
            continue;
        }
        if !matches!(read, Ok(Read::Off)) {
            taken.insert(name.clone(), from.clone());
        }
        let read = read.map(|read| match read {
            Read::Sound(mut server) => {
                server.origin = Some(imported.origin.clone());
                Read::Sound(server)
            }
            Read::Off => Read::Off,
        });
        config.take([(name, read)].into());
    }
}

/// What a file has.
pub(super) struct Imported {
    pub(super) origin: Origin,
    /// By name, in the order of the file.
    pub(super) servers: Vec<(String, Result<Read, ConfigError>)>,
    pub(super) notes: Vec<String>,
    /// Ampoule itself is in it, which is left alone.
    has_ourselves: bool,
}

fn servers_of(found: &Found, tls: &Tls, user: &User) -> Result<Imported, ConfigError> {
    let file = &found.file;
    let text = super::super::read(file, MAX_FILE_BYTES)
        .map_err(|error| ConfigError::new(file, format!("it can't be read: {error}")))?;
    servers_in(&text, found, tls, user)
}

/// Whether there is a server to import in this file: nothing is written for one without.
///
/// # Errors
///
/// What is wrong with the file, or with all of its servers; or what was looked for.
pub(crate) fn has_servers(file: &Path, user: &User) -> Result<(), String> {
    let client = Client::of_file(file, user);
    let imported = servers_of(&found(file.to_owned(), client), &Tls::default(), user);
    let imported = imported.map_err(|error| error.to_string())?;
    if imported.servers.is_empty() {
        let shown = user.shown(file);
        return Err(match imported.notes.first() {
            Some(note) => note.clone(),
            None if imported.has_ourselves => {
                format!("{shown}: it has no server but Ampoule itself, which is not imported")
            }
            None => format!("{shown}: {}", pasted::looked_for()),
        });
    }
    let mut mistakes = Mistakes::default();
    for (_, read) in imported.servers {
        match read {
            Ok(_) => return Ok(()),
            // It may be set later.
            Err(error) if error.is_about_a_variable() => return Ok(()),
            Err(error) => drop(mistakes.unless::<()>(Err(error))),
        }
    }
    mistakes.none().map_err(|error| error.to_string())
}

/// Takes over the servers of a text in the form of clients' files, as if it were the file `called`.
/// What is wrong with a server is an error, too.
pub(crate) fn import_text(
    config: &mut Config,
    (called, text): (&str, &str),
    user: &User,
) -> Result<(), ConfigError> {
    let found = Found {
        file: called.into(),
        client: None,
        name: None,
    };
    let imported = servers_in(text, &found, &Tls::default(), user)?;
    let mut mistakes = Mistakes::default();
    for (name, read) in imported.servers {
        if let Some(read) = mistakes.unless(read) {
            config.take([(name, Ok(read))].into());
        }
    }
    config.notes.extend(imported.notes);
    mistakes.none()
}

fn servers_in(text: &str, found: &Found, tls: &Tls, user: &User) -> Result<Imported, ConfigError> {
    let file = &found.file;
    let format = Format::of(file);
    let text = text.trim_start_matches('\u{feff}');
    let source = Source::new(file, text);
    let document = match found.client {
        Some(_) => source.parsed(format)?,
        None => pasted::parsed(text, format, file)?,
    };
    let client = found
        .client
        .or_else(|| Client::of_content(&document, format))
        .ok_or_else(|| ConfigError::new(file, "no client is known that writes such files"))?;
    let mut imported = Imported {
        origin: Origin {
            client: found.client.map(|client| client.title),
            shown: user.shown(file),
            file: file.clone(),
        },
        servers: Vec::new(),
        notes: Vec::new(),
        has_ourselves: false,
    };
    let folder = client.folder_of(file);
    let environment = |name: &str| user.variable(name);
    let around = Surroundings {
        folder: &folder,
        environment: &environment,
    };
    let is_anybodys = found.client.is_none();
    let whole = is_anybodys && entry::is_server(&document);
    let tables = match is_anybodys {
        false => client
            .tables_in(&document, user)
            .into_iter()
            .map(|(keys, table)| (keys, table.members().to_vec()))
            .collect(),
        true if whole => Vec::new(),
        true => pasted::tables(&document, &source)?,
    };
    let members = tables.iter().flat_map(|(_, members)| members);
    let mut reading = Reading {
        written: members.map(|member| member.name.clone()).collect(),
        at: entry::At {
            folder: &folder,
            is_anybodys,
        },
        client,
        source: &source,
        tls,
        user,
        around,
        imported: &mut imported,
    };
    if whole {
        // The whole file is one server.
        let named = pasted::name(&document);
        let name = named.or_else(|| found.name.clone());
        reading.server(name.as_deref().unwrap_or("server"), "", &document);
    } else {
        for (keys, members) in &tables {
            for member in members {
                if reading.is_listed(&document, &member.name) {
                    reading.server(&member.name, keys, &member.node);
                }
            }
        }
    }
    Ok(imported)
}

/// A file, while its servers are read.
struct Reading<'a> {
    /// What the file's servers are called there.
    written: BTreeSet<String>,
    client: &'static Client,
    at: entry::At<'a>,
    source: &'a Source<'a>,
    tls: &'a Tls,
    user: &'a User,
    around: Surroundings<'a>,
    imported: &'a mut Imported,
}

impl Reading<'_> {
    /// Gemini has lists of those that count, and of those that don't.
    fn is_listed(&self, document: &Node, name: &str) -> bool {
        if self.client.dialect.quirk != Quirk::Gemini {
            return true;
        }
        let list = |key| document.at(&["mcp", key]);
        let has = |list: &Node| list.items().iter().any(|item| item.as_text() == Some(name));
        list("allowed").is_none_or(has) && !list("excluded").is_some_and(has)
    }

    fn server(&mut self, written: &str, keys: &str, node: &Node) {
        let name = self.called(written);
        let from = self.imported.origin.clone();
        let note = |what: &str| format!("server `{}` of {from}: {what}", text::one_line(written));
        if name != written {
            let what = format!(
                "it is called `{}` here, since grants are written with `.`, `,`, `*` and `$`",
                text::one_line(&name)
            );
            self.imported.notes.push(note(&what));
        }
        let dot = if keys.is_empty() { "" } else { "." };
        let key = format!("{keys}{dot}{}", super::super::read::shown_key(written));
        let read = match entry::translated(self.client, self.user, self.at, node) {
            Translated::Skipped(why) => {
                let why = why.map(note);
                self.imported.notes.extend(why);
                return;
            }
            Translated::Wrong(mistakes) => Err(self.wrong(&key, mistakes)),
            Translated::Server { node, notes } => {
                let notes: Vec<String> = notes.iter().map(|what| note(what)).collect();
                self.imported.notes.extend(notes);
                let entry = Entry::new(self.source, key.as_str(), &node);
                server::check_name(&name)
                    .map_err(|message| entry.refuse(message))
                    .and_then(|()| server::server(&entry, self.tls, self.around))
            }
        };
        let ourselves = canonical(&name) == "ampoule"
            || matches!(&read, Ok(Read::Sound(server)) if is_ourselves(server, self.user));
        match ourselves {
            true => self.imported.has_ourselves = true,
            false => self.imported.servers.push((name, read)),
        }
    }

    /// What a server is called here. Where another has the name that grants could be written with, this
    /// one's has a mark.
    fn called(&self, written: &str) -> String {
        let name = usable(written);
        let others = self.written.iter().filter(|other| *other != written);
        match name != written && others.into_iter().any(|other| usable(other) == name) {
            true => format!("{name}-{}", names::mark(written)),
            false => name,
        }
    }

    fn wrong(&self, key: &str, found: Vec<(std::ops::Range<usize>, String)>) -> ConfigError {
        let mut mistakes = Mistakes::default();
        for (place, message) in found {
            mistakes.add(self.source.wrong(Some(place), key, message));
        }
        let whole = self.source.wrong(None, key, "it can't be read");
        mistakes.none().err().unwrap_or(whole)
    }
}

/// A name that grants can be written with. Some clients' are addresses.
fn usable(name: &str) -> String {
    let name = name.replace(['.', ',', '*'], "-");
    match name.strip_prefix('$') {
        Some(rest) => format!("-{rest}"),
        None => name,
    }
}

/// Whether a server is `ampoule serve`: it would start itself without end.
fn is_ourselves(server: &ServerConfig, user: &User) -> bool {
    let Reach::Process(command) = &server.reach else {
        return false;
    };
    let words =
        std::iter::once(command.program.as_path()).chain(command.args.iter().map(Path::new));
    let mut words = words.skip_while(|word| !is_our_program(word, user));
    words.next().is_some() && words.any(|word| word == Path::new("serve"))
}

fn is_our_program(word: &Path, user: &User) -> bool {
    if word.file_stem().is_some_and(|stem| stem == "ampoule") {
        return true;
    }
    let resolved = |path: &Path| path.canonicalize().ok();
    let ours = resolved(&user.program);
    let found = if word.is_absolute() {
        resolved(word)
    } else if word.components().count() == 1 {
        let path = user.variable("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .map(|folder| folder.join(word))
            .find(|file| file.is_file())
            .and_then(|file| resolved(&file))
    } else {
        None
    };
    found.is_some() && found == ours
}

/// A server of a client's file that could be one of `ampoule.toml`.
pub(crate) struct Movable {
    /// The keys of the table that it is in.
    pub(crate) table: Vec<String>,
    pub(crate) name: String,
    /// Its entry there, with references and not values; or why it can't be.
    pub(crate) entry: Result<serde_json::Map<String, serde_json::Value>, String>,
}

/// The servers of a client's file, but for Ampoule itself and for what the client alone can start.
pub(crate) fn movable(
    client: &'static Client,
    user: &User,
    file: &Path,
    document: &Node,
) -> Vec<Movable> {
    let table = client.table_in(document);
    let members = document.at(table).map_or(&[][..], Node::members);
    let mut movable = Vec::new();
    let folder = client.folder_of(file);
    let at = entry::At {
        folder: &folder,
        is_anybodys: false,
    };
    for member in members {
        let entry = match entry::translated(client, user, at, &member.node) {
            Translated::Skipped(None) => continue,
            Translated::Skipped(Some(why)) => Err(why.to_owned()),
            Translated::Wrong(mistakes) => Err(mistakes
                .into_iter()
                .next()
                .map_or_else(String::new, |(_, why)| why)),
            Translated::Server { node, .. } => match node.to_json() {
                serde_json::Value::Object(mut entry) => {
                    for key in ["command", "cwd"] {
                        if let Some(path) = entry.get_mut(key) {
                            anchor(path, key == "cwd", &folder);
                        }
                    }
                    Ok(entry)
                }
                _ => continue,
            },
        };
        let ourselves = entry.as_ref().is_ok_and(|entry| {
            let text = |value: &serde_json::Value| value.as_str().map(ToOwned::to_owned);
            let args = entry.get("args").and_then(|args| args.as_array());
            let command = super::super::Command {
                program: entry
                    .get("command")
                    .and_then(text)
                    .unwrap_or_default()
                    .into(),
                args: args.into_iter().flatten().filter_map(text).collect(),
                ..Default::default()
            };
            is_ourselves(&ServerConfig::process("", command), user)
        });
        if !ourselves && canonical(&member.name) != "ampoule" {
            movable.push(Movable {
                table: table.iter().map(|key| (*key).to_owned()).collect(),
                name: member.name.clone(),
                entry,
            });
        }
    }
    movable
}

/// Makes a path that is relative to its file mean the same in another one. A program without a `/`
/// is looked up in `PATH`.
fn anchor(path: &mut serde_json::Value, is_folder: bool, folder: &Path) {
    if let Some(text) = path.as_str()
        && (is_folder || text.contains('/'))
        && !text.starts_with(['/', '$'])
    {
        let folder = folder.to_string_lossy().replace('$', "$$");
        let whole: PathBuf = Path::new(&folder).join(text).components().collect();
        *path = whole.to_string_lossy().into();
    }
}
