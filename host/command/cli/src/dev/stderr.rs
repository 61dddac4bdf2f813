//! What a server prints to its standard error, shown as it comes.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule::upstream::{StderrLine, StderrListener};
use anstyle::Style;
use parking_lot::Mutex;
use serde_json::json;

use crate::streams;

/// How many lines are shown of each start.
const MOST_LINES: usize = 1_000;

/// The output of one start. Clones are the same one.
#[derive(Clone)]
pub(super) struct ServerOutput(Arc<Mutex<State>>);

struct State {
    /// What begins each line.
    mark: String,
    as_json: bool,
    is_mute: bool,
    lines: usize,
    /// The lines of the first process. A server that ends at once is started a second time, and greeted
    /// in an older way: then it says the same again.
    first_lines: Vec<String>,
    first_process: Option<u32>,
    /// How many lines each process has printed.
    places: HashMap<u32, usize>,
}

impl ServerOutput {
    pub(super) fn new(server: &str, as_json: bool) -> Self {
        let mark = ampoule_untrusted::text::one_line(server);
        Self(Arc::new(Mutex::new(State {
            mark: format!("{mark} |"),
            as_json,
            is_mute: false,
            lines: 0,
            first_lines: Vec::new(),
            first_process: None,
            places: HashMap::new(),
        })))
    }

    /// What shows the lines.
    pub(super) fn listener(&self) -> StderrListener {
        let output = self.clone();
        StderrListener::new(move |line| output.0.lock().hear(line))
    }

    /// Shows nothing from now on: the server is stopped.
    pub(super) fn mute(&self) {
        self.0.lock().is_mute = true;
    }
}

impl State {
    fn hear(&mut self, line: StderrLine<'_>) {
        if self.is_mute || self.is_repeated(line) {
            return;
        }
        self.lines += 1;
        if self.lines > MOST_LINES {
            if self.lines == MOST_LINES + 1 && !self.as_json {
                streams::err().note(format_args!(
                    "the server printed {MOST_LINES} lines; further ones are not shown until the next save"
                ));
            }
            return;
        }
        if self.as_json {
            let event = json!({ "type": "stderr", "line": line.text });
            streams::out().line(event);
        } else {
            let err = streams::err();
            let mark = err.painted(Style::new().dimmed(), &self.mark);
            err.line(format_args!("{mark} {}", line.text));
        }
    }

    /// Whether an earlier process printed the same line at the same place.
    fn is_repeated(&mut self, line: StderrLine<'_>) -> bool {
        let process = line.process.unwrap_or_default();
        let first = *self.first_process.get_or_insert(process);
        let next = self.places.entry(process).or_default();
        let place = *next;
        *next += 1;
        if process != first {
            let same = self.first_lines.get(place);
            return same.is_some_and(|same| same == line.text);
        }
        if self.first_lines.len() < MOST_LINES {
            self.first_lines.push(line.text.to_owned());
        }
        false
    }
}
