//! The server: an API as a binding.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use ampoule_api::{Access, ApiStatus, Caller, Loading, State, answer, shown};
use ampoule_outbound::Blot;
use ampoule_projection::Tool;
use ampoule_secrets::{forget, is_sealed, open_all};
use ampoule_tools::{Account, Binding, BindingError, CallContext, CallError, ToolResult};
use ampoule_untrusted::text::one_line;
use ampoule_upstream::Authorizer;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Map, Value};

use crate::api::Api;
use crate::options::ApiServer;
use crate::pages::AnsweredCall;
use crate::security::CredentialScheme;
use crate::server::Base;
use crate::{loading, request};

/// An HTTP API as a binding: its tools are the operations of its document. Nothing is read or
/// connected to before somebody needs it.
pub struct HttpApi {
    name: Arc<str>,
    server: Arc<ApiServer>,
    caller: Caller,
    loading: Arc<Loading<Api>>,
}

impl HttpApi {
    /// An API. Nothing is read yet.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be used of the configuration.
    pub fn new(name: impl Into<Arc<str>>, server: ApiServer) -> Result<Self, String> {
        let base = Base::of_server(&server)?;
        let mut plain = server.credentials.clone();
        plain.retain(|_, text| !is_sealed(text));
        if let Some(why) = unsendable(&plain) {
            return Err(why);
        }
        let name = name.into();
        Ok(Self {
            caller: Caller::new(Arc::clone(&name), access(&server, &base), &server.options)?,
            name,
            loading: Loading::new(),
            server: Arc::new(server),
        })
    }

    /// The same API, whose requests somebody else signs. The document and the limits are those of
    /// this one.
    #[must_use]
    pub fn signed_by(&self, authorizer: Arc<dyn Authorizer>) -> Self {
        let mut server = ApiServer::clone(&self.server);
        server.authorizer = Some(authorizer);
        self.with(server)
    }

    /// The same API, signed by the same.
    #[must_use]
    pub fn same(&self) -> Self {
        self.with(ApiServer::clone(&self.server))
    }

    fn with(&self, server: ApiServer) -> Self {
        Self {
            name: Arc::clone(&self.name),
            caller: self.caller.signed_by(server.authorizer.clone()),
            loading: Arc::clone(&self.loading),
            server: Arc::new(server),
        }
    }

    /// How it is doing.
    pub fn status(&self) -> ApiStatus {
        self.loading
            .status(|api| api.tools.len(), |why| self.unread(why))
    }

    /// The security schemes of the document for which no credential is configured, once it is read.
    pub fn missing_credentials(&self) -> Vec<CredentialScheme> {
        let ready = self.loading.ready();
        let missing = ready.map(|api| api.described.missing(&self.server.credentials));
        missing.unwrap_or_default()
    }

    fn unread(&self, why: &str) -> String {
        let (server, document) = (&self.name, shown(&self.server.document));
        let why = self.caller.secrets().blot().text(why);
        format!("the document of server `{server}`, {document}, can't be used: {why}")
    }

    async fn api(&self) -> Result<Arc<Api>, String> {
        if let Some(api) = self.loading.ready() {
            return Ok(api);
        }
        let headers = self.caller.headers().await;
        let headers = headers.map_err(|why| self.unread(&why))?;
        let read = || loading::read(Arc::clone(&self.server), headers);
        let api = self.loading.api(self.server.options.start_timeout, read);
        api.await.map_err(|why| self.unread(&why))
    }

    async fn called(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        context.keep_back();
        if self.server.authorizer.is_some() {
            context.uses(Account::Shared);
        }
        let api = self.api().await.map_err(CallError::NotReached)?;
        let sending = self.send(&api, tool, arguments, &context);
        let (response, call) = self.caller.respond(tool, &context, sending).await?;
        let tool = tool.to_owned();
        let make = move |response: &Response<Bytes>, blot: &Blot| {
            let value = |body| call.value(body, response, blot);
            answer::of(response, &tool, blot, &context, value)
        };
        self.caller.answer(response, make).await
    }

    /// The credentials, with the secrets in place that they refer to.
    async fn credentials(&self) -> Result<BTreeMap<String, String>, CallError> {
        let opened = open_all(&self.server.credentials).await;
        let opened = opened.map_err(|error| CallError::NotReached(error.to_string()))?;
        self.caller.secrets().add(opened.secrets);
        match unsendable(&opened.texts) {
            Some(why) => Err(CallError::NotReached(why)),
            None => Ok(opened.texts),
        }
    }

    async fn send(
        &self,
        api: &Api,
        tool: &str,
        arguments: Map<String, Value>,
        context: &CallContext,
    ) -> Result<(Response<Bytes>, AnsweredCall), CallError> {
        let described = &api.described;
        let unknown = || CallError::NotReached(format!("unknown tool `{}`", one_line(tool)));
        let (operation, plan) = described.plan_of(tool).ok_or_else(unknown)?;
        let plan = plan.map_err(CallError::NotReached)?;
        let needed = |why| {
            let (tool, server) = (one_line(tool), &self.name);
            CallError::NeedsSignIn(format!("`{tool}` {why}, in the entry of server `{server}`"))
        };
        let credentials = self.credentials().await?;
        let got = Instant::now();
        let credential = || {
            let credential = described.credential(&plan, &credentials);
            credential.map_err(needed)
        };
        let hidden = request::hidden(&plan, &credential()?).collect();
        let request = |set| {
            let to = (&operation.method, operation.path.as_str());
            let (documents, credential) = (&described.documents, credential()?);
            let request = request::of(documents, to, &plan, &arguments, credential, set);
            request.map_err(CallError::Denied)
        };
        let response = self.caller.send(&api.requests, context, request).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            forget(self.server.credentials.values(), got).await;
        }
        let call = AnsweredCall {
            plan,
            arguments,
            hidden,
        };
        Ok((response, call))
    }
}

/// Which of the credentials can't be sent.
fn unsendable(credentials: &BTreeMap<String, String>) -> Option<String> {
    let mut credentials = credentials.iter();
    let unsendable = credentials.find(|(_, text)| HeaderValue::from_str(text).is_err());
    unsendable.map(|(name, _)| {
        let name = one_line(name);
        format!("`credentials.{name}` has a value that can't be sent")
    })
}

/// Who calls the API. Of `user:password`, the password alone is a secret as well.
fn access(server: &ApiServer, base: &Base) -> Access {
    let credentials = server.credentials.values();
    let passwords = credentials
        .clone()
        .filter_map(|text| text.split_once(':'))
        .map(|(_, password)| password.to_owned());
    let credentials = credentials.cloned().chain(passwords);
    Access {
        headers: server.headers.clone(),
        credentials: credentials.chain(base.secrets()).collect(),
        authorizer: server.authorizer.clone(),
        secrets: server.secrets.clone(),
    }
}

impl Binding for HttpApi {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.loading.ready()?.about.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tools = async {
            let api = self
                .api()
                .await
                .map_err(|message| BindingError { message })?;
            Ok(Arc::clone(&api.tools))
        };
        tools.boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::clone(&self.loading.ready()?.tools))
    }

    fn starting(&self) -> Option<String> {
        match self.loading.state() {
            State::Reading(_) => Some(format!(
                "the document of server `{}` is being read",
                self.name
            )),
            _ => None,
        }
    }

    fn trouble(&self) -> Option<String> {
        self.status().why
    }

    fn standing(&self) -> Option<&'static str> {
        Some(self.status().state)
    }

    fn problems(&self) -> Arc<[String]> {
        let ready = self.loading.ready();
        ready.map_or_else(Arc::default, |api| Arc::clone(&api.problems))
    }

    fn secrets(&self) -> Vec<String> {
        self.caller.secrets().all()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        let refreshed = async {
            let unread = |why: String| BindingError {
                message: self.unread(&why),
            };
            let server = Arc::clone(&self.server);
            let headers = self.caller.headers().await.map_err(unread)?;
            let lasts = loading::lasts(&server.document);
            let most = server.options.start_timeout;
            let reread = |known| loading::reread(known, server, headers);
            let refreshed = self.loading.refresh(lasts, most, reread).await;
            refreshed.map_err(unread)
        };
        refreshed.boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let calling = async move {
            let called = self.called(tool, arguments, context).await;
            called.map_err(|error| self.caller.blotted(error))
        };
        calling.boxed()
    }
}

impl fmt::Debug for HttpApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpApi")
            .field("name", &self.name)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
