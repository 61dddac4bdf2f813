//! The socket of a running server for questions about its runs: in a folder that only its user can
//! open, named by the process.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

/// The folder of the sockets: in the user's runtime folder, or else, in the system's for temporary
/// files, one with the user's number in its name.
pub fn folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR") {
        Some(runtime) if Path::new(&runtime).is_absolute() => {
            PathBuf::from(runtime).join("ampoule")
        }
        _ => std::env::temp_dir().join(format!("ampoule-{}", own_uid())),
    }
}

/// A socket, gone with this.
pub(super) struct Listening {
    pub(super) listener: UnixListener,
    path: PathBuf,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Listens for this process's user alone.
pub(super) fn listen(folder: &Path) -> io::Result<Listening> {
    make_private(folder)?;
    let path = folder.join(format!("{}.sock", std::process::id()));
    // No other process has this number: it is of one that is dead.
    match fs::symlink_metadata(&path) {
        Ok(there) if there.file_type().is_socket() => fs::remove_file(&path)?,
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    let listening = Listening { listener, path };
    // Until here, the folder has kept others out.
    fs::set_permissions(&listening.path, Permissions::from_mode(0o600))?;
    Ok(listening)
}

/// Makes the folder, or sees to it that it is its user's alone.
fn make_private(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let there = fs::symlink_metadata(folder)?;
    if !there.is_dir() || there.uid() != own_uid() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if there.mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Whether the other end is this process's user.
pub(super) fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own_uid())
}

fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// A server that runs.
pub struct Running {
    /// Its process.
    pub pid: u32,
    /// Where it is asked.
    pub stream: UnixStream,
}

/// The servers of this user that run, by their processes. Sockets of dead ones are removed.
///
/// # Errors
///
/// The folder can't be read, or belongs to another user.
pub async fn running(folder: &Path) -> io::Result<Vec<Running>> {
    running_besides(folder, None).await
}

/// The same of all processes but this one, which knows its own runs.
///
/// # Errors
///
/// As for [`running`].
pub async fn running_elsewhere(folder: &Path) -> io::Result<Vec<Running>> {
    running_besides(folder, Some(std::process::id())).await
}

async fn running_besides(folder: &Path, without: Option<u32>) -> io::Result<Vec<Running>> {
    let entries = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(there) if there.uid() != own_uid() => {
            return Err(io::Error::other("it belongs to another user"));
        }
        _ => fs::read_dir(folder)?,
    };
    let mut running = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let pid = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".sock")?.parse().ok());
        let Some(pid) = pid.filter(|pid| Some(*pid) != without) else {
            continue;
        };
        match UnixStream::connect(&path).await {
            Ok(stream) if is_own(&stream) => running.push(Running { pid, stream }),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                let _ = fs::remove_file(&path);
            }
            _ => {}
        }
    }
    running.sort_by_key(|server| server.pid);
    Ok(running)
}
