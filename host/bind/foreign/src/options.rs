//! What a runtime and a run are made of, as plain data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule::{
    Binding, Check, Grant, Language, Limits, ParkedLimits, Principal, Quota, RecordLimits,
    RecordOptions, RuntimeBuilder, SessionLimits, Sharing, SkillOptions, Workspace, Workspaces,
};
use ampoule::{Isolate, Keep, data_folder};
use ampoule_config::Config;
use ampoule_configured::governed::GovernanceSetup;
use ampoule_untrusted::document;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::program::{CallOptions, OF_UNDO};
use crate::{Fault, governed, limits};

/// The options of a runtime. By default, it stores nothing and has no servers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RuntimeOptions {
    /// An `ampoule.toml`, with all that it configures. The other options here take precedence.
    pub config: Option<PathBuf>,
    /// MCP servers as clients write them: by name, each with `command` and `args`, or a `url`; or
    /// a document that has them as `mcpServers`. The environment's variables are written `${NAME}`.
    pub servers: Map<String, Value>,
    /// The default limits of a run, by [names of limits](ampoule::Limits): numbers in the limit's
    /// unit, or texts such as `5s`.
    pub limits: Map<String, Value>,
    /// What no run may exceed.
    pub ceilings: Map<String, Value>,
    /// How many isolates may be alive at once.
    pub isolates: Option<u32>,
    /// How long a run may wait for its place among them: milliseconds, or a text such as `10s`.
    pub slot_wait: Option<Value>,
    /// Where compiled code is kept.
    pub code_cache: Option<PathBuf>,
    /// Where sessions are kept.
    pub sessions: Option<PathBuf>,
    /// Where workspaces are kept: files that outlive runs, for each principal their own.
    pub workspaces: Option<PathBuf>,
    /// Folders that runs see as `/folders/NAME`.
    pub folders: BTreeMap<String, FolderOptions>,
    /// Where skills are kept.
    pub skills: Option<PathBuf>,
    /// Where runs with `record` write records.
    pub records: Option<PathBuf>,
    /// Where parked runs are kept. No other program resumes what is in this folder.
    pub parked: Option<PathBuf>,
}

/// A folder that runs see.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderOptions {
    /// Where it is.
    pub path: PathBuf,
    /// Whether runs may write to it.
    #[serde(default)]
    pub writable: bool,
}

/// The options of a run, besides its own tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOptions {
    /// The script.
    pub code: String,
    /// One call of a tool, in place of a script.
    pub call: Option<CallOptions>,
    /// The id of a failed run whose calls are taken back, in place of a script. The default grant is that
    /// of the run.
    pub undo: Option<String>,
    /// The id of a parked run that resumes, in place of a script: with its grant, limits and session.
    /// Its own tools and layers are given again.
    pub resume: Option<String>,
    /// After how long the script is parked where it waits: milliseconds, or a text such as `10s`.
    /// Default: as the configuration says, or never.
    pub park_after: Option<Value>,
    /// What the program calls the run, in the list of parked runs.
    pub label: Option<String>,
    /// Whether the outcome of a run that resumes is kept on disk: the list of parked runs has it for a
    /// week, or until somebody removes the run.
    pub keep_outcome: bool,
    /// `typescript`, `javascript` or `python`, or the ends of their files' names. Default: guessed
    /// from the code.
    pub language: Option<String>,
    /// The script's name in messages.
    pub name: Option<String>,
    /// The tools of the runtime's servers that it may call. Default: none. It may call all tools of
    /// its own.
    pub grant: Option<Grants>,
    /// Its limits, if they differ from the runtime's.
    pub limits: Map<String, Value>,
    /// Values of the script's global `env`; texts are in Python's `os.environ`, too.
    pub env: Map<String, Value>,
    /// The texts of the script's global `strings`.
    pub strings: BTreeMap<String, String>,
    /// Whether the script is checked before anything of it runs: `first`, `off`, or `alone`.
    pub check: Check,
    /// The session of the run.
    pub session: Option<String>,
    /// Whether the session is saved even if the run throws.
    pub keep_always: bool,
    /// The principal of the run.
    pub principal: Option<String>,
    /// The groups of the principal, for policies.
    pub groups: Vec<String>,
    /// Whether it writes a record, for a replay.
    pub record: bool,
}

/// The tools of the runtime's servers that a model sees.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GrantOptions {
    /// The tools, as far as the principal may see them.
    pub grant: Grants,
    /// The principal of the runs.
    #[serde(default)]
    pub principal: Option<String>,
    /// The groups of the principal.
    #[serde(default)]
    pub groups: Vec<String>,
}

/// Patterns of tools: `github`, `github.create_issue`, `github.get_*`, `*`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "must be patterns of tools: a string, or a list of strings"
)]
pub enum Grants {
    /// Separated by commas.
    Text(String),
    /// One by one.
    List(Vec<String>),
}

impl GrantOptions {
    /// What is granted, written as JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        read(text)
    }
}

impl Grants {
    pub(crate) fn grant(&self) -> Result<Grant, Fault> {
        let grant = match self {
            Self::Text(text) => text.parse(),
            Self::List(patterns) => Grant::of(patterns),
        };
        grant.map_err(|error| Fault::usage(error.to_string()))
    }
}

impl RuntimeOptions {
    /// Options that are written as JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        read(text)
    }

    /// The runtime to make, and its governance. Must be called within a Tokio runtime.
    pub(crate) fn made(&self) -> Result<(RuntimeBuilder, Option<GovernanceSetup>), Fault> {
        let (mut builder, mut governed) = (ampoule::Runtime::builder(), None);
        let (mut limits, mut ceilings) = (Limits::default(), Limits::default_ceilings());
        let mut servers = self.own_servers()?;
        if let Some(file) = &self.config {
            let mut config = Config::load(file).map_err(|error| unusable(&error))?;
            // Policies may name them.
            if let Some(folder) = &self.skills {
                config.skills.get_or_insert_default().folder = Some(folder.clone());
            }
            builder = ampoule_configured::given(builder, &config)?;
            (limits, ceilings) = (config.limits.over(limits), config.ceilings.over(ceilings));
            servers = [ampoule_configured::servers(&config), servers].concat();
            governed = governed::of(self, &config, &servers)?;
        }
        if let Some(governed) = &governed {
            builder = builder.governance(governed.governance.clone());
        }
        let ceilings = limits::over(&self.ceilings, ceilings)?;
        builder = builder.limits(limits::over(&self.limits, limits)?);
        builder = self.with_places(builder.ceilings(ceilings))?;
        if let Some(most) = self.isolates {
            builder = builder.isolates(most);
        }
        if let Some(wait) = &self.slot_wait {
            builder = builder.slot_wait(limits::time("slotWait", wait)?);
        }
        if let Some(folder) = &self.code_cache {
            builder = builder.code_cache(Some(folder.clone()));
        }
        let servers = servers.into_iter();
        builder = servers.fold(builder, |builder, server| builder.binding(server));
        Ok((builder, governed))
    }

    /// Whether there is a folder for parked runs: one is named, or a configuration has the usual
    /// one.
    pub(crate) fn parks(&self) -> bool {
        self.parked.is_some() || (self.config.is_some() && data_folder().is_some())
    }

    /// The servers that are not in the configuration.
    fn own_servers(&self) -> Result<Vec<Arc<dyn Binding>>, Fault> {
        if self.servers.is_empty() {
            return Ok(Vec::new());
        }
        // As a client's file has them.
        let servers = Value::Object(self.servers.clone());
        let document = match self.servers.get("mcpServers") {
            Some(_) => servers.to_string(),
            None => serde_json::json!({ "mcpServers": servers }).to_string(),
        };
        let mut config = Config::default();
        let imported = config.import_text("servers", &document);
        imported.map_err(|error| unusable(&error))?;
        Ok(ampoule_configured::servers(&config))
    }

    /// Where things that outlive runs are stored.
    fn with_places(&self, mut builder: RuntimeBuilder) -> Result<RuntimeBuilder, Fault> {
        if let Some(folder) = &self.sessions {
            builder = builder.sessions(folder, SessionLimits::default());
        }
        if let Some(folder) = &self.workspaces {
            let files = Workspaces::new(folder, Sharing::ByPrincipal, Quota::default());
            builder = builder.workspaces(files);
        }
        if let Some(folder) = &self.skills {
            builder = builder.skills(folder, SkillOptions::default());
        }
        if let Some(folder) = &self.records {
            let mut options = RecordOptions::default();
            (options.keep, options.limits) = (Keep::None, RecordLimits::default());
            builder = builder.records(folder, options);
        }
        if let Some(folder) = &self.parked {
            builder = builder.parked(folder, ParkedLimits::default());
        }
        for (name, FolderOptions { path, writable }) in &self.folders {
            let folder = Workspace::folder(path, *writable, Quota::default());
            let folder = folder
                .map_err(|error| Fault::usage(format!("the folder {}: {error}", path.display())))?;
            builder = builder.folder(name, folder);
        }
        Ok(builder)
    }
}

impl RunOptions {
    /// Options that are written as JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        read(text)
    }

    /// The isolate of a run that has these tools of its own, by the names of their servers. Must be called
    /// within a Tokio runtime.
    pub(crate) fn isolate<'a>(
        mut self,
        runtime: &ampoule::Runtime,
        own: impl Iterator<Item = &'a str>,
    ) -> Result<(Isolate, &'static str), Fault> {
        let granted = self.grant.as_ref().map(Grants::grant).transpose()?;
        let is_granted = granted.is_some();
        let grant = granted.unwrap_or_else(Grant::none);
        let groups = std::mem::take(&mut self.groups);
        let principal = principal(self.principal.take(), groups)?;
        if let Some(run) = self.resume.take() {
            return self.resuming(runtime, &run, principal.as_ref(), own);
        }
        if self.keep_outcome {
            return Err(Fault::usage(
                "`keepOutcome` is an option of runs that resume: give `resume` too, or leave it out",
            ));
        }
        let grant = own.fold(grant, |grant, server| grant.and_server(server));
        let park_after = self.park_after.take();
        let park_after = park_after.map(|after| limits::time("parkAfter", &after));
        let park_after = park_after.transpose()?;
        let (mut isolate, language) = match self.undo.take() {
            Some(run) => {
                let isolate = self.undoing(runtime, &run, principal.as_ref())?;
                let isolate = match is_granted {
                    true => isolate.grant(grant),
                    false => isolate,
                };
                (isolate, OF_UNDO)
            }
            None => {
                let (code, language) = self.program(runtime, principal.as_ref())?;
                (runtime.isolate(code).grant(grant), language)
            }
        };
        if !self.limits.is_empty() {
            isolate = isolate.limits(limits::over(&self.limits, *runtime.limits())?)?;
        }
        if let Some(session) = self.session {
            isolate = isolate.session(session);
        }
        if self.keep_always {
            isolate = isolate.keep_always();
        }
        if let Some(after) = park_after {
            isolate = isolate.park_after(after);
        }
        if let Some(label) = self.label.take() {
            isolate = isolate.label(label);
        }
        if let Some(principal) = principal {
            isolate = isolate.principal(principal);
        }
        if self.record {
            isolate = isolate.record(Keep::All);
        }
        Ok((isolate, language))
    }
}

/// The principal, in these groups; the local user if none is named.
pub(crate) fn principal(
    name: Option<String>,
    groups: Vec<String>,
) -> Result<Option<Principal>, Fault> {
    match name {
        Some(name) => Ok(Some(Principal::new(name).with_groups(groups))),
        None if groups.is_empty() => Ok(None),
        None => Err(Fault::usage("`groups` need a `principal`: name one")),
    }
}

pub(crate) fn language(name: &str) -> Result<Language, Fault> {
    let language = Language::named(name);
    let by_end = || Language::of_file(Path::new(&format!("script.{name}")));
    language.or_else(by_end).ok_or_else(|| {
        Fault::usage(format!(
            "unknown language `{name}`; the languages are {}",
            Language::ALL.map(Language::name).join(", ")
        ))
    })
}

fn unusable(error: &dyn std::fmt::Display) -> Fault {
    Fault::usage(error.to_string())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    option("options", text)
}

/// An option that is written as JSON, by its name.
///
/// # Errors
///
/// What is wrong with it: the sentence names the option, and the place within it.
pub fn option<'a, T: Deserialize<'a>>(name: &str, text: &'a str) -> Result<T, Fault> {
    document::read(text).map_err(|error| Fault::usage(error.within(name).to_string()))
}
