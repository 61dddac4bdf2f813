//! How the client of a run is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ampoule::{Abilities, RunId};
use ampoule_approvals::Sealed;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;

use super::Dialogues;
use crate::asked::{Asked, GONE, Reply, Way};
use crate::held::Question;

/// How people are asked in a client, whether they are to allow something or to open an address.
const METHOD: &str = "elicitation/create";

/// The client of a run, which changes where another one of the same principal's goes on with it.
#[derive(Debug)]
pub(crate) struct Reached {
    now: Mutex<Now>,
    /// Where a question waits until a client waits for the run.
    waits: mpsc::Sender<Question>,
    /// Its person did not want to see the question.
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct Now {
    /// Who answers there, as far as is known.
    who: String,
    way: Way,
    abilities: Abilities,
}

impl Reached {
    /// A client that is asked in this way, or by whoever waits for the run once it is gone.
    pub(crate) fn new(
        who: String,
        (way, waits): (Way, mpsc::Sender<Question>),
        abilities: Abilities,
    ) -> Self {
        Self {
            now: Mutex::new(Now {
                who,
                way,
                abilities,
            }),
            waits,
            is_closed: AtomicBool::new(false),
        }
    }

    /// Who answers there, as far as is known.
    pub(super) fn who(&self) -> String {
        self.now.lock().who.clone()
    }

    /// Whether it can show a form.
    pub(super) fn has_forms(&self) -> bool {
        self.now.lock().abilities.form && !self.is_closed.load(Relaxed)
    }

    /// Whether it can have an address opened.
    pub(super) fn opens_addresses(&self) -> bool {
        self.now.lock().abilities.url
    }

    /// Its person closed the question: it is not asked again.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Relaxed);
    }

    /// A client waits for the run that can do this, and may be the same. Whether what was asked of
    /// another one has to be asked here.
    pub(super) fn is_now(&self, client: (String, Abilities), asked: Option<&Arc<Asked>>) -> bool {
        self.is_closed.store(false, Relaxed);
        let mut now = self.now.lock();
        (now.who, now.abilities) = client;
        let is_another = match (&now.way, asked) {
            (Way::Request(one), Some(other)) => !Arc::ptr_eq(one, other),
            (Way::Request(_), None) => true,
            (Way::Waits(_), _) => false,
        };
        if is_another {
            now.way = Way::Waits(self.waits.clone());
        }
        is_another
    }

    /// The same client goes on with the run, and can do this.
    pub(super) fn goes_on(&self, client: (String, Abilities)) {
        let mut now = self.now.lock();
        (now.who, now.abilities) = client;
    }

    /// Asks its person. Dropping the future takes the question back.
    pub(super) async fn ask(&self, params: Value, about: Option<Sealed>) -> Reply {
        let way = self.now.lock().way.clone();
        if let Way::Request(asked) = &way {
            match asked.ask(METHOD, params.clone()).await {
                Err(why) if why == GONE => {}
                reply => return reply,
            }
        }
        let way = Way::Waits(self.waits.clone());
        way.ask_about(METHOD, params, about).await
    }
}

/// A run whose client can be asked, as long as this is there.
pub(crate) struct Registered {
    dialogues: Dialogues,
    run: RunId,
}

impl Registered {
    pub(super) fn new(dialogues: Dialogues, run: RunId) -> Self {
        Self { dialogues, run }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.dialogues.remove(self.run);
    }
}
