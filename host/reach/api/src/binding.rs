//! The server: an API as a binding, however it is described.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule_outbound::Requests;
use ampoule_projection::Tool;
use ampoule_tools::{Account, Binding, BindingError, CallContext, CallError, ToolResult};
use ampoule_upstream::{Authorizer, UpstreamOptions};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::caller::{Access, Caller};
use crate::loading::{ApiStatus, DescriptionError, Loading};

/// A configured API of one kind: how its description is read, and how its tools are called.
pub trait ApiKind: Clone + fmt::Debug + Send + Sync + 'static {
    /// What its description says, as calls read it.
    type ApiContent: Send + Sync + 'static;

    /// What its description is called.
    const DESCRIPTION: &'static str;

    /// Who calls it.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be used of the configuration.
    fn access(&self) -> Result<Access, String>;

    /// The same, whose requests this one signs.
    #[must_use]
    fn signed_by(self, authorizer: Arc<dyn Authorizer>) -> Self;

    /// How much and how fast.
    fn options(&self) -> &UpstreamOptions;

    /// Its description as messages name it, of a server of this name.
    fn subject(&self, server: &str) -> String;

    /// Whether the API itself is asked for its description, by whoever calls it.
    fn is_asked(&self) -> bool;

    /// How long its description is not read again, whoever asks.
    fn lasts(&self) -> Duration;

    /// Reads the description, and makes tools of it.
    fn read(
        self: Arc<Self>,
        caller: Arc<Caller>,
    ) -> impl Future<Output = Result<DescribedApi<Self::ApiContent>, DescriptionError>> + Send + 'static;

    /// Reads it again; nothing where it says the same as before.
    fn reread(
        self: Arc<Self>,
        known: Arc<DescribedApi<Self::ApiContent>>,
        caller: Arc<Caller>,
    ) -> impl Future<Output = Result<Option<DescribedApi<Self::ApiContent>>, DescriptionError>>
    + Send
    + 'static;

    /// Calls a tool.
    fn call(
        &self,
        caller: &Caller,
        api: &DescribedApi<Self::ApiContent>,
        call: ApiCall<'_>,
    ) -> impl Future<Output = Result<ToolResult, CallError>> + Send;
}

/// An API whose description was read, and the way to it.
pub struct DescribedApi<D> {
    /// Its tools.
    pub tools: Arc<[Tool]>,
    /// What its description says, as calls read it.
    pub described: Arc<D>,
    /// How requests travel.
    pub requests: Requests,
    /// What is wrong with it, a sentence each.
    pub problems: Arc<[String]>,
    /// What it says about itself, in a line.
    pub about: Option<String>,
    /// Why its description is one that was kept, where its address can't be reached, as a sentence.
    pub stale: Option<String>,
}

/// A call of a tool.
pub struct ApiCall<'c> {
    /// The tool's name.
    pub tool: &'c str,
    /// What it gets.
    pub arguments: Map<String, Value>,
    /// Whose call it is.
    pub context: CallContext,
}

/// An API as a binding. Nothing is read or connected to before somebody needs it.
pub struct ApiBinding<K: ApiKind> {
    name: Arc<str>,
    kind: Arc<K>,
    caller: Arc<Caller>,
    loading: Arc<Loading<DescribedApi<K::ApiContent>>>,
}

/// An API of any kind, whose requests somebody else may sign.
pub trait SignedApi: Binding {
    /// The same API, whose requests somebody else signs. The description and the limits are those of
    /// this one; where the API itself is asked for its description, each asks by itself until one of
    /// them has been told.
    fn signed_by(&self, authorizer: Arc<dyn Authorizer>) -> Arc<dyn Binding>;

    /// The same API, signed by the same.
    fn same(&self) -> Arc<dyn Binding>;
}

impl<K: ApiKind> ApiBinding<K> {
    /// An API. Nothing is read yet.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be used of the configuration.
    pub fn new(name: impl Into<Arc<str>>, kind: K) -> Result<Self, String> {
        let name = name.into();
        let caller = Caller::new(Arc::clone(&name), kind.access()?, kind.options())?;
        Ok(Self {
            caller: Arc::new(caller),
            name,
            loading: Loading::new(),
            kind: Arc::new(kind),
        })
    }

    /// How it is doing.
    pub fn status(&self) -> ApiStatus {
        self.loading
            .status(|api| api.tools.len(), |why| self.unread(why))
    }

    /// What was configured.
    pub fn configured(&self) -> &K {
        &self.kind
    }

    /// What its description says, once that is read.
    pub fn described(&self) -> Option<Arc<K::ApiContent>> {
        Some(Arc::clone(&self.loading.ready()?.described))
    }

    fn unread(&self, why: &DescriptionError) -> String {
        let blot = self.caller.secrets().blot();
        match why {
            DescriptionError::NeedsSignIn(why) => blot.text(why),
            DescriptionError::Unusable(why) => {
                let subject = self.kind.subject(&self.name);
                format!("{subject}, can't be used: {}", blot.text(why))
            }
        }
    }

    async fn api(&self) -> Result<Arc<DescribedApi<K::ApiContent>>, Arc<DescriptionError>> {
        if let Some(api) = self.loading.ready() {
            return Ok(api);
        }
        let (kind, caller) = (Arc::clone(&self.kind), Arc::clone(&self.caller));
        let read = || async move {
            let server = Arc::clone(&caller);
            let api = kind.read(caller).await?;
            if let Some(why) = &api.stale {
                let why = server.secrets().blot().text(why);
                tracing::warn!(server = server.name(), "{}", stale(K::DESCRIPTION, &why));
            }
            Ok(api)
        };
        let most = self.kind.options().start_timeout;
        self.loading.api(most, read).await
    }

    async fn called(&self, call: ApiCall<'_>) -> Result<ToolResult, CallError> {
        call.context.keep_back();
        if self.caller.is_signed() {
            call.context.uses(Account::Shared);
        }
        let api = self.api().await.map_err(|why| match *why {
            DescriptionError::NeedsSignIn(_) => CallError::NeedsSignIn(self.unread(&why)),
            DescriptionError::Unusable(_) => CallError::NotReached(self.unread(&why)),
        })?;
        self.kind.call(&self.caller, &api, call).await
    }
}

/// What is said of a description that was kept.
fn stale(description: &str, why: &str) -> String {
    format!("the {description} may be out of date: {why}")
}

impl<K: ApiKind> SignedApi for ApiBinding<K> {
    fn signed_by(&self, authorizer: Arc<dyn Authorizer>) -> Arc<dyn Binding> {
        let loading = match (self.caller.is_signed(), self.kind.is_asked()) {
            // What an API may do depends on whether there is something to keep secret.
            (false, _) => Loading::new(),
            (true, true) => self.loading.beside(),
            (true, false) => Arc::clone(&self.loading),
        };
        Arc::new(Self {
            name: Arc::clone(&self.name),
            caller: Arc::new(self.caller.signed_by(Some(Arc::clone(&authorizer)))),
            loading,
            kind: Arc::new(K::clone(&self.kind).signed_by(authorizer)),
        })
    }

    fn same(&self) -> Arc<dyn Binding> {
        Arc::new(Self {
            name: Arc::clone(&self.name),
            caller: Arc::clone(&self.caller),
            loading: Arc::clone(&self.loading),
            kind: Arc::clone(&self.kind),
        })
    }
}

impl<K: ApiKind> Binding for ApiBinding<K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.loading.ready()?.about.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tools = async {
            let api = self.api().await.map_err(|why| BindingError {
                message: self.unread(&why),
            })?;
            Ok(Arc::clone(&api.tools))
        };
        tools.boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::clone(&self.loading.ready()?.tools))
    }

    fn starting(&self) -> Option<String> {
        let (description, name) = (K::DESCRIPTION, &self.name);
        let is_reading = self.loading.is_reading();
        is_reading.then(|| format!("the {description} of server `{name}` is being read"))
    }

    fn trouble(&self) -> Option<String> {
        self.status().why
    }

    fn standing(&self) -> Option<&'static str> {
        Some(self.status().state)
    }

    fn problems(&self) -> Arc<[String]> {
        let Some(api) = self.loading.ready() else {
            return Arc::default();
        };
        let Some(why) = &api.stale else {
            return Arc::clone(&api.problems);
        };
        let stale = stale(K::DESCRIPTION, &self.caller.secrets().blot().text(why));
        [stale]
            .into_iter()
            .chain(api.problems.iter().cloned())
            .collect()
    }

    fn secrets(&self) -> Vec<String> {
        self.caller.secrets().all()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        let refreshed = async {
            let (kind, caller) = (Arc::clone(&self.kind), Arc::clone(&self.caller));
            let (lasts, most) = (self.kind.lasts(), self.kind.options().start_timeout);
            let reread = |known| kind.reread(known, caller);
            let refreshed = self.loading.refresh(lasts, most, reread).await;
            refreshed.map_err(|why| BindingError {
                message: self.unread(&why),
            })
        };
        refreshed.boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let call = ApiCall {
            tool,
            arguments,
            context,
        };
        let calling = async move {
            let called = self.called(call).await;
            called.map_err(|error| self.caller.blotted(error))
        };
        calling.boxed()
    }
}

impl<K: ApiKind> fmt::Debug for ApiBinding<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiBinding")
            .field("name", &self.name)
            .field("configured", &self.kind)
            .finish_non_exhaustive()
    }
}
