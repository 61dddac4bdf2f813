//! The servers of a client's file as entries of `ampoule.toml`.

use std::path::{Path, PathBuf};

use ampoule_projection::names::canonical;

use super::super::tree::Node;
use super::super::{Command, ServerConfig, User};
use super::Client;
use super::entry::{self, Translation};
use super::ourselves::is_ourselves;

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
            Translation::Skipped(None) => continue,
            Translation::Skipped(Some(why)) => Err(why.to_owned()),
            Translation::Wrong(mistakes) => Err(mistakes
                .into_iter()
                .next()
                .map_or_else(String::new, |(_, why)| why)),
            Translation::Server { node, .. } => match node.to_json() {
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
            let command = Command {
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
