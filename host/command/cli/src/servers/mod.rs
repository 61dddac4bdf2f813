//! `ampoule servers`: the configured servers, and whether they can be used.
//!
//! - `entries`: adds servers to the configuration, and removes them

mod entries;

use std::collections::BTreeMap;
use std::process::ExitCode;

use ampoule_config::{Reach, ServerConfig};
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::Setup;
use crate::{probe, streams};

/// Lists, adds and removes MCP servers.
///
/// The list shows disabled servers with the reason and the fix, and the sign-ins. It does not start
/// servers; `ampoule doctor` does.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVERS_HELP)]
pub(super) struct Servers {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// The actions on servers.
#[derive(Debug, Subcommand)]
enum Task {
    /// Lists the servers (the default).
    Ls,
    Add(entries::Add),
    Rm(entries::Rm),
}

/// A server, as the list shows it.
enum State {
    /// The server starts when it is first needed; with its sign-in, if there is one.
    Ready(Box<ServerConfig>, Option<String>),
    /// What is missing before the server can start.
    Missing(Box<ServerConfig>, String),
    /// The problem of the server's entry.
    Disabled(String),
}

impl Servers {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            None | Some(Task::Ls) => list(&self.setup, self.output.as_json).await,
            Some(Task::Add(add)) => add.execute(&self.setup, self.output).await,
            Some(Task::Rm(rm)) => rm.execute(&self.setup, self.output),
        }
    }
}

async fn list(setup: &Setup, json: bool) -> Result<ExitCode, Failure> {
    let config = setup.read_or_demo()?;
    let ready = config.servers.into_iter().map(async |(name, server)| {
        let missing = match &server.reach {
            Reach::Process(command) => command.missing(),
            Reach::Remote(_) | Reach::Api(_) | Reach::Graphql(_) => None,
        };
        if let Some(missing) = missing {
            return (name, State::Missing(Box::new(server), missing));
        }
        let signed_in = probe::signed_in(&name, &server).await;
        (name, State::Ready(Box::new(server), signed_in))
    });
    let ready = join_all(ready).await.into_iter();
    let disabled = config.disabled.into_iter();
    let servers: BTreeMap<String, State> = ready
        .chain(disabled.map(|(name, error)| (name, State::Disabled(error.to_string()))))
        .collect();
    if json {
        streams::out().line(format_args!("{:#}", document(&servers)));
    } else {
        servers.iter().for_each(|(name, state)| say(name, state));
        for name in &config.off {
            let name = text::one_line(name);
            streams::out().line(format_args!("{name}: switched off"));
        }
        for note in &config.notes {
            streams::err().note(note);
        }
        if config.source.is_none() {
            streams::err().note("no ampoule.toml, so the only server is the built-in `demo`");
        } else if servers.is_empty() {
            streams::err().note("no servers are configured");
        }
    }
    let all_ready = servers
        .values()
        .all(|state| matches!(state, State::Ready(..)));
    Ok(if all_ready {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The server's name and state, and below them its command or address, where it is imported from and
/// whose sign-in is kept, or what is wrong with it.
fn say(name: &str, state: &State) {
    let out = streams::out();
    let (state, more) = match state {
        State::Ready(server, signed_in) => {
            let state = match server.reach {
                Reach::Process(_) => "ready to start",
                Reach::Remote(_) => "remote, ready to connect",
                Reach::Api(_) => "an HTTP API, ready to connect",
                Reach::Graphql(_) => "a GraphQL API, ready to connect",
            };
            let mut more = facts(server);
            more.extend(signed_in.clone());
            (state, more)
        }
        State::Missing(server, missing) => {
            let mut more = facts(server);
            more.push(missing.clone());
            ("can't start", more)
        }
        // A mistake a line.
        State::Disabled(problem) => ("disabled", problem.lines().map(str::to_owned).collect()),
    };
    let first = format!("{}: {state}", text::one_line(name));
    out.line(out.wrapped(&first, "", "  "));
    for line in more {
        out.line(out.wrapped(&text::one_line(&line), "  ", "    "));
    }
}

/// The server's command or address, and where it is imported from.
fn facts(server: &ServerConfig) -> Vec<String> {
    let origin = server.origin.iter();
    let origin = origin.map(|origin| format!("imported from {origin}"));
    std::iter::once(server.written.clone())
        .chain(origin)
        .collect()
}

fn document(servers: &BTreeMap<String, State>) -> Value {
    let described = |name: &str, state: &str, server: &ServerConfig| {
        let reach = match server.reach {
            Reach::Process(_) => "command",
            Reach::Remote(_) => "url",
            Reach::Api(_) => "openapi",
            Reach::Graphql(_) => "graphql",
        };
        let mut told = json!({"name": name, "state": state, reach: server.written});
        if let Some(origin) = &server.origin {
            told["importedFrom"] = json!(origin.to_string());
        }
        told
    };
    let servers = servers.iter().map(|(name, state)| match state {
        State::Ready(server, signed_in) => {
            let mut told = described(name, "ready", server);
            if let Some(signed_in) = signed_in {
                told["signedIn"] = json!(signed_in);
            }
            told
        }
        State::Missing(server, missing) => {
            let mut told = described(name, "missing", server);
            told["problem"] = json!(missing);
            told
        }
        State::Disabled(problem) => json!({"name": name, "state": "disabled", "problem": problem}),
    });
    json!({ "servers": servers.collect::<Vec<_>>() })
}
