//! A client's file, as people name it on the command line.

use std::path::{Path, PathBuf};

use ampoule_projection::names::near;

use super::super::text;
use super::super::tree::Format;
use super::super::user::User;
use super::{Client, import};

/// A client's file: its own, or one of a project.
#[derive(Debug, Clone)]
pub struct ClientFile {
    /// The client that reads it.
    pub client: &'static Client,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whether it is the user's own, and not one that a project's people share.
    pub is_own: bool,
}

impl ClientFile {
    /// What `named` means: the own file of the client that is called so, or the file at this path.
    ///
    /// # Errors
    ///
    /// A sentence: the client is unknown, or nothing says whose file it is.
    pub fn named(named: &str, user: &User) -> Result<Self, String> {
        if let Some(client) = Client::called(named) {
            let path = client.file(user);
            let path = path.ok_or_else(|| {
                let home = user.system.home_variable();
                format!(
                    "nothing says where the client's file is; set {home} to the path of your own folder"
                )
            })?;
            return Ok(Self {
                client,
                path,
                is_own: true,
            });
        }
        let path = path(named, user)?;
        let client = Client::of_file(&path, user).or_else(|| by_content(&path, user));
        let client = client.ok_or_else(|| {
            format!(
                "nothing says which client reads {}; name the client instead: {}",
                path.display(),
                ids().collect::<Vec<_>>().join(", ")
            )
        })?;
        Ok(Self {
            is_own: client.is_own(&path, user),
            client,
            path,
        })
    }
}

fn ids() -> impl Iterator<Item = &'static str> {
    Client::all().iter().map(|client| client.id)
}

/// The path that people mean, who can't mean a client.
///
/// # Errors
///
/// A sentence: it is not a path either, or begins with a variable that is not set.
pub(crate) fn path(written: &str, user: &User) -> Result<PathBuf, String> {
    if !written.contains(['/', '.']) {
        return Err(match near(written, ids(), 1).first() {
            Some(near) => format!("unknown client; did you mean `{near}`?"),
            None => format!(
                "unknown client; write a path to a file, or one of {}",
                ids().collect::<Vec<_>>().join(", ")
            ),
        });
    }
    let path = user.path(written);
    let path = path.ok_or("the variable that this path begins with is not set")?;
    // Without each `.` in it.
    Ok(user.folder.join(path).components().collect())
}

/// Whose file this is, if there are servers in it.
fn by_content(path: &Path, user: &User) -> Option<&'static Client> {
    let text = text::of(path, import::MAX_FILE_BYTES).ok()?;
    let format = Format::of(path);
    let document = format.parsed(text.trim_start_matches('\u{feff}')).ok()?;
    let client = Client::of_content(&document, format)?;
    (!client.tables_in(&document, user).is_empty()).then_some(client)
}
