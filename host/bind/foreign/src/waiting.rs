//! Calls that wait for an answer from outside, such as a person's approval, and the runs that are
//! parked and end here because all that they wait for are such calls.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ampoule::{CallContext, CallError, RunId, Suspender, Usage};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot};
use tokio::time::sleep;

use crate::Fault;

/// The `kind` of an answer that asks for the run to be parked.
pub(crate) const PARK: &str = "park";

/// How soon a run is looked at whose calls wait, and how late.
const LOOKED_AT_FIRST: Duration = Duration::from_millis(4);
const LOOKED_AT_LAST: Duration = Duration::from_millis(250);

const NEVER_PARKED: &str = "the call waits for an answer from outside, and this run is never parked: give the runtime the folder `parked`, and the run `parkAfter`";
const KEPT_ALIVE: &str = "the call waits for an answer from outside, and the script can't be parked here: `await` the call in the script itself, and not in a function that blocks. If the script does that, the folder of parked runs is full: remove some";
const SENT_ON: &str =
    "a call can wait for an answer from outside before it is sent on, and not after";

/// A call that waits.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct WaitingCall {
    /// Which of the run's calls it is, counted from 0.
    call: u32,
    server: Arc<str>,
    tool: Arc<str>,
    arguments: Box<RawValue>,
    /// What the layer, or the tool, said of it.
    details: Box<RawValue>,
}

/// The calls of one run that wait. Clones are those of the same run.
#[derive(Clone, Default)]
pub(crate) struct WaitingCalls(Arc<Shared>);

#[derive(Default)]
struct Shared {
    calls: Mutex<BTreeMap<u32, Entry>>,
    changed: Notify,
    /// Whether none may wait.
    is_refused: bool,
    /// Those with which the run ended here.
    left: Mutex<Option<Vec<WaitingCall>>>,
}

struct Entry {
    call: WaitingCall,
    refuse: oneshot::Sender<&'static str>,
}

/// A run whose calls wait, as the document of its outcome.
#[derive(Serialize)]
struct ParkedDocument<'a> {
    ending: &'static str,
    run: RunId,
    waiting: Vec<WaitingCall>,
    output: &'a [ampoule::Line],
    usage: Usage,
    language: &'a str,
}

impl WaitingCalls {
    /// Those of a run that is never parked: they are refused at once.
    pub(crate) fn of_unparked() -> Self {
        Self(Arc::new(Shared {
            is_refused: true,
            ..Shared::default()
        }))
    }

    /// Waits with a call until the run ends here, or can't be parked: the error says why. The run's
    /// clock continues until it ends here, since the script may work on meanwhile; after that, it
    /// stands still until the run resumes.
    pub(crate) async fn wait(
        &self,
        context: &CallContext,
        arguments: String,
        details: Box<RawValue>,
    ) -> CallError {
        if self.0.is_refused {
            return CallError::NotReached(NEVER_PARKED.to_owned());
        }
        let call = context.call();
        let Ok(arguments) = RawValue::from_string(arguments) else {
            return CallError::Protocol("the arguments of the call can't be read".to_owned());
        };
        let waiting = WaitingCall {
            call: call.number,
            server: Arc::clone(&call.server),
            tool: Arc::clone(&call.tool),
            arguments,
            details,
        };
        let (refuse, refused) = oneshot::channel();
        let entry = Entry {
            call: waiting,
            refuse,
        };
        self.0.calls.lock().insert(call.number, entry);
        let _entered = EnteredCall(self, call.number);
        self.0.changed.notify_one();
        CallError::NotReached(refused.await.unwrap_or(NEVER_PARKED).to_owned())
    }

    /// Why a call can't wait that was sent on.
    pub(crate) fn sent_on() -> CallError {
        CallError::Refused(SENT_ON.to_owned())
    }

    /// Ends a run that is parked with nothing under way but calls that wait: of which so many are
    /// under way at a time, at most. Never returns.
    pub(crate) async fn suspend(&self, run: &Suspender, at_once: u64) -> Infallible {
        let mut pause = LOOKED_AT_FIRST;
        loop {
            if self.count() == 0 {
                self.0.changed.notified().await;
                pause = LOOKED_AT_FIRST;
            }
            match run.standing() {
                None => self.refuse(NEVER_PARKED),
                Some("kept alive") => self.refuse(KEPT_ALIVE),
                Some("parked") => {
                    let waiting = self.count();
                    let under_way = run.under_way().unwrap_or(usize::MAX);
                    let all_wait = waiting > 0 && waiting >= under_way;
                    let no_turn = u64::try_from(waiting).is_ok_and(|waiting| waiting >= at_once);
                    let calls = self.calls();
                    if (all_wait || no_turn) && run.suspend() {
                        *self.0.left.lock() = Some(calls);
                        return pending().await;
                    }
                }
                Some(_) => {}
            }
            sleep(pause).await;
            pause = pause.saturating_mul(2).min(LOOKED_AT_LAST);
        }
    }

    /// The calls with which the run ended here, if it did.
    pub(crate) fn left(&self) -> Option<Vec<WaitingCall>> {
        self.0.left.lock().take()
    }

    /// The calls that wait, in the order in which they were made.
    fn calls(&self) -> Vec<WaitingCall> {
        let calls = self.0.calls.lock();
        calls.values().map(|entry| entry.call.clone()).collect()
    }

    fn count(&self) -> usize {
        self.0.calls.lock().len()
    }

    fn refuse(&self, why: &'static str) {
        for entry in std::mem::take(&mut *self.0.calls.lock()).into_values() {
            // A call that was cancelled does not get it.
            let _ = entry.refuse.send(why);
        }
    }
}

/// A call that waits, until this is dropped.
struct EnteredCall<'w>(&'w WaitingCalls, u32);

impl Drop for EnteredCall<'_> {
    fn drop(&mut self) {
        self.0.0.calls.lock().remove(&self.1);
    }
}

/// The document of a run that ended here with these calls, and is kept.
pub(crate) fn document(
    kept: &ampoule::ParkedRun,
    waiting: Vec<WaitingCall>,
    mut usage: Usage,
) -> Result<String, Fault> {
    usage.calls.clone_from(&kept.usage);
    let document = ParkedDocument {
        ending: "parked",
        run: kept.run,
        waiting,
        output: &kept.output,
        usage,
        language: &kept.language,
    };
    serde_json::to_string(&document)
        .map_err(|error| Fault::host(format!("the parked run can't be described: {error}")))
}
