//! Components that clients may run, where the operator allows it.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::{Component, Error};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use tokio::sync::Semaphore;

use crate::content::text::quoted;

/// How every component begins in base64. No path begins so, for it would have to name a file in a
/// folder of that name.
const BASE64_START: &str = "AGFzbQ";

/// How many components are read at once. Each takes a thread.
const READ_AT_ONCE: usize = 4;

/// Which components a client may run. By default, none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientComponents {
    /// Those that it sends.
    pub sent: bool,
    /// Those in this folder of the host.
    pub folder: Option<PathBuf>,
}

/// Where components may come from.
pub(crate) struct ComponentSources {
    sent: bool,
    folder: Option<Arc<Dir>>,
    turns: Arc<Semaphore>,
}

impl ComponentSources {
    /// # Errors
    ///
    /// A configuration error where the folder can't be opened.
    pub(crate) fn new(allowed: &ClientComponents) -> Result<Self, Error> {
        let open = |folder| {
            Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| {
                Error::config(format!(
                    "the folder of components {} can't be opened: {error}",
                    std::path::Path::display(folder)
                ))
            })
        };
        let folder = allowed.folder.as_deref().map(open).transpose()?;
        Ok(Self {
            sent: allowed.sent,
            folder: folder.map(Arc::new),
            turns: Arc::new(Semaphore::new(READ_AT_ONCE)),
        })
    }

    pub(crate) fn any(&self) -> bool {
        self.sent || self.folder.is_some()
    }

    /// The sentence about components in the description of `execute_code`.
    pub(crate) fn wording(&self) -> Option<&'static str> {
        match (self.sent, self.folder.is_some()) {
            (false, false) => None,
            (true, false) => Some("With language `wasm`, `code` is a component in base64."),
            (false, true) => Some(
                "With language `wasm`, `code` is the path of a component in the operator's folder.",
            ),
            (true, true) => Some(
                "With language `wasm`, `code` is a component in base64, or the path of one in the operator's folder.",
            ),
        }
    }

    /// The component that a client means. It may have `most` bytes.
    ///
    /// # Errors
    ///
    /// A request error for an unknown component, or one that is not allowed.
    pub(crate) async fn component(&self, code: &str, most: u64) -> Result<Component, Error> {
        if !self.any() {
            return Err(Error::request(
                "components can't be run here: the operator allows none",
            ));
        }
        let code = code.trim();
        if code.starts_with(BASE64_START) {
            if !self.sent {
                return Err(Error::request(
                    "the operator allows components from a folder, not sent ones: give a path",
                ));
            }
            let code = code.to_owned();
            return self.off_thread(move || sent(code, most)).await;
        }
        let Some(folder) = &self.folder else {
            return Err(Error::request(
                "this is not a component in base64: it would begin with `AGFzbQ0AAQA`",
            ));
        };
        let (folder, path) = (Arc::clone(folder), code.to_owned());
        self.off_thread(move || Component::from_bytes(read(&folder, &path, most)?))
            .await
    }

    /// Reads and decodes many bytes on a thread of its own, a few components at a time.
    async fn off_thread(
        &self,
        work: impl FnOnce() -> Result<Component, Error> + Send + 'static,
    ) -> Result<Component, Error> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let reading = tokio::task::spawn_blocking(move || {
            // Until the work is done, even if its request is gone.
            let _turn = turn;
            work()
        });
        reading
            .await
            .map_err(|error| Error::host("reading was interrupted", error))?
    }
}

/// A component in base64.
fn sent(mut code: String, most: u64) -> Result<Component, Error> {
    code.retain(|c| !c.is_whitespace());
    let padding = code.bytes().rev().take_while(|&byte| byte == b'=').count();
    let bytes = (code.len() / 4 * 3).saturating_sub(padding) as u64;
    if bytes > most {
        return Err(Error::request(format!(
            "the component has {bytes} bytes; the limit `host-bytes` allows {most}"
        )));
    }
    let wasm = STANDARD
        .decode(code)
        .map_err(|error| Error::request(format!("the component is not base64: {error}")))?;
    Component::from_bytes(wasm)
}

fn read(folder: &Dir, path: &str, most: u64) -> Result<Vec<u8>, Error> {
    let shown = quoted(path);
    let unreadable = |error: std::io::Error| {
        Error::request(format!(
            "the component `{shown}` can't be read in the operator's folder: {error}"
        ))
    };
    // Something other than a file, such as a pipe, might never open.
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = folder.open_with(path, &options).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(Error::request(format!("`{shown}` is not a file")));
    }
    let mut wasm = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut wasm)
        .map_err(unreadable)?;
    if wasm.len() as u64 > most {
        return Err(Error::request(format!(
            "the component `{shown}` has more than the {most} bytes that the limit `host-bytes` allows"
        )));
    }
    Ok(wasm)
}
