//! The two ways in which a question reaches a run's client.

use std::sync::Arc;

use ampoule_approvals::SealedQuestion;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::link::ClientLink;
use super::question::{AskedAs, GONE, Question, Questions, Reply};

/// How a client is asked.
#[derive(Debug, Clone)]
pub(crate) enum AskRoute {
    /// By a request to it, at once.
    Request(Arc<ClientLink>),
    /// Through the request that waits for the run: since 2026-07-28, by its answer.
    Waiter(mpsc::Sender<Question>),
}

/// How a new run's client is asked, and how once it is gone.
pub(crate) struct AskRoutes {
    pub(crate) now: AskRoute,
    /// Where questions wait until a client waits for the run.
    pub(crate) later: mpsc::Sender<Question>,
    /// What waits there.
    pub(crate) questions: Questions,
}

impl AskRoute {
    /// Asks; `name` is the name of the server that asks.
    pub(super) async fn ask_by_name(
        &self,
        method: &'static str,
        params: Value,
        name: Option<String>,
    ) -> Reply {
        self.asked(method, params, AskedAs::Named(name)).await
    }

    /// Asks; `about` is the approval question that it is.
    pub(super) async fn ask_about(
        &self,
        method: &'static str,
        params: Value,
        about: Option<SealedQuestion>,
    ) -> Reply {
        let asked_as = about.map_or(AskedAs::Named(None), AskedAs::Approval);
        self.asked(method, params, asked_as).await
    }

    async fn asked(&self, method: &'static str, params: Value, asked_as: AskedAs) -> Reply {
        match self {
            Self::Request(link) => link.ask(method, params).await,
            Self::Waiter(questions) => {
                let (answer, arrives) = oneshot::channel();
                let over = CancellationToken::new();
                let _over = over.clone().drop_guard();
                let question = Question {
                    method,
                    params,
                    asked_as,
                    answer,
                    over,
                };
                questions.send(question).await.map_err(|_| GONE)?;
                arrives.await.map_err(|_| GONE)?
            }
        }
    }
}
