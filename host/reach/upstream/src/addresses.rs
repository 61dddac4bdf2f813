//! Addresses that people are asked to open, and what servers say of it later.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Ask, AskKind, CallError, Respondent};
use ampoule_untrusted::text;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::active_call::{ActiveCall, Reply};
use super::client::NO_METHOD;
use super::wire::Wire;

/// How many of them are remembered on one connection, and how long the names are by which servers
/// say that they are done, in bytes.
const REMEMBERED: usize = 64;
const MAX_NAME_BYTES: usize = 256;

/// How long a refused call waits for what a person does at an address.
const DONE_WITHIN: Duration = Duration::from_mins(2);

/// How much of an address is shown, in bytes.
const SHOWN_BYTES: usize = 2000;

/// What people were asked to open addresses for, and whose servers have not said that it is done.
#[derive(Debug, Default)]
pub(super) struct Addresses(VecDeque<Entry>);

struct Entry {
    awaited: AddressPrompt,
    respondent: Arc<dyn Respondent>,
}

/// What a person was asked to open an address for.
#[derive(Clone)]
pub(super) struct AddressPrompt {
    elicitation: String,
    done: CancellationToken,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entry")
    }
}

impl Addresses {
    /// Remembers whom a server has open an address.
    pub(super) fn add(
        &mut self,
        ask: &Ask,
        respondent: &Arc<dyn Respondent>,
    ) -> Option<AddressPrompt> {
        let name = ask.params.get("elicitationId").and_then(Value::as_str);
        let name = name.filter(|name| name.len() <= MAX_NAME_BYTES)?;
        if ask.kind != AskKind::Url || !respondent.abilities().url {
            return None;
        }
        let awaited = AddressPrompt {
            elicitation: name.to_owned(),
            done: CancellationToken::new(),
        };
        self.forget(&awaited);
        if self.0.len() >= REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(Entry {
            awaited: awaited.clone(),
            respondent: Arc::clone(respondent),
        });
        Some(awaited)
    }

    /// Nobody was asked after all.
    pub(super) fn forget(&mut self, AddressPrompt { elicitation, .. }: &AddressPrompt) {
        self.0
            .retain(|asked| asked.awaited.elicitation != *elicitation);
    }

    /// It is done: who was asked.
    pub(super) fn done(&mut self, elicitation: &str) -> Option<Arc<dyn Respondent>> {
        let mut asked = self.0.iter();
        let at = asked.position(|asked| asked.awaited.elicitation == elicitation)?;
        let Entry {
            awaited,
            respondent,
        } = self.0.remove(at)?;
        awaited.done.cancel();
        Some(respondent)
    }
}

impl Wire {
    /// Asks whoever answers for a call. What the server says later of an address is for them.
    pub(super) async fn ask(&self, call: &ActiveCall, ask: Ask) -> (Reply, Option<AddressPrompt>) {
        let respondent = call.respondent();
        let awaited = respondent.and_then(|it| self.asks.addresses(|asked| asked.add(&ask, it)));
        let reply = call.answer(ask).await;
        if let (Err(_), Some(awaited)) = (&reply, &awaited) {
            self.asks.addresses(|asked| asked.forget(awaited));
        }
        (reply, awaited)
    }

    /// Has a person open the addresses without which a call was refused, and waits until the server
    /// says that this is done: then the call can be made again.
    ///
    /// # Errors
    ///
    /// Why it can't, and what to do.
    pub(super) async fn have_opened(
        &self,
        wanted: Vec<Map<String, Value>>,
        call: &ActiveCall,
    ) -> Result<(), CallError> {
        let mut opened = Vec::new();
        for mut params in wanted {
            let address = shown(&params);
            params.insert("mode".to_owned(), "url".into());
            let ask = Ask::new(Arc::clone(&self.server), AskKind::Url, params);
            let (reply, awaited) = self.ask(call, ask).await;
            let why = match reply {
                Ok(answer) if answer["action"] == "accept" => {
                    opened.push((awaited, address));
                    continue;
                }
                Ok(_) => "; its user was asked, and declined".to_owned(),
                Err(error) if error["code"] == NO_METHOD => {
                    ", and nobody can be asked here: have it opened in a browser, and call again"
                        .to_owned()
                }
                Err(error) => {
                    let why = text::one_line(error["message"].as_str().unwrap_or_default());
                    format!(" ({why}): have it opened in a browser, and call again")
                }
            };
            return Err(wants_opened(&address, &why));
        }
        let (_others_time, until) = (call.pause(), Instant::now() + DONE_WITHIN);
        for (awaited, address) in opened {
            let done = match &awaited {
                Some(awaited) => timeout_at(until, awaited.done.cancelled()).await.ok(),
                None => None,
            };
            done.ok_or_else(|| {
                let why = "; its user was asked: call again once that is done";
                wants_opened(&address, why)
            })?;
        }
        Ok(())
    }
}

fn wants_opened(address: &str, more: &str) -> CallError {
    CallError::Refused(format!("the tool wants {address} opened first{more}"))
}

/// The address, fit to be shown.
fn shown(params: &Map<String, Value>) -> String {
    let address = params.get("url").and_then(Value::as_str).unwrap_or("…");
    let cut = &address[..address.floor_char_boundary(SHOWN_BYTES)];
    text::one_line(cut).into_owned()
}
