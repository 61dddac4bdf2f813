//! What is the document's of a server: how it is read, and what a call sends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_api::{Access, ApiBinding, ApiCall, ApiKind, Caller, DescriptionError, answer, shown};
use ampoule_outbound::Blot;
use ampoule_secrets::{forget, is_sealed, open_all};
use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::text::one_line;
use ampoule_upstream::{Authorizer, UpstreamOptions};
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode};

use crate::api::{Api, ApiContent};
use crate::options::ApiServer;
use crate::pages::AnsweredCall;
use crate::request::Endpoint;
use crate::security::CredentialScheme;
use crate::server::Base;
use crate::{loading, request};

/// An HTTP API as a binding: its tools are the operations of its document.
pub type HttpApi = ApiBinding<ApiServer>;

/// The security schemes of an API's document for which no credential is configured, once it is read.
pub fn missing_credentials(api: &HttpApi) -> Vec<CredentialScheme> {
    let given = &api.configured().credentials;
    let missing = api.described().map(|described| described.missing(given));
    missing.unwrap_or_default()
}

impl ApiKind for ApiServer {
    type ApiContent = ApiContent;

    const DESCRIPTION: &'static str = "document";

    fn access(&self) -> Result<Access, String> {
        let base = Base::of_server(self)?;
        let mut plain = self.credentials.clone();
        plain.retain(|_, text| !is_sealed(text));
        match unsendable(&plain) {
            Some(why) => Err(why),
            None => Ok(access(self, &base)),
        }
    }

    fn signed_by(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    fn options(&self) -> &UpstreamOptions {
        &self.options
    }

    fn subject(&self, server: &str) -> String {
        let document = shown(&self.document);
        format!("the document of server `{server}`, {document}")
    }

    fn is_asked(&self) -> bool {
        false
    }

    fn lasts(&self) -> Duration {
        loading::lasts(&self.document)
    }

    async fn read(self: Arc<Self>, caller: Arc<Caller>) -> Result<Api, DescriptionError> {
        let headers = caller.headers().await?;
        Ok(loading::read(self, headers).await?)
    }

    async fn reread(
        self: Arc<Self>,
        known: Arc<Api>,
        caller: Arc<Caller>,
    ) -> Result<Option<Api>, DescriptionError> {
        let headers = caller.headers().await?;
        Ok(loading::reread(known, self, headers).await?)
    }

    async fn call(
        &self,
        caller: &Caller,
        api: &Api,
        call: ApiCall<'_>,
    ) -> Result<ToolResult, CallError> {
        let (tool, context) = (call.tool.to_owned(), call.context.clone());
        let sending = send(self, caller, api, call);
        let (response, called) = caller.respond(&tool, &context, sending).await?;
        let make = move |response: &Response<Bytes>, blot: &Blot| {
            let value = |body| called.value(body, response, blot);
            answer::of(response, &tool, blot, &context, value)
        };
        caller.answer(response, make).await
    }
}

/// The credentials, with the secrets in place that they refer to.
async fn credentials(
    server: &ApiServer,
    caller: &Caller,
) -> Result<BTreeMap<String, String>, CallError> {
    let opened = open_all(&server.credentials).await;
    let opened = opened.map_err(|error| CallError::NotReached(error.to_string()))?;
    caller.secrets().add(opened.secrets);
    match unsendable(&opened.texts) {
        Some(why) => Err(CallError::NotReached(why)),
        None => Ok(opened.texts),
    }
}

async fn send(
    server: &ApiServer,
    caller: &Caller,
    api: &Api,
    call: ApiCall<'_>,
) -> Result<(Response<Bytes>, AnsweredCall), CallError> {
    let ApiCall {
        tool,
        arguments,
        context,
    } = call;
    let described = &api.described;
    let unknown = || CallError::NotReached(format!("unknown tool `{}`", one_line(tool)));
    let (operation, plan) = described.plan_of(tool).ok_or_else(unknown)?;
    let plan = plan.map_err(CallError::NotReached)?;
    let needed = |why| {
        let (tool, server) = (one_line(tool), caller.name());
        CallError::NeedsSignIn(format!("`{tool}` {why}, in the entry of server `{server}`"))
    };
    let credentials = credentials(server, caller).await?;
    let got = Instant::now();
    let credential = || {
        let credential = described.credential(&plan, &credentials, caller.is_signed());
        credential.map_err(needed)
    };
    let hidden = request::hidden(&plan, &credential()?).collect();
    let request = |set| {
        let to = Endpoint {
            method: &operation.method,
            path: &operation.path,
        };
        let (documents, credential) = (&described.documents, credential()?);
        let request = request::of(documents, to, &plan, &arguments, credential, set);
        request.map_err(CallError::Denied)
    };
    let response = caller.send(&api.requests, &context, request).await?;
    if response.status() == StatusCode::UNAUTHORIZED {
        forget(server.credentials.values(), got).await;
    }
    let call = AnsweredCall {
        plan,
        arguments,
        hidden,
    };
    Ok((response, call))
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
        refuses: None,
    }
}
