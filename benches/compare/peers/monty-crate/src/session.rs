//! One run: a program that stops at each call, and resumes with the answer.

use std::time::Duration;

use monty::{FunctionCall, MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExtFunctionResult, MontyObject, NameLookupResult, PrintWriter, ResourceLimits,
    ResourceTracker,
};
use serde_json::Value;

use crate::objects::{json_of, object_of};
use crate::protocol::{Limits, Needs, Script};
use crate::tools::{self, Tools};

pub(crate) struct Session {
    at: Option<At>,
    output: String,
    /// Calls are answered when the program can't continue without them.
    at_once: bool,
    pending: Vec<(u32, ExtFunctionResult)>,
}

enum At {
    Program(RunProgress),
    Holding(Box<FunctionCall>),
    Ended(MontyObject),
}

impl Session {
    pub(crate) fn start(script: &Script, limits: Limits) -> Result<Self, String> {
        let limits = ResourceLimits {
            max_duration: Some(Duration::from_millis(limits.ms)),
            max_memory: Some((limits.mb << 20) as usize),
            max_suspensions: 10_000,
            ..ResourceLimits::default()
        };
        // Host functions are plain names there.
        let code = script.code.replace("host.", "");
        let run = MontyRun::new(code, "script.py", Vec::new(), CompileOptions::default())
            .map_err(|error| error.to_string())?;
        let mut output = String::new();
        let tracker = ResourceTracker::new(limits);
        let program = run
            .start(
                Vec::new(),
                tracker,
                PrintWriter::CollectString(&mut output, None),
            )
            .map_err(|error| error.to_string())?;
        Ok(Self {
            at: Some(At::Program(program)),
            output,
            at_once: script.needs == Needs::CallsAtOnce,
            pending: Vec::new(),
        })
    }

    /// Until it ended, or holds.
    pub(crate) fn go_on(&mut self, tools: &mut Tools) -> Result<(), String> {
        while let Some(At::Program(program)) = self.at.take() {
            let print = PrintWriter::CollectString(&mut self.output, None);
            let next = match program {
                RunProgress::Complete(value) => {
                    self.at = Some(At::Ended(value));
                    return Ok(());
                }
                RunProgress::NameLookup(lookup) => {
                    let found = match tools::NAMES.contains(&lookup.name.as_str()) {
                        true => NameLookupResult::Value(MontyObject::Function {
                            name: lookup.name.clone(),
                            docstring: None,
                        }),
                        false => NameLookupResult::Undefined,
                    };
                    lookup.resume(found, print)
                }
                RunProgress::FunctionCall(call) if call.function_name == "hold" => {
                    self.at = Some(At::Holding(Box::new(call)));
                    return Ok(());
                }
                RunProgress::FunctionCall(call) => {
                    let answer = tools.call(&call.function_name, &call.kwargs)?;
                    match self.at_once {
                        true => {
                            self.pending.push((call.call_id, answer.into()));
                            call.resume_pending(print)
                        }
                        false => call.resume(answer, print),
                    }
                }
                RunProgress::ResolveFutures(waiting) => {
                    waiting.resume(std::mem::take(&mut self.pending), print)
                }
                RunProgress::OsCall(_) => return Err("it asked for the system".to_owned()),
            };
            self.at = Some(At::Program(next.map_err(|error| error.to_string())?));
        }
        Ok(())
    }

    pub(crate) fn holds(&self) -> bool {
        matches!(self.at, Some(At::Holding(_)))
    }

    /// Has the call that it holds at answered.
    pub(crate) fn release(&mut self) -> Result<(), String> {
        let Some(At::Holding(call)) = self.at.take() else {
            return Err("it does not hold".to_owned());
        };
        let print = PrintWriter::CollectString(&mut self.output, None);
        let held = object_of(r#"{"held":true}"#)?;
        let next = call
            .resume(held, print)
            .map_err(|error| error.to_string())?;
        self.at = Some(At::Program(next));
        Ok(())
    }

    pub(crate) fn ended(self: Session) -> Result<(Value, String), String> {
        match self.at {
            Some(At::Ended(value)) => Ok((json_of(&value)?, self.output)),
            _ => Err("it did not end".to_owned()),
        }
    }
}
