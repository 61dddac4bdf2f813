//! One request to the model, and the calls of its answer.

use std::collections::HashMap;

use ampoule::Language;
use serde_json::{Map, Value};

use super::{Agent, Ending, Event, Halt, Spending};
use crate::conversation::{Message, Shortening, ToolCall, ToolOutput};
use crate::endpoint::{EndpointError, FailureKind, Piece, Reply, Request, Stop, Usage};
use crate::script::{self, PartialScript};
use crate::tools::{CallAnswer, CallRequest, ToolboxError};

/// How many bytes a token has, about, where the endpoint counts none.
const BYTES_OF_TOKEN: u64 = 4;
/// How many calls of one answer are made.
const MAX_CALLS: usize = 64;

impl Agent {
    /// Asks the model once, and makes the calls of its answer.
    pub(super) async fn step(
        &mut self,
        halt: &Halt<'_>,
        spending: &mut Spending,
    ) -> Result<(), Ending> {
        let reply = tokio::select! {
            reply = self.ask() => reply,
            ending = halt.reached() => return Err(ending),
        };
        spending.steps += 1;
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) if error.kind == FailureKind::TooLong => return self.shorten(&error),
            Err(error) => return Err(Ending::Failed(error.to_string())),
        };
        let usage = reply.usage.unwrap_or_else(|| self.estimate(&reply));
        spending.usage.add(usage);
        self.parts.events.send(Event::Usage { usage });
        let Reply {
            text,
            calls,
            opaque,
            stop,
            ..
        } = reply;
        self.parts.conversation.messages.push(Message::Assistant {
            text,
            calls: calls.clone(),
            opaque,
        });
        match stop {
            Stop::Refused => return Err(Ending::Refused),
            _ if calls.is_empty() => return Err(Ending::Answered),
            _ => {}
        }
        let results = self.make(&calls, stop, halt, spending).await?;
        self.parts
            .conversation
            .messages
            .push(Message::Results { results });
        Ok(())
    }

    async fn ask(&self) -> Result<Reply, EndpointError> {
        let request = Request {
            instructions: &self.instructions,
            messages: &self.parts.conversation.messages,
            tools: &self.tools,
            wants_reasoning: true,
        };
        let (events, mut scripts) = (self.parts.events.clone(), HashMap::new());
        let mut hear = move |piece| match piece {
            Piece::Text(text) => events.send(Event::Text { text }),
            Piece::Call { id: call, tool } => {
                if tool == script::TOOL {
                    scripts.insert(call.clone(), PartialScript::default());
                }
                events.send(Event::Writing { call, tool });
            }
            Piece::Arguments { id: call, text } => {
                let text = scripts.get_mut(&call).map(|script| script.push(&text));
                if let Some(text) = text.filter(|text| !text.is_empty()) {
                    events.send(Event::Code { call, text });
                }
            }
            Piece::Retry { why, wait_ms } => {
                scripts.clear();
                events.send(Event::Retry { why, wait_ms });
            }
        };
        self.parts.endpoint.ask(&request, &mut hear).await
    }

    /// Makes the conversation shorter; the next step asks again.
    fn shorten(&mut self, error: &EndpointError) -> Result<(), Ending> {
        let what = match self.parts.conversation.shorten() {
            Some(Shortening::Middles(bytes)) => {
                format!("{bytes} bytes of old scripts and results were left out")
            }
            Some(Shortening::Messages(count)) => format!("{count} old messages were left out"),
            None => return Err(Ending::Failed(error.to_string())),
        };
        self.parts.events.send(Event::Shortened { what });
        Ok(())
    }

    fn estimate(&self, reply: &Reply) -> Usage {
        let tools = self
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len());
        let read = self.parts.conversation.bytes() + self.instructions.len() + tools.sum::<usize>();
        let calls = reply.calls.iter().map(|call| call.arguments.len());
        let wrote = reply.text.len() + calls.sum::<usize>();
        Usage {
            input: read as u64 / BYTES_OF_TOKEN,
            cached: 0,
            output: wrote as u64 / BYTES_OF_TOKEN,
            estimated: true,
        }
    }

    /// Makes the calls of an answer, one after the other.
    async fn make(
        &mut self,
        calls: &[ToolCall],
        stop: Stop,
        halt: &Halt<'_>,
        spending: &mut Spending,
    ) -> Result<Vec<ToolOutput>, Ending> {
        let mut results = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            let answer = match self.arguments(call, stop) {
                _ if place >= MAX_CALLS => failure("not done: these are too many calls at once"),
                Ok(arguments) => {
                    spending.calls += 1;
                    self.run(call, arguments, halt).await?
                }
                Err(why) => failure(&why),
            };
            self.parts.events.send(Event::Result {
                call: call.id.clone(),
                text: answer.text.clone(),
                is_error: answer.is_error,
            });
            if let Some(run) = undo_offer(&answer.text) {
                self.undo = Some(run);
            }
            results.push(ToolOutput {
                call: call.id.clone(),
                text: answer.text,
                is_error: answer.is_error,
            });
        }
        Ok(results)
    }

    /// The arguments of a call, or why it is not made, for the model.
    fn arguments(&self, call: &ToolCall, stop: Stop) -> Result<Map<String, Value>, String> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.tool) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
            return Err(format!(
                "not done: unknown tool; the tools are {}",
                names.join(", ")
            ));
        };
        let text = match call.arguments.trim() {
            "" => "{}",
            text => text,
        };
        let mut arguments: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            match stop {
                Stop::Length => "not done: the answer was as long as it may be, and the call was cut; write a shorter one, or several".to_owned(),
                _ => format!("not done: the arguments are not a JSON object ({error}); send the whole call again, with quotes and line ends in texts escaped"),
            }
        })?;
        let takes_session = tool
            .schema
            .get("properties")
            .is_some_and(|it| it["session"].is_object());
        let names_one = ["session", "run"]
            .iter()
            .any(|name| arguments.contains_key(*name));
        if let Some(session) = self
            .parts
            .session
            .as_ref()
            .filter(|_| takes_session && !names_one)
        {
            let session = session_for(session, &arguments);
            arguments.insert("session".to_owned(), session.into());
        }
        Ok(arguments)
    }

    async fn run(
        &self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        halt: &Halt<'_>,
    ) -> Result<CallAnswer, Ending> {
        self.parts.events.send(Event::Call {
            call: call.id.clone(),
            tool: call.tool.clone(),
            arguments: Value::Object(arguments.clone()),
        });
        let stop = halt.stop.child_token();
        let request = CallRequest {
            tool: &call.tool,
            arguments,
            stop: &stop,
            progress: self.parts.events.progress(&call.id),
        };
        let calling = self.parts.toolbox.call(request);
        tokio::pin!(calling);
        let answer = tokio::select! {
            answer = &mut calling => answer,
            ending = halt.reached() => {
                stop.cancel();
                // The server hears of it.
                let _ = calling.await;
                return Err(ending);
            }
        };
        match answer {
            Ok(answer) => Ok(answer),
            Err(ToolboxError::Refused(why)) => Ok(failure(&why)),
            Err(ToolboxError::Stopped) => Err(Ending::Cancelled),
            Err(error) => Err(Ending::Failed(error.to_string())),
        }
    }
}

/// The session of a script: each language has one of its own.
fn session_for(name: &str, arguments: &Map<String, Value>) -> String {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let is_python = match text("language") {
        Some(language) => language == "python",
        None => Language::of_code(text("code").unwrap_or_default()) == Language::Python,
    };
    match is_python {
        true => format!("{name}-python"),
        false => name.to_owned(),
    }
}

fn failure(why: &str) -> CallAnswer {
    CallAnswer {
        text: why.to_owned(),
        is_error: true,
    }
}

/// The run whose calls can be taken back, as the server offers it to models.
fn undo_offer(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("call execute_code with {\"run\": \"")?;
    let (run, rest) = rest.split_once('"')?;
    let is_id = run
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (is_id && rest.starts_with(", \"undo\": true}")).then(|| run.to_owned())
}
