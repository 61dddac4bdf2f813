//! Who sends requests: the host, by rules, or an embedder's function.

use std::sync::Arc;

use ampoule_tools::{CallContext, CallError};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{Request, Response, StatusCode};

use crate::addresses::{GuardedResolver, System};
use crate::client::{self, Connections};
use crate::target::Target;
use crate::{OutboundOptions, Rules};

/// Where requests of scripts go.
#[derive(Clone, Default)]
pub enum Outbound {
    /// Nowhere: scripts have no network.
    #[default]
    None,
    /// To whom the rules allow.
    List(Rules),
    /// To this function, which answers as it likes.
    Function(Arc<dyn Fetch>),
}

impl Outbound {
    /// To this function: it gets each request, and answers as it likes. Where it answers with a
    /// redirect, it gets the next request too.
    pub fn function(fetch: impl Fetch) -> Self {
        Self::Function(Arc::new(fetch))
    }
}

/// Answers requests. Functions do.
///
/// ```
/// # use ampoule_outbound::Outbound;
/// # use ampoule_tools::CallContext;
/// # use bytes::Bytes;
/// # use http::{Request, Response};
/// let outbound = Outbound::function(|request: Request<Bytes>, _: CallContext| async move {
///     Ok(Response::new(Bytes::from(format!("there is nothing at {}", request.uri()))))
/// });
/// ```
pub trait Fetch: Send + Sync + 'static {
    /// Answers a request. Dropping the future cancels it.
    ///
    /// # Errors
    ///
    /// Why there is no response; the script is told.
    fn fetch(
        &self,
        request: Request<Bytes>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response<Bytes>, CallError>>;
}

impl<F, R> Fetch for F
where
    F: Fn(Request<Bytes>, CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Response<Bytes>, CallError>> + Send + 'static,
{
    fn fetch(
        &self,
        request: Request<Bytes>,
        context: CallContext,
    ) -> BoxFuture<'static, Result<Response<Bytes>, CallError>> {
        Box::pin(self(request, context))
    }
}

/// The way of one request.
pub(crate) enum Transport {
    Rules(Box<RuleTransport>),
    Function(Arc<dyn Fetch>),
}

/// Whose requests they are, which errors depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A script's, under the rules of `[outbound]`.
    Script,
    /// The calls of a server that the operator configured.
    Server,
}

/// The host's own way.
pub(crate) struct RuleTransport {
    pub(crate) rules: Rules,
    purpose: Purpose,
    outside: Connections,
    anywhere: Connections,
}

impl RuleTransport {
    pub(crate) fn new(rules: Rules, purpose: Purpose, options: &OutboundOptions) -> Self {
        let lookup = options.lookup.clone().unwrap_or_else(|| Arc::new(System));
        let to = |private| {
            let lookup = Arc::clone(&lookup);
            Connections::to(GuardedResolver { lookup, private }, purpose)
        };
        Self {
            rules,
            purpose,
            outside: to(false),
            anywhere: to(true),
        }
    }
}

impl Transport {
    /// Sends a request to where it is allowed to go; the response's body is read where it is wanted.
    pub(crate) async fn send(
        &self,
        mut request: Request<Bytes>,
        target: &Target,
        wanted: impl Fn(StatusCode) -> bool,
        options: &OutboundOptions,
        context: &CallContext,
    ) -> Result<Response<Bytes>, CallError> {
        match self {
            Self::Rules(listed) => {
                let rule = listed.rules.decide(request.method(), target);
                let rule = rule.map_err(|why| match listed.purpose {
                    Purpose::Script => CallError::Denied(why),
                    Purpose::Server => {
                        let (method, target) = (request.method(), target.shown());
                        CallError::Denied(format!(
                            "{method} {target} is not sent, since it is not at the server's address"
                        ))
                    }
                })?;
                rule.headers.put(request.headers_mut());
                let connections = match rule.private {
                    true => &listed.anywhere,
                    false => &listed.outside,
                };
                connections
                    .send(request, target, wanted, options, context)
                    .await
            }
            Self::Function(function) => {
                context.leave();
                let response = function.fetch(request, context.clone()).await?;
                let bytes = response.body().len() as u64;
                if bytes > context.result_bytes() {
                    return Err(CallError::ResultTooLarge { bytes });
                }
                match bytes > options.response_bytes {
                    true => Err(client::too_large(target, options)),
                    false => Ok(response),
                }
            }
        }
    }
}
