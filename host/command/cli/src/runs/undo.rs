//! `ampoule runs undo`: takes back the calls of a failed run.

use std::process::ExitCode;

use ampoule::{Ending, Error, Grant, Outcome, Runtime, UndoOffer};
use ampoule_configured::governed;
use ampoule_untrusted::text::one_line;
use clap::Args;

use super::records;
use crate::asking::{self, Person};
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::{ConfiguredRuntime, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::{outcome, streams};

const EXAMPLES: &str = "Examples:
  ampoule runs undo
  ampoule runs undo d365-17
  ampoule runs undo d365-17 --yes --json";

/// How many records are looked at for one whose calls can be taken back.
const MOST_LOOKED_AT: usize = 50;

/// Takes back the calls of a failed run, the newest first, until one fails.
///
/// The configuration says what takes a call back (`tools.undo` of a server), and the run needs a
/// record. The command shows the calls and asks. It makes them as the calls of a run, which roles,
/// policies and approvals govern as destructive calls. A run is undone once.
#[derive(Debug, Clone, Args)]
#[command(after_help = exit::UNDO_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::UNDO_HELP))]
pub(super) struct UndoRun {
    /// The run's id, or the end of the id. Default: the newest failed run whose calls can be taken back.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Takes the calls back without asking.
    #[arg(long)]
    yes: bool,
}

impl UndoRun {
    pub(super) async fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let ConfiguredRuntime {
            runtime, governed, ..
        } = setup.running()?;
        let stopping = Cancellation::default();
        let running = {
            let (runtime, stopping) = (runtime.clone(), stopping.clone());
            async move { self.undo(&runtime, output, &stopping).await }
        };
        let ended = stop_signal::until_stopped(runtime, stopping, running).await;
        governed::closed(governed).await;
        ended.unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn undo(
        self,
        runtime: &Runtime,
        output: Output,
        stopping: &Cancellation,
    ) -> Result<ExitCode, Failure> {
        let offer = match &self.id {
            Some(id) => runtime.undo_offer_of_anybody(id).await?,
            None => newest(runtime).await?,
        };
        if !self.yes {
            say(&offer);
            if !offer.calls.is_empty() && !agreed(offer.calls.len()).await? {
                streams::err().note("nothing was taken back");
                return Ok(ExitCode::SUCCESS);
            }
        }
        let isolate = runtime.undo_of_anybody(&offer.run.to_string()).await?;
        let isolate = match Person::at_terminal() {
            Some(person) => isolate.respondent(person),
            None => isolate,
        };
        let run = isolate.grant(Grant::all()).start().await?;
        stopping.cancels(&run);
        let outcome = run.outcome().await?;
        say_end(&offer, &outcome, output.as_json);
        Ok(exit::code_of(&outcome.ending))
    }
}

/// The newest failed run whose calls can be taken back.
async fn newest(runtime: &Runtime) -> Result<UndoOffer, Failure> {
    let mut looked_at = 0;
    for record in records::listed(runtime)? {
        if record.ended.ending == "returned" {
            continue;
        }
        match runtime.undo_offer_of_anybody(&record.head.run).await {
            Ok(offer) if !offer.calls.is_empty() => return Ok(offer),
            Ok(_) => {}
            Err(error) if error.is_request() => {}
            Err(error) => return Err(error.into()),
        }
        looked_at += 1;
        if looked_at == MOST_LOOKED_AT {
            break;
        }
    }
    let none = Error::request(
        "no recorded run has calls that can be taken back; `ampoule runs` lists the recorded runs",
    );
    Err(none.into())
}

/// The calls that take something back, and those that nothing takes back.
fn say(offer: &UndoOffer) {
    let err = streams::err();
    err.note(format_args!(
        "calls of the run {}, newest first:",
        offer.run
    ));
    for call in &offer.calls {
        let line = format!("{} takes back {}", call.text(), call.takes_back.text());
        err.line(err.indented(&format!("  {line}")));
    }
    for lost in &offer.irreversible {
        let line = format!(
            "{} can't be taken back: {}",
            lost.call.text(),
            one_line(&lost.why)
        );
        err.line(err.indented(&format!("  {line}")));
    }
    if offer.left_out > 0 {
        err.note(format_args!(
            "{} older calls can't be taken back: there was no room for them",
            offer.left_out
        ));
    }
}

/// Whether the person at the terminal wants it.
async fn agreed(calls: usize) -> Result<bool, Failure> {
    let Some(person) = Person::at_terminal() else {
        return Err(Failure::usage(
            "nobody can be asked, since this is not a terminal; add `--yes` to take these calls back",
        ));
    };
    let _attention = person.alone().await;
    let them = match calls {
        1 => "this call".to_owned(),
        many => format!("these {many} calls"),
    };
    let agreed = asking::agree(&format!("Make {them}? (y/n, Ctrl-C cancels)")).await;
    Ok(agreed.is_ok())
}

fn say_end(offer: &UndoOffer, outcome: &Outcome, as_json: bool) {
    if as_json || !matches!(outcome.ending, Ending::Returned(_)) {
        outcome::print(outcome, None, as_json);
        return;
    }
    for call in &offer.calls {
        streams::out().line(format_args!("took back {}", call.takes_back.text()));
    }
}
