//! How long others wait while all cores compute for some runs: a new request, a timer, a result.
//! And how long the runs of one principal take beside another's flood.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use ampoule::{Functions, Grant, Limits, Runtime, Script, Tool, ToolResult};
use ampoule_benches::{TRIVIAL, checked, functions, only_tested, run, warm};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{mpsc as tokio_mpsc, oneshot};

/// How many runs make the load.
const COMPUTING: usize = 4;
/// How often each wait is measured.
const TIMES: usize = 400;
/// How long it is between two measurements. No multiple of an epoch.
const PAUSE: Duration = Duration::from_micros(3_300);
/// How long nobody may wait, at the 99th percentile.
const TARGET: Duration = Duration::from_millis(2);

const LOADS: [(&str, &str); 5] = [
    ("nothing", ""),
    ("endless loops", "for (;;);"),
    (
        "bulk fills",
        "const bytes = new Uint8Array(60e6); for (let n = 0; ; n++) bytes.fill(n)",
    ),
    (
        "searches",
        "const words = Array.from({ length: 64 }, (_, n) => 'mispelt' + n).join(' '); for (;;) await tools.$search(words)",
    ),
    (
        "schema checks",
        "const rows = Array.from({ length: 5000 }, (_, n) => ({ id: n, name: 'name', tags: ['a', 'b'] })); for (;;) await tools.fair.rows({ rows })",
    ),
];

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

/// The load of another principal, which floods the server: so many runs at once, again and again.
const FLOODS: [(&str, usize, &str); 3] = [
    ("ada alone", 0, ""),
    ("ada beside loops", 900, "for (;;);"),
    ("ada beside runs", 900, TRIVIAL),
];
/// How many times as long a run may take beside a flood, at the 99th percentile.
const BESIDE: f64 = 3.0;

type Answers = Arc<Mutex<mpsc::Receiver<oneshot::Receiver<()>>>>;

/// Tools for the loads, and one whose result comes from another thread.
fn tools(answers: Answers) -> Functions {
    let functions = Functions::new("fair")
        // It does nothing with them: what is measured is the host's own work.
        .raw(takes_rows(), async |_, _| Ok(ToolResult::default()))
        .tool(
            "result",
            "Answers when it is released.",
            move |_: NoArguments| {
                let answer = answers.lock().expect("no panic").recv().expect("an answer");
                async move { answer.await.map_err(|error| error.to_string()) }
            },
        );
    (0..2000).fold(functions, |functions, index| {
        let description = format!("Does thing{index} with item{index} of list{index}.");
        functions.tool(
            &format!("tool{index}"),
            &description,
            async |_: NoArguments| Ok::<_, String>(()),
        )
    })
}

fn takes_rows() -> Tool {
    let row = json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer", "minimum": 0 },
            "name": { "type": "string" },
            "tags": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["id", "name", "tags"],
    });
    let tool = json!({
        "name": "rows",
        "description": "Takes rows.",
        "inputSchema": {
            "type": "object",
            "properties": { "rows": { "type": "array", "items": row } },
            "required": ["rows"],
        },
    });
    serde_json::from_value(tool).expect("a tool")
}

fn main() {
    let times = if only_tested() { 3 } else { TIMES };
    let (answer, answers) = mpsc::channel();
    let limits = Limits {
        fuel: Limits::default_ceilings().fuel,
        ..Limits::default()
    };
    let runtime = Runtime::builder()
        .binding(functions())
        .binding(tools(Arc::new(Mutex::new(answers))))
        .limits(limits)
        .build();
    let runtime = warm(runtime.expect("a runtime"));
    println!(
        "{:16}{:>26}{:>26}{:>26}",
        "p50 / p99, ms", "request", "timer", "result"
    );
    // As with Criterion's benches: a word picks the loads with it in their names.
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    for (name, source) in LOADS {
        if word.as_ref().is_some_and(|word| !name.contains(&**word)) {
            continue;
        }
        let executor = ampoule::executor().expect("Tokio");
        for _ in 0..COMPUTING {
            let (runtime, source) = (runtime.clone(), source.to_owned());
            if !source.is_empty() {
                executor.spawn(async move {
                    loop {
                        // However it ends, it is made again.
                        let script = Script::javascript(source.clone());
                        let _ = runtime.isolate(script).grant(Grant::all()).run().await;
                    }
                });
            }
        }
        let probes = Probes::start(&executor, &runtime);
        // Until all compute, and what is made once has been.
        thread::sleep(Duration::from_millis(500));
        let waits = [
            waits(times, || probes.request()),
            waits(times, || probes.timer()),
            waits(times, || probes.result(&answer)),
        ];
        print!("{name:16}");
        for (half, most) in waits {
            let sign = if most <= TARGET { ' ' } else { '!' };
            print!("{:>16.2} /{:>7.2}{sign}", millis(half), millis(most));
        }
        println!();
        executor.shutdown_timeout(Duration::from_secs(5));
    }
    principals(&runtime, times, word.as_deref());
}

/// How long trivial runs of one principal take, beside what another does.
fn principals(runtime: &Runtime, times: usize, word: Option<&str>) {
    println!("\n{:20}{:>20}", "p50 / p99, ms", "a run of another's");
    let mut alone = None;
    for (name, many, source) in FLOODS {
        if word.is_some_and(|word| !name.contains(word)) {
            continue;
        }
        let executor = ampoule::executor().expect("Tokio");
        for _ in 0..many {
            let runtime = runtime.clone();
            executor.spawn(async move {
                loop {
                    // It may well be busy, and is asked again.
                    let isolate = runtime.isolate(Script::javascript(source));
                    let _ = isolate.principal("bob").run().await;
                }
            });
        }
        let (asked, mut runs) = tokio_mpsc::unbounded_channel::<Instant>();
        let (ran, took) = mpsc::channel();
        let of_another = runtime.clone();
        executor.spawn(async move {
            while let Some(asked) = runs.recv().await {
                let isolate = of_another.isolate(Script::typescript(TRIVIAL));
                let run = tokio::spawn(isolate.principal("ada").run());
                assert_eq!(checked(run.await.expect("no panic")), 2);
                ran.send(asked.elapsed()).expect("someone who waits");
            }
        });
        thread::sleep(Duration::from_millis(500));
        let (half, most) = waits(times, || {
            asked.send(Instant::now()).expect("a task");
            took.recv().expect("a measurement")
        });
        let alone = *alone.get_or_insert(most);
        let sign = if most <= alone.mul_f64(BESIDE) {
            ' '
        } else {
            '!'
        };
        println!(
            "{name:20}{:>10.2} /{:>7.2}{sign}",
            millis(half),
            millis(most)
        );
        executor.shutdown_timeout(Duration::from_secs(5));
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// The median and the 99th percentile of some waits.
fn waits(times: usize, wait: impl Fn() -> Duration) -> (Duration, Duration) {
    let mut waits: Vec<Duration> = (0..times)
        .map(|_| {
            thread::sleep(PAUSE);
            wait()
        })
        .collect();
    waits.sort();
    (waits[times / 2], waits[times * 99 / 100])
}

enum Probe {
    Request,
    Timer,
    Result(oneshot::Sender<()>),
}

/// A task that measures, like the reader of requests: its messages come from another thread.
struct Probes {
    asked: tokio_mpsc::UnboundedSender<(Probe, Instant)>,
    waited: mpsc::Receiver<Duration>,
}

impl Probes {
    fn start(executor: &tokio::runtime::Runtime, runtime: &Runtime) -> Self {
        let (asked, mut probes) = tokio_mpsc::unbounded_channel();
        let (wait, waited) = mpsc::channel();
        let runtime = runtime.clone();
        executor.spawn(async move {
            while let Some((probe, asked)) = probes.recv().await {
                let (runtime, wait) = (runtime.clone(), wait.clone());
                tokio::spawn(async move {
                    let waited = measured(&runtime, probe, asked).await;
                    wait.send(waited).expect("someone who waits");
                });
            }
        });
        Self { asked, waited }
    }

    fn ask(&self, probe: Probe) -> Duration {
        self.asked.send((probe, Instant::now())).expect("a task");
        self.waited.recv().expect("a measurement")
    }

    /// From a request to its run's outcome.
    fn request(&self) -> Duration {
        self.ask(Probe::Request)
    }

    /// How late a timer is.
    fn timer(&self) -> Duration {
        self.ask(Probe::Timer)
    }

    /// From a result to the outcome of the run that waits for it.
    fn result(&self, answer: &mpsc::Sender<oneshot::Receiver<()>>) -> Duration {
        let (told, result) = oneshot::channel();
        answer.send(result).expect("a tool");
        self.ask(Probe::Result(told))
    }
}

async fn measured(runtime: &Runtime, probe: Probe, asked: Instant) -> Duration {
    match probe {
        Probe::Request => {
            assert_eq!(checked(run(runtime, TRIVIAL).await), 2);
            asked.elapsed()
        }
        Probe::Timer => {
            let pause = Duration::from_millis(2);
            let started = Instant::now();
            tokio::time::sleep(pause).await;
            started.elapsed().saturating_sub(pause)
        }
        Probe::Result(told) => {
            let answered = Arc::new(Mutex::new(None));
            let answering = Arc::clone(&answered);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(5));
                *answering.lock().expect("no panic") = Some(Instant::now());
                told.send(()).expect("a call");
            });
            checked(run(runtime, "await tools.fair.result({}); return 1").await);
            let answered = answered.lock().expect("no panic");
            answered.expect("an answer").elapsed()
        }
    }
}
