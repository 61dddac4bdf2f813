//! A folder as a server on this machine has it, for what downloads.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result};

/// The longest request line that is read, in bytes.
const MAX_LINE: u64 = 4096;

/// A server that answers with the files at the top of a folder, until it is dropped.
pub(in crate::dist) struct Web {
    at: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Web {
    /// Starts it.
    pub(in crate::dist) fn of(folder: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let at = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let thread = thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                // A client that hangs up sees its own failure.
                drop(answer(&connection, &folder));
            }
        });
        Ok(Self {
            at,
            stopped,
            thread: Some(thread),
        })
    }

    /// Its address.
    pub(in crate::dist) fn address(&self) -> String {
        format!("http://{}", self.at)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // It waits for a connection, and sees then that it is to stop.
        drop(TcpStream::connect(self.at));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn answer(mut connection: &TcpStream, folder: &Path) -> Result<()> {
    let mut lines = BufReader::new(connection.take(MAX_LINE)).lines();
    let request = lines.next().context("a request")??;
    let name = request
        .split(' ')
        .nth(1)
        .and_then(|path| path.strip_prefix('/'))
        .context("a path")?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let file = (!name.contains('/')).then(|| folder.join(name));
    match file.and_then(|file| fs::read(file).ok()) {
        Some(bytes) => {
            write!(
                connection,
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                bytes.len()
            )?;
            connection.write_all(&bytes)?;
        }
        None => connection.write_all(
            b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        )?,
    }
    Ok(())
}
