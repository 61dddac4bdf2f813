//! The HTTP client of a sign-in: where it goes is [`AddressPolicy`]'s, what it takes in is bounded, and
//! it follows no redirect, so that a secret reaches nobody but whom it is for.

use std::time::Duration;

use http::header::CONTENT_LENGTH;
use parking_lot::Mutex;
use reqwest::redirect::Policy;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use url::Url;

use crate::address::AddressPolicy;
use crate::answer::TokenResponse;
use crate::error::SignInError;
use crate::form::{Form, Parameter};
use crate::options::SignInOptions;

/// A whole request may take this long, its answer included.
const TIMEOUT: Duration = Duration::from_secs(30);
/// No document of an authorization server needs more bytes.
const MOST_BYTES: usize = 1 << 20;

type Request = http::Request<Vec<u8>>;
type Response = http::Response<Vec<u8>>;

/// See the module.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    reachable: AddressPolicy,
    answered: Mutex<Option<TokenResponse>>,
    /// What the token endpoint refuses, and gets no more.
    refused: Mutex<Vec<Parameter>>,
}

impl Client {
    /// `http` may bring certificates and proxies.
    pub(crate) fn new(
        options: &SignInOptions,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, SignInError> {
        // Whoever embeds this may have chosen another; the first one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let reachable = AddressPolicy::from(&options.resource, options.private_network);
        let http = http
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .dns_resolver(std::sync::Arc::new(reachable.clone()))
            .build()
            .map_err(|error| SignInError::new(format!("no HTTP client can be made: {error}")))?;
        Ok(Self {
            http,
            reachable,
            answered: Mutex::default(),
            refused: Mutex::default(),
        })
    }

    /// One for another sign-in to the same server, which knows nothing of this one's answers.
    pub(crate) fn beside(&self) -> Self {
        Self {
            http: self.http.clone(),
            reachable: self.reachable.clone(),
            answered: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Sends these parameters to the token endpoint no more.
    pub(crate) fn leave_out(&self, refused: &[Parameter]) {
        refused.clone_into(&mut self.refused.lock());
    }

    /// Which those are.
    pub(crate) fn left_out(&self) -> Vec<Parameter> {
        self.refused.lock().clone()
    }

    /// How the token endpoint answered the last request, if it did, since this was asked last.
    pub(crate) fn take_answered(&self) -> Option<TokenResponse> {
        self.answered.lock().take()
    }

    /// Sends a form, as token endpoints and those beside them take it.
    pub(crate) async fn post_form(
        &self,
        to: &str,
        form: &[(&str, &str)],
    ) -> Result<Response, OAuthHttpClientError> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let request = http::Request::post(to)
            .header(
                http::header::CONTENT_TYPE,
                "application/x-www-form-urlencoded",
            )
            .header(http::header::ACCEPT, "application/json")
            .body(body.into_bytes())?;
        self.send(request).await
    }

    pub(crate) async fn send(
        &self,
        mut request: Request,
    ) -> Result<Response, OAuthHttpClientError> {
        *self.answered.lock() = None;
        let url = Url::parse(&request.uri().to_string())?;
        if !self.reachable.allows(&url) {
            let origin = url.origin().ascii_serialization();
            return Err(format!(
                "{origin} is not where a server's metadata may lead: it is in a private network, or without TLS"
            )
            .into());
        }
        let form = Form::of(&request).map(|mut form| {
            *request.body_mut() = form.without(&self.refused.lock());
            request.headers_mut().remove(CONTENT_LENGTH);
            form
        });
        let request = reqwest::Request::try_from(request)?;
        let mut response = self.http.execute(request).await?;
        let mut status = response.status().as_u16();
        let mut headers = response.headers().clone();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if chunk.len() > MOST_BYTES - body.len() {
                return Err(format!("the answer is longer than {MOST_BYTES} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        if let Some(form) = form {
            let (answered, as_specified, rewritten) =
                TokenResponse::read(&form, status, &mut headers, body);
            *self.answered.lock() = Some(answered);
            (status, body) = (as_specified, rewritten);
        }
        let mut answer = http::Response::builder().status(status).body(body)?;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

impl OAuthHttpClient for Client {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request.request))
    }
}
