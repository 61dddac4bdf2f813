//! What takes calls back, by the [rules](UndoRule) of bindings: for each call that is answered, the
//! call that takes it back.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ampoule_effort::{Effort, EffortError};
use ampoule_projection::Tool;
use ampoule_projection::names::{Lookup, Names, Style, near, server_and_account};
use ampoule_projection::undo::UndoRule;
use ampoule_untrusted::{json, text};
use serde_json::{Map, Value};

use super::outcome::{CallOutcome, Form, written};
use super::{CallContext, CallUndo, ToolResult};

/// How many bytes the arguments may have that take a call back. What names a thing is shorter.
const MOST_BYTES: usize = 16 << 10;

/// Up to how many bytes a result is read where others wait for the thread.
const READ_IN_PLACE: u64 = 2048;

/// A call that is under way, and what takes it back once it is answered.
pub(super) struct Undoable {
    rule: Arc<UndoRule>,
    /// What the tool gets, as far as the rule asks for it.
    sent: Map<String, Value>,
}

impl Undoable {
    /// A call by that rule, with these arguments.
    pub(super) fn new(rule: Arc<UndoRule>, arguments: &Map<String, Value>) -> Self {
        let sent = match rule.reads_arguments() {
            true => arguments.clone(),
            false => Map::new(),
        };
        Self { rule, sent }
    }

    /// The call is answered, unless the tool says that it failed: notes what takes it back.
    pub(super) async fn answered(
        self,
        result: &ToolResult,
        promises: bool,
        context: &CallContext,
        effort: &Effort,
    ) -> Result<(), EffortError> {
        if result.is_error {
            return Ok(());
        }
        let server = Arc::clone(&context.call().server);
        let undo = match self.rule.reads_result() {
            false => self.undo(&server, &Value::Null),
            true => {
                let bytes = result.unparsed_bytes() + json::bytes_of(&result.content, u64::MAX);
                // What else the answer has is not looked at.
                let result = ToolResult {
                    content: match result.structured_content {
                        Some(_) => Vec::new(),
                        None => result.content.clone(),
                    },
                    structured_content: result.structured_content.clone(),
                    ..ToolResult::default()
                };
                let read = move |_: &Effort| Ok(self.undo(&server, &value(result, promises)));
                // The run does not pay: it has the same fuel where it is run again without rules.
                match bytes <= READ_IN_PLACE {
                    true => read(effort)?,
                    false => effort.elsewhere(read).await?,
                }
            }
        };
        context.is_taken_back_by(undo);
        Ok(())
    }

    /// What takes the call back, of a tool of that server and with that result.
    fn undo(&self, server: &str, result: &Value) -> CallUndo {
        let arguments = match self.rule.arguments(&self.sent, result) {
            Ok(arguments) => Value::Object(arguments).to_string(),
            Err(missing) => return CallUndo::Impossible(missing.to_string()),
        };
        match arguments.len() > MOST_BYTES {
            true => CallUndo::Impossible(format!(
                "the arguments of `{}` would have more than {MOST_BYTES} bytes",
                self.rule.tool()
            )),
            false => CallUndo::Call {
                server: self.rule.server_for(server).into(),
                tool: self.rule.tool().into(),
                arguments,
            },
        }
    }
}

/// A result as scripts get it.
fn value(result: ToolResult, promises: bool) -> Value {
    match written(result, Form::Script, promises) {
        CallOutcome::Value(json) => serde_json::from_str(&json).unwrap_or_default(),
        _ => Value::Null,
    }
}

/// What is wrong with the rules of a server, by the names of its tools, a sentence each. `tools_of` has
/// the tools of servers, as far as they are known.
pub fn undo_problems<'r>(
    server: &str,
    rules: impl IntoIterator<Item = (&'r str, &'r UndoRule)>,
    tools_of: impl Fn(&str) -> Option<Arc<[Tool]>>,
) -> Vec<String> {
    let mut problems = Vec::new();
    for (tool, rule) in rules {
        if let Some(tools) = tools_of(server)
            && tools.iter().all(|known| known.name != tool)
        {
            problems.push(format!(
                "`tools.undo` has `{}`, which is not a tool of this server{}",
                text::one_line(tool),
                meant(tool, &tools)
            ));
        }
        let of = rule.server_for(server);
        if let Some(tools) = tools_of(of)
            && !has(&tools, rule.tool())
        {
            let whose = match of == server {
                true => "this server".to_owned(),
                false => format!("the server `{}`", text::one_line(server_and_account(of).0)),
            };
            problems.push(format!(
                "`tools.undo.{}` calls `{}`, which is not a tool of {whose}{}",
                text::one_line(tool),
                text::one_line(rule.tool()),
                meant(rule.tool(), &tools)
            ));
        }
    }
    problems
}

/// Whether a name, as scripts may write it, means one of these.
fn has(tools: &[Tool], name: &str) -> bool {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
    !matches!(names.find(name), Lookup::Nothing)
}

fn meant(name: &str, tools: &[Tool]) -> String {
    let near = near(name, tools.iter().map(|tool| tool.name.as_str()), 1);
    near.first().map_or_else(String::new, |near| {
        format!("; did you mean `{}`?", text::one_line(near))
    })
}
