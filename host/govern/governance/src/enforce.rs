//! A call's way, from the run to what leaves, and back.

use std::sync::Arc;

use ampoule_audit::Verdict;
use ampoule_policy::{Act, Decision, Duty, Effect, Obligation, Request, RunLabels};
use ampoule_tools::{Call, CallContext, CallError, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::consent::{self, About};
use crate::course::Course;
use crate::known_servers::{Facts, State};
use crate::plan;
use crate::records::{PolicyStatement, Subject};
use crate::redaction;
use crate::shared::Shared;
use crate::under_way::{UnderWay, bytes_of};
use crate::words;

/// From how many bytes on a result is looked at on a thread where no run waits.
const LARGE: u64 = 64 << 10;

/// What every call of a run passes.
pub(crate) struct Enforcement(pub(crate) Arc<Shared>);

impl Layer for Enforcement {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        match self.0.is_free {
            true => next.call(arguments, context),
            false => pass(&self.0, arguments, context, next).boxed(),
        }
    }
}

async fn pass(
    run: &Arc<Shared>,
    arguments: Map<String, Value>,
    context: CallContext,
    next: Next<'_>,
) -> Result<ToolResult, CallError> {
    let whole = learnt(run, &arguments, context, &next).await?;
    let context = whole.clone();
    let call = whole.call();
    let state = run.parts().tools.state();
    let arguments = with_values(run, call, &state, arguments)?;
    let (mut arguments, state, labels, decision) = decided(run, call, state, arguments).await?;
    let mut under_way = UnderWay::new(run, &whole);
    let changes = run.changes(call, &state);
    if let (true, Course::Tried(plan)) = (changes, &run.course) {
        redaction::arguments(&mut arguments, &decision.obligations);
        return plan::record(run, plan, call, &arguments, &decision, &state);
    }
    under_way.count(&state)?;
    redaction::arguments(&mut arguments, &decision.obligations);
    if let (true, Course::Planned(plan)) = (changes, &run.course) {
        plan::take(run, plan, call, &arguments, &decision, &state).await?;
    } else if decision.effect == Effect::Ask {
        let about = About {
            number: call.number,
            server: &call.server,
            tool: &call.tool,
            arguments: &arguments,
            once_only: false,
        };
        let paused = context.deadline().pause();
        consent::ask(run, &about, &decision, &state.policies).await?;
        drop(paused);
        arguments = still(run, call, &decision, &labels, &state, arguments)?;
    }
    let said = PolicyStatement {
        verdict: verdict(&decision),
        by: decision.by.first(),
        fingerprint: state.policies.fingerprint(),
    };
    let left = under_way.leave(&arguments, said);
    left.map_err(|error| CallError::Denied(error.to_string()))?;
    let answer = next.call(arguments, context).await;
    let answer = come_back(run, call, &state, decision, answer).await;
    under_way.over(&answer);
    answer
}

/// A call of a tool that its server had not told of when the call was made, as one of the tool that is
/// meant: policies decide about that one, by what it says of itself. Whoever might be permitted the call
/// may have the server asked, and is told what keeps it from telling, such as a sign-in of their own. All
/// others are denied as before, and the server hears nothing.
async fn learnt(
    run: &Shared,
    arguments: &Map<String, Value>,
    context: CallContext,
    next: &Next<'_>,
) -> Result<CallContext, CallError> {
    let state = run.parts().tools.state();
    let call = context.call();
    let may_learn = || {
        let policies = &state.policies;
        !run.has_alone(&call.server) && policies.may_learn(&run.caller, &call.server, &call.tool)
    };
    if !may_learn() {
        return Ok(context);
    }
    let why = match next.learn(&context).await {
        Ok(Some(tool)) => return Ok(context.of_tool(tool)),
        Ok(None) => return Ok(context),
        Err(why) => why,
    };
    // It is on record like any call that does not come to its tool.
    let mut under_way = UnderWay::new(run, &context);
    let said = PolicyStatement {
        verdict: Verdict::Allowed,
        by: None,
        fingerprint: state.policies.fingerprint(),
    };
    let left = under_way.leave(arguments, said);
    left.map_err(|error| CallError::Denied(error.to_string()))?;
    let answer = Err(why);
    under_way.over(&answer);
    answer.map(|_| context.clone())
}

/// Arguments with values in place of tokens. A run that sends a value has read it: the run is
/// labelled as those that the table was filled by.
fn with_values(
    run: &Shared,
    call: &Call,
    state: &State,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, CallError> {
    let (Some(personal), Some(opened)) = (&run.parts().personal, &run.table) else {
        return Ok(arguments);
    };
    match personal.send(&arguments, call, state, opened)? {
        Some(arguments) => {
            run.reads(&opened.carried());
            Ok(arguments)
        }
        None => Ok(arguments),
    }
}

/// What policies say of a call, and by which state and labels.
async fn decided(
    run: &Shared,
    call: &Call,
    state: Arc<State>,
    arguments: Map<String, Value>,
) -> Result<(Map<String, Value>, Arc<State>, Arc<RunLabels>, Decision), CallError> {
    let labels = run.labels();
    let known = run.decided.known(call, &state, &labels);
    if let Some(decision) = known.as_ref().and_then(|known| known.decision())
        && decision.effect != Effect::Deny
    {
        let decision = decision.clone();
        return Ok((arguments, state, labels, decision));
    }
    if !state.policies.are_none() {
        // What decides is deeper than a stack of WebAssembly's, which calls begin on.
        tokio::task::yield_now().await;
    }
    let (state, labels) = (run.parts().tools.state(), run.labels());
    let arguments = Value::Object(arguments);
    let decision = decide(run, call, &state, &labels, &arguments)?;
    Ok((object(arguments), state, labels, decision))
}

/// What policies say; what they deny is recorded and told.
fn decide(
    run: &Shared,
    call: &Call,
    state: &Arc<State>,
    labels: &Arc<RunLabels>,
    arguments: &Value,
) -> Result<Decision, CallError> {
    if run.has_alone(&call.server) {
        return Ok(free());
    }
    let find_out = || {
        let Call { server, tool, .. } = call;
        let (policies, caller) = (&state.policies, &run.caller);
        match run.is_undo() {
            true => policies.undo_decision(caller, server, tool, labels),
            false => policies.tool_decision(caller, server, tool, labels),
        }
    };
    let decision = match run.decided.known_or(call, state, labels, find_out) {
        Some(standing) => standing.decide(arguments),
        None => state.policies.decide(&Request {
            caller: &run.caller,
            act: Act::Call {
                server: &call.server,
                tool: &call.tool,
                arguments,
            },
            labels,
        }),
    };
    if decision.effect != Effect::Deny {
        return Ok(decision);
    }
    let by = words::ids(&decision).into();
    let said = PolicyStatement {
        verdict: Verdict::Denied,
        by: (!decision.by.is_empty()).then_some(&by),
        fingerprint: state.policies.fingerprint(),
    };
    let (subject, reason) = (Subject::of(call), words::reason(&decision));
    run.parts()
        .note(|| run.whose.decided(subject, said, reason));
    let told = words::denied(&call.server, &call.tool, &decision);
    Err(CallError::Denied(told))
}

/// What holds where policies have no say.
fn free() -> Decision {
    Decision {
        effect: Effect::Allow,
        by: Vec::new(),
        reason: None,
        obligations: Vec::new(),
    }
}

/// Whether a call that somebody has allowed is still one that they were asked about, if the policies
/// are others by now.
fn still(
    run: &Shared,
    call: &Call,
    asked: &Decision,
    labels: &Arc<RunLabels>,
    before: &Arc<State>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, CallError> {
    let state = run.parts().tools.state();
    if Arc::ptr_eq(&state, before) {
        return Ok(arguments);
    }
    let arguments = Value::Object(arguments);
    let now = decide(run, call, &state, labels, &arguments)?;
    let is_same = now.effect == Effect::Allow || now.by == asked.by;
    if !is_same || now.obligations != asked.obligations {
        let told = "the policies changed while a person was asked about this call; call again to ask again";
        return Err(CallError::Denied(told.to_owned()));
    }
    Ok(object(arguments))
}

/// What came back, as the script may have it. An error labels the run as a result does: what servers
/// say in one may be what they were asked for.
async fn come_back(
    run: &Arc<Shared>,
    call: &Call,
    state: &Arc<State>,
    decision: Decision,
    answer: Result<ToolResult, CallError>,
) -> Result<ToolResult, CallError> {
    run.has_read(call, state);
    let now = run.parts().tools.state();
    if !Arc::ptr_eq(&now, state) {
        run.has_read(call, &now);
    }
    let duties = decision.obligations;
    if duties.is_empty() && run.table.is_none() {
        return answer;
    }
    let facts = state.facts(&call.server, &call.tool);
    let is_wrapped = facts.is_some_and(Facts::wraps_result);
    if bytes_of(&answer, LARGE) < LARGE {
        return looked_through(run, answer, &duties, is_wrapped);
    }
    let run = Arc::clone(run);
    let looked = spawn_blocking(move || looked_through(&run, answer, &duties, is_wrapped));
    let lost = |_| CallError::Lost("the host stopped while it looked at the result".to_owned());
    looked.await.map_err(lost)?
}

fn looked_through(
    run: &Shared,
    answer: Result<ToolResult, CallError>,
    duties: &[Duty],
    is_wrapped: bool,
) -> Result<ToolResult, CallError> {
    let answer = redaction::answer(answer, duties, is_wrapped);
    match (&run.parts().personal, &run.table) {
        (Some(personal), Some(opened)) => personal.take_in(answer, opened),
        _ => answer,
    }
}

fn verdict(decision: &Decision) -> Verdict {
    let is_change = |duty: &Duty| {
        matches!(
            duty.obligation,
            Obligation::Redact(_) | Obligation::RedactArguments(_)
        )
    };
    match decision.effect {
        Effect::Ask => Verdict::Approved,
        _ if decision.obligations.iter().any(is_change) => Verdict::Changed,
        _ => Verdict::Allowed,
    }
}

/// Arguments are an object: they were one before.
fn object(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    }
}
