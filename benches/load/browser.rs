//! A browser that looks at the console, as far as the server can tell: cookies, pages, live pages.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// How long a page waits until it asks for itself again, as the console's script does.
const PAUSE: Duration = Duration::from_secs(1);
/// What a live page says that asks for itself again.
const AGAIN: &str = "x-ampoule-again: 1\r\n";

/// A browser that is signed in.
#[derive(Clone)]
pub(crate) struct Browser {
    address: SocketAddr,
    cookie: String,
}

impl Browser {
    /// Signs in with a token.
    pub(crate) async fn sign_in(address: SocketAddr, token: &str) -> io::Result<Self> {
        let form = format!("token={token}");
        let asked = format!(
            "POST /console/sign-in HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            form.len()
        );
        let answer = answer(address, &asked).await?;
        let mut lines = answer.lines();
        let cookie = lines.find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
        match cookie {
            Some(cookie) => Ok(Self {
                address,
                cookie: cookie.to_owned(),
            }),
            None => Err(io::Error::other(answer.clone())),
        }
    }

    /// What is at a path, without its head.
    pub(crate) async fn get(&self, path: &str) -> io::Result<String> {
        self.get_with(path, "").await
    }

    async fn get_with(&self, path: &str, headers: &str) -> io::Result<String> {
        let asked = self.request(path, &format!("connection: close\r\n{headers}"));
        let answer = answer(self.address, &asked).await?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 200 ") => Ok(body.to_owned()),
            _ => Err(io::Error::other(answer)),
        }
    }

    /// Has the list of runs open in a tab: asks for the page whenever its stream says that something
    /// has changed. `looks` counts that.
    pub(crate) async fn watch_until(&self, over: &AtomicBool, looks: &AtomicU64) -> io::Result<()> {
        let look = async |headers| {
            looks.fetch_add(1, Relaxed);
            let page = self.get_with("/console/runs", headers).await?;
            match page.contains("</html>") {
                true => Ok(()),
                false => Err(io::Error::other(page)),
            }
        };
        look("").await?;
        let mut stream = TcpStream::connect(self.address).await?;
        let asked = self.request("/console/events", "");
        stream.write_all(asked.as_bytes()).await?;
        let mut part = vec![0; 4 << 10];
        let mut is_new = true;
        while !over.load(Relaxed) {
            let Ok(read) = timeout(PAUSE, stream.read(&mut part)).await else {
                continue;
            };
            let heard = match read? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                bytes => String::from_utf8_lossy(&part[..bytes]).contains("changed"),
            };
            // A stream that is there at last has missed what happened before.
            if heard || is_new {
                is_new = false;
                look(AGAIN).await?;
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    fn request(&self, path: &str, headers: &str) -> String {
        let Self { address, cookie } = self;
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n{headers}\r\n")
    }
}

/// A whole answer, with its head.
async fn answer(address: SocketAddr, asked: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(asked.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
