//! `ampoule dev`: a server's tools as models see them, at each save of its source.
//!
//! - `target`: which server it is, and which files; `saves`: changes of these files
//! - `live`: the server, started anew for each save; `stderr`: what it prints meanwhile
//! - `view`: what is known of it then; `remarks`: what models and languages can't use of it;
//!   `difference`: what was different at the last save
//! - `written`: a call of a tool, as scripts write it; `calls`: calls that are made at each save
//! - `screen`: what people see of that, and programs

mod calls;
mod difference;
mod live;
mod remarks;
mod saves;
mod screen;
mod stderr;
mod target;
mod view;
mod written;

use std::process::ExitCode;

use clap::Args;
use futures::FutureExt;
use futures::future::BoxFuture;

use self::calls::ToolCall;
use self::difference::Difference;
use self::live::{LiveServer, LookError, Questions};
use self::saves::Saves;
use self::screen::{Report, Screen};
use self::stderr::ServerOutput;
use self::target::{Target, TargetArguments};
use self::view::{DeclarationLanguage, ServerView};
use super::exit::{self, Failure};
use super::output::Output;
use super::stop_signal::{self, StopSignal};
use super::streams;

const EXAMPLES: &str = "Examples:
  ampoule dev -- python server.py
  ampoule dev --call add_note '{\"text\": \"milk\"}' -- node dist/index.js
  ampoule dev notes --language python
  ampoule dev http://127.0.0.1:8000/mcp --watch src
  ampoule dev --once --json -- python server.py";

/// Shows a server's tools as models see them, at each save of its source.
///
/// For people who write MCP servers. The command starts the server and watches its files. At each
/// save it starts the server again and prints its tools: their signatures, what they cost a model in
/// tokens, a sample call, what a model can't use of them, and what changed since the last save.
/// Lines that the server prints to its standard error are shown as they come. If the server fails,
/// the command says why and waits for the next save. Ctrl-C ends the command and the server.
#[derive(Debug, Args)]
#[command(after_help = exit::DEV_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::DEV_HELP))]
pub(super) struct Dev {
    #[command(flatten)]
    target: TargetArguments,
    /// The language of signatures and sample calls.
    #[arg(long, value_enum, default_value_t = DeclarationLanguage::Typescript)]
    language: DeclarationLanguage,
    /// Prints the whole declaration of each tool, with its types and descriptions.
    #[arg(long)]
    types: bool,
    /// Calls a tool with these arguments at each save, and prints the answer. May be repeated.
    #[arg(long, num_args = 2, value_names = ["TOOL", "JSON"])]
    call: Vec<String>,
    /// Prints one report, and ends.
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    output: Output,
}

impl Dev {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let questions = Questions {
            language: self.language,
            calls: ToolCall::all(&self.call)?,
        };
        let target = Target::of(&self.target, !self.call.is_empty())?;
        let mut session = Session {
            questions,
            screen: Screen::new(self.output.as_json, self.types),
            stop: stop_signal::told_to_stop()?
                .map(|signal| ExitCode::from(StopSignal(signal)))
                .boxed(),
            // Before the first start, so that no save is missed.
            saves: Saves::of(target.places.clone()).await,
            target,
            is_once: self.once,
            changed: Vec::new(),
            reports: 0,
            last: None,
        };
        loop {
            let output = ServerOutput::new(&session.target.name, self.output.as_json);
            let server = LiveServer::new(&session.target, &output)?;
            let next = session.watch(&server).await;
            output.mute();
            server.close().await;
            if let Next::End(code) = next? {
                return finished(code).await;
            }
        }
    }
}

/// The command, from its first report to its end.
struct Session {
    target: Target,
    questions: Questions,
    screen: Screen,
    saves: Saves,
    /// The signal that ends the command, as an exit code.
    stop: BoxFuture<'static, ExitCode>,
    is_once: bool,
    /// The files that changed since the last report.
    changed: Vec<String>,
    reports: u64,
    /// The server at the last start that went well.
    last: Option<ServerView>,
}

/// What follows a server.
enum Next {
    /// Another start of it.
    Start,
    /// The command's end.
    End(ExitCode),
}

impl Session {
    /// Reports on a server that is starting, and waits for the next save.
    async fn watch(&mut self, server: &LiveServer) -> Result<Next, Failure> {
        let seen = tokio::select! {
            biased;
            code = &mut self.stop => return Ok(self.stopped(code)),
            files = self.saves.next(), if !self.is_once => return Ok(self.saved(files)),
            seen = server.look(&self.questions) => seen,
        };
        let code = self.report(seen)?;
        if self.is_once {
            return Ok(Next::End(code));
        }
        tokio::select! {
            biased;
            code = &mut self.stop => return Ok(self.stopped(code)),
            files = self.saves.next() => return Ok(self.saved(files)),
            why = server.ended() => self.screen.say_ended(&why),
        }
        tokio::select! {
            biased;
            code = &mut self.stop => Ok(self.stopped(code)),
            files = self.saves.next() => Ok(self.saved(files)),
        }
    }

    /// The end by a signal: the regular one, unless a report was wanted.
    fn stopped(&self, code: ExitCode) -> Next {
        Next::End(match self.is_once {
            true => code,
            false => ExitCode::SUCCESS,
        })
    }

    fn saved(&mut self, files: Vec<String>) -> Next {
        self.changed.extend(files);
        self.changed.sort();
        self.changed.dedup();
        Next::Start
    }

    /// Shows what was seen of the server, and says which exit code it means.
    fn report(&mut self, seen: Result<ServerView, LookError>) -> Result<ExitCode, Failure> {
        let seen = match seen {
            Ok(view) => Ok(view),
            Err(LookError::Server(why)) => Err(why),
            Err(LookError::Host(failure)) => return Err(failure),
        };
        let difference = match (&self.last, &seen) {
            (Some(last), Ok(view)) => Some(Difference::between(last, view)),
            _ => None,
        };
        self.reports += 1;
        self.screen.show(&Report {
            number: self.reports,
            saved: &self.changed,
            seen: seen.as_ref().map_err(String::as_str),
            difference: difference.as_ref(),
        });
        if self.reports == 1 && !self.is_once {
            self.screen.say_watched(&self.target, self.saves.note());
        }
        self.changed.clear();
        let is_sound = seen.as_ref().is_ok_and(ServerView::is_sound);
        self.last = seen.ok().or(self.last.take());
        Ok(match is_sound {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }
}

/// The exit code, once the output is written.
async fn finished(code: ExitCode) -> Result<ExitCode, Failure> {
    let out = streams::out();
    out.drained(None).await;
    match out.fault() {
        Some(fault) => Err(fault.into()),
        None => Ok(code),
    }
}
