//! What open consoles cost a server under 200 runs a second: the part of these runs that is left beside
//! fifty of them, and the part of the machine that the consoles take. Then, how long pages take among
//! more than 10,000 recorded runs.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use ampoule_benches::server::{Server, config, program};
use futures::future::join_all;
use tokio::time::{sleep, sleep_until};

use super::browser::Browser;
use super::client::Client;
use super::{BUSINESS, TRIVIAL, ask_until, percentile, token};

/// Consoles that are open, each in a browser of its own.
const CONSOLES: usize = 50;
/// Who has them open.
const OPERATORS: [&str; 4] = ["oda", "odo", "olga", "otto"];
/// Runs per second.
const RATE: u32 = 200;
/// The clients that send them.
const CLIENTS: u32 = 16;
/// How long each part is measured.
const LASTS: Duration = Duration::from_secs(15);
/// The most that consoles may cost: of the runs, and of the machine.
const COST: f64 = 0.05;
/// How many runs are listed.
const LISTED: usize = 10_000;
/// The most that the first page may load, in bytes, beside the editor, and how long it may take.
const FIRST_PAGE: usize = 100_000;
const FIRST_TIME: Duration = Duration::from_millis(200);
/// How long a page of a long list may take: people notice what takes longer.
const STUTTER: Duration = Duration::from_millis(100);

/// Runs without consoles, beside fifty, and without them again; and pages of many runs.
pub(crate) async fn consoles(folder: &Path) {
    let ada = token(folder, "ada");
    let operators = OPERATORS.map(|name| token(folder, name));
    let text = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n[serve.auth]\ntokens = 'tokens'\n[console]\noperators = {OPERATORS:?}\n[records]\nkeep = 'all'\n[audit]\n[approvals]\nask = 'destructive'\n",
        program().display().to_string()
    );
    let server = Server::start(&config(folder, &text)).await;
    load(&server, &ada, Duration::from_secs(3)).await;
    let before = load(&server, &ada, LASTS).await;
    let (over, looks) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
    let mut open = Vec::new();
    for number in 0..CONSOLES {
        let token = &operators[number % operators.len()];
        let browser = Browser::sign_in(server.address, token).await;
        let browser = browser.expect("a cookie");
        let (over, looks) = (Arc::clone(&over), Arc::clone(&looks));
        open.push(tokio::spawn(async move {
            browser.watch_until(&over, &looks).await
        }));
    }
    sleep(Duration::from_secs(3)).await;
    looks.store(0, Relaxed);
    let beside = load(&server, &ada, LASTS).await;
    let looks = looks.load(Relaxed);
    over.store(true, Relaxed);
    for console in join_all(open).await {
        console.expect("a console").expect("no error");
    }
    let after = load(&server, &ada, LASTS).await;
    let alone = Load {
        runs: f64::midpoint(before.runs, after.runs),
        processor: f64::midpoint(before.processor, after.processor),
        p99: before.p99.max(after.p99),
    };
    let left = beside.runs / alone.runs;
    let cores = available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let taken = (beside.processor - alone.processor) / cores;
    println!(
        "{CONSOLES} consoles open, which looked {looks} times: {:.0} runs/s beside {:.0} without: {left:.3} ×; p99 {:.1?} beside {:.1?}; of the machine {:.1} %",
        beside.runs,
        alone.runs,
        beside.p99,
        alone.p99,
        taken * 100.0,
    );
    assert!(
        looks > 4 * CONSOLES as u64,
        "each console has looked: {looks}"
    );
    let rate = f64::from(RATE);
    assert!(alone.runs > 0.95 * rate, "the machine can do that without");
    assert!(left >= 1.0 - COST, "runs");
    assert!(taken <= COST, "the machine");
    pages(&server, &ada, &operators[0]).await;
    server.stop().await;
}

/// What was reached.
struct Load {
    /// Runs per second.
    runs: f64,
    /// The server's time of the processor, in seconds of each second.
    processor: f64,
    p99: Duration,
}

/// So many runs a second, as far as they can be had.
async fn load(server: &Server, token: &str, lasts: Duration) -> Load {
    let used = server.processor_time();
    let began = Instant::now();
    let clients = (0..CLIENTS).map(|number| paced(server.address, token, number, lasts));
    let mut took = join_all(clients).await.concat();
    let measured = began.elapsed().as_secs_f64();
    let used = server.processor_time() - used;
    Load {
        runs: took.len() as f64 / measured,
        processor: used.as_secs_f64() / measured,
        p99: percentile(&mut took, 99),
    }
}

/// One client's runs: each begins when it is due, or when the one before has ended.
async fn paced(address: SocketAddr, token: &str, number: u32, lasts: Duration) -> Vec<Duration> {
    let mut client = Client::connect(address, Some(token))
        .await
        .expect("a connection");
    let every = Duration::from_secs(1) * CLIENTS / RATE;
    let began = tokio::time::Instant::now();
    let mut due = began + every * number / CLIENTS;
    let mut took = Vec::new();
    while due < began + lasts && began.elapsed() < lasts {
        sleep_until(due).await;
        let run = Instant::now();
        let (text, well) = client.execute(BUSINESS).await.expect("an answer");
        assert!(well, "{text}");
        took.push(run.elapsed());
        due += every;
    }
    took
}

/// How long pages take: the first one, and all of a list of many runs.
async fn pages(server: &Server, ada: &str, operator: &str) {
    let browser = Browser::sign_in(server.address, operator)
        .await
        .expect("a cookie");
    loop {
        let list = browser.get("/api/v1/runs?limit=1").await.expect("a list");
        let total: usize = text_after(&list, "\"total\":").parse().expect("a number");
        if total >= LISTED {
            break;
        }
        let over = AtomicBool::new(false);
        let clients = (0..8).map(|_| ask_until(server.address, Some(ada), TRIVIAL, &over));
        tokio::join!(join_all(clients), async {
            sleep(Duration::from_secs(3)).await;
            over.store(true, Relaxed);
        });
    }
    let (mut first, mut bytes) = (Vec::new(), 0);
    for _ in 0..50 {
        let began = Instant::now();
        let page = browser.get("/console").await.expect("a page");
        bytes = page.len();
        for kind in ["stylesheet\" href=\"", "script src=\""] {
            let address = text_after(&page, kind);
            bytes += browser.get(&address).await.expect("a file").len();
        }
        first.push(began.elapsed());
    }
    let (mut list, mut path) = (Vec::new(), "/console/runs".to_owned());
    loop {
        let began = Instant::now();
        let page = browser.get(&path).await.expect("a page");
        list.push(began.elapsed());
        match page.split_once("rel=\"next\" href=\"") {
            Some((_, rest)) => {
                path = rest
                    .split('"')
                    .next()
                    .unwrap_or_default()
                    .replace("&amp;", "&")
            }
            None => break,
        }
    }
    let shown = list.len();
    let (first, list) = (percentile(&mut first, 99), percentile(&mut list, 99));
    println!(
        "first page: {bytes} bytes, p99 {first:.1?}; {shown} pages with all of {LISTED} runs or more: p99 {list:.1?}"
    );
    assert!(shown >= LISTED / 50, "all runs were listed");
    assert!(bytes < FIRST_PAGE && first < FIRST_TIME);
    assert!(list < STUTTER);
}

/// What stands after a text, up to a quote, a comma or a bracket.
fn text_after(text: &str, before: &str) -> String {
    let (_, after) = text.split_once(before).expect(before);
    let ends = |c: char| matches!(c, '"' | ',' | '}');
    after.split(ends).next().unwrap_or_default().to_owned()
}
