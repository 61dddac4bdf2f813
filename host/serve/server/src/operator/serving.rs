//! Answers an operator: a line of JSON asks, and lines of JSON answer.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::live::{LiveRuns, RunFollower};
use super::socket;
use crate::mcp::server::Server;
use crate::unattended::{StartError, UnattendedRuns};

/// How many operators are answered at once.
const AT_ONCE: usize = 16;
/// How long a question may be, in bytes.
const QUESTION_BYTES: u64 = 4 << 10;
/// How long one may take to be asked, and an answer's line to be read.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// Starts a run of a schedule, whose state is in this folder.
    Start { schedule: String, folder: String },
}

/// What an operator asks about.
struct RunningServer {
    live: LiveRuns,
    unattended: Option<UnattendedRuns>,
}

impl Server {
    /// Answers the operator's `ampoule runs`, until the future is dropped, on a socket that only
    /// this process's user can open.
    ///
    /// # Errors
    ///
    /// The socket can't be made there.
    pub async fn answer_operators(
        &self,
        folder: &Path,
        unattended: Option<UnattendedRuns>,
    ) -> io::Result<()> {
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
                live: self.live_runs(),
                unattended: unattended.clone(),
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
    let RunningServer { live, unattended } = server;
    let answer = match question {
        Question::List => {
            for row in live.rows() {
                tell(write, &row).await?;
            }
            return Ok(());
        }
        Question::Follow(id) => match live.follow(&id) {
            Some(events) => return follow(events, write).await,
            None => None,
        },
        Question::Cancel(id) => live.cancel(&id),
        Question::Show(id) => live.show(&id),
        Question::Start { schedule, folder } => {
            Some(start(unattended.as_ref(), &schedule, &folder).await)
        }
    };
    tell(write, &answer.unwrap_or_else(|| refused("unknown run"))).await
}

/// Starts a run of a schedule.
async fn start(unattended: Option<&UnattendedRuns>, schedule: &str, folder: &str) -> Value {
    let Some(unattended) = unattended.filter(|it| it.is_of(folder)) else {
        return refused("this server has the schedules of another configuration");
    };
    match unattended.start(schedule).await {
        Ok(run) => json!({ "run": run }),
        Err(StartError::Unknown) => refused("unknown schedule"),
        Err(StartError::Busy) => json!({ "busy": schedule }),
        Err(StartError::Host(why)) => json!({ "failed": why }),
    }
}

/// Sends the events of a run as they happen, and then how it ended.
async fn follow(mut events: RunFollower, write: &mut OwnedWriteHalf) -> io::Result<()> {
    while let Some(event) = events.next().await {
        tell(write, &event).await?;
    }
    Ok(())
}

fn refused(why: &str) -> Value {
    json!({ "error": why })
}

async fn tell(write: &mut OwnedWriteHalf, line: &Value) -> io::Result<()> {
    let mut line = line.to_string();
    line.push('\n');
    timeout(PATIENCE, write.write_all(line.as_bytes())).await?
}
