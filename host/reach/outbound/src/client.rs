//! Connections: to whom a rule's requests may go, and how a response is read.

use std::error::Error;
use std::time::Duration;

use ampoule_network::{explained, is_private};
use ampoule_tools::{CallContext, CallError};
use bytes::{Bytes, BytesMut};
use http::{Method, Request, Response};
use reqwest::Client;
use reqwest::redirect::Policy;
use tokio::sync::OnceCell;
use url::Host;

use crate::OutboundOptions;
use crate::addresses::{GuardedResolver, PrivateAddressError};
use crate::target::Target;
use crate::transport::Purpose;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(15);

/// How long a connection is kept that nothing is sent on. Many servers close theirs after five
/// seconds: a request that is sent just then may or may not be carried out.
const IDLE: Duration = Duration::from_secs(4);

/// How long the headers of a response may be, in bytes.
const MAX_HEADERS: u32 = 64 * 1024;

/// Connections to hosts that may all be where the same rule lets them be. Those to private networks
/// are another client's, so that nobody else gets one that is open.
pub(crate) struct Connections {
    addresses: GuardedResolver,
    purpose: Purpose,
    client: OnceCell<Client>,
}

impl Connections {
    pub(crate) fn to(addresses: GuardedResolver, purpose: Purpose) -> Self {
        Self {
            addresses,
            purpose,
            client: OnceCell::new(),
        }
    }

    /// Sends one request, which is allowed, and gives its response; without its body where that is
    /// not wanted.
    pub(crate) async fn send(
        &self,
        request: Request<Bytes>,
        target: &Target,
        wanted: impl Fn(http::StatusCode) -> bool,
        options: &OutboundOptions,
        context: &CallContext,
    ) -> Result<Response<Bytes>, CallError> {
        if self.is_closed_to(target) {
            return Err(leads_inside(target, self.purpose));
        }
        let client = self.client(options).await?;
        let (head, body) = request.into_parts();
        // To the very URL that was decided on.
        let mut request = reqwest::Request::new(head.method, target.url.clone());
        *request.headers_mut() = head.headers;
        *request.body_mut() =
            (!body.is_empty() || wants_length(request.method())).then(|| reqwest::Body::from(body));
        context.leave();
        let response = client.execute(request).await;
        let mut response = response.map_err(|error| fault(&error, target, self.purpose))?;
        let mut answer = Response::new(Bytes::new());
        *answer.status_mut() = response.status();
        *answer.headers_mut() = std::mem::take(response.headers_mut());
        bounded(answer.headers(), target)?;
        if wanted(answer.status()) {
            *answer.body_mut() = read(response, target, options, context).await?;
        }
        Ok(answer)
    }

    /// An address that is written in the URL is looked up by nobody.
    fn is_closed_to(&self, target: &Target) -> bool {
        let ip = match target.url.host() {
            Some(Host::Ipv4(ip)) => ip.into(),
            Some(Host::Ipv6(ip)) => ip.into(),
            _ => return false,
        };
        !self.addresses.private && is_private(ip)
    }

    async fn client(&self, options: &OutboundOptions) -> Result<&Client, CallError> {
        let made = self.client.get_or_try_init(async || {
            let (tls, addresses) = (options.tls.clone(), self.addresses.clone());
            let through_proxy = options.through_proxy;
            // The system's authorities are read from files.
            let made = tokio::task::spawn_blocking(move || {
                let builder = tls
                    .client()?
                    .user_agent(concat!("ampoule/", env!("CARGO_PKG_VERSION")))
                    // They are followed by hand: each is decided on.
                    .redirect(Policy::none())
                    .referer(false)
                    .connect_timeout(CONNECT)
                    .pool_idle_timeout(IDLE)
                    .http2_max_header_list_size(MAX_HEADERS);
                let builder = match through_proxy {
                    true => builder,
                    false => builder.no_proxy().dns_resolver(addresses),
                };
                builder.build().map_err(|error| explained(&error, CONNECT))
            });
            let made = made
                .await
                .unwrap_or_else(|_| Err("the host is about to stop".to_owned()));
            made.map_err(|why| CallError::NotReached(format!("requests can't be made: {why}")))
        });
        made.await
    }
}

/// Whether a server asks about the body even where there is none.
fn wants_length(method: &Method) -> bool {
    [Method::POST, Method::PUT, Method::PATCH].contains(method)
}

fn leads_inside(target: &Target, purpose: Purpose) -> CallError {
    let host = target.url.host_str().unwrap_or_default();
    let remedy = match purpose {
        Purpose::Script => "`private = true` in the rule for it in [outbound]",
        Purpose::Server => "`base-url` with this address, in the entry of the server",
    };
    CallError::Denied(format!(
        "{host} is in a private network, where requests don't go. The operator can allow it in ampoule.toml: {remedy}"
    ))
}

fn bounded(headers: &http::HeaderMap, target: &Target) -> Result<(), CallError> {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    match bytes > MAX_HEADERS as usize {
        true => Err(CallError::Refused(format!(
            "the response of {} has headers of {bytes} bytes, which is too much",
            target.shown()
        ))),
        false => Ok(()),
    }
}

/// A response's body, decompressed, as far as it may be read.
async fn read(
    mut response: reqwest::Response,
    target: &Target,
    options: &OutboundOptions,
    context: &CallContext,
) -> Result<Bytes, CallError> {
    let mut body = BytesMut::new();
    loop {
        let piece = response.chunk().await;
        let Some(piece) = piece.map_err(|error| broken_off(&error, target))? else {
            return Ok(body.freeze());
        };
        let bytes = (body.len() + piece.len()) as u64;
        if bytes > context.result_bytes() {
            return Err(CallError::ResultTooLarge { bytes });
        }
        if bytes > options.response_bytes {
            return Err(too_large(target, options));
        }
        body.extend_from_slice(&piece);
    }
}

pub(crate) fn too_large(target: &Target, options: &OutboundOptions) -> CallError {
    CallError::Refused(format!(
        "the response of {} has more than {} bytes, which is as much as is read",
        target.shown(),
        options.response_bytes
    ))
}

fn fault(error: &reqwest::Error, target: &Target, purpose: Purpose) -> CallError {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.is::<PrivateAddressError>() {
            return leads_inside(target, purpose);
        }
        source = error.source();
    }
    let why = format!("{}: {}", target.shown(), explained(error, CONNECT));
    match error.is_connect() || error.is_builder() {
        true => CallError::NotReached(why),
        false => CallError::Lost(why),
    }
}

fn broken_off(error: &reqwest::Error, target: &Target) -> CallError {
    let why = explained(error, CONNECT);
    CallError::Lost(format!(
        "the response of {} broke off: {why}",
        target.shown()
    ))
}
