//! What servers ask while calls are under way: matched to the run whose calls these are, bounded,
//! and handed to its respondent.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ampoule_mcp::envelope::RequestId;
use ampoule_tools::{Ask, AskKind, RunId};
use ampoule_untrusted::json::{depth, parsed_bytes};
use futures::FutureExt;
use futures::future::try_join_all;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::active_call::{ActiveCall, Reply, refused};
use super::addresses::Addresses;
use super::client::{lacks, refusal};
use super::secrets::Secrets;
use super::wire::Wire;

/// How much a server may ask at once.
const ASKS_AT_ONCE: usize = 8;

/// How much a question may take once it is parsed, in bytes: text of about a megabyte.
const MAX_ASK_BYTES: u64 = 4 << 20;

/// How deep it may be nested.
const MAX_DEPTH: usize = 64;

/// The calls under way on one connection, and what is asked because of them.
#[derive(Debug, Default)]
pub(super) struct Asks(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: HashMap<RequestId, ActiveCall>,
    runs: HashMap<RunId, BTreeSet<RequestId>>,
    /// What is being answered, by the server's own ids, as they were written.
    open: HashMap<String, CancellationToken>,
    /// What people were asked to open addresses for.
    addresses: Addresses,
}

/// A call is under way as long as there is one of these.
pub(super) struct CallGuard<'a>(&'a Asks, RequestId);

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        let Some(call) = state.calls.remove(&self.1) else {
            return;
        };
        call.end();
        let run = call.run();
        if let Some(calls) = state.runs.get_mut(&run) {
            calls.remove(&self.1);
            if calls.is_empty() {
                state.runs.remove(&run);
            }
        }
    }
}

impl Asks {
    /// The call is about to be sent under this id.
    pub(super) fn begin(&self, id: RequestId, call: &ActiveCall) -> CallGuard<'_> {
        if call.respondent().is_none() {
            return CallGuard(self, id);
        }
        let call = call.round();
        let mut state = self.0.lock();
        let run = call.run();
        state.runs.entry(run).or_default().insert(id);
        state.calls.insert(id, call);
        CallGuard(self, id)
    }

    /// The call that something is asked for: the one on whose stream it came; else, as the protocol
    /// does not say it, the last of the one run that has calls under way.
    fn owner(&self, about: Option<RequestId>) -> Result<ActiveCall, &'static str> {
        let state = self.0.lock();
        if let Some(call) = about.and_then(|id| state.calls.get(&id)) {
            return Ok(call.clone());
        }
        let mut runs = state.runs.values();
        match (runs.next(), runs.next()) {
            (Some(calls), None) => {
                let call = calls.last().and_then(|id| state.calls.get(id));
                call.cloned().ok_or("no call is under way")
            }
            (None, _) => Err("no call is under way whose user could be asked"),
            (Some(_), Some(_)) => {
                Err("several runs have calls under way, and it does not show which one is meant")
            }
        }
    }

    /// The call that was sent under this id.
    pub(super) fn call(&self, id: RequestId) -> Option<ActiveCall> {
        self.0.lock().calls.get(&id).cloned()
    }

    /// The call that a line for the log is about: the one on whose stream it came; else the last
    /// one, if all that are under way are made on the same behalf.
    pub(super) fn logging(&self, about: Option<RequestId>) -> Option<ActiveCall> {
        let state = self.0.lock();
        if let Some(call) = about.and_then(|id| state.calls.get(&id)) {
            return Some(call.clone());
        }
        let (_, last) = state.calls.iter().max_by_key(|(id, _)| **id)?;
        let mut calls = state.calls.values();
        let are_theirs = calls.all(|call| call.principal() == last.principal());
        are_theirs.then(|| last.clone())
    }

    /// What people were asked to open addresses for.
    pub(super) fn addresses<T>(&self, with: impl FnOnce(&mut Addresses) -> T) -> T {
        with(&mut self.0.lock().addresses)
    }

    /// Takes up a question under the server's id.
    fn open(&self, id: &str) -> Result<CancellationToken, &'static str> {
        let mut state = self.0.lock();
        if state.open.len() >= ASKS_AT_ONCE {
            return Err("too much is asked at once");
        }
        let taken_back = CancellationToken::new();
        match state.open.insert(id.to_owned(), taken_back.clone()) {
            None => Ok(taken_back),
            Some(earlier) => {
                state.open.insert(id.to_owned(), earlier);
                Err("another request with this id is being answered")
            }
        }
    }

    fn close(&self, id: &str) {
        self.0.lock().open.remove(id);
    }

    /// The server no longer wants an answer.
    pub(super) fn take_back(&self, id: &str) {
        if let Some(asked) = self.0.lock().open.get(id) {
            asked.cancel();
        }
    }
}

impl Wire {
    /// Has a question answered, and sends the answer. It may have come on the stream of a request.
    pub(super) fn asked(
        self: &Arc<Self>,
        id: &str,
        about: Option<RequestId>,
        method: &str,
        params: &str,
    ) {
        let begun = question(&self.server, method, params, &self.secrets)
            .map_err(|why| refused(&why))
            .and_then(|ask| {
                let owner = self
                    .asks
                    .owner(about)
                    .map_err(|why| refusal(&format!("{}: {why}", lacks(ask.kind))))?;
                let taken_back = self.asks.open(id).map_err(refused)?;
                Ok((ask, owner, taken_back))
            });
        let (ask, owner, taken_back) = match begun {
            Ok(begun) => begun,
            Err(error) => return self.reply_to(id, &Err(error)),
        };
        let (wire, id) = (Arc::clone(self), id.to_owned());
        tokio::spawn(async move {
            let reply = tokio::select! {
                (reply, _) = wire.ask(&owner, ask) => Some(reply),
                () = owner.ended() => Some(Err(refused("the call that it was for is over"))),
                () = taken_back.cancelled() => None,
                () = wire.stop.cancelled() => None,
            };
            wire.asks.close(&id);
            if let Some(reply) = reply {
                wire.reply_to(&id, &reply);
            }
        });
    }
}

/// What is asked, if it is not too much.
///
/// # Errors
///
/// Why it can't be asked.
pub(super) fn question(
    server: &Arc<str>,
    method: &str,
    params: &str,
    secrets: &Secrets,
) -> Result<Ask, String> {
    // The protocol has no parameters for this request: the respondent is not shown what is there.
    if method == AskKind::Roots.method() {
        return Ok(Ask::new(Arc::clone(server), AskKind::Roots, Map::new()));
    }
    let params = object(params, secrets, MAX_ASK_BYTES)?;
    let kind = match (method, params.get("mode").and_then(Value::as_str)) {
        ("sampling/createMessage", _) => AskKind::Sampling,
        ("elicitation/create", None | Some("form")) => AskKind::Form,
        ("elicitation/create", Some("url")) => AskKind::Url,
        _ => return Err("this client does not know that kind of request".to_owned()),
    };
    Ok(Ask::new(Arc::clone(server), kind, params))
}

/// Parameters, without secrets, if they are an object that is not too large.
pub(super) fn object(
    params: &str,
    secrets: &Secrets,
    most: u64,
) -> Result<Map<String, Value>, String> {
    if parsed_bytes(params) > most || depth(params) > MAX_DEPTH {
        return Err("the parameters are too large, or nested too deep".to_owned());
    }
    let params = secrets.redact(params, usize::MAX);
    serde_json::from_str(&params).map_err(|_| "the parameters are not an object".to_owned())
}

/// What a server asks before it continues a call: an `input_required` result.
#[derive(Debug)]
pub(super) struct InputRequired {
    /// By the server's names for them.
    pub(super) requests: Vec<(String, InputRequest)>,
    /// What is sent back as it came.
    pub(super) state: Option<Value>,
}

/// One of the things that a server asks.
#[derive(Debug, Deserialize)]
pub(super) struct InputRequest {
    method: String,
    #[serde(default)]
    params: Option<Box<serde_json::value::RawValue>>,
}

impl InputRequired {
    /// The answers to all of it. It is asked at once: the respondent may show it together.
    ///
    /// # Errors
    ///
    /// JSON-RPC's error object for what can't be answered: then the call can't go on.
    pub(super) async fn answers(
        &self,
        call: &ActiveCall,
        wire: &Wire,
    ) -> Result<Map<String, Value>, Value> {
        let asked = self.requests.iter();
        let asked: Vec<_> = asked
            .map(|(name, request)| request.answered(name, call, wire).boxed())
            .collect();
        let answers = try_join_all(asked).await?;
        let names = self.requests.iter().map(|(name, _)| name.clone());
        Ok(names.zip(answers).collect())
    }
}

impl InputRequest {
    async fn answered(&self, name: &str, call: &ActiveCall, wire: &Wire) -> Reply {
        if let Some(answer) = wire.client.answer(&self.method) {
            return answer;
        }
        let params = self.params.as_ref().map_or("{}", |params| params.get());
        let ask = question(&wire.server, &self.method, params, &wire.secrets);
        let ask = ask.map_err(|why| refused(&why))?;
        call.answer(ask.named(name)).await
    }
}
