//! Monty by its crate, in this process: what is asked on standard input is answered on standard output.
//! What is in the lines is that of the program that asks.
//!
//! - `session`: one run; `objects`: JSON and Monty's objects; `tools`: what scripts call

mod objects;
#[path = "../../../src/protocol.rs"]
#[expect(dead_code, reason = "the other side needs all of it")]
mod protocol;
mod session;
mod tools;

use std::io::{BufRead, Write, stdin, stdout};
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::Value;

use self::protocol::{Answer, Limits, Ran, Request, Script};
use self::session::Session;
use self::tools::Tools;

#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

struct Driver {
    tools: Tools,
    held: Vec<(Instant, Session)>,
}

/// What a run gave, and printed.
type Ended = Result<(Value, String), String>;

fn main() -> Result<()> {
    let mut driver = Driver {
        tools: Tools::new(),
        held: Vec::new(),
    };
    say(&Answer::Ready {
        version: "monty 0.0.23".to_owned(),
    })?;
    for line in stdin().lock().lines() {
        let answer = driver.answer(serde_json::from_str(&line?)?);
        say(&answer.unwrap_or_else(Answer::Cannot))?;
    }
    Ok(())
}

fn say(answer: &Answer) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{}", serde_json::to_string(answer)?)?;
    Ok(out.flush()?)
}

impl Driver {
    fn answer(&mut self, request: Request) -> Result<Answer, String> {
        match request {
            Request::Run {
                scripts,
                plan,
                budget_ms,
                limits,
            } => {
                let (began, mut runs) = (Instant::now(), Vec::new());
                for which in plan {
                    let started = Instant::now();
                    runs.push(ran(started, self.run(&scripts[which], limits)));
                    if began.elapsed() > Duration::from_millis(budget_ms) {
                        break;
                    }
                }
                Ok(Answer::Runs(runs))
            }
            Request::Together {
                script,
                count,
                limits,
            } => self.together(&script, count, limits),
            Request::Release => {
                let mut runs = Vec::new();
                for (started, mut session) in std::mem::take(&mut self.held) {
                    let ended = session.release().and_then(|()| {
                        session.go_on(&mut self.tools)?;
                        session.ended()
                    });
                    runs.push(ran(started, ended));
                }
                Ok(Answer::Runs(runs))
            }
            Request::Throughput {
                script,
                window_ms,
                limits,
                ..
            } => {
                let (began, mut count) = (Instant::now(), 0);
                while began.elapsed() < Duration::from_millis(window_ms) {
                    self.run(&script, limits)?;
                    count += 1;
                }
                let ns = began.elapsed().as_nanos() as u64;
                Ok(Answer::Count { count, ns })
            }
        }
    }

    fn together(
        &mut self,
        script: &Script,
        count: usize,
        limits: Limits,
    ) -> Result<Answer, String> {
        let began = Instant::now();
        for _ in 0..count {
            let started = Instant::now();
            let mut session = Session::start(script, limits)?;
            session.go_on(&mut self.tools)?;
            if !session.holds() {
                return Err("one ended early".to_owned());
            }
            self.held.push((started, session));
        }
        let ns = began.elapsed().as_nanos() as u64;
        Ok(Answer::Alive { ns })
    }

    fn run(&mut self, script: &Script, limits: Limits) -> Ended {
        let bytes = (limits.mb << 20) as usize;
        monty_alloc::set_limit(Some(bytes), false).map_err(|error| format!("{error:?}"))?;
        let mut session = Session::start(script, limits)?;
        session.go_on(&mut self.tools)?;
        let ended = session.ended();
        let _ = monty_alloc::set_limit(None, false);
        ended
    }
}

fn ran(began: Instant, ended: Ended) -> Ran {
    let ns = began.elapsed().as_nanos() as u64;
    match ended {
        Ok((value, output)) => Ran {
            ns,
            value,
            output: Some(output.trim_end().to_owned()),
            error: None,
        },
        Err(problem) => Ran {
            ns,
            error: Some(problem),
            ..Ran::default()
        },
    }
}
