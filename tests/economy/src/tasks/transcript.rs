//! What a model reads and writes while it does a task, in tokens.

use std::fmt;

use ampoule_tokens::count;
use serde_json::{Value, json};

#[derive(Clone)]
pub(super) struct Transcript {
    /// The tools' definitions, which are there from the start.
    definitions: usize,
    calls: usize,
    /// Tokens of the calls, which the model writes.
    written: usize,
    /// Tokens of the results, which it reads.
    read: usize,
    /// How long the context was, without definitions, at each request that ended in calls.
    requests: Vec<usize>,
}

impl Transcript {
    pub(super) fn new(definitions: usize) -> Self {
        Self {
            definitions,
            calls: 0,
            written: 0,
            read: 0,
            requests: Vec::new(),
        }
    }

    /// A request that the model answered by calls, whose results are then in the context.
    pub(super) fn round_trip(&mut self, calls: &[(&str, &Value)], results: &[String]) {
        self.requests.push(self.written + self.read);
        self.calls += calls.len();
        for (name, arguments) in calls {
            let call = json!({ "name": name, "arguments": arguments });
            self.written += count(&call.to_string());
        }
        self.read += results.iter().map(|text| count(text)).sum::<usize>();
    }

    /// The same with further tools, which nobody calls.
    pub(super) fn beside(&self, definitions: usize) -> Self {
        let mut with_them = self.clone();
        with_them.definitions += definitions;
        with_them
    }

    /// All of it, each token once.
    pub(super) fn context(&self) -> usize {
        self.definitions + self.written + self.read
    }

    /// What is sent to the model over all requests, the last included, which it answers by text.
    /// Each sends all that was before; caches make that cheaper, and not nothing.
    pub(super) fn sent(&self) -> usize {
        let before = self.requests.iter().map(|there| self.definitions + there);
        before.sum::<usize>() + self.context()
    }
}

/// The columns of the table.
impl fmt::Display for Transcript {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} | {} | {} | {} | {} | {} | {}",
            self.requests.len(),
            self.calls,
            self.definitions,
            self.written,
            self.read,
            self.context(),
            self.sent()
        )
    }
}
