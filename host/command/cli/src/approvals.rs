//! `ampoule approvals`: calls that wait for a person, answered on the command line.

use std::process::ExitCode;
use std::time::Duration;

use ampoule_approvals::text::{Room, answered, line, text};
use ampoule_approvals::{
    Answer, AnswerRecord, AnswerSource, Answerer, PersonAnswer, QuestionEntry, QuestionError,
    QuestionId, State, Store,
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
/// A script whose call needs an approval waits, for days if need be, even across a restart. An
/// answer covers exactly the calls and arguments shown, once. [approvals], [roles] and policies say
/// which calls need an approval.
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
        /// Also lists answered and expired questions.
        #[arg(long)]
        all: bool,
    },
    /// Shows a question: each call with its arguments, and what the run has done so far.
    Show {
        /// The question: the beginning of its id.
        id: String,
    },
    Allow(Allow),
    /// Denies the calls.
    Deny {
        /// The question: the beginning of its id.
        id: String,
        /// The reason, which the script gets.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
}

/// Allows the calls, once, with these arguments.
#[derive(Debug, Args)]
struct Allow {
    /// The question: the beginning of its id.
    id: String,
    /// Allows these tools for the rest of the run, without further questions.
    #[arg(long, conflicts_with = "session")]
    run: bool,
    /// Allows these tools in all runs of the session for this long, such as `1h`.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    session: Option<Duration>,
    /// Allows only the calls with these numbers, separated by commas, and denies the others.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    only: Option<Vec<u32>>,
    /// The code that `show` printed: allows nothing if a call was added since.
    #[arg(long, value_name = "CODE")]
    seen: Option<String>,
}

impl Approvals {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read()?;
        // Looking alone creates no folder.
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
            streams::err().note("no open questions");
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
                "to allow exactly this: `ampoule approvals allow {id} --seen {code}`; to deny it: `ampoule approvals deny {id}`"
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
        let given = store.answer(id, PersonAnswer { seen, answer, only }, by)?;
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

    /// Checks that the question is the one that was shown.
    fn check(&self, listed: &QuestionEntry, store: &Store) -> Result<(), Failure> {
        match &self.seen {
            Some(seen) if *seen != code(listed, store)? => Err(QuestionError::Changed.into()),
            _ => Ok(()),
        }
    }
}

/// The code that binds an answer to the calls shown, as people copy it.
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

/// The request can't be done, or the folder can't be used.
impl From<QuestionError> for Failure {
    fn from(problem: QuestionError) -> Self {
        match problem {
            QuestionError::Folder(_) => Self::host(&problem),
            problem => Self::usage(problem.to_string()),
        }
    }
}
