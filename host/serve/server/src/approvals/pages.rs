//! How people get addresses of the page.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ampoule_approvals::{Caller, Channel, Page, Question, QuestionError, QuestionId, Store, text};
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::loopback::Loopback;
use crate::runs::asking::dialogues::Dialogues;

/// Asks people on a page in a browser. Clones are the same.
///
/// The person gets an address that is valid for one browser: from the log, or from a client that
/// can open addresses and shows it to its person, not to its model. The address is in nothing that
/// a model reads: no result, no progress, no line of a log.
#[derive(Clone)]
pub struct Pages {
    page: Arc<PageAddress>,
    /// People asked in a dialogue need no page.
    beside: Option<Dialogues>,
    /// The questions that have an address.
    told: Arc<Mutex<HashMap<QuestionId, CancellationToken>>>,
}

enum PageAddress {
    Served(Page),
    Loopback(Loopback),
}

impl Pages {
    /// On this page, which a server such as [`Http`](crate::http::Http) serves.
    pub fn new(page: Page) -> Self {
        Self::at(PageAddress::Served(page))
    }

    /// On a page that exists from the first question on, on this machine only.
    pub fn on_loopback(store: &Store) -> Self {
        Self::at(PageAddress::Loopback(Loopback::new(store)))
    }

    fn at(page: PageAddress) -> Self {
        Self {
            page: Arc::new(page),
            beside: None,
            told: Arc::default(),
        }
    }

    /// Asks only if a client has no dialogue of its own. A client that can open addresses gets the
    /// address.
    #[must_use]
    pub fn beside(self, dialogues: &Dialogues) -> Self {
        let beside = Some(dialogues.clone());
        Self { beside, ..self }
    }

    async fn tell(
        &self,
        question: &Question,
        over: CancellationToken,
    ) -> Result<(), QuestionError> {
        let page = match &*self.page {
            PageAddress::Served(page) => page,
            PageAddress::Loopback(loopback) => loopback.page().await?,
        };
        let run = &question.caller.run;
        let address = page.address(question.id)?;
        let what = text::summary(question);
        tracing::warn!(
            run,
            "approval needed for {what}: open {address} in a browser"
        );
        let Some(dialogues) = &self.beside else {
            return Ok(());
        };
        let client = dialogues.client_of(run);
        if let Some(client) = client.filter(|client| client.opens_addresses()) {
            // Another address: the one in the log is for the operator.
            let params = json!({
                "mode": "url",
                "elicitationId": question.id,
                "url": page.address(question.id)?,
                "message": format!("A script waits for approval of {what}. This page shows the calls, and takes the answer."),
            });
            // The answer comes from the page, whatever the client says.
            let _ = over.run_until_cancelled(client.ask(params, None)).await;
        }
        Ok(())
    }
}

impl Channel for Pages {
    fn reaches(&self, caller: &Caller) -> bool {
        let beside = self.beside.as_ref();
        !beside.is_some_and(|dialogues| dialogues.reaches(caller))
    }

    fn asked(&self, question: &Arc<Question>) {
        let over = CancellationToken::new();
        {
            let mut told = self.told.lock();
            if told.contains_key(&question.id) {
                return;
            }
            told.insert(question.id, over.clone());
        }
        let (pages, question) = (self.clone(), Arc::clone(question));
        tokio::spawn(async move {
            if let Err(problem) = pages.tell(&question, over).await {
                tracing::warn!(%problem, "a question can't be shown on a page");
            }
        });
    }

    fn over(&self, question: QuestionId) {
        if let Some(over) = self.told.lock().remove(&question) {
            over.cancel();
        }
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}
