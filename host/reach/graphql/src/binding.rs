//! The server: an API as a binding.

use std::fmt;
use std::sync::Arc;

use ampoule_api::{ApiStatus, Caller, Loading, State, base_url, elsewhere, shown};
use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use ampoule_untrusted::text::one_line;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::Response;
use serde_json::{Map, Value};
use url::Url;

use crate::api::Api;
use crate::options::GraphqlServer;
use crate::{Source, answer, loading, request};

/// A GraphQL API as a binding: its tools are its queries and mutations. Nothing is read or connected
/// to before somebody needs it.
pub struct GraphqlApi {
    name: Arc<str>,
    server: Arc<GraphqlServer>,
    endpoint: Url,
    caller: Caller,
    loading: Arc<Loading<Api>>,
}

impl GraphqlApi {
    /// An API. Nothing is read yet.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be used of the configuration.
    pub fn new(name: impl Into<Arc<str>>, server: GraphqlServer) -> Result<Self, String> {
        let key = match server.schema {
            Some(_) => "base-url",
            None => "graphql",
        };
        let endpoint = base_url(key, &server.endpoint)?;
        let mut access = server.access()?;
        let query = endpoint.query_pairs();
        access
            .credentials
            .extend(query.map(|(_, value)| value.into_owned()));
        let name = name.into();
        Ok(Self {
            caller: Caller::new(Arc::clone(&name), access, &server.options)?,
            name,
            endpoint,
            loading: Loading::new(),
            server: Arc::new(server),
        })
    }

    /// How it is doing.
    pub fn status(&self) -> ApiStatus {
        self.loading
            .status(|api| api.tools.len(), |why| self.unread(why))
    }

    fn unread(&self, why: &str) -> String {
        let name = &self.name;
        let why = self.caller.secrets().blot().text(why);
        match &self.server.schema {
            None => {
                let api = shown(&Source::Address(self.endpoint.clone()));
                format!("the API of server `{name}`, {api}, can't be used: {why}")
            }
            Some(schema) => {
                let schema = shown(schema);
                format!("the schema of server `{name}`, {schema}, can't be used: {why}")
            }
        }
    }

    async fn api(&self) -> Result<Arc<Api>, String> {
        if let Some(api) = self.loading.ready() {
            return Ok(api);
        }
        let headers = self.caller.headers().await;
        let headers = headers.map_err(|why| self.unread(&why))?;
        let read = || loading::read(Arc::clone(&self.server), self.endpoint.clone(), headers);
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
        let api = self.api().await.map_err(CallError::NotReached)?;
        let (described, name) = (Arc::clone(&api.described), tool.to_owned());
        // Documents of scripts are parsed and validated: short ones in no time, others not.
        let checked = elsewhere(move || Ok(described.call(&name, arguments))).await;
        let checked = checked.map_err(CallError::Lost)?;
        let unknown = || CallError::NotReached(format!("unknown tool `{}`", one_line(tool)));
        let (sent, taken) = checked
            .ok_or_else(unknown)?
            .map_err(|why| CallError::Arguments(format!("{}: {why}", one_line(tool))))?;
        let make = |confidential| Ok(request::of(&self.endpoint, &sent, confidential));
        let sending = self.caller.send(&api.requests, &context, make);
        let response = self.caller.respond(tool, &context, sending).await?;
        let make = move |response: &Response<Bytes>, blot: &_| {
            answer::of(response, &taken, blot, &context)
        };
        self.caller.answer(response, make).await
    }
}

impl Binding for GraphqlApi {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.loading.ready()?.about.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tools = async {
            let api = self.api().await;
            let api = api.map_err(|message| BindingError { message })?;
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
                "the schema of server `{}` is being read",
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

impl fmt::Debug for GraphqlApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphqlApi")
            .field("name", &self.name)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
