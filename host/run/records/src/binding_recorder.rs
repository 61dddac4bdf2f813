//! A binding, seen by one run that is recorded: what it tells is written down where it changes.

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::entry::{Question, Reply};
use crate::recorder::Shared;

/// A binding that is looked at.
pub(crate) struct BindingRecorder {
    pub(crate) binding: Arc<dyn Binding>,
    /// Its place among the servers.
    pub(crate) server: u32,
    pub(crate) recorder: Arc<Shared>,
}

/// A question that is being answered.
struct PendingQuestion<'w> {
    watched: &'w BindingRecorder,
    question: Question,
    /// How often it was asked before.
    place: u64,
    is_answered: bool,
}

impl PendingQuestion<'_> {
    fn told(&mut self, telling: Reply) {
        self.is_answered = true;
        let (server, question) = (self.watched.server, self.question);
        self.watched
            .recorder
            .told(server, question, self.place, telling);
    }
}

/// The caller may not wait for the answer.
impl Drop for PendingQuestion<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.told(Reply::Unanswered);
        }
    }
}

impl BindingRecorder {
    fn asks(&self, question: Question) -> PendingQuestion<'_> {
        PendingQuestion {
            watched: self,
            question,
            place: self.recorder.asked(self.server, question),
            is_answered: false,
        }
    }

    fn text(&self, question: Question, text: Option<String>) -> Option<String> {
        let telling = text.clone().map_or(Reply::Nothing, Reply::Text);
        self.asks(question).told(telling);
        text
    }

    fn list(&self, tools: &Arc<[Tool]>) -> Reply {
        Reply::List(self.recorder.list(tools))
    }
}

impl Binding for BindingRecorder {
    fn name(&self) -> &str {
        self.binding.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&*self.binding)
    }

    fn description(&self) -> Option<String> {
        self.text(Question::Description, self.binding.description())
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let mut asked = self.asks(Question::Tools);
        async move {
            let tools = self.binding.tools().await;
            asked.told(match &tools {
                Ok(tools) => self.list(tools),
                Err(error) => Reply::Failed(error.message.clone()),
            });
            tools
        }
        .boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        let known = self.binding.known_tools();
        let telling = known.as_ref().map_or(Reply::Nothing, |it| self.list(it));
        self.asks(Question::Known).told(telling);
        known
    }

    fn offered(&self) -> Arc<[Tool]> {
        let offered = self.binding.offered();
        self.asks(Question::Offered).told(self.list(&offered));
        offered
    }

    fn starting(&self) -> Option<String> {
        self.text(Question::Starting, self.binding.starting())
    }

    fn trouble(&self) -> Option<String> {
        self.text(Question::Trouble, self.binding.trouble())
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        let mut asked = self.asks(Question::Refresh);
        async move {
            let refreshed = self.binding.refresh().await;
            asked.told(match &refreshed {
                Ok(()) => Reply::Done,
                Err(error) => Reply::Failed(error.message.clone()),
            });
            refreshed
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.binding.call(tool, arguments, context)
    }
}
