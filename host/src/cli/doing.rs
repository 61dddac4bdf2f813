//! What a run is doing, as its events tell, for whoever waits for it.

use std::sync::Arc;

use super::streams::Waiting;
use crate::isolate::Event;
use crate::text;

/// How long a tool's name may be that is shown, in characters.
const MOST_NAME_CHARS: usize = 60;

pub(super) struct Doing {
    waiting: Arc<Waiting>,
    /// The calls that are under way, in the order of their starts.
    calls: Vec<String>,
    started: usize,
}

impl Doing {
    pub(super) fn new(waiting: Arc<Waiting>) -> Self {
        let doing = Self {
            waiting,
            calls: Vec::new(),
            started: 0,
        };
        doing.say();
        doing
    }

    pub(super) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Compiling(language) => return self.waiting.compiling(language.guest()),
            Event::CallStarted { server, tool } => {
                self.started += 1;
                self.calls.push(call(server, tool));
            }
            Event::CallEnded(ended) => {
                let ended = call(&ended.server, &ended.tool);
                if let Some(at) = self.calls.iter().position(|call| *call == ended) {
                    self.calls.remove(at);
                }
            }
            Event::Compiled(_) => {}
            _ => return,
        }
        self.say();
    }

    fn say(&self) {
        let so_far = match self.started {
            0 => String::new(),
            1 => ", 1 call so far".to_owned(),
            calls => format!(", {calls} calls so far"),
        };
        self.waiting.on(match &self.calls[..] {
            [] => format!("running{so_far}"),
            [call] => format!("waiting for {call}"),
            [first, others @ ..] => {
                format!("waiting for {first} and {} more calls", others.len())
            }
        });
    }
}

fn call(server: &str, tool: &str) -> String {
    let name = format!("{server}.{tool}");
    let name = text::one_line(&name);
    name.chars().take(MOST_NAME_CHARS).collect()
}
