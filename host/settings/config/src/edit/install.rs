//! Ampoule in a client's file, and out again.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::clients::{self, Client, ClientFile, Movable};
use super::super::tree::Format;
use super::super::{User, check_name};
use super::{Edit, entries, text_of, written};

/// What we are called in clients' files.
const NAME: &str = "ampoule";

/// What is to be changed, for a person to see before it is.
#[derive(Debug)]
pub struct Plan {
    /// The files, each with its change.
    pub edits: Vec<Edit>,
    /// What there is to say of it, a sentence each.
    pub notes: Vec<String>,
    record: PathBuf,
    /// What will be known of it; `None` when all is undone.
    installed: Option<InstallRecord>,
}

/// What was changed for a client, kept so that it can be undone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InstallRecord {
    /// The client's file.
    client: Edit,
    /// `ampoule.toml`, if servers were moved there.
    own: Option<Edit>,
    /// The servers that were moved.
    moved: Vec<String>,
}

impl Plan {
    /// Makes the changes. What there was is kept beforehand, at the path that it returns.
    ///
    /// # Errors
    ///
    /// A file can't be written, or has changed meanwhile.
    pub fn apply(&self) -> io::Result<PathBuf> {
        if let Some(installed) = &self.installed {
            written(&self.record, &serde_json::to_string(installed)?, None)?;
        }
        // First what takes servers over, then what lets them go.
        for edit in &self.edits {
            edit.apply()?;
        }
        if self.installed.is_none() && self.record.exists() {
            std::fs::remove_file(&self.record)?;
        }
        Ok(self.record.clone())
    }
}

/// Where what was changed in a client's file is kept.
fn record(target: &ClientFile, user: &User) -> Result<PathBuf, String> {
    let folder = user.state().ok_or_else(|| {
        let home = user.system.home_variable();
        format!(
            "nothing says where to keep the old file; set {home} to the path of your own folder"
        )
    })?;
    let id = target.client.id;
    let name = if target.is_own {
        format!("{id}.json")
    } else {
        // The same file by another path is the same.
        let holder = target
            .path
            .parent()
            .and_then(|holder| holder.canonicalize().ok());
        let name = target.path.file_name().unwrap_or_default();
        let path = holder.map_or_else(|| target.path.clone(), |holder| holder.join(name));
        let digest = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
        format!("{id}-{}.json", &digest[..16])
    };
    Ok(folder.join("ampoule/clients").join(name))
}

fn recorded(record: &Path) -> Result<Option<InstallRecord>, String> {
    let Some(text) = text_of(record)? else {
        return Ok(None);
    };
    let installed = serde_json::from_str(&text);
    installed
        .map_err(|_| format!("{} is damaged; remove it", record.display()))
        .map(Some)
}

/// Puts Ampoule into a client's file, so that it is started with `arguments`. With `own`, the other
/// servers are moved there, to `ampoule.toml`.
///
/// # Errors
///
/// A sentence about what is wrong with a file.
pub fn install(
    target: &ClientFile,
    user: &User,
    arguments: &[String],
    own: Option<&Path>,
) -> Result<Plan, String> {
    let record = record(target, user)?;
    let (client, file) = (target.client, target.path.clone());
    let format = Format::of(&file);
    let text = text_of(&file)?.unwrap_or_default();
    let document =
        entries::parsed(format, &text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut notes = Vec::new();
    let mut moved = Vec::new();
    let mut taken = own
        .map(|own| Edit::of(own, |text| Ok(text.to_owned())))
        .transpose()?;
    if let Some(edit) = &mut taken {
        for server in clients::movable(client, user, &file, &document) {
            match take_over(edit, &server) {
                Ok(()) => moved.push(server),
                Err(why) => notes.push(format!("server `{}` stays: {why}", server.name)),
            }
        }
    }
    if !moved.is_empty() {
        taken = taken.map(|edit| edit.with_secrets_of(&file));
    }
    let table = client.table_in(&document);
    let ours = target.own_entry(user, arguments);
    let change = Edit::of(&file, |text| {
        let mut text = text.to_owned();
        for server in &moved {
            let keys: Vec<&str> = server.table.iter().map(String::as_str).collect();
            text = entries::take(format, &text, &keys, &server.name)?;
        }
        entries::put(format, &text, table, NAME, &ours)
    })?;
    let before = recorded(&record)?;
    let mut names: Vec<String> = moved.into_iter().map(|server| server.name).collect();
    // Who installs again wants to undo both.
    let (mut first, mut first_own) = (change.clone(), taken.clone());
    if let Some(before) = before
        && before.client.after == change.before
    {
        first.before = before.client.before;
        names.splice(0..0, before.moved);
        if let Some(own) = before.own {
            let now = first_own.get_or_insert_with(|| own.clone());
            now.before = own.before;
        }
    }
    notes.extend(target.notes(own.is_some() && !names.is_empty()));
    Ok(Plan {
        edits: taken
            .into_iter()
            .chain([change])
            .filter(|edit| !edit.is_empty())
            .collect(),
        notes,
        record,
        installed: Some(InstallRecord {
            client: first,
            own: first_own,
            moved: names,
        }),
    })
}

/// Adds a server to `ampoule.toml`.
fn take_over(edit: &mut Edit, server: &Movable) -> Result<(), String> {
    let entry = server.entry.as_ref().map_err(Clone::clone)?;
    check_name(&server.name)?;
    let text = edit.after.clone().unwrap_or_default();
    let document = entries::parsed(Format::Toml, &text)?;
    let own = document
        .get("servers")
        .map_or(&[][..], |servers| servers.members());
    if own.iter().any(|own| own.name == server.name) {
        return Err("ampoule.toml has one of this name".to_owned());
    }
    edit.after = Some(entries::put(
        Format::Toml,
        &text,
        &["servers"],
        &server.name,
        entry,
    )?);
    Ok(())
}

/// Takes Ampoule out of a client's file, and puts back what was moved. Files that nobody edited
/// since are as before, to the byte.
///
/// # Errors
///
/// A sentence about what is wrong with a file.
pub fn uninstall(target: &ClientFile, user: &User) -> Result<Plan, String> {
    let (client, record) = (target.client, record(target, user)?);
    let Some(installed) = recorded(&record)? else {
        let edit = without_us(client, &target.path, &[], None)?;
        return Ok(Plan {
            edits: Some(edit)
                .into_iter()
                .filter(|edit| !edit.is_empty())
                .collect(),
            notes: Vec::new(),
            record,
            installed: None,
        });
    };
    let InstallRecord {
        client: change,
        own,
        moved,
    } = installed;
    let mut notes = Vec::new();
    let mut edits = Vec::new();
    edits.push(match undone(&change)? {
        Some(edit) => edit,
        None => {
            notes.push(
                "the client's file was edited since: only what Ampoule wrote is undone".to_owned(),
            );
            without_us(client, &change.file, &moved, change.before.as_deref())?
        }
    });
    if let Some(own) = own {
        edits.push(match undone(&own)? {
            Some(edit) => edit,
            None => Edit::of(&own.file, |text| {
                moved.iter().try_fold(text.to_owned(), |text, name| {
                    entries::take(Format::Toml, &text, &["servers"], name)
                })
            })?,
        });
    }
    Ok(Plan {
        edits: edits.into_iter().filter(|edit| !edit.is_empty()).collect(),
        notes,
        record,
        installed: None,
    })
}

/// The change backwards, if the file is as it left it.
fn undone(edit: &Edit) -> Result<Option<Edit>, String> {
    let now = text_of(&edit.file)?;
    Ok((now == edit.after).then(|| Edit {
        file: edit.file.clone(),
        before: now,
        after: edit.before.clone(),
        most: None,
    }))
}

/// The client's file without our entry, and with those that were moved out of `before`.
fn without_us(
    client: &'static Client,
    file: &Path,
    moved: &[String],
    before: Option<&str>,
) -> Result<Edit, String> {
    let format = Format::of(file);
    Edit::of(file, |text| {
        if text.is_empty() {
            return Ok(String::new());
        }
        let document = entries::parsed(format, text)?;
        let table = client.table_in(&document);
        let mut text = entries::take(format, text, table, NAME)?;
        let before = before
            .map(|before| entries::parsed(format, before))
            .transpose()?;
        let old = before.as_ref().and_then(|before| before.at(table));
        for name in moved {
            let there = document
                .at(table)
                .is_some_and(|table| table.get(name).is_some());
            if let Some(Value::Object(entry)) =
                old.and_then(|old| old.get(name)).map(|old| old.to_json())
                && !there
            {
                text = entries::put(format, &text, table, name, &entry)?;
            }
        }
        Ok(text)
    })
}

impl ClientFile {
    /// Our entry, as the client writes such entries.
    fn own_entry(&self, user: &User, arguments: &[String]) -> Map<String, Value> {
        let program = if self.is_own {
            user.program.to_string_lossy()
        } else {
            // Others' is elsewhere.
            NAME.into()
        };
        let entry = match self.client.id {
            "opencode" => {
                let words: Vec<&str> = std::iter::once(&*program)
                    .chain(arguments.iter().map(String::as_str))
                    .collect();
                json!({ "type": "local", "command": words })
            }
            "goose" => json!({
                "name": "Ampoule", "type": "stdio", "cmd": program, "args": arguments,
                "enabled": true, "timeout": 300, "envs": {},
            }),
            "vscode" => json!({ "type": "stdio", "command": program, "args": arguments }),
            "copilot" => {
                json!({ "type": "local", "command": program, "args": arguments, "tools": ["*"] })
            }
            _ => json!({ "command": program, "args": arguments }),
        };
        match entry {
            Value::Object(entry) => entry,
            _ => Map::new(),
        }
    }

    /// What there is to say of it, where others may read the same file.
    fn notes(&self, loses_servers: bool) -> Vec<String> {
        if self.is_own {
            return Vec::new();
        }
        let mut notes = vec![
            "a project's file has no path of this machine in it: `ampoule` must be in PATH"
                .to_owned(),
        ];
        let readers = self.client.shares;
        if loses_servers && !readers.is_empty() {
            notes.push(format!(
                "{} read this file too: they find Ampoule there now, and the servers no longer",
                readers.join(" and ")
            ));
        }
        notes
    }
}
