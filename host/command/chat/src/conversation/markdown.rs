//! A conversation for people to read.

use std::fmt::Write;

use super::{Conversation, Message, ToolCall};
use crate::script;

impl Conversation {
    /// The conversation as Markdown. What others wrote stands in quotes and fences that it can't end.
    pub fn markdown(&self) -> String {
        let mut page = "# Conversation\n".to_owned();
        for message in &self.messages {
            match message {
                Message::User { text } => {
                    push(&mut page, &format!("## Task\n\n{}", fenced("", text)))
                }
                Message::Assistant { text, calls, .. } => {
                    if !text.is_empty() {
                        push(&mut page, &format!("## Model\n\n{}", fenced("", text)));
                    }
                    calls.iter().for_each(|call| push(&mut page, &shown(call)));
                }
                Message::Results { results } => {
                    for result in results {
                        let title = if result.is_error {
                            "### Error"
                        } else {
                            "### Result"
                        };
                        push(
                            &mut page,
                            &format!("{title}\n\n{}", fenced("", &result.text)),
                        );
                    }
                }
            }
        }
        page
    }
}

fn push(page: &mut String, part: &str) {
    // Writing to a string does not fail.
    let _ = write!(page, "\n{part}\n");
}

fn shown(call: &ToolCall) -> String {
    match script::of_call(call) {
        Some(script) => {
            let language = script.language.unwrap_or_default();
            let language = match &*language {
                "python" | "typescript" | "javascript" => language,
                _ => String::new(),
            };
            format!("### Script\n\n{}", fenced(&language, &script.code))
        }
        None => {
            let tool: String = call
                .tool
                .chars()
                .filter(|c| c.is_alphanumeric() || "_-".contains(*c))
                .collect();
            format!("### Call of {tool}\n\n{}", fenced("json", &call.arguments))
        }
    }
}

/// A fence that is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}
