//! The drivers that are written in Rust, each in a process of its own as the others are.
//!
//! - `ampoule`: by the crate; `serve`: by `ampoule serve`; `floor`: bare Wasmtime
//! - `process`: a process for each run, alone or in a container
//! - `tools`: what scripts call; `server`: the same as an MCP server; `mcp`: a client of a real one

mod ampoule;
mod floor;
mod mcp;
mod process;
mod serve;
pub(crate) mod server;
mod tools;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;

use self::tools::Gate;
use crate::protocol::{Answer, Limits, Request, RunMeasurement, Script};

/// How a run ended that ended well.
#[derive(Debug, Default)]
struct RunResult {
    value: Value,
    output: Option<String>,
}

/// Something that makes a sandbox for a script, runs it there, and drops the sandbox.
trait Sandbox: Send + Sync + 'static {
    fn run(
        &self,
        script: &Script,
        limits: Limits,
    ) -> impl Future<Output = Result<RunResult, String>> + Send;
}

/// Is the driver that these words name, until there are no more requests.
pub(crate) fn drive(words: &[String]) -> Result<()> {
    let tokio = ::ampoule::executor()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    tokio.block_on(async {
        let gate = Arc::<Gate>::default();
        match words[..] {
            ["ampoule", language] => {
                let sandbox = ampoule::InProcess::new(language, &gate).await?;
                answer(sandbox, gate, ampoule::version()).await
            }
            ["serve"] => {
                let sandbox = serve::Server::start(&gate).await?;
                answer(sandbox, gate, ampoule::version()).await
            }
            ["floor"] => {
                let floor = floor::Floor::new().map_err(|error| anyhow!("{error:#}"))?;
                answer(floor, gate, floor::version()).await
            }
            ["process", ref command @ ..] => {
                let sandbox = process::Processes::new(command, &gate)?;
                answer(sandbox, gate, given("COMPARE_VERSION")).await
            }
            _ => bail!("unknown driver {words:?}"),
        }
    })
}

async fn answer<S: Sandbox>(sandbox: S, gate: Arc<Gate>, version: String) -> Result<()> {
    let mut driver = Driver {
        sandbox: Arc::new(sandbox),
        gate,
        held: JoinSet::new(),
    };
    let mut out = tokio::io::stdout();
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut answer = Answer::Ready { version };
    loop {
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        out.write_all(&line).await?;
        out.flush().await?;
        let Some(line) = lines.next_line().await? else {
            return Ok(());
        };
        let request = serde_json::from_str(&line).context("a request can't be read")?;
        answer = driver.answer(request).await;
    }
}

struct Driver<S> {
    sandbox: Arc<S>,
    gate: Arc<Gate>,
    /// Runs that hold.
    held: JoinSet<RunMeasurement>,
}

impl<S: Sandbox> Driver<S> {
    async fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::Run {
                scripts,
                plan,
                budget_ms,
                limits,
            } => {
                let (began, mut runs) = (Instant::now(), Vec::new());
                for which in plan {
                    runs.push(timed(&*self.sandbox, &scripts[which], limits).await);
                    if began.elapsed() > Duration::from_millis(budget_ms) {
                        break;
                    }
                }
                Answer::Runs(runs)
            }
            Request::Together {
                script,
                count,
                limits,
            } => self.together(&Arc::new(script), count, limits).await,
            Request::Release => {
                self.gate.open();
                let mut runs = Vec::new();
                while let Some(ran) = self.held.join_next().await {
                    runs.push(ran.unwrap_or_else(|error| failed(error.to_string())));
                }
                Answer::Runs(runs)
            }
            Request::Throughput {
                script,
                window_ms,
                workers,
                limits,
            } => {
                let window = Duration::from_millis(window_ms);
                self.throughput(&Arc::new(script), window, workers, limits)
                    .await
            }
        }
    }

    async fn together(&mut self, script: &Arc<Script>, count: usize, limits: Limits) -> Answer {
        let began = Instant::now();
        self.gate.close(count);
        for _ in 0..count {
            let (sandbox, script) = (Arc::clone(&self.sandbox), Arc::clone(script));
            self.held
                .spawn(async move { timed(&*sandbox, &script, limits).await });
        }
        tokio::select! {
            () = self.gate.reached() => Answer::Alive { ns: nanoseconds(began) },
            // None of them was meant to end.
            ended = self.held.join_next() => {
                self.gate.open();
                self.held.abort_all();
                while self.held.join_next().await.is_some() {}
                let problem = ended.and_then(Result::ok).and_then(|ran| ran.error);
                Answer::Cannot(problem.unwrap_or_else(|| "one ended early".to_owned()))
            }
        }
    }

    async fn throughput(
        &self,
        script: &Arc<Script>,
        window: Duration,
        workers: usize,
        limits: Limits,
    ) -> Answer {
        let began = Instant::now();
        let mut working = JoinSet::new();
        for _ in 0..workers {
            let (sandbox, script) = (Arc::clone(&self.sandbox), Arc::clone(script));
            working.spawn(async move {
                let mut count = 0;
                while began.elapsed() < window {
                    sandbox.run(&script, limits).await?;
                    count += 1;
                }
                Ok::<u64, String>(count)
            });
        }
        let mut count = 0;
        while let Some(worked) = working.join_next().await {
            match worked {
                Ok(Ok(more)) => count += more,
                Ok(Err(problem)) => return Answer::Cannot(problem),
                Err(error) => return Answer::Cannot(error.to_string()),
            }
        }
        let ns = nanoseconds(began);
        Answer::Count { count, ns }
    }
}

async fn timed(sandbox: &impl Sandbox, script: &Script, limits: Limits) -> RunMeasurement {
    let began = Instant::now();
    let ended = sandbox.run(script, limits).await;
    let ns = nanoseconds(began);
    match ended {
        Ok(RunResult { value, output }) => RunMeasurement {
            ns,
            value,
            output,
            error: None,
        },
        Err(problem) => RunMeasurement {
            ns,
            ..failed(problem)
        },
    }
}

fn failed(problem: String) -> RunMeasurement {
    RunMeasurement {
        error: Some(problem),
        ..RunMeasurement::default()
    }
}

fn nanoseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// What a variable of the environment says, by which this program tells its drivers things.
fn given(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}
