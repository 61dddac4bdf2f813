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

use super::{Seen, Watched, millis, socket};
use crate::Server;
use crate::approvals::Waits;

/// How many operators are answered at once.
const AT_ONCE: usize = 16;
/// How long a question may be, in bytes.
const QUESTION_BYTES: u64 = 4 << 10;
/// How long one may take to be asked, and an answer's line to be read.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing happens in a run that is followed, until it is told how much it has used.
const SILENCE: Duration = Duration::from_secs(5);

/// What an operator asks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Question {
    /// All runs.
    List,
    /// One run, with its code and what it printed so far.
    Show(String),
    /// What happens in a run, until it is over.
    Follow(String),
    /// To end a run.
    Cancel(String),
}

impl Server {
    /// Answers the operator's `ampoule runs`, until the future is dropped, on a socket that nobody
    /// but this process's user can open.
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
                    tracing::warn!(%error, "an operator can't be answered");
                    // There may be no descriptors left for the moment.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            if !socket::is_own(&stream) {
                continue;
            }
            let runs = self.shared.watched.clone();
            let runtime = self.shared.runtime.clone();
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = answer(stream, (&runs, &runtime)).await {
                    tracing::debug!(%error, "an operator went away");
                }
            });
        }
    }
}

async fn answer(stream: UnixStream, (runs, runtime): (&Watched, &Runtime)) -> io::Result<()> {
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
            Ok(question) => answered(question, (runs, runtime), &mut write).await,
            Err(_) => {
                tell(
                    &mut write,
                    &refused("this server does not know what was asked"),
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
    (runs, runtime): (&Watched, &Runtime),
    write: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let (Question::Show(id) | Question::Follow(id) | Question::Cancel(id)) = &question else {
        for mut row in runs.list() {
            stand(&mut row, runtime);
            tell(write, &row).await?;
        }
        return Ok(());
    };
    let Some(seen) = runs.find(id) else {
        return tell(write, &refused("there is no such run")).await;
    };
    match question {
        Question::Follow(_) => follow(seen, write).await,
        Question::Cancel(_) => {
            seen.cancel.cancel();
            tell(write, &seen.row()).await
        }
        _ => {
            let mut row = seen.row();
            stand(&mut row, runtime);
            let (printed, whole) = seen.printed();
            row["code"] = json!(seen.code);
            row["printed"] = json!(printed);
            row["printedWhole"] = json!(whole);
            row["ended"] = json!(*seen.ended.borrow());
            tell(write, &row).await
        }
    }
}

/// Says of a run that is under way whether it waits for long, and for a person.
fn stand(row: &mut Value, runtime: &Runtime) {
    let id = row["run"].as_str().and_then(|id| id.parse().ok());
    let Some(id) = id.filter(|_| row["state"] == "running") else {
        return;
    };
    if let Some(standing) = runtime.standing(id) {
        row["state"] = json!(standing);
    }
    let waits = Waits::new(runtime.governance().and_then(Governance::asking));
    waits.is(id);
    if let Some(what) = waits.what() {
        row["asks"] = json!(what);
    }
}

/// Tells what happens in a run, as it happens, and then how it ended. The run is not kept by it.
async fn follow(seen: Arc<Seen>, write: &mut OwnedWriteHalf) -> io::Result<()> {
    let (events, mut ended) = (seen.events.lock().clone(), seen.ended.subscribe());
    let (since, gauge, mut told) = (seen.since, seen.gauge.clone(), 0);
    drop(seen);
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
