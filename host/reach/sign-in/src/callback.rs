//! Where the browser comes back to: a listener on this machine that waits for one answer.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// The path of the redirect.
const PATH: &str = "/callback";
/// A request's head, with the code in it, is not longer.
const MOST_BYTES: usize = 16 << 10;
/// A browser sends its request within this time.
const READING: Duration = Duration::from_secs(10);
/// Browsers open a few connections ahead; what comes beyond these waits for its turn.
const MOST_CONNECTIONS: usize = 16;

/// The redirect's address with this port.
pub(crate) fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}{PATH}")
}

/// A listener on the loopback address.
#[derive(Debug)]
pub(crate) struct Callback {
    listener: TcpListener,
    pub(crate) port: u16,
    state: String,
}

/// What the authorization server sent the browser back with.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The redirect's address.
    pub(crate) url: Url,
    /// The browser that waits for a page; none where the address was pasted.
    browser: Option<TcpStream>,
}

impl Callback {
    pub(crate) async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self {
            listener,
            port,
            state: String::new(),
        })
    }

    /// From now on, answers with this state are waited for, and no other.
    pub(crate) fn expect(&mut self, state: String) {
        self.state = state;
    }

    /// Waits for a browser with the answer. Every other request gets a page that says no.
    pub(crate) async fn browser(&self) -> Answer {
        let mut requests = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if requests.len() < MOST_CONNECTIONS => {
                    match accepted {
                        Ok((stream, _)) => requests.push(tokio::time::timeout(READING, request(stream))),
                        // Such as too many open files, which passes.
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
                Some(request) = requests.next() => {
                    let Ok(Ok((stream, target))) = request else { continue };
                    match self.judge(&target) {
                        Ok(url) => return Answer { url, browser: Some(stream) },
                        Err((status, why)) => respond(stream, status, why).await,
                    }
                }
            }
        }
    }

    /// Reads what somebody pasted: the address that the browser was sent to.
    pub(crate) fn pasted(&self, text: &str) -> Result<Answer, &'static str> {
        let text = text.trim();
        let url = Url::parse(text)
            .map_err(|_| "that is not an address; paste the whole one that the browser ends at")?;
        let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
        let url = self.judge(&target).map_err(|(_, why)| why)?;
        Ok(Answer { url, browser: None })
    }

    /// Whether a request's target is the answer that is waited for.
    fn judge(&self, target: &str) -> Result<Url, (&'static str, &'static str)> {
        let url = Url::parse(&address(self.port)).and_then(|own| own.join(target));
        let url = url.map_err(|_| ("400 Bad Request", "that is not an address"))?;
        if url.path() != PATH || url.port_or_known_default() != Some(self.port) {
            return Err(("404 Not Found", "there is nothing at this address"));
        }
        let mut states = url.query_pairs().filter(|(name, _)| name == "state");
        match (states.next(), states.next()) {
            (Some((_, state)), None) if !self.state.is_empty() && state == self.state => Ok(url),
            _ => Err((
                "400 Bad Request",
                "this is the answer to another sign-in; use the address that was shown last",
            )),
        }
    }
}

impl Answer {
    /// Tells the browser how it ended.
    pub(crate) async fn tell(self, worked: bool) {
        if let Some(browser) = self.browser {
            let (status, page) = if worked {
                ("200 OK", "You are signed in. This page can be closed.")
            } else {
                (
                    "400 Bad Request",
                    "The sign-in did not work; the terminal says why.",
                )
            };
            respond(browser, status, page).await;
        }
    }
}

/// Reads a request's head, and gives its target.
async fn request(mut stream: TcpStream) -> io::Result<(TcpStream, String)> {
    let mut head = Vec::new();
    let mut searched = 0;
    while !head[searched..].windows(4).any(|end| end == b"\r\n\r\n") {
        searched = head.len().saturating_sub(3);
        let mut chunk = [0; 2048];
        let read = stream.read(&mut chunk).await?;
        if read == 0 || head.len() + read > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(&chunk[..read]);
    }
    let head = String::from_utf8_lossy(&head);
    let line = head.lines().next().unwrap_or_default();
    let mut words = line.split(' ');
    match (words.next(), words.next()) {
        (Some("GET"), Some(target)) if target.starts_with('/') => Ok((stream, target.to_owned())),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

async fn respond(mut stream: TcpStream, status: &str, page: &str) {
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    let writing = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    // Who does not read it misses a page.
    let _ = tokio::time::timeout(Duration::from_secs(1), writing).await;
}
