//! A server to which each principal signs in as themselves.
//!
//! Each principal has a connection of their own, with their own sign-in: a session of MCP, its
//! list of tools, and what it knows of tokens are shared with nobody. Runs without a principal, as
//! on the operator's own machine, use the host's connection. What all share is the limits of the
//! server's calls, and the list of tools that scripts see: it is that of the host's connection, or
//! else of the first principal who signed in.
//!
//! - `connections`: one for each principal; `waiting`: a call whose principal has to sign in
//! - `binding`: all of it as one binding

mod binding;
mod connections;
mod waiting;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule::upstream::{RemoteServer, Upstream, UpstreamOptions};
use ampoule_config::Reach;
use ampoule_openapi::SignedApi;
use ampoule_projection::Tool;
use ampoule_secrets::KeySource;
use ampoule_sign_in::accounts::Accounts;
use ampoule_sign_in::{Owner, SignIn};
use ampoule_tools::{
    Abilities, Account, Binding, BindingError, CallContext, CallError, Principal, ToolResult,
};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use self::connections::{Connection, Connections};
use crate::sign_ins;

/// The word for a server that wants a sign-in.
const NEEDS_SIGN_IN: &str = "needs-sign-in";
/// How many principals are known who were asked to sign in, while no tools are known.
const MOST_INVITED: usize = 64;

/// How principals sign in to servers.
#[derive(Debug, Clone)]
pub struct Principals {
    /// The page on which they do.
    pub accounts: Accounts,
    /// Where the key is that encrypts what is kept. Default: one that is made.
    pub key: Option<KeySource>,
    /// How long a sign-in is kept that nobody uses. Default: 30 days.
    pub idle: Option<Duration>,
}

/// How a server is reached.
pub(crate) enum Way {
    /// As an MCP server. What signs its requests is the host's.
    Mcp(Box<RemoteServer>, UpstreamOptions),
    /// As an HTTP API, whose requests the host signs.
    Api(Box<dyn SignedApi>),
}

/// See the module.
pub(crate) struct PrincipalServer {
    name: String,
    reach: Reach,
    principals: Principals,
    /// The connection of runs without a principal.
    host: Arc<dyn Binding>,
    way: Way,
    /// What the sign-ins of principals are made of.
    sign_in: OnceCell<SignIn>,
    connections: Connections,
    /// The principal's connection whose list of tools is shown, if it is not the host's.
    lister: Mutex<Weak<Connection>>,
    /// Principals who were asked to sign in.
    invited: Mutex<Vec<Arc<str>>>,
    abilities: Mutex<Option<Abilities>>,
}

impl PrincipalServer {
    pub(crate) fn new(name: String, reach: Reach, way: Way, principals: &Principals) -> Self {
        let host: Arc<dyn Binding> = match &way {
            Way::Mcp(remote, options) => {
                let remote = RemoteServer::clone(remote);
                Arc::new(Upstream::remote(name.as_str(), remote, options.clone()))
            }
            Way::Api(api) => api.same(),
        };
        Self {
            name,
            reach,
            principals: principals.clone(),
            host,
            way,
            sign_in: OnceCell::new(),
            connections: Connections::default(),
            lister: Mutex::default(),
            invited: Mutex::default(),
            abilities: Mutex::default(),
        }
    }

    /// The sign-in of a principal.
    async fn sign_in(&self, principal: &Arc<str>) -> Result<SignIn, String> {
        let owner = || Owner::Principal(Arc::clone(principal));
        let look = || async {
            let Principals { key, idle, .. } = &self.principals;
            let store = sign_ins::store_of_principals(key.clone(), *idle)?;
            sign_ins::sign_in_of(owner(), &self.name, &self.reach, store).await
        };
        let one = self.sign_in.get_or_try_init(look).await?;
        Ok(one.owned_by(owner()))
    }

    /// The connection of a principal. A sign-in that asks nobody is by the token with which they came.
    async fn connection(&self, principal: &Principal) -> Result<Arc<Connection>, CallError> {
        let connection = self.connected(principal.name()).await?;
        if let Some(token) = principal.token() {
            connection.sign_in.acts_for(token);
        }
        Ok(connection)
    }

    async fn connected(&self, principal: &Arc<str>) -> Result<Arc<Connection>, CallError> {
        if let Some(connection) = self.connections.get(principal).await {
            return Ok(connection);
        }
        let sign_in = self.sign_in(principal).await;
        let sign_in =
            sign_in.map_err(|why| CallError::NotReached(format!("{}: {why}", self.name)))?;
        let signs = Arc::new(sign_in.clone());
        let binding: Arc<dyn Binding> = match &self.way {
            Way::Mcp(remote, options) => {
                let remote = RemoteServer::clone(remote).authorizer(signs);
                Arc::new(Upstream::remote(
                    self.name.as_str(),
                    remote,
                    options.clone(),
                ))
            }
            Way::Api(api) => api.signed_by(signs),
        };
        if let Some(abilities) = *self.abilities.lock() {
            binding.can_be_answered(abilities);
        }
        let made = Connection::new(principal, binding, sign_in).await;
        self.connections.put(made).map_err(|connections::Full| {
            CallError::NotReached(format!(
                "{}: too many principals use this server at the moment; try again in a minute",
                self.name
            ))
        })
    }

    async fn call_for(
        &self,
        principal: &Principal,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        context.keep_back();
        context.uses(Account::Principal);
        let connection = self.connection(principal).await?;
        // Where the server took a call before, it takes this one as a rule.
        let has_served = connection.has_served.load(Relaxed);
        let kept = (!has_served).then(|| arguments.clone());
        let answer = connection
            .binding
            .call(tool, arguments, context.clone())
            .await;
        let Err(CallError::NeedsSignIn(why)) = answer else {
            if answer.is_ok() && !has_served {
                connection.has_served.store(true, Relaxed);
                self.lists(&connection);
            }
            return answer;
        };
        tracing::debug!(server = self.name, %why, "a principal has to sign in");
        if connection.sign_in.asks_nobody() {
            return Err(CallError::NeedsSignIn(why));
        }
        // The server has refused the call unseen.
        let waiting = self.wait(&connection, &context);
        context.held_back(waiting).await?;
        let Some(arguments) = kept else {
            return Err(CallError::NeedsSignIn(format!(
                "{principal} is signed in to {} again; run the script again",
                self.name
            )));
        };
        context.keep_back();
        let connection = self.connection(principal).await?;
        let answer = connection.binding.call(tool, arguments, context).await;
        // It is not waited for twice.
        if answer.is_ok() {
            connection.has_served.store(true, Relaxed);
            self.lists(&connection);
        }
        answer
    }

    /// Waits until the principal of a connection has signed in, if their client shows them how.
    async fn wait(
        &self,
        connection: &Arc<Connection>,
        context: &CallContext,
    ) -> Result<(), CallError> {
        {
            let mut invited = self.invited.lock();
            if !invited.contains(&connection.principal) && invited.len() < MOST_INVITED {
                invited.push(Arc::clone(&connection.principal));
            }
        }
        let accounts = &self.principals.accounts;
        let (sign_in, principal) = (&connection.sign_in, &connection.principal);
        waiting::signed_in(accounts, sign_in, principal, context).await
    }

    /// The connection whose list of tools is shown: the principal's, if nobody's is yet.
    fn lists(&self, connection: &Arc<Connection>) {
        let mut lister = self.lister.lock();
        if lister.strong_count() == 0 && self.host.standing() != Some("ready") {
            *lister = Arc::downgrade(connection);
        }
    }

    /// What shows the list of tools.
    fn lister(&self) -> Arc<dyn Binding> {
        let lister = self.lister.lock().upgrade();
        lister.map_or_else(|| Arc::clone(&self.host), |it| Arc::clone(&it.binding))
    }

    async fn listed(&self) -> Result<Arc<[Tool]>, BindingError> {
        let (lister, is_host) = match self.lister.lock().upgrade() {
            Some(connection) => (Arc::clone(&connection.binding), false),
            None => (Arc::clone(&self.host), true),
        };
        let listed = lister.tools().await;
        if listed.is_ok() || !is_host || self.host.standing() != Some(NEEDS_SIGN_IN) {
            return listed;
        }
        // Somebody who was asked to may have signed in meanwhile.
        let invited = self.invited.lock().clone();
        for principal in invited {
            let Ok(connection) = self.connected(&principal).await else {
                continue;
            };
            if connection.sign_in.version().is_none() {
                continue;
            }
            if let Ok(tools) = connection.binding.tools().await {
                self.lists(&connection);
                return Ok(tools);
            }
        }
        Err(BindingError {
            message: self.nobody(),
        })
    }

    /// Whether the tokens of callers are exchanged, so that nobody signs in.
    fn exchanges(&self) -> bool {
        let auth = self.reach.auth();
        auth.is_some_and(|auth| auth.grant == ampoule_config::SignIn::TokenExchange)
    }

    /// What is said where nobody has signed in yet.
    fn nobody(&self) -> String {
        let name = &self.name;
        if self.exchanges() {
            return format!(
                "server `{name}` takes the exchanged token of its caller, and its tools are known once somebody called one: call any tool of it, such as `{name}.sign_in`"
            );
        }
        format!(
            "server `{name}` wants each principal to sign in, and its tools are known once somebody has: call any tool of it, such as `{name}.sign_in`, and the error has the address to open"
        )
    }

    async fn prepared(&self, context: &CallContext) -> Result<bool, CallError> {
        let Some(principal) = &context.call().principal else {
            return Ok(false);
        };
        context.keep_back();
        context.uses(Account::Principal);
        let connection = self.connection(principal).await?;
        let Err(why) = connection.binding.tools().await else {
            self.lists(&connection);
            return Ok(true);
        };
        if connection.binding.standing() != Some(NEEDS_SIGN_IN) {
            return Ok(false);
        }
        if connection.sign_in.asks_nobody() {
            return Err(CallError::NeedsSignIn(why.message));
        }
        self.wait(&connection, context).await?;
        let connection = self.connection(principal).await?;
        let tools = connection.binding.tools().await;
        tools.map_err(|why| CallError::NotReached(why.message))?;
        self.lists(&connection);
        Ok(true)
    }
}
