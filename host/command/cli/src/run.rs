//! `ampoule run`: a script or a component, once.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::{
    Check, Code, Ending, Error, Event, Grant, GrantedTools, Keep, Limits, Outcome, Quota, Runtime,
    SessionEnd, Workspace,
};
use ampoule_configured::governed;
use ampoule_limits::units;
use ampoule_untrusted::text;
use clap::Args;

use super::activity::Activity;
use super::asking::{self, Person};
use super::code::{CodeArguments, CodeInput};
use super::cost::Cost;
use super::exit::{self, Failure};
use super::outcome;
use super::output::Output;
use super::setup::{self, ConfiguredRuntime, Remarks, Setup};
use super::stop_signal::{self, Cancellation};
use super::streams;
use super::toolkit::{self, ToolkitOption};

const EXAMPLES: &str = "Examples:
  ampoule run report.ts --tools 'github.get_*,time'
  ampoule run report.py
  ampoule run -e 'return (await tools.demo.listProducts()).items.length'
  ampoule run --language python -e '(await tools.demo.list_products()).total'
  ampoule run report.ts --json | jq .usage
  ampoule run report.wasm --arguments '{\"quarter\": 3}'";

/// Runs a script or a compiled component once, and prints its result.
///
/// The script's logs go to standard output, its warnings and errors to standard error, as in Node.
/// The result follows on standard output: text as it is, other values as JSON, an image as a
/// summary. What the run used is reported on standard error. With `--json` there is one document: how
/// the run ended, its value or error, its output, and what it used.
#[derive(Debug, Args)]
#[command(after_help = exit::HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::HELP))]
pub(super) struct Run {
    #[command(flatten)]
    code: CodeArguments,
    /// The tools that the run may call: `server`, `server.tool` or `server.get_*`, separated by
    /// commas. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    tools: Option<Grant>,
    #[command(flatten)]
    toolkit: ToolkitOption,
    /// How long the run may take, such as `30s`. Default: the configuration's `wall-time`.
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    timeout: Option<Duration>,
    /// How much memory the run may use, such as `64MiB`. Default: the configuration's `memory`.
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes)]
    memory: Option<u64>,
    /// How much the run may compute, in units of fuel: about one instruction each. Default: the
    /// configuration's `fuel`.
    #[arg(long, value_name = "UNITS", value_parser = units::parse_count)]
    fuel: Option<u64>,
    /// The folder whose files the run may read and write; created if missing. Changes appear in the
    /// folder when the run ends. Default: the configuration's `workspace`.
    #[arg(long, value_name = "FOLDER")]
    workspace: Option<PathBuf>,
    /// Continues a session: the run sees the top-level names of the session's last run. Starts the
    /// session if the name is new.
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Saves the session even if the run throws.
    #[arg(long, requires = "session")]
    keep_always: bool,
    /// Runs the code first without calls that may change something, shows those calls, and asks
    /// whether to make them. Default: the configuration's `approvals.preview`.
    #[arg(long)]
    preview: bool,
    /// Runs the code without first comparing its calls with the tools.
    #[arg(long)]
    no_check: bool,
    /// Writes a record for `ampoule runs replay`, whatever the configuration says.
    #[arg(long)]
    record: bool,
    #[command(flatten)]
    output: Output,
    /// Omits the report of what the run used from standard error.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    setup: Setup,
}

/// A folder as a workspace.
pub(super) fn opened(folder: &Path) -> Result<Arc<Workspace>, Failure> {
    Workspace::workspace(folder, Quota::default()).map_err(|error| {
        let folder = folder.to_string_lossy();
        Failure::usage(format!("--workspace {}: {error}", text::one_line(&folder)))
    })
}

/// The granted tools. Each pattern of the grant must match at least one.
pub(super) async fn granted(
    runtime: &Runtime,
    grant: Grant,
    remarks: &Remarks,
) -> Result<GrantedTools, Failure> {
    remarks.refuse(&grant)?;
    let tools = runtime.tools_of(grant, None, None)?;
    let mut misspelt = tools.idle_patterns();
    if !misspelt.is_empty() {
        // A list that an earlier process cached may lack a tool of a newer version.
        tools.refresh(None).await;
        misspelt = tools.idle_patterns();
    }
    match misspelt.into_iter().next() {
        Some(misspelt) => Err(Error::from(misspelt).into()),
        None => {
            toolkit::warn_of_idle(&tools);
            Ok(tools)
        }
    }
}

impl Run {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        if let Some(folder) = &self.workspace {
            governed::apart(&self.setup.read()?, folder, "--workspace", true)?;
        }
        let ConfiguredRuntime {
            runtime,
            remarks,
            governed,
            toolkits,
            ..
        } = self.setup.running()?;
        let grant = self.toolkit.narrow(self.grant(), &toolkits)?;
        let is_previewed = governed.as_ref().is_some_and(|it| it.previews);
        let given = self
            .code
            .read(|code| runtime.language_of(code, None, self.session.as_deref()))?;
        let stopping = Cancellation::default();
        let running = {
            let (runtime, stopping) = (runtime.clone(), stopping.clone());
            let this = Self {
                preview: self.preview || is_previewed,
                tools: Some(grant),
                ..self
            };
            async move { this.once(&runtime, given, &remarks, &stopping).await }
        };
        let ended = stop_signal::until_stopped(runtime, stopping, running).await;
        governed::closed(governed).await;
        ended.unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn once(
        &self,
        runtime: &Runtime,
        given: CodeInput,
        remarks: &Remarks,
        stopping: &Cancellation,
    ) -> Result<ExitCode, Failure> {
        let CodeInput {
            code,
            language,
            looked_at,
        } = given;
        let code = match (code, self.no_check) {
            (Code::Script(script), true) => script.check(Check::Off).into(),
            (code, _) => code,
        };
        let code_bytes = code.bytes();
        let tools = granted(runtime, self.grant(), remarks).await?;
        let limits = self.limits(runtime);
        let outcome = self
            .outcome(runtime, &tools, code, limits, stopping)
            .await?;
        let over = Instant::now() + limits.wall_time.saturating_sub(outcome.usage.wall_time);
        let has_bytes = outcome::print(&outcome, language, self.output.as_json);
        if has_bytes && !self.quiet {
            streams::err().note(outcome::BYTES_APART);
        }
        for disabled in remarks.disabled(&self.grant()) {
            streams::err().warning(disabled);
        }
        remarks.say_origin();
        if let (Some(run), false) = (&outcome.record, self.quiet) {
            streams::err().note(format_args!(
                "to replay this run: `ampoule runs replay {run}`"
            ));
        }
        if let (Some(offer), false) = (&outcome.undo, self.quiet || outcome.record.is_none())
            && !offer.calls.is_empty()
        {
            streams::err().note(format_args!(
                "to take back its calls: `ampoule runs undo {}`",
                offer.run
            ));
        }
        if !self.quiet {
            let definitions = setup::definition_bytes(&tools);
            let cost = {
                let hidden = outcome::hidden_bytes(&outcome);
                Cost::new(&outcome.usage, definitions, code_bytes, hidden)
            };
            outcome::say_usage(&outcome, language.filter(|_| looked_at), &cost);
        } else if let Some(lost) = self.lost(&outcome) {
            streams::err().warning(outcome::said_of(lost));
        }
        Ok(self
            .read_until(over, limits.wall_time)
            .await
            .unwrap_or_else(|| exit::code_of(&outcome.ending)))
    }

    /// The session, if the state that the run left could not be saved.
    fn lost<'a>(&self, outcome: &'a Outcome) -> Option<&'a SessionEnd> {
        let came_to_it = match outcome.ending {
            Ending::Returned(_) => true,
            _ => self.keep_always,
        };
        let session = outcome.session.as_ref().filter(|_| came_to_it)?;
        (!session.kept && !session.rewound).then_some(session)
    }

    fn grant(&self) -> Grant {
        self.tools.clone().unwrap_or_else(Grant::all)
    }

    async fn outcome(
        &self,
        runtime: &Runtime,
        tools: &GrantedTools,
        code: Code,
        limits: Limits,
        stopping: &Cancellation,
    ) -> Result<Outcome, Failure> {
        let waiting = (!self.quiet).then(|| Arc::new(streams::err().waiting()));
        if let Code::Component(component) = &code {
            if let Some(waiting) = &waiting {
                waiting.compiling("the component");
            }
            runtime.compile(component).await?;
        }
        let doing = |waiting| Activity::new(waiting, tools);
        let mut doing = waiting.clone().map(doing);
        let live = !self.output.as_json;
        let isolate = runtime
            .isolate(code)
            .grant(self.grant())
            .limits(limits)?
            .on_event(move |happened| {
                if let Some(doing) = &mut doing {
                    doing.hear(&happened.event);
                }
                if let (true, Event::Output(line)) = (live, &happened.event) {
                    outcome::print_line(line);
                }
            });
        let isolate = match &self.session {
            Some(name) => isolate.session(name),
            None => isolate,
        };
        let isolate = match self.record {
            true => isolate.record(Keep::All),
            false => isolate,
        };
        let isolate = match &self.workspace {
            Some(folder) => isolate.workspace(opened(folder)?),
            None => isolate,
        };
        let isolate = match self.keep_always {
            true => isolate.keep_always(),
            false => isolate,
        };
        let isolate = match self.preview {
            true => isolate.preview(),
            false => isolate,
        };
        let isolate = match Person::at_terminal() {
            Some(person) => {
                tools.can_be_answered(asking::abilities());
                isolate.respondent(person)
            }
            None => isolate,
        };
        let run = isolate.start().await?;
        stopping.cancels(&run);
        let outcome = run.outcome().await;
        if let Some(waiting) = waiting {
            waiting.end();
        }
        Ok(outcome?)
    }

    /// Waits until the run's output is read, or its wall time is over: then the run has hit that
    /// limit, whatever its outcome.
    async fn read_until(&self, over: Instant, wall_time: Duration) -> Option<ExitCode> {
        let lost = streams::out().drained(Some(over)).await;
        if lost > 0 {
            streams::err().failure(format_args!(
                "{lost} bytes of output were lost: nobody read them before the wall time of {} ran out",
                humantime::format_duration(wall_time)
            ));
        }
        let unsaid = streams::err().drained(Some(over)).await;
        (lost + unsaid > 0).then(|| exit::LIMIT.into())
    }

    fn limits(&self, runtime: &Runtime) -> Limits {
        let defaults = runtime.limits();
        Limits {
            wall_time: self.timeout.unwrap_or(defaults.wall_time),
            memory_bytes: self.memory.unwrap_or(defaults.memory_bytes),
            fuel: self.fuel.unwrap_or(defaults.fuel),
            ..*defaults
        }
    }
}
