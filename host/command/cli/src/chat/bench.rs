//! `ampoule chat bench`: tasks with checks, done by a model in several ways.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::Grant;
use ampoule_chat::agent::{
    self, Agent, AgentParts, Bounds, Ending, EventReceiver, Prices, Spending,
};
use ampoule_chat::bench::{Approval, Check, Report, Task, Try, Verdict, Way};
use ampoule_chat::conversation::Conversation;
use ampoule_chat::endpoint::Endpoint;
use ampoule_chat::script;
use ampoule_chat::tools::{CallRequest, CallWatch, Respondent, Toolbox};
use ampoule_configured::governed;
use ampoule_server::Server;
use clap::Args;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::interrupt::Signals;
use super::options::{BoundOptions, ModelOptions};
use super::start::prices;
use crate::exit::{self, Failure};
use crate::governance::Purpose;
use crate::output::Output;
use crate::setup::{ConfiguredRuntime, Setup};
use crate::streams;

/// Measures how a model does with tasks that have checks, in several ways to reach tools.
///
/// Each task runs by itself, in a folder of its own, with the demo server. The report has for each
/// way how many tasks were done, and how many requests, tokens and seconds, and how much money, they
/// took. It names each task that was not done.
#[derive(Debug, Args)]
#[command(after_help = exit::BENCH_HELP)]
pub(super) struct Bench {
    /// Files of tasks, or folders of such files.
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,
    /// The ways, separated by commas: `direct`, `call-tool`, `code`, `listed`, `searched`. Default: all.
    #[arg(long, value_name = "WAYS", value_delimiter = ',')]
    ways: Vec<Way>,
    /// Only the tasks whose names have this in them.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    bounds: BoundOptions,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// What all tries have in common.
struct Setting {
    endpoint: Endpoint,
    bounds: Bounds,
    prices: Option<Prices>,
}

/// A person who answers all approvals in the same way.
struct Approver(Approval);

impl Respondent for Approver {
    fn answer(&self, _: Value) -> BoxFuture<'_, Value> {
        let content = match self.0 {
            Approval::Allow => json!({ "answer": "allow-once" }),
            Approval::Deny => json!({ "answer": "deny", "reason": "not allowed" }),
        };
        async move { json!({ "action": "accept", "content": content }) }.boxed()
    }
}

impl Bench {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let mut signals = Signals::new()?;
        let tasks = Task::read(&self.files).map_err(|error| Failure::usage(error.to_string()))?;
        let is_meant = |task: &Task| {
            self.only
                .as_ref()
                .is_none_or(|only| task.name.contains(only))
        };
        let tasks: Vec<Task> = tasks.into_iter().filter(is_meant).collect();
        if tasks.is_empty() {
            return Err(Failure::usage(
                "no task has these names; check FILES and --only",
            ));
        }
        let config = self.setup.read_or_demo()?;
        let prices = prices(&config.chat);
        let setting = Setting {
            endpoint: self.model.endpoint(&config.chat, &config.tls)?,
            bounds: self.bounds.bounds(prices.is_some())?,
            prices,
        };
        let mut report = Report {
            model: setting.endpoint.model().to_owned(),
            ..Report::default()
        };
        let ways = match &self.ways[..] {
            [] => &Way::ALL,
            ways => ways,
        };
        let trying = try_all(&tasks, ways, &setting, &mut report);
        let stopped = tokio::select! {
            ended = trying => {
                ended?;
                None
            }
            signal = signals.next() => Some(signal.code()),
        };
        match self.output.as_json {
            true => streams::out()
                .line(serde_json::to_string(&report).map_err(|error| Failure::host(&error))?),
            false => streams::out().line(report.table()),
        }
        let lost = report.tries.iter().any(|one| !one.is_done);
        Ok(stopped
            .unwrap_or(if lost { exit::DIFFERS } else { 0 })
            .into())
    }
}

async fn try_all(
    tasks: &[Task],
    ways: &[Way],
    setting: &Setting,
    report: &mut Report,
) -> Result<(), Failure> {
    for &way in ways {
        for task in tasks {
            if !task.suits(way) {
                report
                    .unsuited
                    .push(format!("{} ({})", task.name, way.name()));
                continue;
            }
            let one = try_once(task, way, setting).await?;
            let mark = if one.is_done { "done" } else { "lost" };
            streams::err().note(format_args!("{mark}: {} ({})", task.name, way.name()));
            report.tries.push(one);
        }
    }
    Ok(())
}

/// The configuration of a task, in its folder.
fn configuration(task: &Task, way: Way, folder: &Path) -> Result<String, Failure> {
    let program = std::env::current_exe()?;
    let quoted = |path: &Path| Value::String(path.display().to_string()).to_string();
    let mut config = format!(
        "[servers.demo]\ncommand = {}\nargs = ['demo-server']\n\
         [workspace]\nfolder = {}\n[sessions]\nfolder = {}\n{}",
        quoted(&program),
        quoted(&folder.join("workspace")),
        quoted(&folder.join("sessions")),
        way.exposure()
    );
    if task.approval.is_some() {
        config += "[approvals]\nask = 'destructive'\n";
    }
    Ok(config)
}

async fn try_once(task: &Task, way: Way, setting: &Setting) -> Result<Try, Failure> {
    let folder = tempfile::tempdir()?;
    let config = folder.path().join("ampoule.toml");
    std::fs::write(&config, configuration(task, way, folder.path())?)?;
    let (sender, events) = agent::channel();
    let setup = Setup::of_file(config);
    let configured = setup.chatting(CallWatch::new(sender.clone()), &Purpose::Dialogue)?;
    let server = server(&configured)?;
    let person = task
        .approval
        .map(|approval| Arc::new(Approver(approval)) as Arc<dyn Respondent>);
    let host = |error: ampoule_chat::tools::ToolboxError| Failure::host(&error);
    let toolbox = Toolbox::connect(server.clone(), person)
        .await
        .map_err(host)?;
    let offered = toolbox
        .list()
        .await
        .map_err(host)?
        .into_iter()
        .map(|tool| tool.name);
    let toolbox = toolbox.offering(offered.filter(|name| way.shows(name)).collect());
    let mut agent = Agent::new(AgentParts {
        endpoint: setting.endpoint.clone(),
        toolbox,
        conversation: Conversation::default(),
        session: Some("bench".to_owned()),
        bounds: setting.bounds,
        prices: setting.prices,
        events: sender,
    })
    .await
    .map_err(host)?;
    // The check sees the same servers and files, by a client of its own whom nobody asks.
    let checking = Toolbox::connect(server, None).await.map_err(host)?;
    write_files(task, &checking).await?;
    let begun = Instant::now();
    let (spending, verdict) = work(task, &mut agent, events).await;
    let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let verdict = match (&task.check.state, verdict) {
        (Some(state), Verdict::Done) => judge_state(state, &checking).await?,
        (_, verdict) => verdict,
    };
    let cost = agent.cost(&spending);
    agent.close().await;
    checking.close().await;
    configured.runtime.close().await;
    governed::closed(configured.governed).await;
    Ok(Try {
        task: task.name.clone(),
        kind: task.kind.clone(),
        way,
        is_done: verdict == Verdict::Done,
        why: match verdict {
            Verdict::Done => None,
            Verdict::Wrong(why) => Some(why),
        },
        steps: spending.steps,
        calls: spending.calls,
        usage: spending.usage,
        cost,
        milliseconds,
    })
}

fn server(configured: &ConfiguredRuntime) -> Result<Server, Failure> {
    let runtime = configured.runtime.clone();
    let server = Server::new(runtime, Grant::all(), &configured.components)?;
    let server = server.exposure(configured.exposure.clone());
    Ok(match &configured.places.dialogues {
        Some(dialogues) => server.dialogues(dialogues.clone()),
        None => server,
    })
}

/// Runs a script for the bench itself. What it came to, as a model would read it.
async fn run(code: String, toolbox: &Toolbox) -> Result<String, Failure> {
    let arguments = json!({ "code": code, "language": "typescript" });
    let request = CallRequest {
        tool: script::TOOL,
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        stop: &CancellationToken::new(),
        progress: Arc::new(|_| {}),
    };
    let answer = toolbox
        .call(request)
        .await
        .map_err(|error| Failure::host(&error))?;
    Ok(answer.text)
}

/// Writes the task's files into the workspace, as a script would.
async fn write_files(task: &Task, toolbox: &Toolbox) -> Result<(), Failure> {
    for (path, content) in &task.files {
        let (path, content) = (json!(format!("/workspace/{path}")), json!(content));
        let code = format!(
            "const fs = await import('node:fs/promises');\nconst path = {path};\n\
             await fs.mkdir(path.slice(0, path.lastIndexOf('/')), {{ recursive: true }});\n\
             await fs.writeFile(path, {content});\nreturn 'written';"
        );
        let written = run(code, toolbox).await?;
        if written.trim() != "written" {
            return Err(Failure::usage(format!(
                "a file of the task can't be written: {written}"
            )));
        }
    }
    Ok(())
}

/// Has the agent do all prompts of a task, and judges its last answer.
async fn work(task: &Task, agent: &mut Agent, mut events: EventReceiver) -> (Spending, Verdict) {
    let stop = CancellationToken::new();
    let (mut spending, mut text) = (Spending::default(), String::new());
    for prompt in &task.prompts {
        let end = agent.work(prompt, &stop).await;
        // Nobody looks at them, and they don't heap up.
        while events.try_recv().is_ok() {}
        spending.add(&end.spending);
        text = end.text;
        let why = match end.ending {
            Ending::Answered => continue,
            Ending::Refused => "the model refused".to_owned(),
            Ending::Bound(bound) => format!("the bound of {bound} was reached"),
            Ending::Cut => "the answer was cut".to_owned(),
            Ending::Cancelled => "it was stopped".to_owned(),
            Ending::Failed(why) => why,
        };
        return (spending, Verdict::Wrong(why));
    }
    (spending, task.check.judge(&text))
}

async fn judge_state(state: &str, toolbox: &Toolbox) -> Result<Verdict, Failure> {
    let returned = run(state.to_owned(), toolbox).await?;
    Ok(Check::judge_state(&returned))
}
