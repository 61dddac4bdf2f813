//! A question as plain text: for a terminal, and for a client's own dialogue.
//!
//! What comes from a script or a server stands behind a bar, or in one line, without anything that
//! is not seen: nothing of it can look like the question itself.

use std::fmt::Write as _;

use crate::answer::{Answer, AnswerRecord};
use crate::arguments::{Form, bounded, name};
use crate::question::{Kind, ProposedCall, Question};
use crate::store::{QuestionEntry, State};
use crate::time;

/// How much of a question is written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many calls are shown with their arguments; of the others the tools are named.
    pub calls: usize,
    /// How many lines of an argument.
    pub lines: usize,
    /// How many bytes of one line.
    pub line_bytes: usize,
}

impl Room {
    /// For a terminal: all that is kept of it.
    pub const TERMINAL: Self = Self {
        calls: usize::MAX,
        lines: usize::MAX,
        line_bytes: usize::MAX,
    };
    /// For a client's dialogue.
    pub const DIALOGUE: Self = Self {
        calls: 8,
        lines: 12,
        line_bytes: 400,
    };
}

/// A question as text.
pub fn text(question: &Question, room: Room) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write_question(&mut text, question, room);
    text
}

/// A question on one line, for a list.
pub fn line(listed: &QuestionEntry) -> String {
    let QuestionEntry { question, state } = listed;
    let state = match state {
        State::Open => "open".to_owned(),
        State::Expired => "expired".to_owned(),
        State::Answered(given) => answered(given),
    };
    format!(
        "{}  {}  {}  {}  {state}",
        question.id.short(),
        time::shown(question.asked_at),
        name(question.caller.principal.as_deref().unwrap_or("(local)")),
        summary(question),
    )
}

/// What was answered, by whom, when.
pub fn answered(given: &AnswerRecord) -> String {
    let what = match &given.answer {
        Answer::AllowOnce => "allowed once".to_owned(),
        Answer::AllowRun => "allowed for the run".to_owned(),
        Answer::AllowSession { until } => {
            format!("allowed for the session until {}", time::shown(*until))
        }
        Answer::Deny { .. } => "denied".to_owned(),
    };
    format!(
        "{what} by {} at {}",
        name(&given.by.who),
        time::shown(given.at)
    )
}

/// How many calls of which tools.
pub fn summary(question: &Question) -> String {
    let tools = question.tools();
    let mut named: Vec<String> = tools
        .iter()
        .take(5)
        .map(|(tool, calls)| match calls {
            1 => tool.clone(),
            calls => format!("{tool} × {calls}"),
        })
        .collect();
    if tools.len() > 5 {
        named.push(format!("and {} more tools", tools.len() - 5));
    }
    named.join(", ")
}

type WriteResult = std::fmt::Result;

fn write_question(to: &mut String, question: &Question, room: Room) -> WriteResult {
    let calls = question.calls.len();
    let (what, plural) = match (question.kind, calls) {
        (Kind::Calls, 1) => ("A script waits with this call", ""),
        (Kind::Calls, _) => ("A script waits with calls", "s"),
        (Kind::Plan, _) => (
            "A script was tried, and would make, in this order, call",
            "s",
        ),
    };
    match calls {
        1 if question.kind == Kind::Calls => writeln!(to, "{what}: {}", summary(question))?,
        _ => writeln!(to, "{what} ({calls} call{plural}): {}", summary(question))?,
    }
    write!(to, "Run {}", name(&question.caller.run))?;
    let caller = &question.caller;
    let about = [
        ("for", &caller.principal),
        ("client", &caller.client),
        ("toolkit", &caller.toolkit),
        ("session", &caller.session),
    ];
    for (what, who) in about {
        if let Some(who) = who {
            write!(to, ", {what} {}", name(who))?;
        }
    }
    writeln!(
        to,
        "; to be answered before {}.",
        time::shown(question.expires_at)
    )?;
    if !question.done.is_empty() {
        writeln!(to, "Done so far: {}.", done(question))?;
    }
    for call in question.calls.iter().take(room.calls) {
        write_call(to, call, room)?;
    }
    let left = calls.saturating_sub(room.calls);
    if left > 0 {
        let then = match question.kind {
            Kind::Calls => "they are asked about after these",
            Kind::Plan => "a person who has not seen them can only deny the plan",
        };
        writeln!(
            to,
            "\nAnd {left} more calls, which are not shown here: {then}. `ampoule approvals ls {}` shows them.",
            question.id.short()
        )?;
    }
    Ok(())
}

/// What the run has done so far.
pub(crate) fn done(question: &Question) -> String {
    let done = question.done.iter().map(|done| {
        let tool = name(&format!("{}.{}", done.server, done.tool));
        match done.failed {
            0 => format!("{tool} × {}", done.answered),
            failed => format!("{tool} × {} ({failed} failed)", done.answered),
        }
    });
    done.collect::<Vec<_>>().join(", ")
}

/// Where a call is made, and why it is asked about.
pub(crate) fn because(call: &ProposedCall) -> String {
    let line = call.line.map(|line| format!("line {line}; "));
    let why = match &*call.reason {
        "" => "no reason given",
        reason => reason,
    };
    let policy = name(&call.policy);
    format!("{}policy `{policy}`: {why}", line.unwrap_or_default())
}

fn write_call(to: &mut String, call: &ProposedCall, room: Room) -> WriteResult {
    writeln!(to, "\n[{}] {}", call.number, call.full_name())?;
    writeln!(to, "    {}", because(call))?;
    for argument in &call.arguments {
        match argument.form {
            Form::Hidden => {
                writeln!(to, "    {} = {}", argument.name, argument.text)?;
                continue;
            }
            Form::Text => writeln!(to, "    {} (text):", argument.name)?,
            Form::Json => writeln!(to, "    {} (JSON):", argument.name)?,
        }
        let lines: Vec<&str> = argument.text.split('\n').collect();
        for line in lines.iter().take(room.lines) {
            let line = match line.len() > room.line_bytes {
                true => bounded(line, room.line_bytes),
                false => (*line).to_owned(),
            };
            writeln!(to, "    │ {line}")?;
        }
        if lines.len() > room.lines {
            writeln!(
                to,
                "    └ {} more lines are not shown here",
                lines.len() - room.lines
            )?;
        }
        if argument.left_out > 0 {
            writeln!(to, "    └ {} more bytes are not shown", argument.left_out)?;
        }
    }
    if call.more_arguments > 0 {
        writeln!(
            to,
            "    └ {} more arguments are not shown",
            call.more_arguments
        )?;
    }
    Ok(())
}
