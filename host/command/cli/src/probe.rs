//! Checks configured servers: starts each, and lists its tools.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::process::ExitCode;

use ampoule::upstream::{UpstreamState, UpstreamStatus};
use ampoule_config::{Config, Reach, ServerConfig};
use ampoule_configured::{ApiStatus, Server, cache_of_servers};
use ampoule_governance::KnownServer;
use ampoule_sign_in::SignInStatus;
use ampoule_tools::{Binding, UndoRule, undo_problems};
use ampoule_untrusted::text;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde::Serialize;
use serde_json::json;

use super::exit::Failure;
use super::setup::{self, Setup};
use super::stop_signal::{self, Cancellation};
use super::streams;

/// The state of a server, as JSON.
#[derive(Serialize)]
pub(super) struct ProbeReport {
    #[serde(flatten)]
    status: Status,
    /// Why it does not list its tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The problems of the list, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The client's file that it was imported from.
    #[serde(rename = "importedFrom", skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    #[serde(rename = "signedIn", skip_serializing_if = "Option::is_none")]
    signed_in: Option<String>,
    /// The server with its tools, if it listed them.
    #[serde(skip)]
    known: KnownServer,
}

/// How a server is doing.
#[derive(Serialize)]
#[serde(untagged)]
enum Status {
    Mcp(Box<UpstreamStatus>),
    Api(ApiReport),
}

/// How an HTTP API is doing, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiReport {
    server: String,
    transport: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<usize>,
    /// How long it took to read the document.
    #[serde(rename = "connectMs", skip_serializing_if = "Option::is_none")]
    read_in: Option<u128>,
}

/// `ampoule doctor SERVER`: the servers of these names.
pub(super) async fn test(setup: &Setup, names: &[String], json: bool) -> Result<ExitCode, Failure> {
    let mut config = setup.read_or_demo()?;
    if let Some(unknown) = names.iter().find(|name| !is_configured(&config, name)) {
        return Err(Failure::usage(format!(
            "unknown server `{}`; `ampoule servers` lists the servers",
            text::one_line(unknown)
        )));
    }
    let is_asked = |name: &String| names.contains(name);
    config.servers.retain(|name, _| is_asked(name));
    config.disabled.retain(|name, _| is_asked(name));
    for (name, problem) in &config.disabled {
        streams::err().warning(format_args!(
            "server `{}` is disabled: {problem}",
            text::one_line(name)
        ));
    }
    let all_sound = config.disabled.is_empty();
    let runtime = setup::builder().build()?;
    let working = async move {
        let probed = all(config.servers, !json).await?;
        if json {
            streams::out().line(format_args!("{:#}", json!({ "servers": probed })));
        }
        let all_well = all_sound && probed.iter().all(ProbeReport::is_well);
        Ok(if all_well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    };
    stop_signal::until_stopped(runtime, Cancellation::default(), working)
        .await
        .unwrap_or_else(|stopped| Ok(stopped.into()))
}

fn is_configured(config: &Config, name: &str) -> bool {
    config.servers.contains_key(name) || config.disabled.contains_key(name)
}

/// Checks all of these at once. If wanted, prints each as soon as its state is known.
pub(super) async fn all(
    servers: BTreeMap<String, ServerConfig>,
    tell: bool,
) -> Result<Vec<ProbeReport>, Failure> {
    let mut asking: FuturesUnordered<_> = servers
        .into_iter()
        .map(|(name, server)| one(name, server))
        .collect();
    let mut probed = Vec::new();
    while let Some(one) = asking.next().await {
        let one = one?;
        if tell {
            one.say();
        }
        probed.push(one);
    }
    probed.sort_by(|one, other| one.status.server().cmp(other.status.server()));
    Ok(probed)
}

async fn one(name: String, server: ServerConfig) -> Result<ProbeReport, Failure> {
    let origin = server.origin.as_ref().map(ToString::to_string);
    let signed_in = signed_in(&name, &server).await;
    let undo = server.tools.undo.clone();
    // No cached list: the server is asked now. Whether a description that was kept has to serve is one
    // of the things to find out.
    let is_described = matches!(server.reach, Reach::Api(_) | Reach::Graphql(_));
    let cache = is_described.then(cache_of_servers).flatten();
    let server = ampoule_configured::server(name, server, cache).map_err(Failure::usage)?;
    let binding = server.as_binding();
    let listed = binding.tools().await;
    let probed = ProbeReport {
        status: Status::of(&server),
        error: listed.err().map(|error| error.message),
        problems: problems(binding, &undo),
        origin,
        signed_in,
        known: KnownServer::of(binding),
    };
    binding.close().await;
    Ok(probed)
}

/// What is wrong with a server's list, and with what takes back calls of its tools.
fn problems(binding: &dyn Binding, undo: &BTreeMap<String, UndoRule>) -> Vec<String> {
    let mut problems = binding.problems().to_vec();
    let rules = undo.iter().map(|(tool, rule)| (tool.as_str(), rule));
    let own = |server: &str| (server == binding.name()).then(|| binding.known_tools())?;
    problems.extend(undo_problems(binding.name(), rules, own));
    problems
}

impl Status {
    fn of(server: &Server) -> Self {
        match server {
            Server::Mcp(upstream) => Self::Mcp(Box::new(upstream.status())),
            Server::Api(api) => Self::of_api(api.name(), "openapi", api.status()),
            Server::Graphql(api) => Self::of_api(api.name(), "graphql", api.status()),
        }
    }

    fn of_api(server: &str, transport: &'static str, status: ApiStatus) -> Self {
        Self::Api(ApiReport {
            server: server.to_owned(),
            transport,
            state: status.state,
            tools: status.tools,
            read_in: status.read_in.map(|took| took.as_millis()),
        })
    }

    fn server(&self) -> &str {
        match self {
            Self::Mcp(status) => &status.server,
            Self::Api(status) => &status.server,
        }
    }

    /// What it failed at, in words.
    fn failure(&self) -> &'static str {
        match self {
            Self::Mcp(status) => state(&status.state),
            Self::Api(status) if status.state == "needs-sign-in" => "needs a sign-in",
            Self::Api(_) => "failed",
        }
    }

    fn facts(&self) -> String {
        let (transport, version, tools, took, did) = match self {
            Self::Mcp(status) => {
                let version = status.protocol_version.as_deref();
                let took = status.connected_in.map(|took| took.as_millis());
                (status.transport, version, status.tools, took, "connected")
            }
            Self::Api(api) => (api.transport, None, api.tools, api.read_in, "read"),
        };
        let mut facts = vec![transport.to_owned()];
        facts.extend(version.map(|version| text::one_line(version).into_owned()));
        facts.extend(tools.map(|tools| counted(tools, "tool")));
        facts.extend(took.map(|took| format!("{did} in {took} ms")));
        facts.join(", ")
    }
}

/// Whose sign-in to a server is kept, in words.
pub(super) async fn signed_in(name: &str, server: &ServerConfig) -> Option<String> {
    if matches!(server.reach, Reach::Process(_)) {
        return None;
    }
    let signed_in = ampoule_configured::signed_in(name, &server.reach).await;
    signed_in.as_ref().map(whose)
}

/// Whose a sign-in is, and until when. All but the time is the server's text.
pub(super) fn whose(signed_in: &SignInStatus) -> String {
    let mut said = "signed in".to_owned();
    if let Some(who) = &signed_in.who {
        said += &format!(" as {}", text::one_line(who));
    }
    said += &format!(", at {}", text::one_line(&signed_in.issuer));
    if let Some(until) = signed_in.until {
        said += &format!(", until {}", humantime::format_rfc3339_seconds(until));
    }
    if signed_in.refreshed {
        said += "; Ampoule refreshes it";
    }
    said
}

impl ProbeReport {
    pub(super) fn known(&self) -> KnownServer {
        self.known.clone()
    }

    pub(super) fn is_well(&self) -> bool {
        self.error.is_none()
    }

    /// The name and the state; below, what there is to know, and what to do.
    pub(super) fn say(&self) {
        let out = streams::out();
        let status = &self.status;
        let state = match &self.error {
            None => "ready",
            Some(_) => status.failure(),
        };
        let first = format!("{}: {state}", text::one_line(status.server()));
        out.line(out.wrapped(&first, "", "  "));
        let more = |line: &str| out.line(out.wrapped(line, "  ", "    "));
        more(&status.facts());
        if let Some(origin) = &self.origin {
            more(&format!("imported from {}", text::one_line(origin)));
        }
        if let Some(signed_in) = &self.signed_in {
            more(signed_in);
        }
        for line in self.error.iter().flat_map(|error| error.lines()) {
            more(&text::one_line(line));
        }
        for problem in &self.problems {
            more(&text::one_line(problem));
        }
        let Status::Mcp(status) = status else {
            return;
        };
        if let Some(skipped) = &status.skipped {
            more(&text::one_line(skipped));
        }
        let told = self.error.as_deref().unwrap_or_default();
        if let Some(remedy) = &status.remedy
            && !told.contains(remedy.as_str())
        {
            more(&format!("run: {}", text::one_line(remedy)));
        }
    }
}

fn state(state: &UpstreamState) -> &'static str {
    match state {
        UpstreamState::NeedsSignIn => "needs a sign-in",
        UpstreamState::Ready => "connected, but does not list its tools",
        _ => "failed",
    }
}

/// `1 tool`, `2 tools`.
pub(super) fn counted(count: usize, what: impl Display) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
