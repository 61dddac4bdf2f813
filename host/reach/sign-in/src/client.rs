//! The HTTP client of a sign-in: where it goes is [`AddressPolicy`]'s, what it takes in is bounded, and
//! it follows no redirect, so that a secret reaches nobody but whom it is for.

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;
use reqwest::redirect::Policy;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use url::Url;

use crate::address::AddressPolicy;
use crate::answer::TokenResponse;
use crate::dpop::{self, DPOP, ProofKey, ProofRequest, USE_NONCE};
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
    /// The key to which tokens are to be bound, if they are.
    key: Mutex<Option<Arc<ProofKey>>>,
    /// What the token endpoint's next proof must repeat.
    nonce: Mutex<Option<String>>,
}

/// An answer as it came.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Client {
    /// `http` may bring certificates and proxies.
    pub(crate) fn new(
        options: &SignInOptions,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, SignInError> {
        Self::of(&options.resource, options.private_network, http)
    }

    /// One for what the operator configured to be at this address.
    pub(crate) fn of(
        own: &Url,
        private_network: bool,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, SignInError> {
        // Whoever embeds this may have chosen another; the first one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let reachable = AddressPolicy::from(own, private_network);
        let http = http
            .redirect(Policy::none())
            .timeout(TIMEOUT)
            .dns_resolver(Arc::new(reachable.clone()))
            .build()
            .map_err(|error| SignInError::new(format!("no HTTP client can be made: {error}")))?;
        Ok(Self {
            http,
            reachable,
            answered: Mutex::default(),
            refused: Mutex::default(),
            key: Mutex::default(),
            nonce: Mutex::default(),
        })
    }

    /// One for another sign-in to the same server, which knows nothing of this one's answers.
    pub(crate) fn beside(&self) -> Self {
        Self {
            http: self.http.clone(),
            reachable: self.reachable.clone(),
            answered: Mutex::default(),
            refused: Mutex::default(),
            key: Mutex::default(),
            nonce: Mutex::default(),
        }
    }

    /// From now on, the token endpoint is asked for tokens that are bound to this key, and another
    /// token is not taken.
    pub(crate) fn bind(&self, key: Option<Arc<ProofKey>>) {
        *self.key.lock() = key;
    }

    /// The key to which tokens are bound.
    pub(crate) fn key(&self) -> Option<Arc<ProofKey>> {
        self.key.lock().clone()
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
        self.post_form_as(to, form, None).await
    }

    /// The same, for the client that this value of `Authorization` names.
    pub(crate) async fn post_form_as(
        &self,
        to: &str,
        form: &[(&str, &str)],
        authorization: Option<HeaderValue>,
    ) -> Result<Response, OAuthHttpClientError> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let mut request = http::Request::post(to)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body(body.into_bytes())?;
        let named = authorization.map(|value| (AUTHORIZATION, value));
        request.headers_mut().extend(named);
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
        let Some(form) = form else {
            let Answer {
                status,
                headers,
                body,
            } = self.once(request).await?;
            return response(status, headers, body);
        };
        let key = self.key();
        let Answer {
            status,
            mut headers,
            body,
        } = match &key {
            Some(key) => self.proven(request, &url, key).await?,
            None => self.once(request).await?,
        };
        let (answered, status, body) =
            TokenResponse::read(&form, key.is_some(), status, &mut headers, body);
        *self.answered.lock() = Some(answered);
        response(status, headers, body)
    }

    /// Sends a request with a proof; once more, where the server wants the proof to repeat what it
    /// says.
    async fn proven(
        &self,
        request: Request,
        url: &Url,
        key: &ProofKey,
    ) -> Result<Answer, OAuthHttpClientError> {
        let mut again = true;
        loop {
            let nonce = self.nonce.lock().clone();
            let proof = key.proof(&ProofRequest {
                method: request.method(),
                url,
                token: None,
                nonce: nonce.as_deref(),
            })?;
            let mut proven = request.clone();
            proven.headers_mut().insert(DPOP, proof);
            let answer = self.once(proven).await?;
            if let Some(next) = dpop::nonce(&answer.headers) {
                *self.nonce.lock() = Some(next);
            }
            let wants = answer.status >= 400 && is_nonce_wanted(&answer.body);
            if !again || !wants || *self.nonce.lock() == nonce {
                return Ok(answer);
            }
            again = false;
        }
    }

    async fn once(&self, request: Request) -> Result<Answer, OAuthHttpClientError> {
        let request = reqwest::Request::try_from(request)?;
        let mut response = self.http.execute(request).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if chunk.len() > MOST_BYTES - body.len() {
                return Err(format!("the answer is longer than {MOST_BYTES} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer {
            status,
            headers,
            body,
        })
    }
}

fn response(
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<Response, OAuthHttpClientError> {
    let mut answer = http::Response::builder().status(status).body(body)?;
    *answer.headers_mut() = headers;
    Ok(answer)
}

fn is_nonce_wanted(body: &[u8]) -> bool {
    let answer: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    answer.is_some_and(|answer| answer["error"] == USE_NONCE)
}

impl OAuthHttpClient for Client {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(self.send(request.request))
    }
}
