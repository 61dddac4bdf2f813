//! What open consoles cost a server that is under load: runs per second beside fifty of them, as part
//! of those without any.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ampoule_benches::server::{Server, config, program};
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::{BUSINESS, ask_until, percentile, token};

/// Tabs that are open, of two operators.
const TABS: usize = 50;
/// The clients whose scripts are the load.
const CLIENTS: usize = 8;
/// How long each part is measured.
const LASTS: Duration = Duration::from_secs(10);
/// How long a page waits until it asks for itself again, as the console's script does.
const PAUSE: Duration = Duration::from_secs(1);
/// The least part of the throughput that is left.
const LEFT: f64 = 0.7;

/// Runs under load without consoles, beside fifty, and without them again.
pub(crate) async fn consoles(folder: &Path) {
    let [ada, olga, otto] = ["ada", "olga", "otto"].map(|name| token(folder, name));
    let text = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n[serve.auth]\ntokens = 'tokens'\n[console]\noperators = ['olga', 'otto']\n[records]\nkeep = 'all'\n[audit]\n",
        program().display().to_string()
    );
    let server = Server::start(&config(folder, &text)).await;
    let address = server.address;
    load(address, &ada, Duration::from_secs(3)).await;
    let before = load(address, &ada, LASTS).await;
    let over = Arc::new(AtomicBool::new(false));
    let looks = Arc::new(AtomicU64::new(0));
    let mut cookies = Vec::new();
    for token in [&olga, &otto] {
        cookies.push(sign_in(address, token).await.expect("a cookie"));
    }
    let tabs = (0..TABS).map(|number| {
        let tab = Tab {
            address,
            cookie: cookies[number % cookies.len()].clone(),
            looks: Arc::clone(&looks),
        };
        let over = Arc::clone(&over);
        tokio::spawn(async move { tab.open_until(&over).await })
    });
    let tabs: Vec<_> = tabs.collect();
    sleep(Duration::from_secs(3)).await;
    let beside = load(address, &ada, LASTS).await;
    over.store(true, Relaxed);
    for tab in join_all(tabs).await {
        tab.expect("a tab").expect("no error");
    }
    let after = load(address, &ada, LASTS).await;
    server.stop().await;
    let alone = f64::midpoint(before.runs, after.runs);
    let ratio = beside.runs / alone;
    println!(
        "{TABS} consoles open, which looked {} times: {:.0} runs/s beside {alone:.0} without: {ratio:.2} ×; p99 {:.1?} beside {:.1?}",
        looks.load(Relaxed),
        beside.runs,
        beside.p99,
        before.p99,
    );
    assert!(looks.load(Relaxed) > TABS as u64, "each tab has looked");
    assert!(ratio >= LEFT);
}

/// What was reached.
struct Throughput {
    /// Runs per second.
    runs: f64,
    p99: Duration,
}

async fn load(address: SocketAddr, token: &str, lasts: Duration) -> Throughput {
    let over = AtomicBool::new(false);
    let clients = (0..CLIENTS).map(|_| ask_until(address, Some(token), BUSINESS, &over));
    let (took, ()) = tokio::join!(join_all(clients), async {
        sleep(lasts).await;
        over.store(true, Relaxed);
    });
    let mut took = took.concat();
    Throughput {
        runs: took.len() as f64 / lasts.as_secs_f64(),
        p99: percentile(&mut took, 99),
    }
}

/// A tab with the list of runs, as a browser has it.
struct Tab {
    address: SocketAddr,
    cookie: String,
    /// How often the page was asked for.
    looks: Arc<AtomicU64>,
}

impl Tab {
    /// Asks for the page now and whenever its stream says that something has changed.
    async fn open_until(&self, over: &AtomicBool) -> io::Result<()> {
        self.look().await?;
        let mut stream = TcpStream::connect(self.address).await?;
        let asked = self.request("/console/events", "");
        stream.write_all(asked.as_bytes()).await?;
        let mut part = vec![0; 4 << 10];
        while !over.load(Relaxed) {
            let Ok(read) = timeout(PAUSE, stream.read(&mut part)).await else {
                continue;
            };
            match read? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                bytes if String::from_utf8_lossy(&part[..bytes]).contains("changed") => {
                    self.look().await?;
                    sleep(PAUSE).await;
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn look(&self) -> io::Result<()> {
        let asked = self.request("/console/runs", "connection: close\r\n");
        let page = answer(self.address, &asked).await?;
        self.looks.fetch_add(1, Relaxed);
        match page.starts_with("HTTP/1.1 200 ") && page.contains("</html>") {
            true => Ok(()),
            false => Err(io::Error::other(page)),
        }
    }

    fn request(&self, path: &str, headers: &str) -> String {
        let Self {
            address, cookie, ..
        } = self;
        format!("GET {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n{headers}\r\n")
    }
}

/// Signs in a browser: its cookie.
async fn sign_in(address: SocketAddr, token: &str) -> io::Result<String> {
    let form = format!("token={token}");
    let asked = format!(
        "POST /console/sign-in HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    let answer = answer(address, &asked).await?;
    let mut lines = answer.lines();
    let cookie = lines.find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
    cookie
        .map(ToOwned::to_owned)
        .ok_or_else(|| io::Error::other(answer.clone()))
}

/// A whole answer, with its head.
async fn answer(address: SocketAddr, asked: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(asked.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
