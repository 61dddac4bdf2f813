//! Files of workspaces: the list, and one as bytes.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use ampoule::{FileKind, Workspace};
use serde_json::Value;

use super::bounded_buffer::BoundedBuffer;
use super::disclosure::Disclosure;
use super::sessions::owner;
use super::shares::Share;
use super::work::blocking;
use super::{cursor, time};
use crate::model::{FileRow, Page, PageQuery, Viewer};
use crate::{Console, ConsoleError};

/// How many files are listed.
const LISTED: usize = 10_000;
/// The largest file that is sent, in bytes.
const SENT: usize = 32 << 20;
/// No other words for a file of another principal.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this file");

/// How much more than is shown is looked at for what must be withheld, in bytes: it may be at the end
/// of what is shown.
const BEYOND: usize = 4 << 10;

/// A file, as bytes.
#[derive(Debug)]
pub struct FileContent {
    /// The last part of its path.
    pub name: String,
    /// Its bytes: a stranger's, and never to be shown as a page.
    pub bytes: Vec<u8>,
    /// It takes this as long as it is held in memory.
    pub(crate) share: Share,
}

/// The beginning of a file.
#[derive(Debug)]
pub(crate) struct FileBeginning {
    /// Its first bytes: a stranger's.
    pub(crate) bytes: Vec<u8>,
    /// The size of the whole file, in bytes.
    pub(crate) size: u64,
}

impl Console {
    /// The files of a principal's workspace, by path. Default: the viewer's own.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without a workspace; [`ConsoleError::NotFound`] if the viewer may not
    /// see that principal's; [`ConsoleError::Withheld`]; the cursor is unknown.
    pub async fn files(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        wanted: &PageQuery,
    ) -> Result<Page<FileRow>, ConsoleError> {
        let workspace = self.workspace(viewer, principal).await?;
        let (runtime, of) = (self.sources().runtime().clone(), viewer.clone());
        let (files, more) = blocking(move || {
            let carried = carried(&workspace)?;
            let disclosure = Disclosure {
                runtime: &runtime,
                viewer: &of,
                carried: carried.as_ref(),
            };
            // Names of files are the scripts' words, too.
            disclosure.check("")?;
            let (mut files, more) = workspace.all(LISTED)?;
            files.retain(|file| disclosure.allows(&file.path));
            Ok((files, more))
        })
        .await?;
        let row = |file: &ampoule::FileEntry| FileRow {
            path: file.path.clone(),
            kind: match file.status.kind {
                FileKind::File => "file",
                FileKind::Folder => "folder",
                FileKind::Link => "link",
                FileKind::Other => "other",
            }
            .to_owned(),
            bytes: file.status.size,
            modified: time::text(UNIX_EPOCH + Duration::from_nanos(file.status.modified)),
        };
        let mut rows: Vec<FileRow> = files.iter().map(row).collect();
        rows.sort_by(|one, other| one.path.cmp(&other.path));
        let mut page = cursor::by_name(rows, wanted, |row| row.path.clone())?;
        if more {
            page.total = None;
            page.problems
                .push(format!("only the first {LISTED} files are listed"));
        }
        Ok(page)
    }

    /// A file of a principal's workspace.
    ///
    /// # Errors
    ///
    /// As for [`files`](Self::files); [`ConsoleError::Conflict`] for a file that is too large;
    /// [`ConsoleError::Busy`] while too many files are sent.
    pub async fn file(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        path: &str,
    ) -> Result<FileContent, ConsoleError> {
        let workspace = self.workspace(viewer, principal).await?;
        let share = self.downloads().open(viewer)?;
        let path = path.to_owned();
        let (runtime, of) = (self.sources().runtime().clone(), viewer.clone());
        blocking(move || {
            let carried = carried(&workspace)?;
            let disclosure = Disclosure {
                runtime: &runtime,
                viewer: &of,
                carried: carried.as_ref(),
            };
            disclosure.check("")?;
            if size(&workspace, &path)? > SENT as u64 {
                return Err(too_large());
            }
            // It may grow meanwhile.
            let read = beginning(&workspace, &path, SENT)?;
            if read.is_cut() {
                return Err(too_large());
            }
            let bytes = read.bytes();
            disclosure.check(&String::from_utf8_lossy(&bytes))?;
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            Ok(FileContent { name, bytes, share })
        })
        .await
    }

    /// The beginning of a file of a principal's workspace, at most so many bytes.
    ///
    /// # Errors
    ///
    /// As for [`files`](Self::files).
    pub(crate) async fn file_beginning(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        path: &str,
        most: usize,
    ) -> Result<FileBeginning, ConsoleError> {
        let workspace = self.workspace(viewer, principal).await?;
        let path = path.to_owned();
        let (runtime, of) = (self.sources().runtime().clone(), viewer.clone());
        blocking(move || {
            let carried = carried(&workspace)?;
            let disclosure = Disclosure {
                runtime: &runtime,
                viewer: &of,
                carried: carried.as_ref(),
            };
            disclosure.check("")?;
            let size = size(&workspace, &path)?;
            let mut bytes = beginning(&workspace, &path, most + BEYOND)?.bytes();
            disclosure.check(&String::from_utf8_lossy(&bytes))?;
            bytes.truncate(most);
            Ok(FileBeginning { bytes, size })
        })
        .await
    }

    async fn workspace(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
    ) -> Result<Arc<Workspace>, ConsoleError> {
        let owner = owner(viewer, principal)?;
        let runtime = self.sources().runtime().clone();
        let found = blocking(move || Ok(runtime.workspace(owner.as_ref())?)).await?;
        found.ok_or(ConsoleError::NotSetUp(
            "no workspace is configured: add `[workspace]` to ampoule.toml",
        ))
    }
}

/// What the runs had read that wrote the files.
pub(super) fn carried(workspace: &Workspace) -> Result<Option<Value>, ConsoleError> {
    let carried = workspace.carried();
    carried.map_err(|problem| ConsoleError::host(&problem))
}

fn too_large() -> ConsoleError {
    ConsoleError::Conflict(format!(
        "the file is larger than {} MiB: get it with `ampoule files get`",
        SENT >> 20
    ))
}

/// The size of a file.
fn size(workspace: &Arc<Workspace>, path: &str) -> Result<u64, ConsoleError> {
    let status = workspace.status(path)?;
    match status.kind {
        FileKind::File => Ok(status.size),
        _ => Err(UNKNOWN),
    }
}

/// The beginning of a file, at most so many bytes.
fn beginning(
    workspace: &Arc<Workspace>,
    path: &str,
    most: usize,
) -> Result<BoundedBuffer, ConsoleError> {
    let mut buffer = BoundedBuffer::new(most);
    match workspace.get(path, &mut buffer) {
        Err(problem) if !buffer.is_cut() => Err(problem.into()),
        _ => Ok(buffer),
    }
}
