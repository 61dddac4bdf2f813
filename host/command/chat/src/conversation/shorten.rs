//! A conversation that a model can't read any more becomes shorter: first, old results and scripts
//! lose their middle; then, old turns go.

use serde_json::{Map, Value};

use super::{Conversation, Message};

/// How much stays of an old result or text of a script, in bytes.
const STAYS: usize = 400;

/// What was left out of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortening {
    /// So many bytes of old results and scripts.
    Middles(usize),
    /// So many old messages.
    Messages(usize),
}

impl Conversation {
    /// Makes it shorter by a step; none, where nothing old is left but the task itself.
    pub fn shorten(&mut self) -> Option<Shortening> {
        let before = self.bytes();
        let last = self.messages.len().saturating_sub(2);
        self.messages[..last].iter_mut().for_each(cut);
        let cut = before.saturating_sub(self.bytes());
        if cut > 0 {
            return Some(Shortening::Middles(cut));
        }
        let is_task = |message: &Message| matches!(message, Message::User { .. });
        let tasks: Vec<usize> = (0..self.messages.len())
            .filter(|&place| is_task(&self.messages[place]))
            .collect();
        // Half of the tasks stay, and always the last one.
        let &from = tasks.get(tasks.len() / 2).filter(|&&from| from > 0)?;
        self.messages.drain(..from);
        Some(Shortening::Messages(from))
    }
}

fn cut(message: &mut Message) {
    match message {
        Message::User { .. } => {}
        Message::Assistant { calls, opaque, .. } => {
            // Reasoning stands for what is not there any more.
            opaque.clear();
            for call in calls {
                call.arguments = shorter_arguments(&call.arguments);
            }
        }
        Message::Results { results } => {
            for result in results {
                result.text = shorter(&result.text);
            }
        }
    }
}

/// The arguments stay an object, with shorter texts in it.
fn shorter_arguments(arguments: &str) -> String {
    let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(arguments) else {
        return "{}".to_owned();
    };
    for value in object.values_mut() {
        match value {
            Value::String(text) => *text = shorter(text),
            Value::Array(_) | Value::Object(_) if value.to_string().len() > 2 * STAYS => {
                *value = Value::String("(left out)".to_owned());
            }
            _ => {}
        }
    }
    Value::Object(object).to_string()
}

/// The beginning and the end of a text that is worth cutting.
fn shorter(text: &str) -> String {
    if text.len() <= 2 * STAYS {
        return text.to_owned();
    }
    let begin = &text[..text.floor_char_boundary(STAYS / 2)];
    let end = &text[text.ceil_char_boundary(text.len() - STAYS / 2)..];
    let left_out = text.len() - begin.len() - end.len();
    format!("{begin}\n(… {left_out} bytes were left out to save room …)\n{end}")
}
