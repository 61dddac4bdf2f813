//! A task by single calls, whose results are all in the context: by a client of each server, or by
//! Ampoule's `call_tool`.

use ampoule_server::Exposure;
use ampoule_tokens::{Client, of_tools};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Child;

use super::Task;
use super::scripted::{Beside, Conversation};
use super::servers::{Kind, Place};
use super::transcript::Transcript;

pub(super) struct Direct {
    way: Way,
    transcript: Transcript,
}

/// The way that calls take.
enum Way {
    Servers(Vec<(Kind, Child, Client)>),
    CallTool(Box<Conversation>),
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
            way: Way::Servers(servers),
            transcript: Transcript::new(definitions),
        })
    }

    /// By `call_tool`, where the model knows the task's tools.
    pub(super) async fn by_call_tool(task: &Task, place: Place<'_>) -> Result<Self> {
        let shown = Exposure {
            call_tool: Some(true),
            ..Exposure::default()
        };
        let conversation = Conversation::begin(task, place, Beside::Nothing, shown).await?;
        Ok(Self {
            transcript: conversation.transcript.clone(),
            way: Way::CallTool(Box::new(conversation)),
        })
    }

    /// What it took.
    pub(super) async fn end(self) -> Transcript {
        if let Way::CallTool(conversation) = self.way {
            conversation.end().await;
        }
        self.transcript
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
        let (mut said, mut read, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, tool, arguments) in calls {
            match &mut self.way {
                Way::Servers(servers) => {
                    let mut of_kind = servers.iter_mut().filter(|(other, ..)| *other == kind);
                    let (_, _, client) = of_kind.next().context("one of the task's servers")?;
                    let text = text_of(&client.call(tool, &arguments).await?)?;
                    read.push(text.clone());
                    results.push(text);
                    said.push((tool, arguments));
                }
                Way::CallTool(conversation) => {
                    let arguments =
                        json!({ "server": kind.name(), "tool": tool, "arguments": arguments });
                    let client = &mut conversation.client;
                    let text = text_of(&client.call("call_tool", &arguments).await?)?;
                    results.push(content_of(&text));
                    read.push(text);
                    said.push(("call_tool", arguments));
                }
            }
        }
        let said: Vec<_> = said.iter().map(|(tool, it)| (*tool, it)).collect();
        self.transcript.round_trip(&said, &read);
        Ok(results)
    }
}

/// The text of a result that a server gives twice, as text and as `{ content: text }`. Ampoule gives
/// the second.
fn content_of(text: &str) -> String {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Content {
        content: String,
    }
    serde_json::from_str(text).map_or_else(|_| text.to_owned(), |Content { content }| content)
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
