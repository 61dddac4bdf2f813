//! The bindings of a recorded run: they list what was listed then, and are never called.

use std::collections::BTreeMap;
use std::future::{pending, ready};
use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::entry::{BindingReply, Question, Reply};
use crate::record::Record;

/// A binding that a record has.
pub(crate) struct RecordedBinding {
    name: String,
    /// Its place among the servers.
    server: u32,
    record: Arc<Record>,
    asked: Mutex<BTreeMap<Question, u64>>,
}

impl RecordedBinding {
    /// All of them, in their order.
    pub(crate) fn all(record: &Arc<Record>) -> Vec<Arc<dyn Binding>> {
        let servers = (0..).zip(&record.program.servers);
        let binding = |(server, name): (u32, &String)| {
            let retold = Self {
                name: name.clone(),
                server,
                record: Arc::clone(record),
                asked: Mutex::default(),
            };
            Arc::new(retold) as Arc<dyn Binding>
        };
        servers.map(binding).collect()
    }

    /// The list that was given when this was asked for as many times as now.
    fn tells(&self, question: Question) -> Option<&Reply> {
        let place = {
            let mut asked = self.asked.lock();
            let times = asked.entry(question).or_default();
            *times += 1;
            *times - 1
        };
        let told: &[BindingReply] = self.record.told.get(&(self.server, question))?;
        let at = told.partition_point(|told| told.from <= place);
        Some(&told[at.checked_sub(1)?].told)
    }

    fn text(&self, question: Question) -> Option<String> {
        match self.tells(question)? {
            Reply::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn list(&self, telling: Option<&Reply>) -> Option<Arc<[Tool]>> {
        match telling? {
            Reply::List(list) => self.record.lists.get(*list as usize).cloned(),
            _ => None,
        }
    }

    fn lacks(&self) -> BindingError {
        BindingError {
            message: format!(
                "the record has no tools of `{}`: the recorded run did not ask for them",
                self.name
            ),
        }
    }
}

impl Binding for RecordedBinding {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_default_account(&self) -> bool {
        self.record.program.default_accounts.contains(&self.name)
    }

    fn description(&self) -> Option<String> {
        self.text(Question::Description)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        match self.tells(Question::Tools) {
            Some(Reply::Failed(message)) => {
                let message = message.clone();
                ready(Err(BindingError { message })).boxed()
            }
            Some(Reply::Unanswered) => pending().boxed(),
            telling => ready(self.list(telling).ok_or_else(|| self.lacks())).boxed(),
        }
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.list(self.tells(Question::Known))
    }

    fn offered(&self) -> Arc<[Tool]> {
        self.list(self.tells(Question::Offered)).unwrap_or_default()
    }

    fn starting(&self) -> Option<String> {
        self.text(Question::Starting)
    }

    fn trouble(&self) -> Option<String> {
        self.text(Question::Trouble)
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        match self.tells(Question::Refresh) {
            Some(Reply::Failed(message)) => {
                let message = message.clone();
                ready(Err(BindingError { message })).boxed()
            }
            Some(Reply::Unanswered) => pending().boxed(),
            _ => ready(Ok(())).boxed(),
        }
    }

    /// The layer with the recorded answers stands before it.
    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let message = "a replayed run calls no tool".to_owned();
        ready(Err(CallError::NotReached(message))).boxed()
    }
}
