//! `ampoule run`: a script or a component, once.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::{
    Check, Code, Ending, Error, Event, Grant, GrantedTools, Keep, Language, Level, Limits, Line,
    Outcome, Quota, Runtime, SessionEnd, Workspace,
};
use ampoule_configured::governed;
use ampoule_limits::units;
use ampoule_server::content::blocks::{self, Part};
use ampoule_server::content::media::{self, ReadableText};
use ampoule_untrusted::{json, text};
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;

use super::activity::Activity;
use super::asking::{self, Person};
use super::code::{CodeArguments, CodeInput};
use super::cost::Cost;
use super::exit::{self, Failure};
use super::output::Output;
use super::setup::{self, Cancellation, ConfiguredRuntime, Remarks, Setup};
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

/// Says where to find the bytes that are not printed with a value.
pub(super) const BYTES_APART: &str = "the value has bytes: `--json` prints them under `media`";

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
        let ended = setup::until_stopped(runtime, stopping, running).await;
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
        let has_bytes = print(&outcome, language, self.output.as_json);
        if has_bytes && !self.quiet {
            streams::err().note(BYTES_APART);
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
            let cost = Cost::new(&outcome.usage, definitions, code_bytes);
            say_usage(&outcome, language.filter(|_| looked_at), &cost);
        } else if let Some(lost) = self.lost(&outcome) {
            streams::err().warning(said_of(lost));
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
                    print_line(line);
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

/// Prints a line of a run's output to its stream, with a short line for each image and other bytes
/// in it.
pub(super) fn print_line(line: &Line) {
    let stream = match line.level {
        Level::Warn | Level::Error => streams::err(),
        _ => streams::out(),
    };
    stream.foreign_line(&media::shown(&line.text).text);
}

/// Prints how a run ended: as one document with its output, or its value alone. A value that
/// policies withhold is reported as such. Returns whether the value has bytes that only the
/// document shows.
pub(super) fn print(outcome: &Outcome, language: Option<Language>, as_document: bool) -> bool {
    if as_document {
        let document = Document { outcome, language };
        // Texts and numbers alone can always be written.
        let text = serde_json::to_string(&document).unwrap_or_default();
        streams::out().json(&json::indented(&with_media_apart(outcome, text)));
        return false;
    }
    if let Some(withheld) = &outcome.withheld {
        streams::err().warning(withheld);
        return false;
    }
    let mut has_bytes = false;
    for value in &outcome.emitted {
        has_bytes |= print_value(value);
    }
    match &outcome.ending {
        Ending::Returned(None) => {}
        Ending::Returned(Some(value)) => has_bytes |= print_value(value),
        ended => {
            streams::err().ended(ended);
            if let Some(log) = &outcome.call_log {
                let log = streams::err().prose(&log.to_string());
                streams::err().line(log);
            }
        }
    }
    has_bytes
}

/// Prints a value. Returns whether it has bytes that only the document shows.
fn print_value(value: &RawValue) -> bool {
    let mut has_bytes = false;
    for part in blocks::parts(value) {
        match part {
            Part::Text(text) => {
                let ReadableText { text, media } = media::shown(&text);
                streams::out().foreign_line(&text);
                has_bytes |= !media.is_empty();
            }
            Part::Json(value) => {
                let ReadableText { text, media } = media::shown_in(value);
                streams::out().json(&json::indented(&text));
                has_bytes |= !media.is_empty();
            }
            Part::Block(block) => match block.text() {
                Some(text) => streams::out().foreign_line(text),
                None => streams::out().line(block),
            },
        }
    }
    has_bytes
}

/// A document whose texts have a line for each image and other bytes; the bytes follow as `media`.
/// A value that is a content block stays as it was written.
fn with_media_apart(outcome: &Outcome, document: String) -> String {
    if let Ending::Returned(Some(value)) = &outcome.ending {
        let parts = blocks::parts(value);
        if parts.iter().any(|part| matches!(part, Part::Block(_))) {
            return document;
        }
    }
    let ReadableText { text, media } = media::shown_in(document.into());
    let mut text = text.into_owned();
    let whole: Vec<_> = media.iter().filter(|media| media.left_out == 0).collect();
    if !whole.is_empty() && text.ends_with('}') {
        let media = serde_json::to_string(&whole).unwrap_or_default();
        text.truncate(text.len() - 1);
        text.push_str(&format!(",\"media\":{media}}}"));
    }
    text
}

fn say_usage(outcome: &Outcome, looked_like: Option<Language>, cost: &Cost) {
    let usage = &outcome.usage;
    let language = looked_like.map_or_else(String::new, |language| {
        format!("{} (guessed from the code); ", language.title())
    });
    streams::err().note(format_args!(
        "{language}{:.0?}, {} {}, {:.1} million units of fuel, {:.1} MiB of memory",
        usage.wall_time,
        usage.calls.len(),
        if usage.calls.len() == 1 {
            "call"
        } else {
            "calls"
        },
        usage.fuel as f64 / 1e6,
        usage.peak_memory_bytes as f64 / f64::from(1 << 20),
    ));
    if let Some(session) = &outcome.session {
        streams::err().note(said_of(session));
    }
    if !usage.calls.is_empty() {
        streams::err().note(cost.line(usage.calls.len()));
    }
}

/// The state of the session after the run.
pub(super) fn said_of(session: &SessionEnd) -> String {
    let SessionEnd { name, run, .. } = session;
    let mut said = match session.kept {
        true => format!(
            "session {name}: saved run {run}, {:.1} KiB",
            session.bytes as f64 / 1024.0
        ),
        false => format!("session {name} stays at run {run}"),
    };
    for note in &session.notes {
        said += "; ";
        said += note;
    }
    said
}

/// The outcome as one JSON document, with the language of a script.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
}
