//! Servers of the configuration as bindings: MCP servers as upstreams, and HTTP APIs.

use std::fmt;
use std::fs;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::upstream::{
    AuthorizationError, Authorizer, NeedsSignIn, Rate, RemoteServer, ServerCommand, Transport,
    Upstream, UpstreamOptions,
};
use ampoule_config::{Api, Command, Graphql, HintRules, Reach, Remote, ServerConfig, ToolRules};
use ampoule_graphql::{GraphqlApi, GraphqlServer};
use ampoule_openapi::{ApiServer, HttpApi, OAuthFlow, Source, oauth_endpoints};
use ampoule_projection::Hints;
use ampoule_sign_in::{Endpoints, Grant, Secret, SignIn, SignInOptions, SignInStatus, Store};
use ampoule_tools::{Binding, FilteredBinding, ToolFilter};
use ampoule_untrusted::text;
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::HeaderValue;
use tokio::sync::OnceCell;

use super::Disabled;

/// How large a file with a private key may be, in bytes.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// A configured server, with the tools that the configuration allows. Its list of tools is cached
/// in `cache`. A faulty entry disables only its own server.
pub(super) fn binding(
    name: String,
    server: ServerConfig,
    cache: Option<PathBuf>,
) -> Arc<dyn Binding> {
    let choice = choice(server.tools.clone());
    let made = self::server(name.clone(), server, cache).and_then(|server| {
        let binding = server.into_binding();
        match choice {
            Some(choice) => {
                let chosen = FilteredBinding::new(binding, choice).map_err(said)?;
                Ok(Arc::new(chosen) as Arc<dyn Binding>)
            }
            None => Ok(binding),
        }
    });
    made.unwrap_or_else(|problem| Arc::new(Disabled::new(name, &problem)))
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
            let signs_in = api.auth.is_some();
            let reach = signs_in.then(|| Reach::Api(api.clone()));
            let mut server = api_server(api, options)?;
            if let Some(reach) = reach {
                server.authorizer = Some(Arc::new(LazySignIn::new(&name, reach)));
            }
            let api = HttpApi::new(name, server)?;
            return Ok(Server::Api(Box::new(api)));
        }
        Reach::Graphql(api) => {
            let api = GraphqlApi::new(name, graphql_server(api, options)?)?;
            return Ok(Server::Graphql(Box::new(api)));
        }
    };
    Ok(Server::Mcp(Box::new(upstream)))
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

fn api_server(api: Api, options: UpstreamOptions) -> Result<ApiServer, String> {
    let document = source(api.document)?;
    let secrets = api.variables.into_iter().map(|(_, value)| value);
    Ok(ApiServer {
        base_url: api.base_url,
        server: api.server,
        server_variables: api.server_variables,
        headers: api.headers,
        credentials: api.credentials,
        secrets: secrets.collect(),
        tls: api.tls,
        options,
        ..ApiServer::new(document)
    })
}

fn graphql_server(api: Graphql, options: UpstreamOptions) -> Result<GraphqlServer, String> {
    let secrets = api.variables.into_iter().map(|(_, value)| value);
    Ok(GraphqlServer {
        schema: api.schema.map(source).transpose()?,
        documents: api.documents,
        headers: api.headers,
        credentials: api.credentials,
        secrets: secrets.collect(),
        tls: api.tls,
        options,
        ..GraphqlServer::new(api.endpoint)
    })
}

/// Where a description is.
fn source(place: String) -> Result<Source, String> {
    Ok(match place.contains("://") {
        true => Source::Address(place.parse().map_err(said)?),
        false => Source::File(place.into()),
    })
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
    // A server with an authorization header needs no sign-in.
    let says_who = |header: &String| header.eq_ignore_ascii_case("authorization");
    if !remote.headers.keys().any(says_who) && remote.headers_command.is_empty() {
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

/// The sign-in to a server of the configuration.
///
/// # Errors
///
/// Its settings can't be read, or used; an API's document does not say where to sign in.
pub async fn sign_in(name: &str, reach: &Reach) -> Result<SignIn, String> {
    let mut options = sign_in_options(name, reach)?;
    let tls = match reach {
        Reach::Process(_) | Reach::Graphql(_) => return Err(NO_SIGN_IN.to_owned()),
        Reach::Remote(remote) => &remote.tls,
        Reach::Api(api) => {
            let server = api_server(api.clone(), UpstreamOptions::default())?;
            let flow = match options.grant {
                Grant::AuthorizationCode => OAuthFlow::AuthorizationCode,
                Grant::ClientCredentials => OAuthFlow::ClientCredentials,
            };
            let found = oauth_endpoints(&server, flow).await?;
            options.endpoints = Some(Endpoints {
                authorization: found.authorization,
                token: found.token,
            });
            &api.tls
        }
    };
    let http = tls.client()?;
    SignIn::new(options, Store::of_user().map_err(said)?, http).map_err(said)
}

/// What is said of a server that nobody signs in to.
const NO_SIGN_IN: &str = "this server needs no sign-in";

/// The stored sign-in to a server, if there is one that can be read. This asks neither a person nor
/// the server.
pub async fn signed_in(name: &str, reach: &Reach) -> Option<SignInStatus> {
    let options = sign_in_options(name, reach).ok()?;
    let store = Store::of_user().ok()?;
    store.signed_in(&options).await.ok()?
}

fn sign_in_options(name: &str, reach: &Reach) -> Result<SignInOptions, String> {
    let (url, auth) = match reach {
        Reach::Remote(remote) => (Some(&remote.url), Some(&remote.auth)),
        Reach::Api(api) => (api.base_url.as_ref(), api.auth.as_ref()),
        Reach::Process(_) | Reach::Graphql(_) => (None, None),
    };
    let (Some(url), Some(auth)) = (url, auth) else {
        return Err(NO_SIGN_IN.to_owned());
    };
    Ok(SignInOptions {
        client_id: auth.client_id.clone(),
        client_secret: auth.client_secret.clone().map(Secret::new),
        client_metadata: auth.client_metadata.clone(),
        scopes: auth.scopes.clone(),
        private_key: auth.private_key.as_ref().map(private_key).transpose()?,
        grant: match auth.grant {
            ampoule_config::SignIn::AuthorizationCode => Grant::AuthorizationCode,
            ampoule_config::SignIn::ClientCredentials => Grant::ClientCredentials,
        },
        callback_port: auth.callback_port,
        ..SignInOptions::new(text::one_line(name), url.parse().map_err(said)?)
    })
}

fn private_key(file: &PathBuf) -> Result<Secret, String> {
    let read = || {
        if fs::metadata(file)?.len() > MAX_KEY_BYTES {
            return Err(std::io::Error::other("the file is too large for a key"));
        }
        fs::read_to_string(file)
    };
    read().map(Secret::new).map_err(|error| {
        let file = file.to_string_lossy();
        let file = text::one_line(&file);
        format!("the private key {file} can't be read: {error}")
    })
}

fn said(error: impl fmt::Display) -> String {
    error.to_string()
}

/// A sign-in that is read when a request is about to be sent: the keyring and certificates are only
/// read for servers that are used.
struct LazySignIn {
    name: String,
    reach: Reach,
    sign_in: OnceCell<Result<SignIn, NeedsSignIn>>,
}

impl LazySignIn {
    fn new(name: &str, reach: Reach) -> Self {
        Self {
            name: name.to_owned(),
            reach,
            sign_in: OnceCell::new(),
        }
    }

    async fn sign_in(&self) -> Result<&SignIn, NeedsSignIn> {
        let look = async || sign_in(&self.name, &self.reach).await.map_err(NeedsSignIn);
        self.sign_in
            .get_or_init(look)
            .await
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl fmt::Debug for LazySignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazySignIn")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Authorizer for LazySignIn {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>> {
        async move { self.sign_in().await?.authorization().await }.boxed()
    }

    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>> {
        async move { self.sign_in().await?.refused(status, challenges).await }.boxed()
    }

    fn secrets(&self) -> BoxFuture<'_, Vec<String>> {
        async move {
            match self.sign_in().await {
                Ok(sign_in) => sign_in.secrets().await,
                Err(_) => Vec::new(),
            }
        }
        .boxed()
    }
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
