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

/// What the requests of a step take.
#[derive(Debug, Default)]
struct StepCount {
    requests: u32,
    /// Of the requests that are over.
    usage: Usage,
    /// What has arrived of the last one.
    partial: PartialAnswer,
}

/// An answer that may break off. Its tokens are paid for nevertheless.
#[derive(Debug, Default)]
struct PartialAnswer {
    has_begun: bool,
    reported: Option<Usage>,
    written_bytes: usize,
}

impl PartialAnswer {
    fn hear(&mut self, piece: &Piece) {
        match piece {
            Piece::Text(text) | Piece::Arguments { text, .. } => self.written_bytes += text.len(),
            Piece::Call { .. } => {}
            Piece::Usage(usage) => self.reported = Some(*usage),
            Piece::Retry { .. } => return,
        }
        self.has_begun = true;
    }

    /// The tokens that it took, of a conversation of so many bytes. An endpoint counts at the end what
    /// the model has written.
    fn usage(&self, read_bytes: usize) -> Usage {
        let output = tokens(self.written_bytes);
        match self.reported {
            _ if !self.has_begun => Usage::default(),
            Some(usage) => Usage {
                output: usage.output.max(output),
                estimated: true,
                ..usage
            },
            None => Usage {
                input: tokens(read_bytes),
                output,
                estimated: true,
                ..Usage::default()
            },
        }
    }
}

fn tokens(bytes: usize) -> u64 {
    bytes as u64 / BYTES_OF_TOKEN
}

impl Agent {
    /// Asks the model once, and makes the calls of its answer.
    pub(super) async fn step(
        &mut self,
        halt: &Halt<'_>,
        spending: &mut Spending,
    ) -> Result<(), Ending> {
        let left = self.parts.bounds.steps.saturating_sub(spending.steps);
        let mut count = StepCount::default();
        let reply = tokio::select! {
            reply = self.ask(left, &mut count) => Ok(reply),
            ending = halt.reached() => Err(ending),
        };
        let usage = match &reply {
            Ok(Ok(reply)) => reply.usage.unwrap_or_else(|| self.estimate(reply)),
            _ => count.partial.usage(self.read_bytes()),
        };
        count.usage.add(usage);
        spending.steps = spending.steps.saturating_add(count.requests);
        spending.usage.add(count.usage);
        if count.usage != Usage::default() {
            let usage = count.usage;
            self.parts.events.send(Event::Usage { usage });
        }
        let reply = match reply? {
            Ok(reply) => reply,
            Err(error) if error.kind == FailureKind::TooLong => return self.shorten(&error),
            Err(error) => return Err(Ending::Failed(error.to_string())),
        };
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
            Stop::Refused => Err(Ending::Refused),
            Stop::Length if calls.is_empty() => Err(Ending::Cut),
            Stop::Finished if calls.is_empty() => Err(Ending::Answered),
            stop => self.make(&calls, stop, halt, spending).await,
        }
    }

    /// Asks the model, with at most so many requests.
    async fn ask(&self, most: u32, count: &mut StepCount) -> Result<Reply, EndpointError> {
        let request = Request {
            instructions: &self.instructions,
            messages: &self.parts.conversation.messages,
            tools: &self.tools,
            wants_reasoning: true,
        };
        let (events, mut scripts) = (&self.parts.events, HashMap::new());
        let read_bytes = self.read_bytes();
        count.requests = 1;
        let mut hear = |piece| {
            count.partial.hear(&piece);
            match piece {
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
                Piece::Usage(_) => {}
                Piece::Retry { why, wait_ms } => {
                    scripts.clear();
                    let broken_off = std::mem::take(&mut count.partial);
                    count.usage.add(broken_off.usage(read_bytes));
                    count.requests += 1;
                    events.send(Event::Retry { why, wait_ms });
                }
            }
        };
        let endpoint = self.parts.endpoint.with_retries(most.saturating_sub(1));
        endpoint.ask(&request, &mut hear).await
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

    /// How many bytes the model reads with a request, about.
    fn read_bytes(&self) -> usize {
        let tools = self
            .tools
            .iter()
            .map(|tool| tool.name.len() + tool.description.len());
        self.parts.conversation.bytes() + self.instructions.len() + tools.sum::<usize>()
    }

    fn estimate(&self, reply: &Reply) -> Usage {
        let calls = reply.calls.iter().map(|call| call.arguments.len());
        Usage {
            input: tokens(self.read_bytes()),
            output: tokens(reply.text.len() + calls.sum::<usize>()),
            estimated: true,
            ..Usage::default()
        }
    }

    /// Makes the calls of an answer, one after the other. What each came to is in the conversation at
    /// once: it stays there, however the task ends.
    async fn make(
        &mut self,
        calls: &[ToolCall],
        stop: Stop,
        halt: &Halt<'_>,
        spending: &mut Spending,
    ) -> Result<(), Ending> {
        self.parts.conversation.begin_results();
        for (place, call) in calls.iter().enumerate() {
            if let Some(ending) = halt.over() {
                self.parts.conversation.refuse_open_calls();
                return Err(ending);
            }
            // Where an answer was cut, its last call is the one that was.
            let is_cut = stop == Stop::Length && place + 1 == calls.len();
            let answer = match self.arguments(call, is_cut) {
                _ if place >= MAX_CALLS => failure("not done: these are too many calls at once"),
                Ok(arguments) => {
                    spending.calls += 1;
                    self.run(call, arguments, halt).await?
                }
                Err(why) => failure(&why),
            };
            if let Some(run) = answer.undo {
                self.undo = Some(run);
            }
            let result = ToolOutput {
                call: call.id.clone(),
                text: answer.text,
                is_error: answer.is_error,
            };
            self.parts.events.send(Event::of_result(&result));
            self.parts.conversation.add_result(result);
        }
        Ok(())
    }

    /// The arguments of a call, or why it is not made, for the model.
    fn arguments(&self, call: &ToolCall, is_cut: bool) -> Result<Map<String, Value>, String> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.tool) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
            return Err(format!(
                "not done: unknown tool; the tools are {}",
                names.join(", ")
            ));
        };
        let text = match call.arguments.trim() {
            "" if !is_cut => "{}",
            text => text,
        };
        let mut arguments: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            match is_cut {
                true => "not done: the answer was as long as it may be, and the call was cut; write a shorter one, or several".to_owned(),
                false => format!("not done: the arguments are not a JSON object ({error}); send the whole call again, with quotes and line ends in texts escaped"),
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
                // The server ends the call, unless its answer is there already.
                match calling.await {
                    Ok(answer) => return Ok(answer),
                    Err(_) => return Err(ending),
                }
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
        undo: None,
    }
}
