//! What the benches share: a runtime with a binding of Rust functions, and runs whose results are
//! checked.
//!
//! - [`catalogs`]: the tools of real servers
//! - [`figures`]: what is promised, beside what was measured
//! - [`server`]: `ampoule serve` in a process of its own

pub mod catalogs;

pub mod figures;

pub mod guest;

pub mod server;

use std::time::{Duration, Instant};

use ampoule::{Error, Functions, Grant, Outcome, Runtime, Script};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `return 1+1`
pub const TRIVIAL: &str = "return 1+1";

/// As a model writes it: types, an interface, generics.
pub const TYPESCRIPT: &str = "interface Item { name: string; price: number; tags?: string[] }
const items: Item[] = [{ name: 'a', price: 1 }, { name: 'b', price: 2, tags: ['x'] }];
const total = items.reduce<number>((sum: number, item: Item): number => sum + item.price, 0);
return total as number";

/// A script, in TypeScript and in Python, whose call never ends.
pub const HOLD: &str = "await bench.hold({})";

/// `1 + 1`, in Python, which is the script's value.
pub const TRIVIAL_PYTHON: &str = "1 + 1";

/// A thousand calls, one after the other.
pub const SEQUENTIAL_CALLS: &str =
    "let sum = 0; for (let n = 0; n < 1000; n++) sum += (await bench.echo({ n })).n; return sum";

#[derive(Deserialize, JsonSchema)]
struct Echo {
    n: u32,
}

#[derive(Serialize, JsonSchema)]
struct EchoResponse {
    n: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Rows {
    count: u32,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Row {
    id: u32,
    customer: String,
    region: &'static str,
    status: &'static str,
    amount: f64,
    quantity: u32,
    tags: [&'static str; 2],
}

#[derive(Serialize, JsonSchema)]
struct Page {
    rows: Vec<Row>,
}

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

/// A binding whose functions answer at once, but for `hold`, which never answers.
pub fn functions() -> Functions {
    Functions::new("bench")
        .tool("echo", "Gives back what it gets.", async |echo: Echo| {
            Ok::<_, String>(EchoResponse { n: echo.n })
        })
        .tool("rows", "Gives rows of sales.", async |rows: Rows| {
            Ok::<_, String>(Page {
                rows: (0..rows.count).map(row).collect(),
            })
        })
        .tool("hold", "Never answers.", async |_: NoArguments| {
            std::future::pending::<Result<(), String>>().await
        })
}

fn row(id: u32) -> Row {
    let at = |step: u32| id.wrapping_mul(2_654_435_761).rotate_left(step) as usize;
    Row {
        id,
        customer: format!("customer-{:04}", at(3) % 997),
        region: ["north", "south", "east", "west"][at(7) % 4],
        status: ["paid", "open", "cancelled"][at(11) % 3],
        amount: (at(13) % 1_000_000) as f64 / 100.0,
        quantity: at(17) as u32 % 50 + 1,
        tags: [["new", "repeat"][at(19) % 2], ["web", "shop"][at(23) % 2]],
    }
}

/// A page of so many rows of sales, and its schema.
///
/// # Panics
///
/// Where it can't be written as JSON.
pub fn page(count: u32) -> (Value, Value) {
    let page = Page {
        rows: (0..count).map(row).collect(),
    };
    let page = serde_json::to_value(page).expect("JSON");
    (schemars::schema_for!(Page).to_value(), page)
}

/// A binding of `count` tools that nobody calls.
pub fn catalog(count: usize) -> Functions {
    (0..count).fold(Functions::new("catalog"), |functions, index| {
        let description = format!("Tool number {index}, which does nothing.");
        functions.tool(
            &format!("tool_{index}"),
            &description,
            async |echo: Echo| Ok::<_, String>(EchoResponse { n: echo.n }),
        )
    })
}

/// A runtime with [`functions`], whose guest is compiled. All limits are the defaults.
///
/// # Panics
///
/// Where it can't be made: nothing can be measured then.
pub fn runtime() -> Runtime {
    warm(
        Runtime::builder()
            .binding(functions())
            .build()
            .expect("a runtime"),
    )
}

/// Compiles the JavaScript guest.
///
/// # Panics
///
/// Where that fails.
pub fn warm(runtime: Runtime) -> Runtime {
    let outcome = block_on(run(&runtime, TRIVIAL));
    assert_eq!(checked(outcome), 2);
    runtime
}

/// Whether the benches are only to be tried, as `cargo test` does, and not to measure.
pub fn only_tested() -> bool {
    !std::env::args().any(|argument| argument == "--bench")
}

/// Runs a future on this thread.
///
/// # Panics
///
/// Where Tokio can't start.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    executor().block_on(future)
}

/// Tokio on one thread.
///
/// # Panics
///
/// Where it can't start.
pub fn executor() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("Tokio")
}

/// One run with every tool granted, from source to outcome.
///
/// # Errors
///
/// Host faults.
pub async fn run(runtime: &Runtime, source: &str) -> Result<Outcome, Error> {
    run_script(runtime, Script::typescript(source)).await
}

/// The same in Python.
///
/// # Errors
///
/// Host faults.
pub async fn run_python(runtime: &Runtime, source: &str) -> Result<Outcome, Error> {
    run_script(runtime, Script::python(source)).await
}

async fn run_script(runtime: &Runtime, script: Script) -> Result<Outcome, Error> {
    runtime.isolate(script).grant(Grant::all()).run().await
}

/// The value of a run that must have returned one.
///
/// # Panics
///
/// Where it did not.
pub fn checked(outcome: Result<Outcome, Error>) -> Value {
    outcome
        .expect("no host fault")
        .value()
        .expect("the script returns")
}

/// How many times a future per second runs on `threads` threads, in a window of `window`.
///
/// # Panics
///
/// Where a thread does.
pub fn throughput<F>(threads: usize, window: Duration, run: impl Fn() -> F + Sync) -> f64
where
    F: Future<Output = ()>,
{
    let started = Instant::now();
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    executor().block_on(async {
                        let mut count = 0;
                        while started.elapsed() < window {
                            run().await;
                            count += 1;
                        }
                        count
                    })
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker"))
            .collect()
    });
    counts.iter().sum::<u64>() as f64 / started.elapsed().as_secs_f64()
}

/// What a process, or one of its isolates, has in physical memory, in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// All pages: one that isolates share counts for each of them.
    pub resident: f64,
    /// Each page divided by how often it is mapped: a page of the guests' snapshot that a thousand
    /// isolates map counts once.
    pub proportional: f64,
    /// Pages that no other process maps, nor the file that they come from.
    pub private: f64,
}

/// What this process has in physical memory.
///
/// # Panics
///
/// Where the system does not tell.
pub fn physical_memory() -> Memory {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").expect("/proc");
    let mebibytes = |name: &str| {
        let kibibytes: f64 = rollup
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .and_then(|line| line.split_whitespace().next()?.parse().ok())
            .expect("a figure of memory");
        kibibytes / 1024.0
    };
    Memory {
        resident: mebibytes("Rss:"),
        proportional: mebibytes("Pss:"),
        private: mebibytes("Private_Dirty:"),
    }
}

/// Physical memory for each of `count` isolates that are alive in the middle of the script's call
/// of `bench.hold`, in a runtime of its own: slots keep some of what earlier runs had.
///
/// # Panics
///
/// Where one does not get that far.
pub fn live_memory(executor: &tokio::runtime::Runtime, count: usize, script: &Script) -> Memory {
    let runtime = Runtime::builder().binding(functions()).build();
    let runtime = runtime.expect("a runtime");
    executor.block_on(async {
        // Loads the guest.
        let first = runtime.isolate(script.clone()).grant(Grant::all());
        first.instantiate().await.expect("an instance");
        let (holding, mut held) = tokio::sync::mpsc::unbounded_channel();
        let before = physical_memory();
        let isolates: Vec<_> = (0..count)
            .map(|_| {
                let holding = holding.clone();
                let isolate = runtime.isolate(script.clone()).grant(Grant::all());
                let isolate = isolate.on_event(move |event| {
                    if let ampoule::Event::CallStarted { .. } = event.event {
                        // The receiver outlives the isolates.
                        let _ = holding.send(());
                    }
                });
                tokio::spawn(isolate.run())
            })
            .collect();
        for _ in 0..count {
            held.recv().await.expect("an isolate that holds");
        }
        let after = physical_memory();
        isolates.iter().for_each(tokio::task::JoinHandle::abort);
        let each = |after: f64, before: f64| (after - before) / count as f64;
        Memory {
            resident: each(after.resident, before.resident),
            proportional: each(after.proportional, before.proportional),
            private: each(after.private, before.private),
        }
    })
}

/// The median times of two futures in microseconds, run by turns for as long as `window`, so that a
/// slow moment of the machine meets both.
pub fn medians<A, B>(
    executor: &tokio::runtime::Runtime,
    window: Duration,
    first: impl Fn() -> A,
    second: impl Fn() -> B,
) -> (f64, f64)
where
    A: Future<Output = ()>,
    B: Future<Output = ()>,
{
    fn time(executor: &tokio::runtime::Runtime, run: impl Future<Output = ()>) -> f64 {
        let start = Instant::now();
        executor.block_on(run);
        start.elapsed().as_secs_f64() * 1e6
    }
    fn median(mut times: Vec<f64>) -> f64 {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
    let started = Instant::now();
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    while started.elapsed() < window || firsts.is_empty() {
        firsts.push(time(executor, first()));
        seconds.push(time(executor, second()));
    }
    (median(firsts), median(seconds))
}
