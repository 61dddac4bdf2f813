//! Answers an operator: a line of JSON asks, and lines of JSON answer.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule::governance::Governance;
use ampoule::{Gauge, Runtime};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::socket;
use crate::mcp::server::Server;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::registry::{RunRecord, RunRegistry, millis};

/// How many operators are answered at once.
const AT_ONCE: usize = 16;
/// How long a question may be, in bytes.
const QUESTION_BYTES: u64 = 4 << 10;
/// How long one may take to be asked, and an answer's line to be read.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing happens in a followed run until its usage is reported.
const SILENCE: Duration = Duration::from_secs(5);

/// What an operator asks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Question {
    /// All runs.
    List,
    /// One run, with its code and what it printed so far.
    Show(String),
    /// The events of a run, until it is over.
    Follow(String),
    /// Cancels a run.
    Cancel(String),
}

/// What an operator asks about.
struct RunningServer {
    runs: RunRegistry,
    runtime: Runtime,
}

impl Server {
    /// Answers the operator's `ampoule runs`, until the future is dropped, on a socket that only
    /// this process's user can open.
    ///
    /// # Errors
    ///
    /// The socket can't be made there.
    pub async fn answer_operators(&self, folder: &Path) -> io::Result<()> {
        let listening = socket::listen(folder)?;
        let places = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let place = Arc::clone(&places).acquire_owned().await;
            let (stream, _) = match listening.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "can't answer an operator");
                    // There may be no descriptors left for the moment.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            if !socket::is_own(&stream) {
                continue;
            }
            let server = RunningServer {
                runs: self.runs.shared.registry.clone(),
                runtime: self.runs.shared.runtime.clone(),
            };
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = answer(stream, &server).await {
                    tracing::debug!(%error, "an operator disconnected");
                }
            });
        }
    }
}

async fn answer(stream: UnixStream, server: &RunningServer) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read.take(QUESTION_BYTES));
    let mut line = String::new();
    timeout(PATIENCE, read.read_line(&mut line)).await??;
    let gone = async move {
        // Nothing more is asked: this ends when the operator does.
        let mut rest = read.into_inner().into_inner();
        let mut byte = [0];
        while !matches!(rest.read(&mut byte).await, Ok(0) | Err(_)) {}
    };
    let answered = async {
        match serde_json::from_str(&line) {
            Ok(question) => answered(question, server, &mut write).await,
            Err(_) => {
                tell(
                    &mut write,
                    &refused("this server does not know the request"),
                )
                .await
            }
        }
    };
    tokio::select! {
        answered = answered => answered,
        () = gone => Ok(()),
    }
}

async fn answered(
    question: Question,
    server: &RunningServer,
    write: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let RunningServer { runs, runtime } = server;
    let (Question::Show(id) | Question::Follow(id) | Question::Cancel(id)) = &question else {
        let rows: Vec<_> = runs.all().iter().map(|record| record.row()).collect();
        for mut row in rows {
            stand(&mut row, runtime);
            tell(write, &row).await?;
        }
        return Ok(());
    };
    let Some(record) = runs.find(id) else {
        return tell(write, &refused("unknown run")).await;
    };
    match question {
        Question::Follow(_) => follow(record, write).await,
        Question::Cancel(_) => {
            record.cancel.cancel();
            tell(write, &record.row()).await
        }
        _ => {
            let mut row = record.row();
            stand(&mut row, runtime);
            let printed = record.printed();
            row["code"] = json!(record.code);
            row["printed"] = json!(printed.text);
            row["printedWhole"] = json!(printed.is_whole);
            row["ended"] = json!(*record.ended.borrow());
            tell(write, &row).await
        }
    }
}

/// Adds to an active run whether it waits for long, and for a person.
fn stand(row: &mut Value, runtime: &Runtime) {
    let id = row["run"].as_str().and_then(|id| id.parse().ok());
    let Some(id) = id.filter(|_| row["state"] == "running") else {
        return;
    };
    if let Some(standing) = runtime.standing(id) {
        row["state"] = json!(standing);
    }
    let approval = ApprovalWait::new(runtime.governance().and_then(Governance::asking));
    approval.set_run(id);
    if let Some(what) = approval.what() {
        row["asks"] = json!(what);
    }
}

/// Sends the events of a run as they happen, and then how it ended. This does not keep the run
/// alive.
async fn follow(record: Arc<RunRecord>, write: &mut OwnedWriteHalf) -> io::Result<()> {
    let (events, mut ended) = (record.events(), record.ended.subscribe());
    let (since, gauge, mut told) = (record.since, record.gauge.clone(), 0);
    drop(record);
    if let Some(mut events) = events {
        loop {
            match timeout(SILENCE, events.next()).await {
                Ok(Some(happened)) => tell(write, &json!(*happened)).await?,
                Ok(None) => break,
                Err(_) if gauge.fuel() == told => {}
                Err(_) => {
                    told = gauge.fuel();
                    tell(write, &used(since, &gauge)).await?;
                }
            }
        }
    }
    let ending = outcome(&mut ended).await;
    tell(write, &json!({ "event": "ended", "outcome": ending })).await
}

/// What a run has used so far, as if that were an event in it.
fn used(since: SystemTime, gauge: &Gauge) -> Value {
    json!({
        "event": "used",
        "atMs": millis(since.elapsed().unwrap_or_default()),
        "fuel": gauge.fuel(),
        "memoryBytes": gauge.peak_memory_bytes(),
    })
}

/// How a run ended; one whose client went away before that was cancelled.
async fn outcome(ended: &mut watch::Receiver<Option<Value>>) -> Value {
    match ended.wait_for(Option::is_some).await {
        Ok(ending) => json!(*ending),
        Err(_) => json!({ "ending": "cancelled", "said": "its client went away" }),
    }
}

fn refused(why: &str) -> Value {
    json!({ "error": why })
}

async fn tell(write: &mut OwnedWriteHalf, line: &Value) -> io::Result<()> {
    let mut line = line.to_string();
    line.push('\n');
    timeout(PATIENCE, write.write_all(line.as_bytes())).await?
}
