//! What servers have besides tools, for clients: prompts, resources, templates and completion.
//!
//! A prompt is called `server__prompt`, a resource has the address `ampoule://servers/`, the server's
//! name and the server's own address. Each request to a server is a run of one call, such as
//! `server.$prompt`: it is granted, governed, limited and recorded like any other.
//!
//! - `prompts`, `resources`: what a client gets of them; `completion`: values of their arguments
//! - `inquiry`: a request during which the server may ask the client something
//! - `names`: their names and addresses here

mod completion;
mod inquiry;
mod names;
mod prompts;
mod resources;

use std::sync::Arc;
use std::time::Duration;

use ampoule::{DirectCall, Ending};
use ampoule_effort::{self as effort, Effort};
use ampoule_tools::GrantedTools;
use futures::future::join_all;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonObject};
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::timeout;

use super::asker::Asker;
use super::client::Client;

/// How long a list waits for a server.
const LIST: Duration = Duration::from_secs(10);
/// How many items one answer lists.
const PAGE: usize = 2_000;

/// One of the things that a server may have besides tools, by the name that scripts call it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfferKind {
    Prompts,
    Prompt,
    Resources,
    Templates,
    Read,
    Complete,
}

impl OfferKind {
    fn name(self) -> &'static str {
        match self {
            Self::Prompts => "$prompts",
            Self::Prompt => "$prompt",
            Self::Resources => "$resources",
            Self::Templates => "$templates",
            Self::Read => "$read",
            Self::Complete => "$complete",
        }
    }
}

/// A page of a list, and where the next one begins.
struct Page<T> {
    items: Vec<T>,
    next: Option<String>,
}

impl Client {
    /// Whether a granted server has this, or may have it: of some it is not known yet.
    pub(super) fn may_have(&self, offered: OfferKind) -> bool {
        let offer = self.server.offer();
        let exposure = &offer.exposure;
        let is_on = match offered {
            OfferKind::Prompts | OfferKind::Prompt => exposure.prompts,
            OfferKind::Resources | OfferKind::Templates | OfferKind::Read => exposure.resources,
            OfferKind::Complete => exposure.prompts || exposure.resources,
        };
        let tools = &offer.tools;
        is_on
            && tools
                .servers()
                .any(|server| tools.known_tools_of(server).is_none() || has(tools, server, offered))
    }

    /// The granted servers that have this. Those of which it is not known are waited for.
    async fn servers_with(
        &self,
        offered: OfferKind,
        asker: &Asker,
    ) -> Result<Vec<Arc<str>>, ErrorData> {
        if !self.may_have(offered) {
            return Ok(Vec::new());
        }
        let tools = self.server.tools_of(asker.principal(), asker.client());
        let tools = tools.map_err(|error| host_failed(&error))?;
        let known = tools.servers().map(async |server| {
            if tools.known_tools_of(server).is_none()
                && let Err(why) = tools.tools_of(server).await
            {
                tracing::warn!(server = %server.name(), %why, "what a server has besides tools is not known");
            }
            has(&tools, server, offered).then(|| Arc::clone(server.name()))
        });
        Ok(join_all(known).await.into_iter().flatten().collect())
    }

    /// What a server answers, in a run of one call.
    pub(super) async fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        server: &str,
        offered: OfferKind,
        arguments: &JsonObject,
        asker: &Asker,
    ) -> Result<T, ErrorData> {
        let arguments = to_raw_value(arguments).map_err(|error| host_failed(&error))?;
        let call = DirectCall::new(server, offered.name(), arguments);
        let grant = self.server.offer().grant.clone();
        let runtime = &self.server.runs.shared.runtime;
        let mut isolate = runtime.isolate(call).grant(grant);
        let principal = asker.principal.clone();
        if let Some(principal) = &principal {
            isolate = isolate.principal(principal.clone());
        }
        if let Some(name) = asker.client() {
            isolate = isolate.client(name);
        }
        if let Some(trace) = &asker.trace {
            isolate = isolate.trace(trace.clone());
        }
        if self.server.runs.previews {
            isolate = isolate.preview();
        }
        let run = asker.given_up.run_until_cancelled(isolate.run());
        let Some(Some(outcome)) = self.left.run_until_cancelled(run).await else {
            return Err(ErrorData::internal_error("cancelled", None));
        };
        let ending = match outcome {
            Ok(outcome) => match outcome.withheld {
                Some(why) => return Err(failed(why)),
                None => outcome.ending,
            },
            Err(error) if error.is_request() || error.is_busy() => {
                return Err(failed(error.to_string()));
            }
            Err(error) => return Err(host_failed(&error)),
        };
        match ending {
            Ending::Returned(Some(value)) => read(value, Effort::without_a_run(principal)).await,
            Ending::Returned(None) => Err(failed(format!("the server `{server}` gave nothing"))),
            Ending::Threw(thrown) => Err(failed(thrown.message)),
            other => Err(failed(other.to_string())),
        }
    }

    /// What servers list, each under its name. A server that can't be asked, or does not answer in
    /// time, is left out, which the log says.
    async fn listed_by<T: DeserializeOwned + Send + 'static>(
        &self,
        offered: OfferKind,
        asker: &Asker,
    ) -> Result<Vec<(Arc<str>, Vec<T>)>, ErrorData> {
        let servers = self.servers_with(offered, asker).await?;
        let none = JsonObject::new();
        let asked = servers.iter().map(async |server| {
            let asked = timeout(LIST, self.ask(server, offered, &none, asker)).await;
            let why = match asked {
                Ok(Ok(listed)) => return Some((Arc::clone(server), listed)),
                Ok(Err(error)) => error.message.into_owned(),
                Err(_) => format!("it did not answer within {} seconds", LIST.as_secs()),
            };
            tracing::warn!(%server, list = offered.name(), %why, "a list of a server is left out");
            None
        });
        Ok(join_all(asked).await.into_iter().flatten().collect())
    }
}

/// Whether a server has this, as far as it is known and granted.
pub(super) fn has(
    tools: &GrantedTools,
    server: &Arc<ampoule_tools::Server>,
    offered: OfferKind,
) -> bool {
    let all = tools.offered_by(server);
    all.iter().any(|tool| &**tool.name() == offered.name())
}

/// Reads what a server answered; what is large is read on a thread of its own.
async fn read<T: DeserializeOwned + Send + 'static>(
    value: Box<RawValue>,
    effort: Effort,
) -> Result<T, ErrorData> {
    let price = effort::BYTE * value.get().len() as u64;
    let read = effort.work(price, move |_: &Effort| {
        Ok(serde_json::from_str(value.get()).map_err(|error| error.to_string()))
    });
    match read.await {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(why)) => Err(failed(format!("the server's answer can't be read: {why}"))),
        Err(broken_off) => Err(failed(broken_off.to_string())),
    }
}

/// One page of all items. A cursor is the place of the first.
fn page<T>(all: Vec<T>, cursor: Option<&str>) -> Result<Page<T>, ErrorData> {
    let first = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("unknown cursor", None))?,
    };
    let end = usize::saturating_add(first, PAGE);
    Ok(Page {
        next: (end < all.len()).then(|| end.to_string()),
        items: all.into_iter().skip(first).take(PAGE).collect(),
    })
}

/// A request that a server, or a rule, does not fulfil. The text is also the server's.
pub(super) fn failed(why: String) -> ErrorData {
    let why = ampoule_untrusted::text::visible(&why).into_owned();
    ErrorData::new(ErrorCode::INTERNAL_ERROR, why, None)
}

fn host_failed(reason: &dyn std::fmt::Debug) -> ErrorData {
    let id = ampoule_untrusted::log_id();
    tracing::error!(id, ?reason, "a request for what servers offer failed");
    let said = format!("the host failed; the operator finds the reason in the log under {id}");
    ErrorData::internal_error(said, None)
}
