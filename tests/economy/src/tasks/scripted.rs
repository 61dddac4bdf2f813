//! A task by one script, through Ampoule.

use ampoule::upstream::{Upstream, UpstreamOptions};
use ampoule::{Grant, Runtime, Tool};
use ampoule_server::{ClientComponents, Exposure, Server};
use ampoule_tokens::{Client, of_tools};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Task;
use super::direct::text_of;
use super::servers::Place;
use super::transcript::Transcript;
use crate::corpora::{binding, servers};

/// How much one answer holds where none is cut.
const MOST_BYTES: usize = 1 << 20;

/// What else is configured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    /// Servers of the corpora, which the task does not need.
    Others,
}

/// A conversation with Ampoule, in which the model knows the task's tools.
pub(super) struct Conversation {
    runtime: Runtime,
    pub(super) client: Client,
    pub(super) transcript: Transcript,
}

impl Conversation {
    pub(super) async fn begin(
        task: &Task,
        place: Place<'_>,
        beside: Beside,
        shown: Exposure,
    ) -> Result<Self> {
        let mut builder = Runtime::builder();
        for kind in task.servers {
            let options = UpstreamOptions::default();
            builder = builder.binding(Upstream::stdio(kind.name(), place.command(*kind), options));
        }
        if beside == Beside::Others {
            for (name, tools) in others()? {
                builder = builder.binding(binding(&name, &tools));
            }
        }
        let runtime = builder.build()?;
        // The servers are known, as they are in every conversation but a user's first.
        let tools = runtime.tools(Grant::all())?.waiting();
        for server in tools.servers() {
            tools.tools_of(server).await?;
        }
        let server = Server::new(runtime.clone(), Grant::all(), &ClientComponents::default())?;
        let server = match shown.call_tool {
            // By single calls, the model needs each result whole.
            Some(true) => server.answer_bytes(MOST_BYTES),
            _ => server,
        };
        let mut client = Client::of(server.exposure(shown)).await?;
        let offered = client.tools().await?;
        let mut transcript = Transcript::new(of_tools(&offered));
        let script = &task.script;
        // Scripts have their own ways to write names.
        let plain = |text: &str| text.replace('_', "").to_lowercase();
        let declares = |text: &str| {
            let text = plain(text);
            let mut calls = script.calls.iter();
            calls.all(|call| text.contains(&format!("{}(", plain(call))))
        };
        let described: Vec<_> = offered
            .iter()
            .map(|it| it["description"].as_str())
            .collect();
        if !described.iter().flatten().any(|text| declares(text)) {
            let mut searches = Vec::new();
            let mut found = Vec::new();
            for (server, query) in script.searches {
                let mut search = json!({ "query": query, "server": server.name() });
                if script.language == "python" {
                    search["language"] = json!("python");
                }
                found.push(client.search(&search).await?);
                searches.push(search);
            }
            let said: Vec<_> = searches.iter().map(|it| ("search_tools", it)).collect();
            transcript.round_trip(&said, &found);
            let all = found.join("\n");
            ensure!(declares(&all), "nobody could write the calls after {all}");
        }
        Ok(Self {
            runtime,
            client,
            transcript,
        })
    }

    pub(super) async fn end(self) -> Transcript {
        self.runtime.close().await;
        self.transcript
    }
}

/// Does the task. Gives what the script returned.
pub(super) async fn done(
    task: &Task,
    place: Place<'_>,
    beside: Beside,
) -> Result<(Value, Transcript)> {
    let shown = Exposure::default();
    let mut conversation = Conversation::begin(task, place, beside, shown).await?;
    let script = &task.script;
    let arguments = json!({ "code": script.code, "language": script.language });
    let text = text_of(&conversation.client.call("execute_code", &arguments).await?)?;
    let value = serde_json::from_str(&text);
    let said = [("execute_code", &arguments)];
    (conversation.transcript).round_trip(&said, std::slice::from_ref(&text));
    Ok((value.with_context(|| text)?, conversation.end().await))
}

/// Servers of the corpora, but for those that do the same as the tasks' own.
fn others() -> Result<Vec<(String, Vec<Tool>)>> {
    let mut servers = servers()?;
    servers.retain(|(name, _)| !["filesystem", "sqlite"].contains(&&**name));
    Ok(servers)
}

/// The tokens of their tools.
pub(super) fn definitions_of_others() -> Result<usize> {
    let tools = others()?.into_iter().flat_map(|(_, tools)| tools);
    let tools: Vec<_> = tools.map(serde_json::to_value).collect::<Result<_, _>>()?;
    Ok(of_tools(&tools))
}
