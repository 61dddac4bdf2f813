//! Output to the model: the last place that what a run has read can go to.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use ampoule_audit::Verdict;
use ampoule_policy::{Decision, Effect};
use ampoule_privacy::Counts;
use ampoule_untrusted::text::one_line;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::consent::{self, About};
use crate::known_servers::State;
use crate::records::{PolicyStatement, Subject};
use crate::redaction;
use crate::shared::Shared;
use crate::words;

/// From how many bytes on personal data is looked for on a thread where no run waits.
const LARGE: usize = 64 << 10;
/// What output is called where calls have a server and a tool.
const MODEL: (&str, &str) = ("model", "output");

/// The model is not given the output. Displays as what it gets instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WithheldError(String);

/// When texts go to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputMoment {
    /// While the run is under way: nobody is asked about each line.
    Meanwhile,
    /// All of it.
    AtTheEnd,
}

/// Texts on their way to the model.
pub(crate) async fn pass(
    run: &Arc<Shared>,
    texts: &mut [&mut String],
    when: OutputMoment,
) -> Result<Counts, WithheldError> {
    let passed = match run.is_free {
        true => Ok(Counts::default()),
        false => may_pass(run, texts, when).await,
    };
    if passed.is_err() {
        texts.iter_mut().for_each(|text| text.clear());
    }
    passed
}

async fn may_pass(
    run: &Arc<Shared>,
    texts: &mut [&mut String],
    when: OutputMoment,
) -> Result<Counts, WithheldError> {
    let state = run.parts().tools.state();
    // Texts that are there already may have been read by now.
    let labels = run.labels();
    let decision = state.to_model(&run.caller, &labels);
    let duties = &decision.obligations;
    if when == OutputMoment::Meanwhile && decision.effect != Effect::Allow {
        return Err(WithheldError(
            "this waits for the end of the run".to_owned(),
        ));
    }
    for text in &mut *texts {
        redaction::output(text, duties);
    }
    match decision.effect {
        Effect::Allow => {}
        Effect::Deny => return Err(denied(run, &state, &decision)),
        Effect::Ask => ask(run, texts, &decision, &state).await?,
    }
    personal(run, texts).await
}

fn denied(run: &Shared, state: &State, decision: &Decision) -> WithheldError {
    let (by, reason) = (words::ids(decision).into(), words::reason(decision));
    let said = PolicyStatement {
        verdict: Verdict::Denied,
        by: Some(&by),
        fingerprint: state.policies.fingerprint(),
    };
    let subject = Subject {
        call: None,
        server: &MODEL.0.into(),
        tool: &MODEL.1.into(),
    };
    run.parts()
        .note(|| run.whose.decided(subject, said, reason));
    WithheldError(format!(
        "the run is over, and what it returned and printed is withheld: {reason} (policy `{}`); return what is not based on it, or let the operator allow it there",
        one_line(&by)
    ))
}

async fn ask(
    run: &Arc<Shared>,
    texts: &[&mut String],
    decision: &Decision,
    state: &State,
) -> Result<(), WithheldError> {
    let texts = texts.iter().filter(|text| !text.is_empty());
    let texts: Vec<Value> = texts.map(|text| Value::String((**text).clone())).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let arguments = Map::from_iter([("output".to_owned(), Value::Array(texts))]);
    let about = About {
        number: run.next_output.fetch_sub(1, Relaxed),
        server: &MODEL.0.into(),
        tool: &MODEL.1.into(),
        arguments: &arguments,
        once_only: false,
    };
    let asked = consent::ask(run, &about, decision, &state.policies).await;
    asked.map_err(|error| {
        WithheldError(format!(
            "what the run returned and printed is withheld: {error}"
        ))
    })
}

async fn personal(run: &Arc<Shared>, texts: &mut [&mut String]) -> Result<Counts, WithheldError> {
    if !run.is_looked_at() {
        return Ok(Counts::default());
    }
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let taken: Vec<String> = texts.iter_mut().map(|text| std::mem::take(*text)).collect();
    let (passed, counts) = match bytes < LARGE {
        true => looked_at(run, taken)?,
        false => {
            let run = Arc::clone(run);
            let looked_at = spawn_blocking(move || looked_at(&run, taken)).await;
            looked_at.map_err(|_| {
                WithheldError(
                    "the host stopped while it looked at what goes to the model".to_owned(),
                )
            })??
        }
    };
    for (text, passed) in texts.iter_mut().zip(passed) {
        **text = passed;
    }
    Ok(counts)
}

fn looked_at(run: &Shared, texts: Vec<String>) -> Result<(Vec<String>, Counts), WithheldError> {
    let (Some(personal), Some(opened)) = (&run.parts().personal, &run.table) else {
        return Ok((texts, Counts::default()));
    };
    let mut table = opened.table.lock();
    let mut counts = Counts::default();
    let mut passed = Vec::with_capacity(texts.len());
    for text in texts {
        let one = personal.boundary.pass(&text, &mut table);
        let one = one.map_err(|blocked| WithheldError(blocked.to_string()))?;
        for (kind, count) in one.counts.iter() {
            (0..count).for_each(|_| counts.add(kind));
        }
        passed.push(one.text.into_owned());
    }
    if !table.is_empty() {
        opened.is_shown_by(&run.carried());
    }
    Ok((passed, counts))
}
