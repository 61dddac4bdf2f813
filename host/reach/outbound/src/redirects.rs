//! A request over as many redirects as it takes: each is decided on like the first.

use ampoule_tools::{CallContext, CallError};
use bytes::Bytes;
use http::header::LOCATION;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde::Deserialize;
use url::Url;

use crate::headers;
use crate::request::OutboundRequest;
use crate::target::Target;
use crate::transport::{Purpose, RuleTransport, Transport};
use crate::{OutboundOptions, Rules};

/// What becomes of redirects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Redirect {
    /// The script gets the response to which they lead.
    #[default]
    Follow,
    /// The script gets the redirect itself.
    Manual,
    /// The request fails.
    Error,
}

/// A response, and where it is from.
pub(crate) struct FinalResponse {
    pub(crate) response: Response<Bytes>,
    pub(crate) target: Target,
    pub(crate) redirected: bool,
}

/// Sends what was asked for, and what that leads to.
pub(crate) async fn follow(
    way: &Transport,
    asked: OutboundRequest,
    options: &OutboundOptions,
    context: &CallContext,
) -> Result<FinalResponse, CallError> {
    let (mut asked, mode) = (asked.clone(), asked.redirect);
    for sent_on in 0..=options.redirects {
        let wanted = |status| mode == Redirect::Manual || !leads_on(status);
        let (request, target) = (asked.request()?, &asked.target);
        let sent = way.send(request, target, wanted, options, context).await;
        let response = sent.map_err(|error| after(sent_on, error))?;
        let next = match (mode, location(&response)) {
            (Redirect::Follow, Some(next)) => next,
            (Redirect::Error, Some(next)) => {
                return Err(CallError::Refused(format!(
                    "{} redirects to {}, and the request was made with redirect: \"error\"",
                    asked.target.shown(),
                    ampoule_untrusted::text::one_line(&next),
                )));
            }
            _ => {
                let target = asked.target;
                let redirected = sent_on > 0;
                return Ok(FinalResponse {
                    response,
                    target,
                    redirected,
                });
            }
        };
        asked = asked.sent_on(response.status(), &next)?;
    }
    Err(CallError::Refused(format!(
        "{} redirects more than {} times",
        asked.target.shown(),
        options.redirects
    )))
}

/// What is refused later was preceded by requests that were not.
fn after(sent_on: usize, error: CallError) -> CallError {
    match error {
        CallError::Denied(why) | CallError::NotReached(why) if sent_on > 0 => {
            CallError::Refused(format!("after a redirect: {why}"))
        }
        error => error,
    }
}

fn leads_on(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Where a response sends the client on.
fn location(response: &Response<Bytes>) -> Option<String> {
    let location = response.headers().get(LOCATION);
    let location = location.filter(|_| leads_on(response.status()))?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

impl OutboundRequest {
    /// What is asked of where a response leads.
    fn sent_on(mut self, status: StatusCode, location: &str) -> Result<Self, CallError> {
        let next = Target::after(&self.target.url, location).map_err(|why| {
            CallError::Refused(format!(
                "{} redirects to an address that can't be requested: {why}",
                self.target.shown()
            ))
        })?;
        let is_post = self.method == Method::POST;
        let becomes_get = match status.as_u16() {
            301 | 302 => is_post,
            303 => self.method != Method::HEAD,
            _ => false,
        };
        if becomes_get {
            self.method = Method::GET;
            self.body = Bytes::new();
            headers::without_body(&mut self.headers);
        }
        if next.url.origin() != self.target.url.origin() {
            headers::for_another_origin(&mut self.headers);
            self.confidential.clear();
        }
        self.target = next;
        Ok(self)
    }

    /// It as it is sent.
    fn request(&self) -> Result<Request<Bytes>, CallError> {
        let mut request = Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        let uri = self.target.url.as_str().parse();
        *request.uri_mut() = uri.map_err(|error| {
            CallError::Denied(format!("{} can't be sent: {error}", self.target.shown()))
        })?;
        *request.headers_mut() = self.headers.clone();
        for (name, value) in &self.confidential {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        Ok(request)
    }
}

/// The way to a server that the operator configured: that of scripts' requests, with the same
/// addresses, redirects and bounds.
pub struct Requests {
    way: Transport,
    options: OutboundOptions,
}

/// A request to a server.
#[derive(Debug, Clone)]
pub struct ServerRequest {
    /// The method.
    pub method: Method,
    /// To where.
    pub url: Url,
    /// What any origin may know that the server sends the client on to.
    pub headers: HeaderMap,
    /// What only the first origin may know.
    pub confidential: HeaderMap,
    /// The body, or nothing.
    pub body: Bytes,
}

impl Requests {
    /// Requests as these rules allow them. Nothing is read or connected to before the first one.
    pub fn new(rules: Rules, options: OutboundOptions) -> Self {
        Self {
            way: Transport::Rules(Box::new(RuleTransport::new(
                rules,
                Purpose::Server,
                &options,
            ))),
            options,
        }
    }

    /// Sends a request, over as many redirects as it takes.
    ///
    /// # Errors
    ///
    /// [`CallError`] if there is no response, or none that may be read.
    pub async fn send(
        &self,
        request: ServerRequest,
        context: &CallContext,
    ) -> Result<Response<Bytes>, CallError> {
        let bytes = request.body.len() as u64;
        if bytes > self.options.request_bytes {
            return Err(CallError::Denied(format!(
                "the request's body has {bytes} bytes, and may have {}",
                self.options.request_bytes
            )));
        }
        let asked = OutboundRequest {
            method: request.method,
            target: Target::of(request.url).map_err(CallError::Denied)?,
            headers: request.headers,
            confidential: request.confidential,
            body: request.body,
            redirect: Redirect::Follow,
        };
        let followed = follow(&self.way, asked, &self.options, context).await?;
        Ok(followed.response)
    }
}
