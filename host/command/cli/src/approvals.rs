//! `ampoule approvals`: what scripts wait for, answered by who sits at the machine.

use std::process::ExitCode;
use std::time::Duration;

use ampoule_approvals::text::{Room, answered, line, text};
use ampoule_approvals::{
    Answer, AnswerRecord, AnswerSource, Answerer, QuestionEntry, QuestionError, QuestionId, State,
    Store,
};
use ampoule_configured::governed;
use ampoule_untrusted::text::one_line;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::exit::{self, Failure};
use super::governance::terminal::{until, who};
use super::output::Output;
use super::setup::Setup;
use super::streams;

const EXAMPLES: &str = "Examples:
  ampoule approvals
  ampoule approvals show 3f2a91c0
  ampoule approvals allow 3f2a91c0
  ampoule approvals allow 3f2a91c0 --session 1h
  ampoule approvals deny 3f2a91c0 --reason 'not on a Friday'";

/// Lists calls that wait for a person, and allows or denies them.
///
/// A script whose call needs somebody's consent waits, for days if need be, also over a restart. An
/// answer covers exactly the calls and arguments that were shown, once. Before
/// which calls somebody is asked is said by [approvals], [roles] and policies.
#[derive(Debug, Args)]
#[command(after_help = exit::APPROVALS_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::APPROVALS_HELP))]
pub(super) struct Approvals {
    #[command(subcommand)]
    what: Option<Task>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists open questions, the oldest first (the default).
    Ls {
        /// Those that were answered, too, and those that nobody answered in time.
        #[arg(long)]
        all: bool,
    },
    /// Shows a question: each call with its arguments, and what the run has done so far.
    Show {
        /// Which: the beginning of its id.
        id: String,
    },
    Allow(Allow),
    /// Denies the calls.
    Deny {
        /// Which: the beginning of the question's id.
        id: String,
        /// Why: the script is told.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

/// Allows the calls, once, with these arguments.
#[derive(Debug, Args)]
struct Allow {
    /// Which: the beginning of the question's id.
    id: String,
    /// Lets the run call these tools from now on without asking.
    #[arg(long, conflicts_with = "session")]
    run: bool,
    /// Lets all runs of the session call them for so long, such as `1h`.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    session: Option<Duration>,
    /// Allows only the calls of these numbers, separated by commas; the others are denied.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only: Option<Vec<u32>>,
    /// Allows nothing if another call was added since `show` printed this.
    #[arg(long, value_name = "CODE")]
    seen: Option<String>,
}

impl Approvals {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read()?;
        // Who only looks makes no folder.
        if !governed::questions()?.is_dir() && matches!(self.what, None | Some(Task::Ls { .. })) {
            self.list(&[]);
            return Ok(ExitCode::SUCCESS);
        }
        let store = governed::store(&config.governance.approvals)?;
        match self.what.as_ref() {
            None => self.list(&all(&store, false)?),
            Some(Task::Ls { all: whole }) => self.list(&all(&store, *whole)?),
            Some(Task::Show { id }) => self.show(&store, id)?,
            Some(Task::Allow(allow)) => {
                let listed = store.find(&allow.id)?;
                allow.check(&listed, &store)?;
                let answer = allow.answer();
                self.answer(&store, &listed, answer, allow.only.clone())?;
            }
            Some(Task::Deny { id, reason }) => {
                let reason = reason.clone();
                let listed = store.find(id)?;
                self.answer(&store, &listed, Answer::Deny { reason }, None)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn list(&self, listed: &[QuestionEntry]) {
        let out = streams::out();
        if self.output.as_json {
            let listed: Vec<Value> = listed.iter().map(document).collect();
            return out.json(&json!(listed).to_string());
        }
        if listed.is_empty() {
            streams::err().note("nobody waits for an answer");
        }
        for question in listed {
            out.line(out.wrapped(&line(question), "", "  "));
        }
    }

    fn show(&self, store: &Store, id: &str) -> Result<(), Failure> {
        let listed = store.find(id)?;
        let code = code(&listed, store)?;
        let out = streams::out();
        if self.output.as_json {
            let mut document = document(&listed);
            document["seen"] = json!(code);
            out.json(&document.to_string());
            return Ok(());
        }
        out.line(out.indented(text(&listed.question, Room::TERMINAL).trim_end()));
        let id = listed.question.id.short();
        match &listed.state {
            State::Open => streams::err().note(format_args!(
                "`ampoule approvals allow {id} --seen {code}` allows exactly this, `ampoule approvals deny {id}` does not"
            )),
            State::Answered(given) => out.line(out.prose(&answered(given))),
            State::Expired => out.line("nobody answered in time"),
        }
        Ok(())
    }

    fn answer(
        &self,
        store: &Store,
        listed: &QuestionEntry,
        answer: Answer,
        only: Option<Vec<u32>>,
    ) -> Result<(), Failure> {
        let id = listed.question.id;
        let by = Answerer::new(&who(), AnswerSource::CommandLine);
        let seen = listed.seen(store)?;
        let given = store.answer(id, (seen, answer, only), by)?;
        let out = streams::out();
        match self.output.as_json {
            true => out.json(&json!({ "question": id, "given": given }).to_string()),
            false => say(id, listed, &given),
        }
        Ok(())
    }
}

/// Says what was answered, to which calls.
fn say(id: QuestionId, listed: &QuestionEntry, given: &AnswerRecord) {
    let out = streams::out();
    out.line(out.prose(&format!("{}: {}", id.short(), answered(given))));
    let is_meant = |number: u32| {
        given
            .only
            .as_ref()
            .is_none_or(|only| only.contains(&number))
    };
    for call in &listed.question.calls {
        let name = one_line(&call.full_name()).into_owned();
        let not = match is_meant(call.number) {
            true => "",
            false => ", which is denied",
        };
        out.line(out.wrapped(&format!("call {}: {name}{not}", call.number), "  ", "    "));
    }
}

impl Allow {
    fn answer(&self) -> Answer {
        match (self.run, self.session) {
            (true, _) => Answer::AllowRun,
            (false, Some(span)) => Answer::AllowSession { until: until(span) },
            (false, None) => Answer::AllowOnce,
        }
    }

    /// What is asked is what was shown.
    fn check(&self, listed: &QuestionEntry, store: &Store) -> Result<(), Failure> {
        match &self.seen {
            Some(seen) if *seen != code(listed, store)? => Err(QuestionError::Changed.into()),
            _ => Ok(()),
        }
    }
}

/// What binds an answer to what was shown, as people copy it.
fn code(listed: &QuestionEntry, store: &Store) -> Result<String, Failure> {
    let digest = listed.seen(store)?.digest.to_string();
    Ok(digest.chars().take(16).collect())
}

fn all(store: &Store, whole: bool) -> Result<Vec<QuestionEntry>, Failure> {
    let mut found = Vec::new();
    for listed in store.list()? {
        match listed {
            Ok(listed) if whole || listed.state == State::Open => found.push(listed),
            Ok(_) => {}
            Err(problem) => Failure::from(problem).warn(),
        }
    }
    Ok(found)
}

fn document(listed: &QuestionEntry) -> Value {
    let (state, given) = match &listed.state {
        State::Open => ("open", None),
        State::Answered(given) => ("answered", Some(given)),
        State::Expired => ("expired", None),
    };
    json!({ "state": state, "given": given, "question": listed.question })
}

/// What was asked for can't be done; or the folder can't be used.
impl From<QuestionError> for Failure {
    fn from(problem: QuestionError) -> Self {
        match problem {
            QuestionError::Folder(_) => Self::host(&problem),
            problem => Self::usage(problem.to_string()),
        }
    }
}
