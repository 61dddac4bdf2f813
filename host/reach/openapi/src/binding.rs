//! The server: an API as a binding.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule_projection::Tool;
use ampoule_tools::{
    Account, Binding, BindingError, CallContext, CallError, CallState, ToolResult,
};
use ampoule_untrusted::text::one_line;
use ampoule_upstream::{AuthorizationError, Authorizer, Gate, trace_headers};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Response};
use serde_json::{Map, Value};

use crate::api::Api;
use crate::loading::{self, Loading, State};
use crate::options::ApiServer;
use crate::secrets::Secrets;
use crate::server::Base;
use crate::{answer, request};

/// From how many bytes of a body a result is made on a thread where nobody else waits.
const LARGE: usize = 64 * 1024;

/// How many challenges of a server are looked at.
const MAX_CHALLENGES: usize = 16;

/// An HTTP API as a binding: its tools are the operations of its document. Nothing is read or
/// connected to before somebody needs it.
pub struct HttpApi {
    name: Arc<str>,
    server: Arc<ApiServer>,
    headers: HeaderMap,
    secrets: Secrets,
    gate: Arc<Gate>,
    loading: Arc<Loading>,
}

/// How an API is doing.
#[derive(Debug, Clone)]
pub struct ApiStatus {
    /// In a word: `not-started`, `starting`, `ready` or `failed`.
    pub state: &'static str,
    /// Why it failed, as a sentence.
    pub why: Option<String>,
    /// How many tools there are, if that is known.
    pub tools: Option<usize>,
    /// How long it took to read the document.
    pub read_in: Option<Duration>,
}

impl HttpApi {
    /// An API. Nothing is read yet.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be used of the configuration.
    pub fn new(name: impl Into<Arc<str>>, server: ApiServer) -> Result<Self, String> {
        let base = Base::new(server.base_url.as_deref())?;
        let credentials = server.credentials.iter();
        if let Some((name, _)) = credentials
            .clone()
            .find(|(_, text)| HeaderValue::from_str(text).is_err())
        {
            let name = one_line(name);
            return Err(format!(
                "`credentials.{name}` has a value that can't be sent"
            ));
        }
        Ok(Self {
            name: name.into(),
            headers: headers(&server.headers)?,
            secrets: Secrets::of(&server, &base),
            gate: Arc::new(Gate::new(&server.options)),
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
            headers: self.headers.clone(),
            secrets: self.secrets.of_another(),
            gate: Arc::clone(&self.gate),
            loading: Arc::clone(&self.loading),
            server: Arc::new(server),
        }
    }

    /// How it is doing.
    pub fn status(&self) -> ApiStatus {
        let status = |state| ApiStatus {
            state,
            why: None,
            tools: None,
            read_in: None,
        };
        match self.loading.state() {
            State::Unread => status("not-started"),
            State::Reading(_) => status("starting"),
            State::Ready(api, took) => ApiStatus {
                tools: Some(api.tools.len()),
                read_in: Some(took),
                ..status("ready")
            },
            State::Failed(why, _) => ApiStatus {
                why: Some(self.unread(&why)),
                ..status("failed")
            },
        }
    }

    fn unread(&self, why: &str) -> String {
        let (server, document) = (&self.name, loading::shown(&self.server.document));
        let why = self.secrets.blot().text(why);
        format!("the document of server `{server}`, {document}, can't be used: {why}")
    }

    async fn api(&self) -> Result<Arc<Api>, String> {
        let api = self.loading.api(&self.server, &self.headers).await;
        api.map_err(|why| self.unread(&why))
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
        let most = self.server.options.call_timeout;
        let whose = context.call().principal.as_ref();
        let turn = self.gate.turn(whose, most).await;
        let _turn = turn.map_err(|busy| {
            let (server, tool) = (&self.name, one_line(tool));
            CallError::NotReached(format!(
                "too many calls wait for server `{server}`, and the call to `{tool}` was not sent: {busy}"
            ))
        })?;
        let calling = self.send(&api, tool, arguments, &context);
        let Ok(response) = tokio::time::timeout(most, calling).await else {
            let waited = humantime::format_duration(most);
            let (server, tool) = (&self.name, one_line(tool));
            let why =
                format!("server `{server}` did not answer the call to `{tool}` within {waited}");
            return Err(match context.state_if_given_up() {
                CallState::NotSent => CallError::NotReached(why),
                _ => CallError::TimedOut(why),
            });
        };
        self.answer(response?, tool, context).await
    }

    /// Sends a call; once more, where the sign-in can be renewed.
    async fn send(
        &self,
        api: &Api,
        tool: &str,
        arguments: Map<String, Value>,
        context: &CallContext,
    ) -> Result<Response<Bytes>, CallError> {
        let described = &api.described;
        let unknown = || CallError::NotReached(format!("there is no tool `{}`", one_line(tool)));
        let (operation, plan) = described.plan_of(tool).ok_or_else(unknown)?;
        let plan = plan.map_err(CallError::NotReached)?;
        let mut again = true;
        loop {
            let set = self.confidential().await?;
            let credential = described
                .schemes
                .choose(&plan.requirements, &self.server.credentials);
            let to = (&operation.method, operation.path.as_str());
            let request = request::of(&described.documents, to, &plan, &arguments, credential, set);
            let mut request = request.map_err(CallError::Denied)?;
            if let Some(trace) = context.trace() {
                trace_headers(trace, &mut request.headers);
            }
            self.gate.pace(context.call().principal.as_ref()).await;
            let response = api.requests.send(request, context).await?;
            if !again || !self.is_renewed(&response).await? {
                return Ok(response);
            }
            again = false;
            context.keep_back();
        }
    }

    /// What only the server may know, whatever the operation is.
    async fn confidential(&self) -> Result<HeaderMap, CallError> {
        let mut headers = self.headers.clone();
        let Some(authorizer) = &self.server.authorizer else {
            return Ok(headers);
        };
        if let Some(mut value) = authorizer.authorization().await.map_err(unauthorized)? {
            let mut tokens = authorizer.secrets().await;
            tokens.extend(value.to_str().ok().map(str::to_owned));
            self.secrets.add(tokens);
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(headers)
    }

    /// Whether the server did not accept who asks, and may do so now.
    async fn is_renewed(&self, response: &Response<Bytes>) -> Result<bool, CallError> {
        let status = response.status().as_u16();
        let authorizer = self
            .server
            .authorizer
            .as_ref()
            .filter(|_| matches!(status, 401 | 403));
        let Some(authorizer) = authorizer else {
            return Ok(false);
        };
        let challenges = response.headers().get_all(WWW_AUTHENTICATE).into_iter();
        let challenges: Vec<HeaderValue> = challenges.take(MAX_CHALLENGES).cloned().collect();
        authorizer
            .refused(status, &challenges)
            .await
            .map_err(unauthorized)
    }

    async fn answer(
        &self,
        response: Response<Bytes>,
        tool: &str,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        let blot = self.secrets.blot();
        if response.body().len() < LARGE {
            return answer::of(&response, tool, &blot, &context);
        }
        let tool = tool.to_owned();
        let made = move || answer::of(&response, &tool, &blot, &context);
        let made = tokio::task::spawn_blocking(made).await;
        made.unwrap_or_else(|_| Err(CallError::Lost("the host is about to stop".to_owned())))
    }

    /// An error that repeats what a server said is without secrets too.
    fn blotted(&self, error: CallError) -> CallError {
        let blot = self.secrets.blot();
        match error {
            too_large @ CallError::ResultTooLarge { .. } => too_large,
            error => CallError::new(error.kind(), blot.text(&error.to_string())),
        }
    }
}

fn unauthorized(error: AuthorizationError) -> CallError {
    match error {
        AuthorizationError::NeedsSignIn(needed) => CallError::NeedsSignIn(needed.to_string()),
        AuthorizationError::Unavailable(why) => CallError::NotReached(why),
    }
}

/// The headers of the configuration.
fn headers(texts: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let header = |(name, value): (&String, &String)| {
        let shown = || one_line(name).into_owned();
        let parsed: HeaderName = name
            .parse()
            .map_err(|_| format!("no header can have the name `{}`", shown()))?;
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| format!("its header `{}` has a value that can't be sent", shown()))?;
        value.set_sensitive(true);
        Ok((parsed, value))
    };
    texts.iter().map(header).collect()
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
        self.secrets.all()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let calling = async move {
            let called = self.called(tool, arguments, context).await;
            called.map_err(|error| self.blotted(error))
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
