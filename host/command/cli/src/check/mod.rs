//! `ampoule check`: scripts compared with the tools, without running them. `mistakes`: the mistakes
//! that a check's error lists.

mod mistakes;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::{Check as Checking, Component, Grant, GrantedTools, Keep, Language, Runtime, Script};
use ampoule_tools::Server;
use ampoule_untrusted::json;
use ampoule_untrusted::text::one_line;
use clap::Args;
use futures::future::join_all;
use serde::Serialize;

use self::mistakes::{FoundMistakes, Mistake};
use super::code::LanguageName;
use super::exit::{self, Failure};
use super::output::Output;
use super::run::granted;
use super::setup::{ConfiguredRuntime, Setup};
use super::stop_signal::{self, Cancellation};
use super::streams;
use super::toolkit::ToolkitOption;

const EXAMPLES: &str = "Examples:
  ampoule check report.ts
  ampoule check scripts/*.py --tools 'github,time.*'
  ampoule check report.ts --json | jq '.[].mistakes'";

/// Compares the calls in scripts with the tools, and runs nothing.
///
/// Each mistake has a line: file, line, column, and what is wrong. Only what a script's text proves
/// is a mistake: a tool that does not exist, a missing or unknown argument, a value of a wrong type
/// or outside of an enumeration, a property that an answer does not have. Code that does not parse
/// is a mistake, too. A server is started only if its list of tools is not known yet. If a server
/// that a script calls can't be reached, the command says so and fails: its tools were not compared.
/// A file that can't be read is an error, and the other files are checked.
#[derive(Debug, Args)]
#[command(after_help = exit::CHECK_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::CHECK_HELP))]
pub(super) struct Check {
    /// The scripts; `-` reads one from standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The scripts' language. Default: taken from each file's name, else guessed from the code.
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
    /// The tools that the scripts may call, as for `ampoule run`. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    tools: Option<Grant>,
    #[command(flatten)]
    toolkit: ToolkitOption,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// What was found in a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings<'a> {
    file: &'a str,
    /// None of a file that could not be checked.
    language: Option<&'static str>,
    mistakes: Vec<Mistake>,
    /// Whether there may be more mistakes than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    may_have_more: bool,
    /// Why the file could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Servers that scripts call, and whose tools are not known, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_compared: BTreeMap<String, String>,
    #[serde(skip)]
    code: u8,
}

impl Check {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let inputs = self.files.iter().filter(|file| file.as_os_str() == "-");
        if inputs.count() > 1 {
            return Err(Failure::usage(
                "`-` is standard input, which has one script: name it once",
            ));
        }
        let ConfiguredRuntime {
            runtime,
            remarks,
            toolkits,
            ..
        } = self.setup.configured()?;
        let stopping = Cancellation::default();
        let grant = self.tools.clone().unwrap_or_else(Grant::all);
        let grant = self.toolkit.narrow(grant, &toolkits)?;
        let checking = {
            let (runtime, stopping) = (runtime.clone(), stopping.clone());
            async move {
                let tools = granted(&runtime, grant.clone(), &remarks).await?;
                let scripts: Vec<_> = self
                    .files
                    .iter()
                    .map(|file| self.script(file, &runtime))
                    .collect();
                let mut all = self.look(&scripts, &runtime, &grant, &stopping).await?;
                if has_waited_for(&tools).await {
                    all = self.look(&scripts, &runtime, &grant, &stopping).await?;
                }
                let not_compared = not_compared(&tools);
                for findings in all.iter_mut().filter(|it| it.error.is_none()) {
                    findings.not_compared.clone_from(&not_compared);
                }
                for disabled in remarks.disabled(&grant) {
                    streams::err().warning(disabled);
                }
                remarks.say_origin();
                Ok(self.report(&all, &not_compared))
            }
        };
        let ended = stop_signal::until_stopped(runtime, stopping, checking).await;
        ended.unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    /// Checks all scripts.
    async fn look(
        &self,
        scripts: &[Result<Script, String>],
        runtime: &Runtime,
        grant: &Grant,
        stopping: &Cancellation,
    ) -> Result<Vec<Findings<'_>>, Failure> {
        let mut all = Vec::new();
        for (file, script) in self.files.iter().zip(scripts) {
            let file = file.to_str().unwrap_or("script");
            let script = match script {
                Ok(script) => script.clone(),
                Err(error) => {
                    all.push(Findings::unread(file, error.clone()));
                    continue;
                }
            };
            let language = script.language().name();
            let isolate = runtime.isolate(script.check(Checking::Alone));
            let run = isolate.grant(grant.clone()).record(Keep::None);
            let run = run.start().await?;
            stopping.cancels(&run);
            let outcome = run.outcome().await?;
            let FoundMistakes {
                mistakes,
                may_have_more,
            } = mistakes::mistakes(&outcome);
            all.push(Findings {
                file,
                language: Some(language),
                mistakes,
                may_have_more,
                error: None,
                not_compared: BTreeMap::new(),
                code: exit::number_of(&outcome.ending),
            });
        }
        Ok(all)
    }

    /// The script of a file; or why there is none.
    fn script(&self, file: &Path, runtime: &Runtime) -> Result<Script, String> {
        let mut content = Vec::new();
        match file == Path::new("-") {
            true => io::stdin().read_to_end(&mut content).map(|_| ()),
            false => std::fs::read(file).map(|read| content = read),
        }
        .map_err(|error| format!("{} can't be read: {error}", file.display()))?;
        if Component::is_wasm(&content) {
            return Err(format!(
                "{} is a component: its imports are checked when it is built",
                file.display()
            ));
        }
        let named = self.language.map(Language::from);
        let named = named.or_else(|| Language::of_file(file));
        let language = named
            .unwrap_or_else(|| runtime.language_of(&String::from_utf8_lossy(&content), None, None));
        let script = Script::from_bytes(language, content);
        let script = script.map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(match file.file_name() {
            Some(name) => script.named(name.to_string_lossy()),
            None => script,
        })
    }

    /// Prints what was found, and says how the process ends: the highest code of all files and of the
    /// servers.
    fn report(&self, all: &[Findings<'_>], not_compared: &BTreeMap<String, String>) -> ExitCode {
        if self.output.as_json {
            // Texts and numbers alone can always be written.
            let text = serde_json::to_string(all).unwrap_or_default();
            streams::out().json(&json::indented(&text));
        } else {
            for findings in all {
                let file = findings.file;
                for mistake in &findings.mistakes {
                    streams::out().foreign_line(&mistake.in_file(file));
                }
                if findings.may_have_more {
                    streams::err().note(format_args!("{}: there may be more", one_line(file)));
                }
            }
        }
        for error in all.iter().filter_map(|findings| findings.error.as_ref()) {
            streams::err().failure(one_line(error));
        }
        for (server, why) in not_compared {
            let why = why.replace('\n', "\n  ");
            streams::err().failure(format_args!(
                "calls of server `{}` were not compared with its tools: {why}",
                one_line(server)
            ));
        }
        let of_servers = match not_compared.is_empty() {
            true => 0,
            false => exit::UNREACHABLE,
        };
        let codes = all.iter().map(|findings| findings.code);
        codes.fold(of_servers, u8::max).into()
    }
}

impl<'a> Findings<'a> {
    /// Of a file that could not be checked.
    fn unread(file: &'a str, error: String) -> Self {
        Self {
            file,
            language: None,
            mistakes: Vec::new(),
            may_have_more: false,
            error: Some(error),
            not_compared: BTreeMap::new(),
            code: exit::USAGE,
        }
    }
}

/// The granted servers that a check asked for their tools, and that have not said which they have.
fn unlisted(tools: &GrantedTools) -> impl Iterator<Item = &Arc<Server>> {
    let servers = tools.servers();
    servers.filter(|server| tools.known_tools_of(server).is_none())
}

/// Waits for servers that a check asked, and that are just starting. Returns whether there were any.
async fn has_waited_for(tools: &GrantedTools) -> bool {
    let tools = tools.clone().waiting();
    let starting = unlisted(&tools).filter(|server| server.binding().starting().is_some());
    let listed = join_all(starting.map(|server| tools.tools_of(server))).await;
    !listed.is_empty()
}

/// The servers that a check asked, and that can't be reached, with the reason. Those that no script
/// calls were not asked.
fn not_compared(tools: &GrantedTools) -> BTreeMap<String, String> {
    let asked = unlisted(tools).filter_map(|server| {
        let binding = server.binding();
        let why = binding.trouble().or_else(|| binding.starting())?;
        Some((server.name().to_string(), why))
    });
    asked.collect()
}
