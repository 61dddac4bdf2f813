//! Files of workspaces: the list, and one as bytes.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use ampoule::{FileKind, Workspace};
use serde_json::Value;

use super::disclosure::Disclosure;
use super::sessions::owner;
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

/// A file, as bytes.
#[derive(Debug, Clone)]
pub struct FileContent {
    /// The last part of its path.
    pub name: String,
    /// Its bytes: a stranger's, and never to be shown as a page.
    pub bytes: Vec<u8>,
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
    /// As for [`files`](Self::files); [`ConsoleError::Conflict`] for a file that is too large.
    pub async fn file(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        path: &str,
    ) -> Result<FileContent, ConsoleError> {
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
            let status = workspace.status(&path)?;
            if status.kind != FileKind::File {
                return Err(UNKNOWN);
            }
            if status.size > SENT as u64 {
                return Err(too_large());
            }
            // It may grow meanwhile.
            let mut bytes = Bounded(Vec::new());
            let got = workspace.get(&path, &mut bytes);
            got.map_err(|problem| match bytes.0.len() > SENT {
                true => too_large(),
                false => problem.into(),
            })?;
            disclosure.check(&String::from_utf8_lossy(&bytes.0))?;
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            Ok(FileContent {
                name,
                bytes: bytes.0,
            })
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
fn carried(workspace: &Workspace) -> Result<Option<Value>, ConsoleError> {
    let carried = workspace.carried();
    carried.map_err(|problem| ConsoleError::host(&problem))
}

fn too_large() -> ConsoleError {
    ConsoleError::Conflict(format!(
        "the file is larger than {} MiB: get it with `ampoule files get`",
        SENT >> 20
    ))
}

/// Bytes, up to a little more than the limit.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        match self.0.len() > SENT {
            true => Err(io::Error::other("too large")),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
