//! MCP at one address: `/mcp` for the whole server, `/mcp/NAME` for a toolkit.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use ampoule::Principal;
use ampoule_access::Access;
use http::{Request, StatusCode, Uri};
use parking_lot::Mutex;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::refusal::HttpRefusal;
use super::session::Session;
use super::sessions::{AllSessions, Sessions};
use super::streams::Streams;
use crate::mcp::client::{Client, ToolCaller};
use crate::mcp::server::Server;

/// The address of the whole server. Those of toolkits are beneath it.
pub(super) const MCP: &str = "/mcp";
/// Clients before 2026-07-28 name their session in it.
const SESSION: &str = "mcp-session-id";
/// Where the metadata is of what is protected, before the path of that (RFC 9728).
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";

/// MCP at one address.
pub(super) struct Endpoint {
    pub(super) access: Access,
    pub(super) sessions: Arc<Sessions>,
    pub(super) mcp: StreamableHttpService<Client, Sessions>,
    pub(super) streams: Streams,
    server: Server,
    /// Cancelled when runs are to end.
    ending: CancellationToken,
}

/// Whether a request names a session.
pub(super) fn names_session<B>(request: &Request<B>) -> bool {
    request.headers().contains_key(SESSION)
}

impl Endpoint {
    /// MCP for one request, of a caller of a tool: the request's headers are compared with what the
    /// tool's schema says that they repeat.
    pub(super) fn of_caller(&self, caller: ToolCaller) -> StreamableHttpService<Client, Sessions> {
        let (server, ending) = (self.server.clone(), self.ending.clone());
        let client = move || {
            let left = CancellationToken::new();
            let client = Client::new(server.clone(), left, None).until(ending.clone());
            Ok::<_, io::Error>(client.of_caller(caller.clone()))
        };
        let sessions = Arc::clone(&self.sessions);
        StreamableHttpService::new(client, sessions, config(self.streams.most))
    }

    /// The session that a request names; the same error for an unknown session, for one of another
    /// principal, and for one that began at another address.
    pub(super) fn session<B>(
        &self,
        request: &Request<B>,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<Session>>, HttpRefusal> {
        let mut named = request.headers().get_all(SESSION).iter();
        let Some(id) = named.next() else {
            return Ok(None);
        };
        let id = id.to_str().ok().filter(|_| named.next().is_none());
        let session = id.and_then(|id| self.sessions.of(id, principal));
        session.map(Some).ok_or_else(HttpRefusal::no_session)
    }
}

/// What endpoints are made with.
pub(super) struct EndpointSetup {
    pub(super) sessions: Arc<AllSessions>,
    /// Cancelled when runs are to end.
    pub(super) ending: CancellationToken,
    /// Cancelled when the server takes no further requests.
    pub(super) closing: CancellationToken,
    /// How long a message may be, in bytes.
    pub(super) most: usize,
}

/// The addresses that there are.
pub(super) struct Endpoints {
    server: Server,
    setup: EndpointSetup,
    whole: Arc<Endpoint>,
    /// Those of toolkits, from their first request on.
    toolkits: Mutex<HashMap<Arc<str>, Arc<Endpoint>>>,
}

impl Endpoints {
    pub(super) fn new(server: Server, access: Access, setup: EndpointSetup) -> Self {
        Self {
            whole: Arc::new(setup.endpoint(&server, None, access)),
            toolkits: Mutex::default(),
            server,
            setup,
        }
    }

    /// The whole server's.
    pub(super) fn whole(&self) -> &Endpoint {
        &self.whole
    }

    /// The one at the address of a request. The path is compared as it was sent: there is one way to
    /// write each address, so that what a proxy allows by its path is what is meant here.
    pub(super) fn at(&self, address: &Uri) -> Result<Arc<Endpoint>, HttpRefusal> {
        let path = address.path();
        let path = path.strip_prefix(METADATA).unwrap_or(path);
        match path.strip_prefix(MCP).unwrap_or(path) {
            "" => Ok(Arc::clone(&self.whole)),
            beneath => self.of_toolkit(beneath.strip_prefix('/').unwrap_or_default()),
        }
    }

    fn of_toolkit(&self, name: &str) -> Result<Arc<Endpoint>, HttpRefusal> {
        let mut known = self.toolkits.lock();
        let Some(server) = self.server.toolkit(name) else {
            // It may have been there.
            known.remove(name);
            return Err(HttpRefusal::plain(
                StatusCode::NOT_FOUND,
                "unknown toolkit; the operator configures toolkits as tables `[toolkits.NAME]`, and the address of each is /mcp/NAME",
            ));
        };
        if let Some(endpoint) = known.get(name) {
            return Ok(Arc::clone(endpoint));
        }
        let access = self.whole.access.beneath(name).map_err(|error| {
            tracing::error!(toolkit = name, %error, "nobody can be let in at a toolkit's address");
            HttpRefusal::plain(StatusCode::INTERNAL_SERVER_ERROR, "the host failed")
        })?;
        let name = Arc::from(name);
        let endpoint = self.setup.endpoint(&server, Some(&name), access);
        let endpoint = Arc::new(endpoint);
        known.insert(name, Arc::clone(&endpoint));
        Ok(endpoint)
    }
}

impl EndpointSetup {
    fn endpoint(&self, server: &Server, toolkit: Option<&Arc<str>>, access: Access) -> Endpoint {
        let sessions = Sessions::new(server.clone(), toolkit.cloned(), &self.sessions);
        let sessions = Arc::new(sessions);
        Endpoint {
            access,
            mcp: self.service(server, &sessions),
            server: server.clone(),
            ending: self.ending.clone(),
            streams: Streams {
                server: server.clone(),
                sessions: Arc::clone(&sessions),
                most: self.most,
                closing: self.closing.clone(),
            },
            sessions,
        }
    }

    /// MCP, as `rmcp` has it.
    fn service(
        &self,
        server: &Server,
        sessions: &Arc<Sessions>,
    ) -> StreamableHttpService<Client, Sessions> {
        let (server, ending) = (server.clone(), self.ending.clone());
        let client = move || {
            let left = CancellationToken::new();
            Ok::<_, io::Error>(Client::new(server.clone(), left, None).until(ending.clone()))
        };
        StreamableHttpService::new(client, Arc::clone(sessions), config(self.most))
    }
}

/// Names are checked before. What can be resumed says so itself.
pub(super) fn config(most: usize) -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_sse_retry(None)
        .with_json_response(true)
        .with_max_request_body_bytes(most)
}
