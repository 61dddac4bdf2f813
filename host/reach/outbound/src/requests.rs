//! Requests to servers that the operator configured: they go the way of scripts' requests, with the
//! same addresses, redirects and bounds.

use ampoule_tools::{CallContext, CallError};
use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use url::Url;

use crate::redirects::{Redirect, follow};
use crate::request::OutboundRequest;
use crate::target::Target;
use crate::transport::{Purpose, RuleTransport, Transport};
use crate::{OutboundOptions, Rules};

/// The way to one server.
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
