//! Servers of the configuration as bindings: MCP servers as upstreams, and HTTP APIs.

use std::fmt;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::upstream::{
    Authorizer, Gate, Rate, RemoteServer, ServerCommand, StderrListener, Transport, Upstream,
    UpstreamOptions,
};
use ampoule_config::{Auth, Command, HintRules, Reach, Remote, ServerConfig, SignIn, ToolRules};
use ampoule_graphql::GraphqlApi;
use ampoule_openapi::HttpApi;
use ampoule_projection::Hints;
use ampoule_tools::{Binding, FilteredBinding, ToolFilter};

use super::DisabledServer;
use super::accounts::DefaultAccount;
use super::apis::{api_server, graphql_server};
use super::per_principal::{PrincipalServer, Principals, Way};
use super::sign_ins::LazySignIn;
use super::undo::UndoBinding;

/// A configured server, with the tools that the configuration allows. Its list of tools is cached
/// in `cache`. A faulty entry disables only its own server.
pub(super) fn binding(
    name: String,
    server: ServerConfig,
    cache: Option<PathBuf>,
    principals: Option<&Principals>,
) -> Arc<dyn Binding> {
    let undo = server.tools.undo.clone();
    let choice = choice(server.tools.clone());
    let is_default = server.is_default_account;
    let principals = principals.filter(|_| is_per_principal(&server.reach));
    let made = match principals {
        Some(principals) => of_principals(name.clone(), server, cache, principals),
        None => self::server(name.clone(), server, cache).map(Server::into_binding),
    };
    let made = made.and_then(|binding| match choice {
        Some(choice) => {
            let chosen = FilteredBinding::new(binding, choice).map_err(said)?;
            Ok(Arc::new(chosen) as Arc<dyn Binding>)
        }
        None => Ok(binding),
    });
    let made = made.map(|binding| match undo.is_empty() {
        true => binding,
        false => Arc::new(UndoBinding::new(binding, undo)) as Arc<dyn Binding>,
    });
    let made = made.unwrap_or_else(|problem| Arc::new(DisabledServer::new(name, &problem)));
    match is_default {
        true => Arc::new(DefaultAccount(made)),
        false => made,
    }
}

/// Whether a person signs in to a server by hand.
pub fn has_sign_in(reach: &Reach) -> bool {
    let is_by_hand = |auth: &Auth| auth.grant == SignIn::AuthorizationCode;
    match reach {
        Reach::Remote(remote) if !needs_sign_in(remote) => false,
        reach => reach.auth().is_some_and(is_by_hand),
    }
}

/// Whether each principal signs in to a server by themselves, where there are principals.
pub fn is_per_principal(reach: &Reach) -> bool {
    let signs_in = |auth: &Auth| {
        let is_theirs = matches!(
            auth.grant,
            SignIn::AuthorizationCode | SignIn::TokenExchange
        );
        is_theirs && auth.per_principal.unwrap_or(true)
    };
    match reach {
        Reach::Remote(remote) if !needs_sign_in(remote) => false,
        reach => reach.auth().is_some_and(signs_in),
    }
}

/// Whether the token by which a principal came to `serve --http` is exchanged for one that a server
/// takes.
pub fn exchanges_tokens<'a>(servers: impl IntoIterator<Item = &'a ServerConfig>) -> bool {
    let exchanges = |server: &'a ServerConfig| {
        let auth = server.reach.auth();
        is_per_principal(&server.reach)
            && auth.is_some_and(|auth| auth.grant == SignIn::TokenExchange)
    };
    servers.into_iter().any(exchanges)
}

/// The server with connections of each principal's own.
fn of_principals(
    name: String,
    server: ServerConfig,
    cache: Option<PathBuf>,
    principals: &Principals,
) -> Result<Arc<dyn Binding>, String> {
    let options = options(&server, cache.clone());
    let reach = server.reach.clone();
    let way = match &server.reach {
        Reach::Remote(remote) => {
            let gate = Arc::new(Gate::new(&options));
            let own = remote_server(&name, remote.clone())?.gate(gate);
            Way::Mcp(Box::new(own), options)
        }
        Reach::Process(_) | Reach::Api(_) | Reach::Graphql(_) => {
            match self::server(name.clone(), server, cache)? {
                Server::Api(api) => Way::Api(api),
                Server::Graphql(api) => Way::Api(api),
                other => return Ok(other.into_binding()),
            }
        }
    };
    Ok(Arc::new(PrincipalServer::new(name, reach, way, principals)))
}

/// A server of the configuration.
pub enum Server {
    /// An MCP server.
    Mcp(Box<Upstream>),
    /// An HTTP API.
    Api(Box<HttpApi>),
    /// A GraphQL API.
    Graphql(Box<GraphqlApi>),
}

impl Server {
    /// It as a binding.
    pub fn as_binding(&self) -> &dyn Binding {
        match self {
            Self::Mcp(upstream) => &**upstream,
            Self::Api(api) => &**api,
            Self::Graphql(api) => &**api,
        }
    }

    fn into_binding(self) -> Arc<dyn Binding> {
        match self {
            Self::Mcp(upstream) => Arc::new(*upstream),
            Self::Api(api) => Arc::new(*api),
            Self::Graphql(api) => Arc::new(*api),
        }
    }
}

/// The server itself, with all of its tools.
///
/// # Errors
///
/// Why it can't be reached as it is configured.
pub fn server(
    name: String,
    server: ServerConfig,
    cache: Option<PathBuf>,
) -> Result<Server, String> {
    let options = options(&server, cache);
    let upstream = match server.reach {
        Reach::Process(command) => Upstream::stdio(name, process(command), options),
        Reach::Remote(remote) => {
            let remote = remote_server(&name, remote)?;
            Upstream::remote(name, remote, options)
        }
        Reach::Api(api) => {
            let authorizer = authorizer(&name, Reach::Api(api.clone()));
            let mut server = api_server(api, options)?;
            server.authorizer = authorizer;
            return Ok(Server::Api(Box::new(HttpApi::new(name, server)?)));
        }
        Reach::Graphql(api) => {
            let authorizer = authorizer(&name, Reach::Graphql(api.clone()));
            let mut server = graphql_server(api, options)?;
            server.authorizer = authorizer;
            return Ok(Server::Graphql(Box::new(GraphqlApi::new(name, server)?)));
        }
    };
    Ok(Server::Mcp(Box::new(upstream)))
}

/// The server itself, with somebody who hears what its process prints to its stderr. Nothing of it is
/// kept between processes.
///
/// # Errors
///
/// As for [`server`].
pub fn watched_server(
    name: String,
    server: ServerConfig,
    listener: StderrListener,
) -> Result<Server, String> {
    let options = options(&server, None);
    match server.reach {
        Reach::Process(command) => {
            let command = process(command).heard_by(listener);
            let upstream = Upstream::stdio(name, command, options);
            Ok(Server::Mcp(Box::new(upstream)))
        }
        _ => self::server(name, server, None),
    }
}

/// What signs the requests to an API, where somebody signs in.
fn authorizer(name: &str, reach: Reach) -> Option<Arc<dyn Authorizer>> {
    reach.auth()?;
    Some(Arc::new(LazySignIn::new(name, reach)))
}

fn options(server: &ServerConfig, cache: Option<PathBuf>) -> UpstreamOptions {
    let default = UpstreamOptions::default();
    let rate = server.rate.map(|rate| Rate {
        calls: NonZeroU16::try_from(rate.calls).unwrap_or(NonZeroU16::MAX),
        per: rate.per,
    });
    let roots = server.roots.iter();
    let roots = roots
        .map(|root| root.to_string_lossy().into_owned())
        .collect();
    UpstreamOptions {
        call_timeout: server.call_timeout.unwrap_or(default.call_timeout),
        start_timeout: server.start_timeout.unwrap_or(default.start_timeout),
        cache_dir: cache,
        idle_timeout: server.idle_timeout.or(default.idle_timeout),
        concurrency: server
            .concurrency
            .map_or(default.concurrency, |most| most.get() as usize),
        rate,
        roots,
    }
}

fn process(command: Command) -> ServerCommand {
    let Command {
        program,
        args,
        env,
        cwd,
        variables,
    } = command;
    let mut command = ServerCommand::new(program).args(args).variables(variables);
    (command.env, command.cwd) = (env, cwd);
    command
}

fn remote_server(name: &str, remote: Remote) -> Result<RemoteServer, String> {
    let transport = match remote.transport {
        ampoule_config::Transport::Auto => Transport::Auto,
        ampoule_config::Transport::Http => Transport::StreamableHttp,
        ampoule_config::Transport::Sse => Transport::Sse,
    };
    let mut server = RemoteServer::new(&remote.url)
        .map_err(said)?
        .transport(transport)
        .tls(remote.tls.clone());
    if needs_sign_in(&remote) {
        let reach = Reach::Remote(remote.clone());
        server = server.authorizer(Arc::new(LazySignIn::new(name, reach)));
    }
    if let Some((program, args)) = remote.headers_command.split_first() {
        let command = ServerCommand::new(program).args(args.to_vec());
        server = server.headers_command(command.variables(remote.variables.clone()));
    }
    let secrets = remote.variables.into_iter().map(|(_, value)| value);
    let server = secrets.fold(server, RemoteServer::secret);
    let headers = remote.headers.into_iter();
    Ok(headers.fold(server, |server, (name, value)| server.header(name, value)))
}

/// Whether somebody may have to sign in: a server with an authorization header needs no sign-in.
fn needs_sign_in(remote: &Remote) -> bool {
    let says_who = |header: &String| header.eq_ignore_ascii_case("authorization");
    !remote.headers.keys().any(says_who) && remote.headers_command.is_empty()
}

fn said(error: impl fmt::Display) -> String {
    error.to_string()
}

/// The allowed tools, unless all are.
fn choice(rules: ToolRules) -> Option<ToolFilter> {
    if rules.allow_all() {
        return None;
    }
    let HintRules {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = rules.hints;
    Some(ToolFilter {
        allow: rules.allow,
        deny: rules.deny,
        hints: Hints {
            read_only,
            destructive,
            idempotent,
            open_world,
        },
    })
}
