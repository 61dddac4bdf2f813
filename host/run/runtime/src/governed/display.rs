//! What is shown of a run: its events while it is under way, and its outcome.

use ampoule_governance::{EndFacts, GovernedOutcome, GovernedRun, OpenRun};
use ampoule_isolate::{Ending, Event, Events, Observers, Outcome, Thrown};
use serde_json::value::RawValue;

use super::written;

/// Tells observers what happens in a run, as far as they may know.
pub(super) async fn told(run: OpenRun, mut events: Events, mut observers: Observers) {
    while let Some(happened) = events.next().await {
        let mut event = happened.event.clone();
        let passed = match &mut event {
            Event::Output(line) => run.to_model(&mut [&mut line.text]).await.is_ok(),
            Event::Progress { text, .. } => {
                // How far it is, is not a secret; what it says of that may be.
                let _ = run.to_model(&mut [text]).await;
                true
            }
            Event::ToolsAwaited {
                server: Some(name), ..
            } => {
                let _ = run.to_model(&mut [name]).await;
                true
            }
            _ => true,
        };
        if passed {
            observers.tell(|| event);
        }
    }
}

/// The outcome as it is shown.
pub(super) async fn ended(run: GovernedRun, mut outcome: Outcome) -> Outcome {
    let ended = summary(&outcome);
    let mut value = match &mut outcome.ending {
        Ending::Returned(value) => value
            .take()
            .map(|value| String::from(Box::<str>::from(value))),
        _ => None,
    };
    let mut emitted = as_texts(std::mem::take(&mut outcome.emitted));
    let mut error_content = as_texts(std::mem::take(&mut outcome.error_content));
    let GovernedOutcome { shown, carried } = {
        let mut texts = texts(&mut outcome);
        texts.extend(&mut emitted);
        texts.extend(&mut error_content);
        texts.extend(&mut value);
        run.end(&mut texts, ended).await
    };
    outcome.carried = written(&carried);
    if let Ending::Returned(returned) = &mut outcome.ending {
        *returned = value.and_then(as_json);
    }
    outcome.emitted = emitted.into_iter().filter_map(as_json).collect();
    outcome.error_content = error_content.into_iter().filter_map(as_json).collect();
    if let Err(withheld) = shown {
        withhold(&mut outcome, withheld.to_string());
    }
    outcome
}

fn as_texts(values: Vec<Box<RawValue>>) -> Vec<String> {
    let values = values.into_iter();
    values.map(|value| Box::<str>::from(value).into()).collect()
}

/// What is left of a value.
fn as_json(text: String) -> Option<Box<RawValue>> {
    RawValue::from_string(text).ok()
}

/// What is known of a run that is over.
fn summary(outcome: &Outcome) -> EndFacts {
    let usage = &outcome.usage;
    let bytes = usage.calls.iter().map(|call| call.result_bytes);
    EndFacts {
        outcome: outcome.ending.name().into(),
        limit: match &outcome.ending {
            Ending::Limit(hit) => Some(hit.limit.name().into()),
            _ => None,
        },
        fuel: usage.fuel,
        took: usage.wall_time,
        isolate_time: usage.wall_time,
        calls: usage.calls.len() as u64,
        bytes: bytes.sum(),
        ..EndFacts::default()
    }
}

/// All that a script may have written into an outcome, but for its value.
fn texts(outcome: &mut Outcome) -> Vec<&mut String> {
    let mut texts: Vec<&mut String> = outcome.output.texts_mut().collect();
    match &mut outcome.ending {
        Ending::Threw(Thrown {
            name,
            message,
            location,
            stack,
            causes,
        }) => {
            texts.extend([name, message, stack]);
            texts.extend(causes);
            if let Some(location) = location {
                texts.extend([&mut location.module, &mut location.text]);
            }
        }
        Ending::Trapped(trapped) => texts.push(&mut trapped.message),
        Ending::Interrupted(interrupted) => texts.push(&mut interrupted.message),
        _ => {}
    }
    if let Some(log) = &mut outcome.call_log {
        texts.extend(log.calls.iter_mut().map(|call| &mut call.arguments));
    }
    if let Some(undo) = &mut outcome.undo {
        texts.extend(undo.calls.iter_mut().map(|call| &mut call.arguments));
        texts.extend(undo.irreversible.iter_mut().map(|lost| &mut lost.why));
    }
    if let Some(session) = &mut outcome.session {
        texts.extend(&mut session.notes);
    }
    texts
}

/// Nothing of it is shown but how it ended, and why that is so.
fn withhold(outcome: &mut Outcome, why: String) {
    outcome.output = Default::default();
    outcome.emitted.clear();
    outcome.error_content.clear();
    match &mut outcome.ending {
        Ending::Threw(thrown) => {
            *thrown = Thrown {
                name: "Withheld".to_owned(),
                message: why.clone(),
                location: None,
                stack: String::new(),
                causes: Vec::new(),
            };
        }
        Ending::Trapped(trapped) => trapped.message.clone_from(&why),
        Ending::Interrupted(interrupted) => interrupted.message.clone_from(&why),
        _ => {}
    }
    (outcome.call_log, outcome.undo) = (None, None);
    if let Some(session) = &mut outcome.session {
        session.notes.clear();
    }
    outcome.withheld = Some(why);
}
