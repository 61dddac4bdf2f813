//! Asks the servers of other processes of this user about their runs.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;

use super::socket::Running;

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
    /// The connection ended.
    pub async fn follow(id: &str, mut server: Running) -> io::Result<Option<(Value, Self)>> {
        let asked = format!("{}\n", json!({ "follow": id }));
        server.stream.write_all(asked.as_bytes()).await?;
        let mut answer = Self(BufReader::new(server.stream).lines());
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

/// The runs of these servers, a row each, with the process.
pub async fn rows(servers: Vec<Running>) -> Vec<Value> {
    let mut rows = Vec::new();
    for mut server in servers {
        let pid = server.pid;
        // A server that ends at this moment has no runs.
        let Ok(mut lines) = OperatorAnswer::to(&json!("list"), &mut server).await else {
            continue;
        };
        while let Ok(Some(mut row)) = lines.next().await {
            row["pid"] = json!(pid);
            rows.push(row);
        }
    }
    rows
}

/// What the first of these servers answers that knows the run: to `show` or `cancel`.
pub async fn ask(what: &str, id: &str, servers: Vec<Running>) -> Option<Value> {
    for mut server in servers {
        let pid = server.pid;
        let question = json!({ what: id });
        let Ok(mut lines) = OperatorAnswer::to(&question, &mut server).await else {
            continue;
        };
        let row = lines.next().await.ok().flatten();
        if let Some(mut row) = row.filter(|row| !row["error"].is_string()) {
            row["pid"] = json!(pid);
            return Some(row);
        }
    }
    None
}
