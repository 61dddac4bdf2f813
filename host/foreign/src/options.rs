//! What a runtime and a run are made of, as plain data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{
    Grant, Language, Limits, Quota, RecordLimits, RecordOptions, RuntimeBuilder, Script,
    SessionLimits, Sharing, SkillOptions, Workspace, Workspaces,
};
use ampoule::{Isolate, Keep};
use ampoule_config::{Config, GovernanceConfig};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Fault, limits};

/// Why a configuration is refused that says who may do what: without it, more would be allowed.
const UNGOVERNED: &str = "this configuration has roles, policies, quotas, approvals, labels, privacy or an audit, \
which are heeded by `ampoule run` and `ampoule serve` alone: name a configuration without them, or reach the servers through `ampoule serve`";

/// What a runtime is made of. Nothing is kept, and there are no servers, unless something says so.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RuntimeOptions {
    /// An `ampoule.toml`, with all that it configures. What else is said here counts before it.
    pub config: Option<PathBuf>,
    /// MCP servers as clients write them: by name, each with `command` and `args`, or a `url`; or
    /// a document that has them as `mcpServers`. The environment's variables are written `${NAME}`.
    pub servers: Map<String, Value>,
    /// What a run may use unless it asks for something else, by [names of
    /// limits](ampoule::Limits): numbers in the limit's unit, or texts such as `5s`.
    pub limits: Map<String, Value>,
    /// What no run may exceed.
    pub ceilings: Map<String, Value>,
    /// How many isolates may be alive at once.
    pub isolates: Option<u32>,
    /// How long a run may wait for its place among them, in milliseconds.
    pub slot_wait: Option<u64>,
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
    /// Where runs leave records, those that ask for it.
    pub records: Option<PathBuf>,
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

/// What a run is made of, besides its own tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RunOptions {
    /// The script.
    pub code: String,
    /// `typescript`, `javascript` or `python`, or the ends of their files' names. Default: what the
    /// code looks like.
    pub language: Option<String>,
    /// What the script is called in messages.
    pub name: Option<String>,
    /// What it may call of the runtime's servers. Default: nothing. Its own tools are its own.
    pub grant: Option<Grants>,
    /// What it may use, where that is not as the runtime says.
    pub limits: Map<String, Value>,
    /// Values of the script's global `env`; texts are in Python's `os.environ`, too.
    pub env: Map<String, Value>,
    /// The session that it is a run of.
    pub session: Option<String>,
    /// Whether what it leaves in the session is kept where it throws, too.
    pub keep_always: bool,
    /// On whose behalf it happens.
    pub principal: Option<String>,
    /// Whether it leaves a record, by which it can be run again.
    pub record: bool,
}

/// Patterns of tools: `github`, `github.create_issue`, `github.get_*`, `*`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Grants {
    /// Separated by commas.
    Text(String),
    /// One by one.
    List(Vec<String>),
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

    /// The runtime that is to be made, for whoever adds to it: layers, bindings.
    ///
    /// # Errors
    ///
    /// What can't be used.
    pub fn builder(&self) -> Result<RuntimeBuilder, Fault> {
        let unusable = |error: &dyn std::fmt::Display| Fault::usage(error.to_string());
        let mut builder = ampoule::Runtime::builder();
        let (mut limits, mut ceilings) = (Limits::default(), Limits::default_ceilings());
        if let Some(file) = &self.config {
            let config = Config::load(file).map_err(|error| unusable(&error))?;
            if config.governance != GovernanceConfig::default() {
                return Err(Fault::usage(UNGOVERNED));
            }
            builder =
                ampoule_configured::given(builder, &config).map_err(|error| unusable(&error))?;
            builder = with_servers(builder, &config);
            (limits, ceilings) = (config.limits.over(limits), config.ceilings.over(ceilings));
        }
        let ceilings = limits::over(&self.ceilings, ceilings)?;
        builder = builder.limits(limits::over(&self.limits, limits)?);
        builder = self.with_places(builder.ceilings(ceilings))?;
        if let Some(most) = self.isolates {
            builder = builder.isolates(most);
        }
        if let Some(wait) = self.slot_wait {
            builder = builder.slot_wait(Duration::from_millis(wait));
        }
        if let Some(folder) = &self.code_cache {
            builder = builder.code_cache(Some(folder.clone()));
        }
        if self.servers.is_empty() {
            return Ok(builder);
        }
        let mut config = Config::default();
        let imported = config.import_text("servers", &self.document());
        imported.map_err(|error| unusable(&error))?;
        Ok(with_servers(builder, &config))
    }

    /// The servers, as a client's file has them.
    fn document(&self) -> String {
        let servers = Value::Object(self.servers.clone());
        match self.servers.get("mcpServers") {
            Some(_) => servers.to_string(),
            None => serde_json::json!({ "mcpServers": servers }).to_string(),
        }
    }

    /// Where things are kept that outlive runs.
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

    /// The isolate of a run that has these tools of its own, by the names of their servers.
    pub(crate) fn isolate<'a>(
        self,
        runtime: &ampoule::Runtime,
        own: impl Iterator<Item = &'a str>,
    ) -> Result<(Isolate, Language), Fault> {
        let grant = self
            .grant
            .as_ref()
            .map_or_else(|| Ok(Grant::none()), Grants::grant)?;
        let grant = own.fold(grant, |grant, server| grant.and_server(server));
        let principal = self.principal.map(ampoule::Principal::from);
        let language = match &self.language {
            Some(name) => language(name)?,
            None => runtime.language_of(&self.code, principal.as_ref(), self.session.as_deref()),
        };
        let env = self.env.into_iter();
        let script = env.fold(Script::new(language, self.code), |script, (name, value)| {
            script.env(name, value)
        });
        let script = match self.name {
            Some(name) => script.named(name),
            None => script,
        };
        let mut isolate = runtime.isolate(script).grant(grant);
        if !self.limits.is_empty() {
            isolate = isolate.limits(limits::over(&self.limits, *runtime.limits())?)?;
        }
        if let Some(session) = self.session {
            isolate = isolate.session(session);
        }
        if self.keep_always {
            isolate = isolate.keep_always();
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

pub(crate) fn language(name: &str) -> Result<Language, Fault> {
    let language = Language::named(name);
    let by_end = || Language::of_file(Path::new(&format!("script.{name}")));
    language.or_else(by_end).ok_or_else(|| {
        Fault::usage(format!(
            "there is no language `{name}`; the languages are {}",
            Language::ALL.map(Language::name).join(", ")
        ))
    })
}

fn with_servers(builder: RuntimeBuilder, config: &Config) -> RuntimeBuilder {
    let servers = ampoule_configured::servers(config).into_iter();
    servers.fold(builder, |builder, server| builder.binding(server))
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::usage(format!("the options: {error}")))
}
