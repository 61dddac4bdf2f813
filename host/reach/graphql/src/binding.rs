//! What is GraphQL's of a server: how its schema is read, and what a call sends.

use std::sync::Arc;
use std::time::Duration;

use ampoule_api::{
    Access, ApiBinding, ApiCall, ApiKind, Caller, DescriptionError, Source, elsewhere, shown,
};
use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::text::one_line;
use ampoule_upstream::{Authorizer, UpstreamOptions};
use bytes::Bytes;
use http::Response;

use crate::api::{Api, ApiContent};
use crate::options::GraphqlServer;
use crate::{answer, loading, request};

/// A GraphQL API as a binding: its tools are its queries and mutations.
pub type GraphqlApi = ApiBinding<GraphqlServer>;

impl ApiKind for GraphqlServer {
    type ApiContent = ApiContent;

    const DESCRIPTION: &'static str = "schema";

    fn access(&self) -> Result<Access, String> {
        Self::access(self)
    }

    fn signed_by(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    fn options(&self) -> &UpstreamOptions {
        &self.options
    }

    fn subject(&self, server: &str) -> String {
        match (&self.schema, self.url()) {
            (Some(schema), _) => format!("the schema of server `{server}`, {}", shown(schema)),
            (None, Ok(endpoint)) => {
                let api = shown(&Source::Address(endpoint));
                format!("the API of server `{server}`, {api}")
            }
            (None, Err(_)) => format!("the API of server `{server}`"),
        }
    }

    fn is_asked(&self) -> bool {
        self.schema.is_none()
    }

    fn lasts(&self) -> Duration {
        loading::lasts(self.schema.as_ref())
    }

    async fn read(self: Arc<Self>, caller: Arc<Caller>) -> Result<Api, DescriptionError> {
        loading::read(self, caller).await
    }

    async fn reread(
        self: Arc<Self>,
        known: Arc<Api>,
        caller: Arc<Caller>,
    ) -> Result<Option<Api>, DescriptionError> {
        loading::reread(known, self, caller).await
    }

    async fn call(
        &self,
        caller: &Caller,
        api: &Api,
        call: ApiCall<'_>,
    ) -> Result<ToolResult, CallError> {
        let ApiCall {
            tool,
            arguments,
            context,
        } = call;
        let (described, name) = (Arc::clone(&api.described), tool.to_owned());
        // Documents of scripts are parsed and validated: short ones in no time, others not.
        let checked = elsewhere(move || Ok(described.call(&name, arguments))).await;
        let checked = checked.map_err(CallError::Lost)?;
        let unknown = || CallError::NotReached(format!("unknown tool `{}`", one_line(tool)));
        let (sent, taken) = checked
            .ok_or_else(unknown)?
            .map_err(|why| CallError::Arguments(format!("{}: {why}", one_line(tool))))?;
        let endpoint = &api.described.endpoint;
        let make = |confidential| Ok(request::of(endpoint, &sent, confidential));
        let sending = caller.send(&api.requests, &context, make);
        let response = caller.respond(tool, &context, sending).await?;
        let make = move |response: &Response<Bytes>, blot: &_| {
            answer::of(response, &taken, blot, &context)
        };
        caller.answer(response, make).await
    }
}
