//! Steps of runs on the thread that starts them, or answers their calls.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId, sleep};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use super::*;

/// Hands over each call, with what answers it, and tells which calls were given up.
struct Handed {
    calls: Sender<HandedCall>,
    given_up: Sender<u32>,
}

struct HandedCall {
    n: u64,
    answer: oneshot::Sender<String>,
}

/// Tells, when it is dropped without an answer, that the call was given up.
struct GivenUp {
    call: u32,
    answered: bool,
    tell: Sender<u32>,
}

impl Drop for GivenUp {
    fn drop(&mut self) {
        if !self.answered {
            let _ = self.tell.send(self.call);
        }
    }
}

impl Caller for Handed {
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<String, String>> {
        let (answer, answered) = oneshot::channel();
        let n = read(&call.arguments)["n"].as_u64().unwrap_or_default();
        let _ = self.calls.send(HandedCall { n, answer });
        let mut given_up = GivenUp {
            call: call.call.number,
            answered: false,
            tell: self.given_up.clone(),
        };
        async move {
            let answer = answered.await.map_err(|_| "no answer".to_owned());
            given_up.answered = true;
            answer
        }
        .boxed()
    }

    fn only_awaits_answers(&self) -> bool {
        true
    }
}

struct HandedTools {
    tools: Tools,
    calls: Receiver<HandedCall>,
    given_up: Receiver<u32>,
}

fn handed() -> HandedTools {
    let ((give, calls), (tell, given_up)) = (channel(), channel());
    let handed = Handed {
        calls: give,
        given_up: tell,
    };
    let described = r#"[{ "name": "get", "inputSchema": { "type": "object" } }]"#;
    let tools = Tools::new("host", described, handed).expect("tools");
    HandedTools {
        tools,
        calls,
        given_up,
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

type End = (ThreadId, Result<String, Fault>);

/// Starts a script in a step, and gives what receives its end, with the thread of that.
fn started(
    runtime: &Runtime,
    stepper: &Stepper,
    source: &str,
    tools: &[Tools],
) -> (Run, Receiver<End>) {
    let (end, ended) = channel();
    let ended_with = move |outcome| drop(end.send((thread::current().id(), outcome)));
    let run = stepper.step(|| runtime.start(code(source), tools, &[], ended_with));
    (run.expect("a run"), ended)
}

fn value(ended: &Receiver<End>) -> Value {
    let (_, outcome) = ended.recv_timeout(PATIENCE).expect("an end");
    read(&outcome.expect("an outcome"))["value"].clone()
}

/// On a busy machine, a run may be interrupted at any time, and continue elsewhere.
const TRIES: usize = 500;

#[test]
fn a_short_run_ends_where_it_was_started() {
    let (runtime, stepper) = (runtime(), Stepper::default());
    let own = thread::current().id();
    let ends_here = || {
        stepper.next_turn();
        let (_, ended) = started(&runtime, &stepper, "return 1", &[]);
        let (place, outcome) = ended.recv_timeout(PATIENCE).expect("an end");
        assert_eq!(read(&outcome.expect("an outcome"))["value"], json!(1));
        place == own
    };
    assert!((0..TRIES).any(|_| ends_here()));
}

#[test]
fn a_thread_that_did_steps_for_long_leaves_others_to_the_runtime() {
    let (runtime, stepper) = (runtime(), Stepper::default());
    let own = thread::current().id();
    let (_, first) = started(&runtime, &stepper, "return 1", &[]);
    assert_eq!(value(&first), json!(1));
    sleep(Duration::from_millis(2));
    for _ in 0..20 {
        let (_, ended) = started(&runtime, &stepper, "return 1", &[]);
        let (place, _) = ended.recv_timeout(PATIENCE).expect("an end");
        assert_ne!(place, own);
    }
}

#[test]
fn who_answers_a_call_does_what_follows() {
    let (runtime, stepper, handed) = (runtime(), Stepper::default(), handed());
    let source =
        "let sum = 0; for (let n = 0; n < 500; n++) sum += await host.get({ n }); return sum";
    let (_, ended) = started(&runtime, &stepper, source, &[handed.tools]);
    let mut here = 0;
    let mut next = handed.calls.recv_timeout(PATIENCE).expect("a call");
    for n in 0..500 {
        assert_eq!(next.n, n);
        stepper.next_turn();
        stepper.step(|| drop(next.answer.send(n.to_string())));
        if n == 499 {
            break;
        }
        next = match handed.calls.try_recv() {
            Ok(call) => {
                here += 1;
                call
            }
            Err(_) => handed.calls.recv_timeout(PATIENCE).expect("a call"),
        };
    }
    assert_eq!(value(&ended), json!(124_750));
    assert!(here > 0, "no step was done here");
}

/// The values in the order in which the script got them, of calls that are answered in this order.
fn seen(runtime: &Runtime, order: [u64; 4]) -> Value {
    let (stepper, handed) = (Stepper::default(), handed());
    let source = "const seen = []; \
        await Promise.all([0, 1, 2, 3].map(async (n) => seen.push(await host.get({ n })))); return seen";
    let (_, ended) = started(runtime, &stepper, source, &[handed.tools]);
    let mut calls: Vec<_> = (0..4)
        .map(|_| handed.calls.recv_timeout(PATIENCE).expect("a call"))
        .collect();
    calls.sort_by_key(|call| order.iter().position(|n| *n == call.n));
    // All at once: the run looks at them together.
    stepper.step(|| {
        for call in calls {
            let _ = call.answer.send(call.n.to_string());
        }
    });
    value(&ended)
}

#[test]
fn calls_end_in_the_order_in_which_they_are_answered() {
    let (runtime, order) = (runtime(), [2, 0, 3, 1]);
    // A run that does not wait yet sees all of them at once.
    assert!((0..TRIES).any(|_| seen(&runtime, order) == json!(order)));
}

#[test]
fn a_call_whose_run_ends_is_given_up() {
    let (runtime, stepper, handed) = (runtime(), Stepper::default(), handed());
    let source = "host.get({ n: 1 }); await host.get({ n: 2 }); return 1";
    let (_, ended) = started(&runtime, &stepper, source, &[handed.tools]);
    let first = handed.calls.recv_timeout(PATIENCE).expect("a call");
    let second = handed.calls.recv_timeout(PATIENCE).expect("a call");
    stepper.step(|| drop(second.answer.send("2".to_owned())));
    assert_eq!(value(&ended), json!(1));
    assert_eq!(handed.given_up.recv_timeout(PATIENCE), Ok(0));
    assert!(first.answer.is_closed());
}

#[test]
fn a_run_that_computes_is_cancelled_though_it_began_in_a_step() {
    let (runtime, stepper) = (runtime(), Stepper::default());
    let began = Instant::now();
    let (run, ended) = started(&runtime, &stepper, "for (;;) {}", &[]);
    run.cancel();
    let (_, outcome) = ended.recv_timeout(PATIENCE).expect("an end");
    let outcome = read(&outcome.expect("an outcome"));
    assert_eq!(outcome["ending"], "cancelled");
    assert!(began.elapsed() < PATIENCE);
}
