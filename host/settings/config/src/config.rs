//! What the operator configured, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_limits::LimitsConfig;
use ampoule_network::Tls;
use ampoule_persistence::packages::{JavaScriptSettings, PythonSettings};
use ampoule_persistence::parked::RunSettings;
use ampoule_persistence::sessions::SessionSettings;
use ampoule_persistence::skills::SkillSettings;
use ampoule_records::RecordSettings;
use ampoule_workspace::{FolderName, FolderSettings, WorkspaceSettings};

use super::chat::ChatConfig;
use super::component_tools::ComponentTools;
use super::console::ConsoleConfig;
use super::error::ConfigError;
use super::exposure::ExposureConfig;
use super::governance::GovernanceConfig;
use super::hooks::Hooks;
use super::schedules::Schedules;
use super::search::SearchConfig;
use super::serve::{ComponentsConfig, ServeConfig};
use super::server::ServerConfig;
use super::telemetry::TelemetryConfig;
use super::toolkits::Toolkits;

/// The name of the configuration file.
pub const FILE_NAME: &str = "ampoule.toml";

/// What the operator configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The file that it was read from. `None` if there is none: then nothing is configured.
    pub source: Option<PathBuf>,
    /// `isolates`: how many may be alive at once, if not the default.
    pub isolates: Option<NonZeroU32>,
    /// `slot-wait`: how long a run may wait for its place among them, if not the default.
    pub slot_wait: Option<Duration>,
    /// The MCP servers, by the name that scripts use; those that are imported are among them.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Servers whose entries are faulty, each with what is wrong: that disables them alone. Two
    /// whose names scripts can't tell apart are both here.
    pub disabled: BTreeMap<String, ConfigError>,
    /// Servers that are switched off: for scripts, they do not exist.
    pub off: BTreeSet<String>,
    /// What there is to say of tables that restrict nothing, and of the files that servers are
    /// imported from, a sentence each.
    pub notes: Vec<String>,
    /// What a run may use if it asks for nothing else.
    pub limits: LimitsConfig,
    /// What no run may go beyond.
    pub ceilings: LimitsConfig,
    /// Which components clients may run; by default, none.
    pub components: ComponentsConfig,
    /// Components that are tools; by default, there is none.
    pub tools: ComponentTools,
    /// What sessions may take.
    pub sessions: SessionSettings,
    /// Code that scripts save for later ones; none if there is none.
    pub skills: Option<SkillSettings>,
    /// Which HTTP requests scripts may have made; none if there is none.
    pub outbound: Option<ampoule_outbound::Settings>,
    /// `tls`: whom to trust, where a server's own entry says nothing else.
    pub tls: Tls,
    /// Where runs have files that outlive them; by default, nowhere.
    pub workspace: Option<WorkspaceSettings>,
    /// Folders that runs see, by their names.
    pub folders: BTreeMap<FolderName, FolderSettings>,
    /// Where traces are sent; by default, nowhere.
    pub telemetry: TelemetryConfig,
    /// Which runs leave a record; by default, none.
    pub records: RecordSettings,
    /// When runs are parked that wait for long.
    pub runs: RunSettings,
    /// The packages that scripts in Python can import.
    pub python: PythonSettings,
    /// The packages that scripts in JavaScript and TypeScript can import.
    pub javascript: JavaScriptSettings,
    /// How tools are searched.
    pub search: SearchConfig,
    /// How `serve --http` is reached.
    pub serve: ServeConfig,
    /// The console of `serve --http`; by default, there is none.
    pub console: Option<ConsoleConfig>,
    /// How tools are shown to clients' models; by default, as far as there is room.
    pub exposure: ExposureConfig,
    /// Parts of the tools under names; by default, there is none.
    pub toolkits: Toolkits,
    /// Which model `ampoule chat` asks; by default, none.
    pub chat: ChatConfig,
    /// Runs that a clock starts; by default, there is none.
    pub schedules: Schedules,
    /// Runs that messages of other systems start; by default, there is none.
    pub hooks: Hooks,
    /// What stands between a grant and a call; by default, nothing does.
    pub governance: GovernanceConfig,
}
