//! A question in a client's own dialogue: MCP's elicitation in the form mode, and what comes back.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::error::QuestionError;
use crate::question::{Kind, Question, QuestionView};
use crate::store::Store;
use crate::text::{Room, text};

/// What is allowed for a session, as the dialogue and the page offer it: what it is called, what is
/// said of it, for how many seconds.
pub(crate) const SPANS: [(&str, &str, u64); 3] = [
    (
        "allow-session-15m",
        "allow for this session, 15 minutes",
        900,
    ),
    ("allow-session-1h", "allow for this session, 1 hour", 3_600),
    ("allow-session-1d", "allow for this session, 1 day", 86_400),
];

/// What somebody sees of a question in a dialogue: the calls that its message shows, not those that
/// it only counts. What they answer is to [be given](Store::answer) with this; the other calls are
/// asked about anew.
///
/// # Errors
///
/// [`QuestionError::Changed`]: nothing is asked.
pub fn seen(question: &Question, store: &Store) -> Result<QuestionView, QuestionError> {
    let calls = match question.kind {
        Kind::Calls => question.calls.len().min(Room::DIALOGUE.calls),
        // It is answered as a whole.
        Kind::Plan => question.calls.len(),
    };
    question.seen_with(calls, &store.0.keys)
}

/// The parameters of `elicitation/create` for a question: a message, and a form with an answer and
/// a reason. A plan of which it does not show all calls can only be denied here.
pub fn form(question: &Question) -> Map<String, Value> {
    let mut offered = offered(question);
    if question.kind == Kind::Plan && question.calls.len() > Room::DIALOGUE.calls {
        offered.retain(|(name, _)| *name == "deny");
    }
    let names: Vec<&str> = offered.iter().map(|(name, _)| *name).collect();
    let said: Vec<&str> = offered.iter().map(|(_, said)| *said).collect();
    let params = json!({
        "message": text(question, Room::DIALOGUE),
        "requestedSchema": {
            "type": "object",
            "properties": {
                "answer": { "type": "string", "title": "Answer", "enum": names, "enumNames": said },
                "reason": {
                    "type": "string", "title": "Reason, if denied", "maxLength": 2000,
                    "description": "the script sees it"
                },
            },
            "required": ["answer"],
        },
    });
    match params {
        Value::Object(params) => params,
        _ => Map::new(),
    }
}

/// The answers that are offered.
pub(crate) fn offered(question: &Question) -> Vec<(&'static str, &'static str)> {
    let mut offered = vec![("allow-once", "allow once, with these arguments")];
    if question.offers_run() {
        offered.push(("allow-run", "allow these tools for the rest of this run"));
    }
    if question.offers_session() {
        offered.extend(SPANS.iter().map(|(name, said, _)| (*name, *said)));
    }
    offered.push(("deny", "deny"));
    offered
}

/// The answer of this name.
pub(crate) fn named(name: &str, reason: &str, now: u64) -> Option<Answer> {
    let span = SPANS.iter().find(|(span, ..)| *span == name);
    Some(match (name, span) {
        ("allow-once", _) => Answer::AllowOnce,
        ("allow-run", _) => Answer::AllowRun,
        ("deny", _) => Answer::Deny {
            reason: reason.to_owned(),
        },
        (_, Some((_, _, seconds))) => Answer::AllowSession {
            until: now.saturating_add(*seconds),
        },
        _ => return None,
    })
}

/// What somebody answered in a dialogue, from its result: `action`, and `content`. None if they
/// gave no answer, such as by closing it: the question stays open then, for other places.
pub fn answer(result: &Map<String, Value>) -> Option<Answer> {
    let text = |of: &Map<String, Value>, key: &str| {
        let text = of.get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    match &*text(result, "action") {
        "decline" => Some(Answer::Deny {
            reason: String::new(),
        }),
        "accept" => {
            let content = result.get("content")?.as_object()?;
            let (answer, reason) = (text(content, "answer"), text(content, "reason"));
            named(&answer, &reason, crate::time::now())
        }
        _ => None,
    }
}
