//! One call to an API: its turn, who signs in, its request, and its response without secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_outbound::{Blot, Requests, ServerRequest};
use ampoule_tools::{CallContext, CallError, CallState, ToolResult};
use ampoule_untrusted::text::one_line;
use ampoule_upstream::{
    AuthorizationError, Authorizer, ConfiguredHeaders, DPOP, Gate, UpstreamOptions,
    names_credential, trace_headers, wants_another_proof,
};
use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Response};

use crate::secrets::Secrets;

/// From how many bytes of a body a result is made on a thread where nobody else waits.
const LARGE: usize = 64 * 1024;

/// How many challenges of a server are looked at.
const MAX_CHALLENGES: usize = 16;

/// Who calls an API, and what nobody else may know of that.
#[derive(Clone, Default)]
pub struct Access {
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Further credentials, wherever they are sent.
    pub credentials: Vec<String>,
    /// What signs the requests, where no header does.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// Further texts that are written down nowhere.
    pub secrets: BTreeSet<String>,
    /// Whether a response says that it does not know who asks, where its status is not 401.
    pub refuses: Option<fn(&Response<Bytes>) -> bool>,
}

/// What every call to one API passes.
pub struct Caller {
    name: Arc<str>,
    headers: ConfiguredHeaders,
    authorizer: Option<Arc<dyn Authorizer>>,
    secrets: Secrets,
    refuses: Option<fn(&Response<Bytes>) -> bool>,
    gate: Arc<Gate>,
    most: Duration,
}

impl Caller {
    /// That of a server.
    ///
    /// # Errors
    ///
    /// A header can't be sent.
    pub fn new(name: Arc<str>, access: Access, options: &UpstreamOptions) -> Result<Self, String> {
        let of_headers = access.headers.iter();
        let of_headers = of_headers
            .filter(|(name, _)| names_credential(name))
            .map(|(_, value)| value.clone());
        let known = of_headers.chain(access.credentials).collect();
        let others = access.headers.values().chain(&access.secrets);
        Ok(Self {
            headers: ConfiguredHeaders::new(&access.headers)?,
            secrets: Secrets::new(known, others.cloned().collect()),
            authorizer: access.authorizer,
            refuses: access.refuses,
            gate: Arc::new(Gate::new(options)),
            most: options.call_timeout,
            name,
        })
    }

    /// The same, whose requests somebody else signs. The limits are shared; tokens are not.
    #[must_use]
    pub fn signed_by(&self, authorizer: Option<Arc<dyn Authorizer>>) -> Self {
        Self {
            name: Arc::clone(&self.name),
            headers: self.headers.clone(),
            authorizer,
            secrets: self.secrets.of_another(),
            refuses: self.refuses,
            gate: Arc::clone(&self.gate),
            most: self.most,
        }
    }

    /// The headers of the configuration, for the description of the API.
    ///
    /// # Errors
    ///
    /// A secret in them can't be read.
    pub async fn headers(&self) -> Result<HeaderMap, String> {
        let known = |name: &str, value: &str| self.secrets.add_header(name, value);
        self.headers.get(known).await
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether somebody signs in, so that requests say whose they are.
    pub fn is_signed(&self) -> bool {
        self.authorizer.is_some()
    }

    /// What is shown nowhere.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// The response that `sending` gets, within the time of a call, when it is its turn.
    ///
    /// # Errors
    ///
    /// Its own; it took too long, or there was no turn.
    pub async fn respond<T>(
        &self,
        tool: &str,
        context: &CallContext,
        sending: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let whose = context.call().principal.as_ref();
        let turn = self.gate.turn(whose, self.most).await;
        let _turn = turn.map_err(|busy| {
            let (server, tool) = (&self.name, one_line(tool));
            CallError::NotReached(format!(
                "too many calls wait for server `{server}`, and the call to `{tool}` was not sent: {busy}"
            ))
        })?;
        let Ok(response) = tokio::time::timeout(self.most, sending).await else {
            let waited = humantime::format_duration(self.most);
            let (server, tool) = (&self.name, one_line(tool));
            let why =
                format!("server `{server}` did not answer the call to `{tool}` within {waited}");
            return Err(match context.state_if_given_up() {
                CallState::NotSent => CallError::NotReached(why),
                _ => CallError::TimedOut(why),
            });
        };
        response
    }

    /// Sends a request; once more, where the sign-in can be renewed. `request` is made of the headers
    /// that only the server may know.
    ///
    /// # Errors
    ///
    /// [`CallError`] where there is no response.
    pub async fn send(
        &self,
        requests: &Requests,
        context: &CallContext,
        request: impl Fn(HeaderMap) -> Result<ServerRequest, CallError>,
    ) -> Result<Response<Bytes>, CallError> {
        let (mut renews, mut proves) = (true, true);
        loop {
            let confidential = self.confidential().await?;
            let got = Instant::now();
            let mut request = self.proven(request(confidential)?).await?;
            if let Some(trace) = context.trace() {
                trace_headers(trace, &mut request.headers);
            }
            self.gate.pace(context.call().principal.as_ref()).await;
            let response = requests.send(request, context).await?;
            let again = match self.wants_another_proof(&response) {
                true => std::mem::take(&mut proves),
                false => std::mem::take(&mut renews) && self.is_renewed(&response, got).await?,
            };
            if !again {
                return Ok(response);
            }
            context.keep_back();
        }
    }

    /// A request with the proof of its token, where that is bound to a key.
    async fn proven(&self, mut request: ServerRequest) -> Result<ServerRequest, CallError> {
        let value = request.confidential.get(AUTHORIZATION);
        if let (Some(authorizer), Some(value)) = (&self.authorizer, value) {
            let proof = authorizer.proof(value, &request.method, &request.url);
            let proof = proof.await.map_err(unauthorized)?;
            request
                .confidential
                .extend(proof.map(|proof| (DPOP, proof)));
        }
        Ok(request)
    }

    /// Whether the server did not take the proof of a token, and said what the next one must repeat.
    fn wants_another_proof(&self, response: &Response<Bytes>) -> bool {
        let authorizer = self.authorizer.as_ref();
        authorizer.is_some_and(|it| it.answered(response.headers()))
            && wants_another_proof(response.status(), &challenges(response))
    }

    /// What only the server may know, whatever is called.
    async fn confidential(&self) -> Result<HeaderMap, CallError> {
        let mut headers = self.headers().await.map_err(CallError::NotReached)?;
        let Some(authorizer) = &self.authorizer else {
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
    async fn is_renewed(
        &self,
        response: &Response<Bytes>,
        got: Instant,
    ) -> Result<bool, CallError> {
        let status = match self.refuses {
            Some(refuses) if self.authorizer.is_some() && refuses(response) => 401,
            _ => response.status().as_u16(),
        };
        if status == 401 && self.headers.refused(got).await {
            return Ok(true);
        }
        let authorizer = self
            .authorizer
            .as_ref()
            .filter(|_| matches!(status, 401 | 403));
        let Some(authorizer) = authorizer else {
            return Ok(false);
        };
        authorizer
            .refused(status, &challenges(response))
            .await
            .map_err(unauthorized)
    }

    /// The result that `make` makes of a response; of a large one where no other task waits.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub async fn answer(
        &self,
        response: Response<Bytes>,
        make: impl FnOnce(&Response<Bytes>, &Blot) -> Result<ToolResult, CallError> + Send + 'static,
    ) -> Result<ToolResult, CallError> {
        let blot = self.secrets.blot();
        if response.body().len() < LARGE {
            return make(&response, &blot);
        }
        let made = tokio::task::spawn_blocking(move || make(&response, &blot)).await;
        made.unwrap_or_else(|_| Err(CallError::Lost("the host is about to stop".to_owned())))
    }

    /// An error that repeats what a server said is without secrets too.
    pub fn blotted(&self, error: CallError) -> CallError {
        let blot = self.secrets.blot();
        match error {
            too_large @ CallError::ResultTooLarge { .. } => too_large,
            error => CallError::new(error.kind(), blot.text(&error.to_string())),
        }
    }
}

/// What a response says of who may ask.
fn challenges(response: &Response<Bytes>) -> Vec<HeaderValue> {
    let all = response.headers().get_all(WWW_AUTHENTICATE).into_iter();
    all.take(MAX_CHALLENGES).cloned().collect()
}

fn unauthorized(error: AuthorizationError) -> CallError {
    match error {
        AuthorizationError::NeedsSignIn(needed) => CallError::NeedsSignIn(needed.to_string()),
        AuthorizationError::Unavailable(why) => CallError::NotReached(why),
    }
}
