//! `ampoule servers`: which servers are configured, and whether they can be used.

use std::collections::BTreeMap;
use std::process::ExitCode;

use ampoule_untrusted::text;
use clap::Args;
use serde_json::{Value, json};

use super::exit::{self, Failure};
use super::setup::{self, Setup};
use super::streams;

/// Lists the configured servers, and says which are disabled, why, and what to do. Starts none of
/// them.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVERS_HELP)]
pub(super) struct Servers {
    /// Prints one JSON document instead.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup,
}

/// A server, as it is told of.
enum State {
    /// It is started when it is first needed, by this command line.
    Ready(String),
    /// This is wrong with its entry.
    Disabled(String),
}

impl Servers {
    pub(super) fn execute(&self) -> Result<ExitCode, Failure> {
        let mut config = self.setup.read()?;
        if config.source.is_none() {
            let demo = setup::demo_server()?;
            config.servers.insert(setup::DEMO.to_owned(), demo);
        }
        let ready = config.servers.into_iter();
        let disabled = config.disabled.into_iter();
        let servers: BTreeMap<String, State> = ready
            .map(|(name, server)| (name, State::Ready(server.written)))
            .chain(disabled.map(|(name, error)| (name, State::Disabled(error.to_string()))))
            .collect();
        if self.json {
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
                streams::err().note("no ampoule.toml: there is only the built-in server `demo`");
            } else if servers.is_empty() {
                streams::err().note("no servers are configured");
            }
        }
        let all_ready = servers
            .values()
            .all(|state| matches!(state, State::Ready(_)));
        Ok(if all_ready {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// The server's name and state, and below them its command or what is wrong with it.
fn say(name: &str, state: &State) {
    let out = streams::out();
    let (state, more) = match state {
        State::Ready(command) => ("ready to start", command),
        State::Disabled(problem) => ("disabled", problem),
    };
    let first = format!("{}: {state}", text::one_line(name));
    out.line(out.wrapped(&first, "", "  "));
    out.line(out.wrapped(&text::one_line(more), "  ", "    "));
}

fn document(servers: &BTreeMap<String, State>) -> Value {
    let servers = servers.iter().map(|(name, state)| match state {
        State::Ready(command) => json!({"name": name, "state": "ready", "command": command}),
        State::Disabled(problem) => json!({"name": name, "state": "disabled", "problem": problem}),
    });
    json!({ "servers": servers.collect::<Vec<_>>() })
}
