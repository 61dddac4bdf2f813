//! Asks the servers of other processes of this user about their runs.

use std::io;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::socket::Running;

/// How long a server may take to answer what it can answer at once. One that hangs hides no other.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a server answers, line by line.
pub struct OperatorAnswer<S>(Lines<BufReader<S>>);

impl<'server> OperatorAnswer<&'server mut UnixStream> {
    /// Asks a server `list`, or one of `show`, `follow` and `cancel` with the id of a run.
    ///
    /// # Errors
    ///
    /// The connection ended.
    pub async fn to(question: &Value, server: &'server mut Running) -> io::Result<Self> {
        let asked = format!("{question}\n");
        server.stream.write_all(asked.as_bytes()).await?;
        Ok(Self(BufReader::new(&mut server.stream).lines()))
    }
}

impl OperatorAnswer<UnixStream> {
    /// The events of a run, if the server knows it: the first, and those that follow.
    ///
    /// # Errors
    ///
    /// The connection ended, or the server can't be asked within two seconds.
    pub async fn follow(id: &str, mut server: Running) -> io::Result<Option<(Value, Self)>> {
        let asked = format!("{}\n", json!({ "follow": id }));
        timeout(PATIENCE, server.stream.write_all(asked.as_bytes())).await??;
        let mut answer = Self(BufReader::new(server.stream).lines());
        // A run that is silent for a while tells nothing, so the first event may take longer.
        let first = answer.next().await?;
        let first = first.filter(|first| !first["error"].is_string());
        Ok(first.map(|first| (first, answer)))
    }
}

impl<S: tokio::io::AsyncRead + Unpin> OperatorAnswer<S> {
    /// The next line; none at the end.
    ///
    /// # Errors
    ///
    /// The connection ended, or the line is not JSON.
    pub async fn next(&mut self) -> io::Result<Option<Value>> {
        let line = self.0.next_line().await?;
        let line = line.map(|line| serde_json::from_str(&line));
        line.transpose().map_err(io::Error::from)
    }
}

/// The runs of these servers, a row each, with the process. A server that does not answer within two
/// seconds is left out.
pub async fn rows(servers: Vec<Running>) -> Vec<Value> {
    let asked = servers.into_iter().map(|server| {
        let pid = server.pid;
        async move {
            let listed = timeout(PATIENCE, listed(server)).await;
            let mut rows = listed.unwrap_or_else(|_| {
                tracing::warn!(pid, "a server does not say which runs it has");
                Vec::new()
            });
            for row in &mut rows {
                row["pid"] = json!(pid);
            }
            rows
        }
    });
    join_all(asked).await.concat()
}

/// The runs of a server. One that ends at this moment has none.
async fn listed(mut server: Running) -> Vec<Value> {
    let mut rows = Vec::new();
    if let Ok(mut lines) = OperatorAnswer::to(&json!("list"), &mut server).await {
        while let Ok(Some(row)) = lines.next().await {
            rows.push(row);
        }
    }
    rows
}

/// What the first of these servers answers that knows the run: to `show` or `cancel`. A server that
/// does not answer within two seconds is left out.
pub async fn ask(what: &str, id: &str, servers: Vec<Running>) -> Option<Value> {
    let question = json!({ what: id });
    for mut server in servers {
        let pid = server.pid;
        let answer = async {
            let mut lines = OperatorAnswer::to(&question, &mut server).await.ok()?;
            lines.next().await.ok().flatten()
        };
        let row = timeout(PATIENCE, answer).await.unwrap_or_else(|_| {
            tracing::warn!(pid, "a server does not say whether it has a run");
            None
        });
        if let Some(mut row) = row.filter(|row| !row["error"].is_string()) {
            row["pid"] = json!(pid);
            return Some(row);
        }
    }
    None
}
