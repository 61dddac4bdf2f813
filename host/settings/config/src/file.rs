//! The form of `ampoule.toml`, and what must hold beyond it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use ampoule_audit::AuditConfig;
use ampoule_fields::Quantity;
use ampoule_limits::{Ceilings, Limits, LimitsConfig};
use ampoule_network::Tls;
use ampoule_persistence::packages::{JavaScriptSettings, PythonSettings};
use ampoule_persistence::parked::RunSettings;
use ampoule_persistence::sessions::SessionSettings;
use ampoule_persistence::skills::SkillSettings;
use ampoule_policy::{Labels, PolicySettings, Roles};
use ampoule_quota::Rule;
use ampoule_records::RecordSettings;
use ampoule_workspace::{FolderName, FolderSettings, WorkspaceSettings};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::chat::ChatConfig;
use super::component_tools::ComponentTools;
use super::console::ConsoleConfig;
use super::error::{ConfigError, Mistakes};
use super::expand::Surroundings;
use super::exposure::ExposureConfig;
use super::governance::GovernanceConfig;
use super::hooks::Hooks;
use super::read::{Entry, Source, Table};
use super::schedules::Schedules;
use super::search::SearchConfig;
use super::serve::{ComponentsConfig, ServeConfig};
use super::server_table::{self, Read, ServerTable, Servers};
use super::telemetry::TelemetryConfig;
use super::toolkits::Toolkits;
use super::tree::Format;
use super::user::User;
use super::{
    Config, chat, clients, component_tools, console, governance, hooks, remote, rules, schedules,
    serve, toolkits, typed, undo,
};

/// What the operator of Ampoule configures.
// What a table is for, its type says.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    /// How many isolates may be alive at once.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    isolates: Option<NonZeroU32>,
    /// How long a run waits for its place among them, such as `5s`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    slot_wait: Option<Duration>,
    /// Clients whose servers are used too, by name (`cursor`), or paths to such files. If several
    /// have a server of one name, the first counts.
    // Read where the files are found.
    #[schemars(with = "Vec<String>")]
    import: IgnoredAny,
    /// MCP servers, by the name that scripts use.
    // Each is read by itself.
    #[schemars(with = "BTreeMap<String, ServerTable>")]
    servers: IgnoredAny,
    /// How servers behind https:// prove who they are, where their own `tls` says nothing else.
    tls: Tls,
    /// What a run gets if it does not ask for less or more.
    limits: LimitsConfig,
    /// The most that a run may ask for.
    #[schemars(with = "Ceilings")]
    ceilings: LimitsConfig,
    components: ComponentsConfig,
    /// Components that are tools, by name.
    tools: ComponentTools,
    sessions: SessionSettings,
    records: RecordSettings,
    skills: Option<SkillSettings>,
    outbound: Option<ampoule_outbound::Settings>,
    roles: Roles,
    policies: PolicySettings,
    /// How often, and how much, by name. A call needs room in each that applies to it.
    quotas: BTreeMap<String, Rule>,
    approvals: ampoule_approvals::Settings,
    labels: Labels,
    privacy: ampoule_privacy::Settings,
    audit: Option<AuditConfig>,
    workspace: Option<WorkspaceSettings>,
    /// Folders that runs see, each as `/folders/` and its name.
    folders: BTreeMap<FolderName, FolderSettings>,
    telemetry: TelemetryConfig,
    runs: RunSettings,
    python: PythonSettings,
    javascript: JavaScriptSettings,
    search: SearchConfig,
    serve: ServeConfig,
    console: Option<ConsoleConfig>,
    exposure: ExposureConfig,
    /// Parts of the tools under names, each with an address of its own.
    toolkits: Toolkits,
    chat: ChatConfig,
    /// Runs that a clock starts, by name.
    schedules: Schedules,
    /// Runs that messages of other systems start, by name.
    hooks: Hooks,
}

/// Reads the text of `file`, whose paths are relative to `folder`, and the files that it imports.
pub(super) fn parse(
    file: &Path,
    folder: &Path,
    text: &str,
    user: &User,
) -> Result<Config, ConfigError> {
    let source = Source::new(file, text);
    let document = source.parsed(Format::Toml)?;
    let root = Table::called(&source, "", &document);
    let environment = |name: &str| user.variable(name);
    let around = Surroundings {
        folder,
        environment: &environment,
        may_refer: true,
    };
    let whole = Entry::new(&source, "", &document);
    let typed::Reading {
        value,
        mut mistakes,
        has_unknown_keys,
        ..
    } = typed::read::<File>(&whole, around);
    let mut config = value.unwrap_or_default().config(file);
    let mut table = |key: &str| mistakes.unless(root.read(key, Entry::table)).flatten();
    let (servers, serve) = (table("servers"), table("serve"));
    mistakes.unless(remote::check_tls(&root));
    mistakes.unless(serve.map_or(Ok(()), |serve| serve::check(&serve, has_unknown_keys)));
    mistakes.unless(check_limits(&config, &root));
    mistakes.unless(toolkits::check(&config, &root));
    mistakes.unless(component_tools::check(&config, &root));
    mistakes.unless(schedules::check(&config, &root));
    mistakes.unless(hooks::check(&config, &root));
    mistakes.unless(chat::check(&root));
    mistakes.unless(console::check(&root));
    config.notes = governance::idle(&root, &config.governance);
    let import = root.read("import", |import| {
        import.each(|from| clients::files(from, folder, user))
    });
    let import = mistakes.unless(import).flatten().unwrap_or_default();
    let tls = config.tls.clone();
    if let Some(servers) = &servers {
        config.notes.extend(rules::idle(servers));
        config.take(server_table::servers(servers, &tls, around));
    }
    match mistakes.none() {
        Ok(()) => {
            clients::import(&mut config, import.into_iter().flatten(), &tls, user);
            if let Some(servers) = &servers {
                undo::check(&mut config, servers);
            }
            Ok(config)
        }
        // A person who fixes these needs to see all.
        Err(error) => {
            let mut all = Mistakes::default();
            all.add(error);
            config
                .disabled
                .into_values()
                .for_each(|error| all.add(error));
            all.none().map(|()| Config::default())
        }
    }
}

impl File {
    /// The configuration, without servers.
    fn config(mut self, file: &Path) -> Config {
        if let Some(auth) = &mut self.serve.auth {
            auth.tls.get_or_insert_with(|| self.tls.clone());
        }
        Config {
            source: Some(file.to_owned()),
            isolates: self.isolates,
            slot_wait: self.slot_wait,
            tls: self.tls,
            limits: self.limits,
            ceilings: self.ceilings,
            components: self.components,
            tools: self.tools,
            sessions: self.sessions,
            records: self.records,
            skills: self.skills,
            outbound: self.outbound,
            workspace: self.workspace,
            folders: self.folders,
            telemetry: self.telemetry,
            runs: self.runs,
            python: self.python,
            javascript: self.javascript,
            search: self.search,
            serve: self.serve,
            console: self.console,
            exposure: self.exposure,
            toolkits: self.toolkits,
            chat: self.chat,
            schedules: self.schedules,
            hooks: self.hooks,
            governance: GovernanceConfig {
                roles: self.roles,
                policies: self.policies,
                quotas: self.quotas,
                approvals: self.approvals,
                labels: self.labels,
                privacy: self.privacy,
                audit: self.audit,
            },
            ..Config::default()
        }
    }
}

impl Config {
    /// Takes in what was read of servers.
    pub(super) fn take(&mut self, servers: Servers) {
        for (name, read) in servers {
            match read {
                Ok(Read::Sound(server)) => drop(self.servers.insert(name, *server)),
                Ok(Read::Off) => drop(self.off.insert(name)),
                Err(error) => drop(self.disabled.insert(name, error)),
            }
        }
    }
}

/// No run can keep a limit below the least that there may be, and a limit above its ceiling would
/// never be reached. One that is not configured is lowered without a word.
fn check_limits(config: &Config, root: &Table<'_>) -> Result<(), ConfigError> {
    let table = |key: &str| root.get(key).and_then(|entry| entry.table().ok());
    let (limits_table, ceilings_table) = (table("limits"), table("ceilings"));
    let ceilings = config.ceilings.over(Limits::default_ceilings());
    let limits = config.limits.over(Limits::default().lowered_to(&ceilings));
    // What is not configured is right.
    for (values, table) in [(&ceilings, &ceilings_table), (&limits, &limits_table)] {
        if let Some((limit, problem)) = values.problem()
            && let Some(entry) = table.as_ref().and_then(|table| table.get(limit.name()))
        {
            return Err(entry.refuse(problem));
        }
    }
    let Some((limit, asked, ceiling)) = limits.above(&ceilings) else {
        return Ok(());
    };
    let unit = limit.unit();
    let problem = format!(
        "{asked} {unit} is above the ceiling of {ceiling} {unit}; raise `ceilings.{limit}` too, or ask for less"
    );
    // Only what is configured can be above.
    let entry = limits_table.and_then(|table| table.get(limit.name()));
    entry.map_or(Ok(()), |entry| Err(entry.refuse(problem)))
}
