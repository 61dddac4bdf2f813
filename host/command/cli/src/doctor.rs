//! `ampoule doctor`: checks the installation, and says how to fix what does not work.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use ampoule::meaning::{FILE, Model};
use ampoule::{Ecosystem, Runtime, cache_folder};
use ampoule_config::Config;
use ampoule_configured::{SetupError, governed};
use ampoule_governance::KnownServer;
use ampoule_projection::names::server_and_account;
use ampoule_tools::{UndoRule, undo_problems};
use ampoule_untrusted::text;
use clap::Args;
use serde_json::{Value, json};

use super::data::DataState;
use super::exit::{self, Failure};
use super::output::Output;
use super::packages::{self, PackageState};
use super::probe::{self, counted};
use super::setup::{self, Setup};
use super::stop_signal::{self, Cancellation};
use super::streams;

/// Checks interpreters, the cache, the configuration and each server.
///
/// The command starts the servers, and says what is wrong and how to fix it.
#[derive(Debug, Args)]
#[command(after_help = exit::DOCTOR_HELP)]
pub(super) struct Doctor {
    /// Checks only these servers. Default: everything.
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// An interpreter, and the size of its compiled code, if it is compiled.
struct Guest {
    name: String,
    bytes: Option<u64>,
}

impl Doctor {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        if !self.servers.is_empty() {
            return probe::test(&self.setup, &self.servers, self.output.as_json).await;
        }
        let runtime = setup::builder().build()?;
        let working = {
            let runtime = runtime.clone();
            async move { self.look(&runtime).await }
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), working)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn look(self, runtime: &Runtime) -> Result<ExitCode, Failure> {
        let guests = guests(runtime).await?;
        let folder = runtime.code_folder().await?;
        if !self.output.as_json {
            say_version();
            guests.iter().for_each(Guest::say);
            say_cache(folder);
        }
        // If it can't be read, the checks that don't depend on it are printed already.
        let config = self.setup.read_or_demo();
        if let (Err(problem), true) = (&config, self.output.as_json) {
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "guests": guests.iter().map(Guest::document).collect::<Vec<_>>(),
                "problem": problem.message(),
            });
            streams::out().line(format_args!("{document:#}"));
        }
        let mut config = config?;
        if !self.output.as_json {
            say_configuration(&config);
        }
        let model = working_model(&config);
        if !self.output.as_json {
            say_search(&config, &model);
        }
        let data = DataState::of(&config).await;
        if !self.output.as_json {
            data.say();
        }
        let mut packages = packages::states(&config, Ecosystem::Python)?;
        packages.extend(packages::states(&config, Ecosystem::Npm)?);
        if !self.output.as_json {
            packages.iter().for_each(say_package);
        }
        let sources = sources(&config);
        let undo = undo_rules(&config);
        let servers = std::mem::take(&mut config.servers);
        let probed = probe::all(servers, !self.output.as_json).await?;
        // Rules about tools are checked against the tools that the servers list.
        let known: Vec<KnownServer> = probed.iter().map(probe::ProbeReport::known).collect();
        let misspelt = misspelt_undo(&undo, &known);
        let mut rules = Rules::of(&config, known);
        rules.warnings.extend(misspelt);
        if !self.output.as_json {
            rules.say();
        }
        if self.output.as_json {
            let shown = |path: &std::path::Path| path.to_string_lossy().into_owned();
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "guests": guests.iter().map(Guest::document).collect::<Vec<_>>(),
                "codeFolder": folder.map(shown),
                "cacheFolder": cache_folder().as_deref().map(shown),
                "searchModel": model.as_ref().ok().and_then(Option::as_ref).map(|model| shown(model.path())),
                "searchProblem": model.as_ref().err().map(ToString::to_string),
                "pythonData": data.document(),
                "configuration": config.source.as_deref().map(shown),
                "packages": packages.iter().map(PackageState::document).collect::<Vec<_>>(),
                "imports": sources,
                "notes": config.notes,
                "toolkits": toolkits(&config),
                "disabled": disabled(&config),
                "servers": probed,
                "warnings": rules.warnings,
                "problem": rules.problem,
            });
            streams::out().line(format_args!("{document:#}"));
        }
        let all_well = folder.is_some()
            && model.is_ok()
            && data.problem.is_none()
            && packages.iter().all(|package| package.problem.is_none())
            && config.disabled.is_empty()
            && rules.problem.is_none()
            && probed.iter().all(|it| it.is_well());
        Ok(if all_well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// The findings about roles, policies, quotas, approvals, labels, personal data and the audit log.
struct Rules {
    /// Likely mistakes, as `ampoule serve` logs them.
    warnings: Vec<String>,
    /// Why `ampoule serve` would not start.
    problem: Option<String>,
}

impl Rules {
    fn of(config: &Config, known: Vec<KnownServer>) -> Self {
        let (warnings, problem) = governed::warnings(config, known);
        Self {
            warnings,
            problem: problem.map(|problem| problem.to_string()),
        }
    }

    fn say(&self) {
        let out = streams::out();
        if let Some(problem) = &self.problem {
            out.line(out.wrapped("rules for tools: invalid", "", "  "));
            for line in problem.lines() {
                out.line(out.wrapped(&text::one_line(line), "  ", "    "));
            }
        }
        if !self.warnings.is_empty() {
            out.line(out.wrapped("rules for tools: likely mistakes", "", "  "));
        }
        for warning in &self.warnings {
            out.line(out.wrapped(&text::one_line(warning), "  ", "    "));
        }
    }
}

/// What takes back calls, by servers and their tools.
type UndoRules = BTreeMap<String, BTreeMap<String, UndoRule>>;

fn undo_rules(config: &Config) -> UndoRules {
    let servers = config.servers.iter();
    let rules = servers.map(|(name, server)| (name.clone(), server.tools.undo.clone()));
    rules.filter(|(_, rules)| !rules.is_empty()).collect()
}

/// The tools of other servers that take back calls, and are not there. Those of the server itself are
/// checked with it.
fn misspelt_undo(undo: &UndoRules, known: &[KnownServer]) -> Vec<String> {
    let mut misspelt = Vec::new();
    for (server, rules) in undo {
        let of_another = |asked: &str| {
            let is_it = |known: &&KnownServer| {
                *known.name == *asked || server_and_account(&known.name).0 == asked
            };
            (asked != server).then(|| known.iter().find(is_it)?.tools.clone())?
        };
        let rules = rules.iter().map(|(tool, rule)| (tool.as_str(), rule));
        let problems = undo_problems(server, rules, of_another).into_iter();
        misspelt.extend(problems.map(|problem| format!("server `{server}`: {problem}")));
    }
    misspelt
}

async fn guests(runtime: &Runtime) -> Result<Vec<Guest>, Failure> {
    let mut guests = Vec::new();
    for guest in runtime.guest_kinds() {
        guests.push(Guest {
            name: guest.to_string(),
            bytes: runtime.code_bytes(guest).await?,
        });
    }
    Ok(guests)
}

impl Guest {
    fn say(&self) {
        let out = streams::out();
        let state = match self.bytes {
            Some(bytes) => format!("compiled, {:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            None => {
                "not compiled yet; the first run compiles it, or run `ampoule warm` now".to_owned()
            }
        };
        out.line(out.wrapped(&format!("{}: {state}", self.name), "", "  "));
    }

    fn document(&self) -> Value {
        json!({ "name": self.name, "compiledBytes": self.bytes })
    }
}

fn say_version() {
    streams::out().line(format_args!("ampoule {}", env!("CARGO_PKG_VERSION")));
}

fn say_cache(folder: Option<&std::path::Path>) {
    let out = streams::out();
    let said = match folder {
        Some(folder) => format!("cache: {}", text::one_line(&folder.to_string_lossy())),
        None => "cache: none, so each process compiles the interpreters; set HOME, or XDG_CACHE_HOME, to a folder that only this user can write to".to_owned(),
    };
    out.line(out.wrapped(&said, "", "  "));
}

/// The model of searches, if there is one. It has embedded a word: it works.
fn working_model(config: &Config) -> Result<Option<Model>, SetupError> {
    let model = ampoule_configured::model(config)?;
    if let Some(model) = &model {
        let path = model.path().display();
        let problem = |error| SetupError::Configuration(format!("search.model: {path}: {error}"));
        model.prove().map_err(problem)?;
    }
    Ok(model)
}

/// Whether searches find what tools mean.
fn say_search(config: &Config, model: &Result<Option<Model>, SetupError>) {
    let out = streams::out();
    let said = match model {
        Ok(Some(model)) => format!(
            "search: by words and by meaning, {}",
            text::one_line(&model.path().to_string_lossy())
        ),
        Ok(None) if config.search.meaning => format!(
            "search: by words alone; put the model's file `{FILE}` beside the program to search by meaning, too"
        ),
        Ok(None) => "search: by words alone, as `search.meaning` says".to_owned(),
        Err(error) => format!(
            "search: by words alone; {}",
            text::one_line(&error.to_string())
        ),
    };
    out.line(out.wrapped(&said, "", "  "));
}

/// A package that scripts can import, or what is wrong with it.
fn say_package(package: &PackageState) {
    let out = streams::out();
    let language = match package.ecosystem() {
        Ecosystem::Python => "Python",
        Ecosystem::Npm => "JavaScript",
    };
    let said = format!("package of {language}: {}", package.said());
    out.line(out.wrapped(&said, "", "  "));
}

/// The file that is used, what it imports, and what is wrong with it.
fn say_configuration(config: &Config) {
    let out = streams::out();
    let file = match &config.source {
        Some(file) => text::one_line(&file.to_string_lossy()).into_owned(),
        None => "none; Ampoule uses the built-in server `demo`".to_owned(),
    };
    out.line(out.wrapped(&format!("configuration: {file}"), "", "  "));
    let more = |line: &str| out.line(out.wrapped(&text::one_line(line), "  ", "    "));
    for source in sources(config) {
        let is_of = |server: &&ampoule_config::ServerConfig| {
            let origin = server.origin.as_ref();
            origin.is_some_and(|origin| origin.to_string() == source)
        };
        let servers = config.servers.values().filter(is_of).count();
        more(&format!("{} from {source}", counted(servers, "server")));
    }
    if config.servers.is_empty() && config.disabled.is_empty() {
        more(setup::NO_SERVERS);
    }
    config.notes.iter().for_each(|note| more(note));
    for (name, toolkit) in &config.toolkits {
        let tools: Vec<_> = toolkit.tools.iter().map(ToString::to_string).collect();
        more(&format!("toolkit `{name}`: {}", tools.join(", ")));
    }
    for (name, problem) in &config.disabled {
        // A mistake a line.
        let told = format!("server `{name}` is disabled: {problem}");
        told.lines().for_each(more);
    }
}

/// The clients' files that servers come from.
fn sources(config: &Config) -> BTreeSet<String> {
    let origins = config.servers.values().filter_map(|it| it.origin.as_ref());
    origins.map(ToString::to_string).collect()
}

/// The toolkits, each with its description and its patterns of tools.
fn toolkits(config: &Config) -> Value {
    let toolkits = config.toolkits.iter();
    toolkits
        .map(|(name, toolkit)| {
            let tools: Vec<_> = toolkit.tools.iter().map(ToString::to_string).collect();
            json!({ "name": name.as_str(), "description": toolkit.description, "tools": tools })
        })
        .collect()
}

fn disabled(config: &Config) -> Value {
    let disabled = config.disabled.iter();
    disabled
        .map(|(name, problem)| json!({ "name": name, "problem": problem.to_string() }))
        .collect()
}
