//! `load`: `ampoule serve` as a team uses it, in a process of its own: fifty clients for a minute,
//! a client that floods the server beside another one, thousands that wait, consoles that are open,
//! and what a request costs above a run. The bench `start` has how long it takes to start.
//!
//! Fails where what is promised does not hold. `LOAD_SECONDS` shortens the minute; `request`,
//! `fifty`, `flood`, `waiting` or `consoles` after `--` is the one part that is measured.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

mod browser;
mod client;
mod consoles;

use std::env;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use ampoule::{Runtime, Script};
use ampoule_benches::server::{PipedServer, Server, config, program};
use futures::future::join_all;
use serde_json::json;
use tokio::time::sleep;

use self::client::Client;

const TRIVIAL: &str = "return 1+1";
/// Calls of a server that is a process of its own, and some work with what they give.
const BUSINESS: &str = "const { items } = await tools.demo.listOrders({ limit: 20 });
const customers = await Promise.all(items.slice(0, 3).map(order => tools.demo.getCustomer({ customerId: order.customerId })));
return { orders: items.length, customers: customers.length }";
/// What a flood is made of.
const ENDLESS: &str = "for (;;) {}";
/// Clients at once, and those that only wait.
const CLIENTS: usize = 50;
const WAITING: usize = 5_000;

fn main() {
    if env::args().any(|argument| argument == "--test") {
        // Its server is built apart.
        return;
    }
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    tokio.expect("Tokio").block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let wanted = |part: &str| {
            env::args()
                .skip(1)
                .all(|it| it.starts_with('-') || it == part)
        };
        if wanted("request") {
            request(folder).await;
        }
        if wanted("fifty") {
            fifty(folder).await;
        }
        if wanted("flood") {
            flood(folder).await;
        }
        if wanted("waiting") {
            waiting(folder).await;
        }
        if wanted("consoles") {
            consoles::consoles(folder).await;
        }
    });
}

/// What a request costs above the same run in process.
async fn request(folder: &Path) {
    const RUNS: usize = 2000;
    let config = config(folder, "");
    let runtime = Runtime::builder().build().expect("a runtime");
    let mut piped = PipedServer::start(&config);
    let server = Server::start(&config).await;
    let mut client = Client::connect(server.address, None)
        .await
        .expect("a connection");
    let (mut alone, mut by_pipe, mut by_http) = (Vec::new(), Vec::new(), Vec::new());
    // In turns, so that the machine's moods are shared.
    for number in 0..RUNS + 200 {
        let began = Instant::now();
        let outcome = runtime.isolate(Script::javascript(TRIVIAL)).run().await;
        let (one, began) = (began.elapsed(), Instant::now());
        assert_eq!(outcome.expect("a run").value::<u32>().expect("a number"), 2);
        let params = json!({
            "name": "execute_code",
            "arguments": { "code": TRIVIAL, "language": "javascript" },
        });
        let answer = piped.ask("tools/call", params).await;
        let (two, began) = (began.elapsed(), Instant::now());
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let (text, well) = client.execute(TRIVIAL).await.expect("an answer");
        let three = began.elapsed();
        assert!(well, "{text}");
        if number >= 200 {
            alone.push(one);
            by_pipe.push(two);
            by_http.push(three);
        }
    }
    server.stop().await;
    let [alone, by_pipe, by_http] =
        [alone, by_pipe, by_http].map(|mut took| percentile(&mut took, 50).as_secs_f64());
    println!(
        "a trivial run: {:.1} µs in process, {:.2} × over stdio, {:.2} × over HTTP",
        alone * 1e6,
        by_pipe / alone,
        by_http / alone
    );
    assert!(by_pipe / alone <= 8.0 && by_http / alone <= 12.0);
}

/// Fifty clients whose scripts call a server, for a minute.
async fn fifty(folder: &Path) {
    let seconds = env::var("LOAD_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let lasts = Duration::from_secs(seconds.unwrap_or(60));
    let demo = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n",
        program().display().to_string()
    );
    let server = Server::start(&config(folder, &demo)).await;
    let over = Arc::new(AtomicBool::new(false));
    let clients = (0..CLIENTS).map(|_| {
        let (over, address) = (Arc::clone(&over), server.address);
        tokio::spawn(async move { ask_until(address, None, BUSINESS, &over).await })
    });
    let clients: Vec<_> = clients.collect();
    // What is there once is there after a third.
    sleep(lasts / 3).await;
    let before = server.memory();
    sleep(lasts - lasts / 3).await;
    let after = server.memory();
    over.store(true, Relaxed);
    let mut took = Vec::new();
    for client in join_all(clients).await {
        took.append(&mut client.expect("no error"));
    }
    let (p50, p99) = (percentile(&mut took, 50), percentile(&mut took, 99));
    let grown = after as f64 / before as f64 - 1.0;
    println!(
        "{CLIENTS} clients for {lasts:?}: {} runs, p50 {p50:.1?}, p99 {p99:.1?}; memory {:.1} MiB, {:+.1} %",
        took.len(),
        after as f64 / 1024.0,
        grown * 100.0
    );
    assert!(grown < 0.05, "it grew from {before} to {after} KiB");
    server.stop().await;
}

/// Ada's short runs, alone and beside Bob's endless ones.
async fn flood(folder: &Path) {
    let (ada, bob) = (token(folder, "ada"), token(folder, "bob"));
    let text =
        "[serve.auth]\ntokens = 'tokens'\n[limits]\nfuel = 1_000_000_000_000\nwall-time = '5s'\n";
    let server = Server::start(&config(folder, text)).await;
    let address = server.address;
    let measured = async |lasts: Duration| {
        let over = AtomicBool::new(false);
        let (mut took, ()) = tokio::join!(ask_until(address, Some(&ada), TRIVIAL, &over), async {
            sleep(lasts).await;
            over.store(true, Relaxed);
        });
        (percentile(&mut took, 99), took.len())
    };
    let lasts = Duration::from_secs(10);
    let (alone, runs) = measured(lasts).await;
    let over = Arc::new(AtomicBool::new(false));
    let floods = (0..CLIENTS).map(|_| {
        let (over, bob) = (Arc::clone(&over), bob.clone());
        tokio::spawn(async move {
            let mut client = Client::connect(address, Some(&bob))
                .await
                .expect("a connection");
            while !over.load(Relaxed) {
                let _ = client.execute(ENDLESS).await;
            }
        })
    });
    let floods: Vec<_> = floods.collect();
    sleep(Duration::from_secs(2)).await;
    let (beside, runs_beside) = measured(lasts).await;
    over.store(true, Relaxed);
    server.stop().await;
    drop(floods);
    let ratio = beside.as_secs_f64() / alone.as_secs_f64();
    println!(
        "p99 of a trivial run: {alone:.1?} alone ({runs} runs), {beside:.1?} beside {CLIENTS} endless ones of another ({runs_beside} runs): {ratio:.2} ×"
    );
    assert!(ratio <= 3.0);
}

/// Clients that are connected, have a session, and wait.
async fn waiting(folder: &Path) {
    let server = Server::start(&config(folder, "")).await;
    let mut clients = Vec::new();
    let begin = async || {
        let mut client = Client::connect(server.address, None)
            .await
            .expect("a connection");
        client.begin_session().await.expect("a session");
        client
    };
    // What the first ones take is there once.
    for _ in 0..100 {
        clients.push(begin().await);
    }
    sleep(Duration::from_secs(1)).await;
    let before = server.memory();
    for _ in 0..WAITING {
        clients.push(begin().await);
    }
    sleep(Duration::from_secs(1)).await;
    let each = (server.memory() - before) as f64 / WAITING as f64;
    println!("{WAITING} clients that wait: {each:.1} KiB each");
    assert!(each <= 30.0);
    server.stop().await;
}

/// Asks again and again: how long each answer took.
async fn ask_until(
    address: SocketAddr,
    token: Option<&str>,
    code: &str,
    over: &AtomicBool,
) -> Vec<Duration> {
    let mut client = Client::connect(address, token).await.expect("a connection");
    let mut took = Vec::new();
    while !over.load(Relaxed) {
        let began = Instant::now();
        let (text, well) = client.execute(code).await.expect("an answer");
        assert!(well, "{text}");
        took.push(began.elapsed());
    }
    took
}

/// A token for somebody, as an operator makes one.
fn token(folder: &Path, name: &str) -> String {
    let made = Command::new(program())
        .args(["auth", "token", "add", name, "--file"])
        .arg(folder.join("tokens"))
        .output()
        .expect("a token");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    String::from_utf8(made.stdout)
        .expect("text")
        .trim()
        .to_owned()
}

fn percentile(took: &mut [Duration], percent: usize) -> Duration {
    took.sort_unstable();
    took[(took.len() * percent / 100).min(took.len() - 1)]
}
