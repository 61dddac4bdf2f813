//! How the client of a run is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ampoule::Abilities;
use ampoule_approvals::SealedQuestion;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;

use super::link::ClientLink;
use super::question::{GONE, Question, Reply};
use super::route::AskRoute;
use crate::runs::requester::Requester;

/// How a client asks people, for an approval or to open an address.
const METHOD: &str = "elicitation/create";

/// The client of a run, which changes if another client of the same principal continues it.
#[derive(Debug)]
pub(crate) struct RunClient {
    current: Mutex<CurrentClient>,
    /// Where a question waits until a client waits for the run.
    later: mpsc::Sender<Question>,
    /// The client's person closed the question.
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct CurrentClient {
    /// Who answers there, as far as is known.
    who: String,
    route: AskRoute,
    abilities: Abilities,
}

impl CurrentClient {
    fn is_now(&mut self, requester: &Requester) {
        (self.who, self.abilities) = (requester.who(), requester.abilities);
    }
}

impl RunClient {
    /// A client that is asked by this route, or through the request that waits for the run once the
    /// route is gone.
    pub(crate) fn new(
        requester: &Requester,
        route: AskRoute,
        later: mpsc::Sender<Question>,
    ) -> Self {
        Self {
            current: Mutex::new(CurrentClient {
                who: requester.who(),
                route,
                abilities: requester.abilities,
            }),
            later,
            is_closed: AtomicBool::new(false),
        }
    }

    /// Who answers there, as far as is known.
    pub(crate) fn who(&self) -> String {
        self.current.lock().who.clone()
    }

    /// Whether it can show a form.
    pub(crate) fn has_forms(&self) -> bool {
        self.current.lock().abilities.form && !self.is_closed.load(Relaxed)
    }

    /// Whether it can have an address opened.
    pub(crate) fn opens_addresses(&self) -> bool {
        self.current.lock().abilities.url
    }

    /// Its person closed the question: it is not asked again.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Relaxed);
    }

    /// A client waits for the run that can do this, and may be the same. Whether what was asked of
    /// another one has to be asked here.
    pub(crate) fn is_now(&self, requester: &Requester, link: Option<&Arc<ClientLink>>) -> bool {
        self.is_closed.store(false, Relaxed);
        let mut current = self.current.lock();
        current.is_now(requester);
        let is_another = match (&current.route, link) {
            (AskRoute::Request(one), Some(other)) => !Arc::ptr_eq(one, other),
            (AskRoute::Request(_), None) => true,
            (AskRoute::Waiter(_), _) => false,
        };
        if is_another {
            current.route = AskRoute::Waiter(self.later.clone());
        }
        is_another
    }

    /// The same client continues with the run, and can do this.
    pub(crate) fn goes_on(&self, requester: &Requester) {
        self.current.lock().is_now(requester);
    }

    /// Asks the client's person. Dropping the future withdraws the question.
    pub(crate) async fn ask(&self, params: Value, about: Option<SealedQuestion>) -> Reply {
        let route = self.current.lock().route.clone();
        if let AskRoute::Request(link) = &route {
            match link.ask(METHOD, params.clone()).await {
                Err(why) if why == GONE => {}
                reply => return reply,
            }
        }
        let route = AskRoute::Waiter(self.later.clone());
        route.ask_about(METHOD, params, about).await
    }
}
