//! A task by direct calls: a client of each server, whose results are all in the context.

use ampoule_tokens::{Client, of_tools};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::process::Child;

use super::servers::{Kind, Place};
use super::transcript::Transcript;

pub(super) struct Direct {
    servers: Vec<(Kind, Child, Client)>,
    pub(super) transcript: Transcript,
}

/// A call of a server's tool.
pub(super) type Call = (Kind, &'static str, Value);

impl Direct {
    pub(super) async fn to(kinds: &[Kind], place: Place<'_>) -> Result<Self> {
        let (mut servers, mut definitions) = (Vec::new(), 0);
        for &kind in kinds {
            let (child, mut client) = place.start(kind).await?;
            definitions += of_tools(&client.tools().await?);
            servers.push((kind, child, client));
        }
        Ok(Self {
            servers,
            transcript: Transcript::new(definitions),
        })
    }

    /// One call.
    pub(super) async fn call(
        &mut self,
        kind: Kind,
        tool: &'static str,
        arguments: Value,
    ) -> Result<String> {
        let results = self.together(vec![(kind, tool, arguments)]).await?;
        results.into_iter().next().context("a result")
    }

    /// Calls that need nothing of one another, in one round trip.
    pub(super) async fn together(&mut self, calls: Vec<Call>) -> Result<Vec<String>> {
        let mut results = Vec::new();
        for (kind, tool, arguments) in &calls {
            let servers = self.servers.iter_mut();
            let mut of_kind = servers.filter(|(other, ..)| other == kind);
            let (_, _, client) = of_kind.next().context("one of the task's servers")?;
            results.push(text_of(&client.call(tool, arguments).await?)?);
        }
        let said: Vec<_> = calls.iter().map(|(_, tool, it)| (*tool, it)).collect();
        self.transcript.round_trip(&said, &results);
        Ok(results)
    }
}

/// What a model reads of a result.
pub(super) fn text_of(result: &Value) -> Result<String> {
    ensure!(result["isError"] != true, "a call failed: {result}");
    let blocks = result["content"].as_array().context("content")?;
    let texts = blocks.iter().map(|block| block["text"].as_str());
    Ok(texts
        .collect::<Option<Vec<_>>>()
        .context("text")?
        .join("\n"))
}
