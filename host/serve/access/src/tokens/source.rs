//! Where the list of tokens is.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;

use super::command;

/// The longest list, in bytes: room for all the tokens that there may be, with long names.
pub(super) const MOST_BYTES: u64 = 4 << 20;
/// The bits of a mode by which others may do anything, or the group may write.
const OTHERS_REACH: u32 = 0o027;
/// The superuser.
const ROOT: u32 = 0;
/// A file that was changed this shortly before it was read may be changed again without any sign of
/// it: times of files are coarse on some systems.
const SETTLES: Duration = Duration::from_secs(2);

/// Where the list of tokens is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In a file. It is looked at again, at most once a second.
    File(PathBuf),
    /// A command and its arguments, which prints it. It is run again, at most once a minute. It has
    /// the host's environment.
    Command(Vec<String>),
}

/// Tells one state of a file from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// What was read.
pub(super) enum SourceContent {
    /// It is as it was.
    Same,
    Text(String, Option<Stamp>),
}

impl Source {
    /// How long what was read is good for.
    pub(super) fn pause(&self) -> Duration {
        match self {
            Self::File(_) => Duration::from_secs(1),
            Self::Command(_) => Duration::from_secs(60),
        }
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(file) => file.display().to_string(),
            // Its arguments may be secrets.
            Self::Command(_) => "`tokens-command`".to_owned(),
        }
    }

    /// Reads the list, unless it is a file in the state that was seen.
    pub(super) async fn read(&self, seen: Option<Stamp>) -> Result<SourceContent, String> {
        match self {
            Self::Command(words) => {
                let text = command::printed(words, MOST_BYTES).await?;
                Ok(SourceContent::Text(text, None))
            }
            Self::File(path) => {
                let path = path.clone();
                let reading = tokio::task::spawn_blocking(move || read(&path, seen));
                reading.await.map_err(|error| error.to_string())?
            }
        }
    }
}

fn read(path: &Path, seen: Option<Stamp>) -> Result<SourceContent, String> {
    let opened = open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            "the file does not exist; `ampoule auth token add NAME` makes it".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "this user may not read it; run `ampoule auth token add` as the user who runs this server"
                .to_owned()
        }
        _ => format!("it can't be read: {error}"),
    })?;
    let found = opened
        .metadata()
        .map_err(|error| format!("it can't be read: {error}"))?;
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours && found.uid() != ROOT {
        return Err("it belongs to another user; it must be this user's, or root's".to_owned());
    }
    if found.mode() & OTHERS_REACH != 0 {
        return Err("others can read or change it; `chmod 600` it".to_owned());
    }
    let stamp = Stamp {
        device: found.dev(),
        inode: found.ino(),
        size: found.size(),
        changed: (found.ctime(), found.ctime_nsec()),
    };
    if seen == Some(stamp) {
        return Ok(SourceContent::Same);
    }
    let mut text = String::new();
    let read = opened.take(MOST_BYTES + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 > MOST_BYTES => {
            Err(format!("it has more than {MOST_BYTES} bytes"))
        }
        Ok(_) => Ok(SourceContent::Text(
            text,
            is_settled(&found).then_some(stamp),
        )),
        Err(error) => Err(format!("it can't be read: {error}")),
    }
}

fn open(path: &Path) -> io::Result<File> {
    // A pipe without a writer would never open otherwise.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

fn is_settled(found: &std::fs::Metadata) -> bool {
    let changed = Duration::from_secs(found.ctime().cast_unsigned());
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.is_ok_and(|now| now > changed + SETTLES)
}
