//! The servers of files taken over, two of one name told apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ampoule_projection::names::{self, canonical};
use ampoule_untrusted::text;

use super::super::error::{ConfigError, Mistakes};
use super::super::expand::Surroundings;
use super::super::read::{Entry, Source};
use super::super::server;
use super::super::server_table::{self, Read};
use super::super::tree::{Format, Node};
use super::super::{Config, Tls, User};
use super::entry::{self, Translation};
use super::import_files::{FoundFile, found};
use super::ourselves::is_ourselves;
use super::{Client, Origin, Quirk, pasted};

/// The largest file that is read, in bytes: Claude Code keeps what people asked in the same one.
pub(super) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Takes over the servers of these files. What is wrong with a file is a note, and what is wrong
/// with a server disables it alone.
pub(crate) fn import(
    config: &mut Config,
    files: impl Iterator<Item = FoundFile>,
    tls: &Tls,
    user: &User,
) {
    let own = config
        .servers
        .keys()
        .chain(config.disabled.keys())
        .chain(&config.off);
    // A server that has accounts is there by its name.
    let mut taken: BTreeMap<String, String> = own
        .map(|name| names::server_and_account(name).0.to_owned())
        .map(|name| (name, "ampoule.toml".to_owned()))
        .collect();
    for found in files {
        match servers_of(&found, tls, user) {
            Ok(imported) => take(config, imported, &mut taken),
            Err(error) => config.notes.push(format!("nothing is imported: {error}")),
        }
    }
}

fn take(config: &mut Config, imported: ImportedServers, taken: &mut BTreeMap<String, String>) {
    config.notes.extend(imported.notes);
    let from = imported.origin.to_string();
    for (name, read) in imported.servers {
        if let Some(first) = taken.get(&name) {
            // Off in a client's file is not a wish of this file's, and what a client has for this folder
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
pub(super) struct ImportedServers {
    pub(super) origin: Origin,
    /// By name, in the order of the file.
    pub(super) servers: Vec<(String, Result<Read, ConfigError>)>,
    pub(super) notes: Vec<String>,
    /// Ampoule itself is in it, which is left alone.
    has_ourselves: bool,
}

fn servers_of(found: &FoundFile, tls: &Tls, user: &User) -> Result<ImportedServers, ConfigError> {
    let file = &found.file;
    let text = crate::text::of(file, MAX_FILE_BYTES)
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
    called: &str,
    text: &str,
    user: &User,
) -> Result<(), ConfigError> {
    let found = FoundFile {
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

fn servers_in(
    text: &str,
    found: &FoundFile,
    tls: &Tls,
    user: &User,
) -> Result<ImportedServers, ConfigError> {
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
    let mut imported = ImportedServers {
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
        may_refer: false,
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
    imported: &'a mut ImportedServers,
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
            Translation::Skipped(why) => {
                let why = why.map(note);
                self.imported.notes.extend(why);
                return;
            }
            Translation::Wrong(mistakes) => Err(self.wrong(&key, mistakes)),
            Translation::Server { node, notes } => {
                let notes: Vec<String> = notes.iter().map(|what| note(what)).collect();
                self.imported.notes.extend(notes);
                let entry = Entry::new(self.source, key.as_str(), &node);
                server::check_name(&name)
                    .map_err(|message| entry.refuse(message))
                    .and_then(|()| server_table::server(&entry, self.tls, self.around))
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
    let (first, rest) = name.split_at(name.chars().next().map_or(0, char::len_utf8));
    let name = first.to_owned() + &rest.replace(names::ACCOUNT, "-");
    match name.strip_prefix('$') {
        Some(rest) => format!("-{rest}"),
        None => name,
    }
}
