//! Monty by its crate, in this process: what is asked on standard input is answered on standard output.
//! `../../../src/protocol.rs` says what is in the lines.
//!
//! - `session`: one run; `objects`: JSON and Monty's objects; `tools`: what scripts call

mod objects;
mod session;
mod tools;

use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use self::session::Session;
use self::tools::Tools;

#[global_allocator]
static ALLOCATOR: monty_alloc::LimitedAllocator = monty_alloc::LimitedAllocator;

#[derive(Deserialize)]
struct Script {
    code: String,
    needs: String,
}

#[derive(Deserialize, Clone, Copy)]
struct Limits {
    ms: u64,
    mb: usize,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Run {
        scripts: Vec<Script>,
        plan: Vec<usize>,
        budget_ms: u128,
        limits: Limits,
    },
    Together {
        script: Script,
        count: usize,
        limits: Limits,
    },
    Release,
    Throughput {
        script: Script,
        window_ms: u128,
        limits: Limits,
    },
}

struct Driver {
    tools: Tools,
    held: Vec<(Instant, Session)>,
}

fn main() -> Result<()> {
    let mut driver = Driver {
        tools: Tools::new(),
        held: Vec::new(),
    };
    say(&json!({ "ready": { "version": "monty 0.0.23" } }))?;
    for line in stdin().lock().lines() {
        let request = serde_json::from_str(&line?)?;
        let answer = driver.answer(request);
        let answer = answer.unwrap_or_else(|problem| json!({ "cannot": problem }));
        say(&answer)?;
    }
    Ok(())
}

fn say(answer: &Value) -> Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{answer}")?;
    Ok(out.flush()?)
}

impl Driver {
    fn answer(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Run {
                scripts,
                plan,
                budget_ms,
                limits,
            } => {
                let (began, mut runs) = (Instant::now(), Vec::new());
                for which in plan {
                    runs.push(self.timed(&scripts[which], limits));
                    if began.elapsed().as_millis() > budget_ms {
                        break;
                    }
                }
                Ok(json!({ "runs": runs }))
            }
            Request::Together {
                script,
                count,
                limits,
            } => {
                let began = Instant::now();
                for _ in 0..count {
                    let started = Instant::now();
                    let mut session = Session::start(&script, limits)?;
                    session.go_on(&mut self.tools)?;
                    if !session.holds() {
                        return Err("one ended early".to_owned());
                    }
                    self.held.push((started, session));
                }
                Ok(json!({ "alive": { "ns": began.elapsed().as_nanos() as u64 } }))
            }
            Request::Release => {
                let mut runs = Vec::new();
                for (started, mut session) in std::mem::take(&mut self.held) {
                    let ended = session.release().and_then(|()| {
                        session.go_on(&mut self.tools)?;
                        session.ended()
                    });
                    runs.push(ran(started, ended));
                }
                Ok(json!({ "runs": runs }))
            }
            Request::Throughput {
                script,
                window_ms,
                limits,
            } => {
                let (began, mut count) = (Instant::now(), 0_u64);
                while began.elapsed().as_millis() < window_ms {
                    self.run(&script, limits)?;
                    count += 1;
                }
                let ns = began.elapsed().as_nanos() as u64;
                Ok(json!({ "count": { "count": count, "ns": ns } }))
            }
        }
    }

    fn timed(&mut self, script: &Script, limits: Limits) -> Value {
        let began = Instant::now();
        let ended = self.run(script, limits);
        ran(began, ended)
    }

    fn run(&mut self, script: &Script, limits: Limits) -> Result<(Value, String), String> {
        monty_alloc::set_limit(Some(limits.mb << 20), false)
            .map_err(|error| format!("{error:?}"))?;
        let mut session = Session::start(script, limits)?;
        session.go_on(&mut self.tools)?;
        let ended = session.ended();
        let _ = monty_alloc::set_limit(None, false);
        ended
    }
}

fn ran(began: Instant, ended: Result<(Value, String), String>) -> Value {
    let ns = began.elapsed().as_nanos() as u64;
    match ended {
        Ok((value, output)) => json!({ "ns": ns, "value": value, "output": output.trim_end() }),
        Err(problem) => json!({ "ns": ns, "error": problem }),
    }
}
