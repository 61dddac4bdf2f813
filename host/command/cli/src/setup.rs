//! From the configuration to a runtime, the same for all subcommands.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::upstream::Tls;
use ampoule::{Grant, GrantedTools, Runtime, RuntimeBuilder};
use ampoule_chat::tools::CallWatch;
use ampoule_config::{
    ChatConfig, Command, Config, ConfigError, ExposureConfig, ServeConfig, ServerConfig,
    TelemetryConfig, Toolkits,
};
use ampoule_configured::governed::GovernanceSetup;
use ampoule_server::{ClientComponents, Exposure};
use ampoule_sign_in::accounts::Accounts;
use ampoule_telemetry::{ProcessState, Telemetry, TraceSettings, Traces};
use ampoule_tools::ResolvedTool;
use clap::Args;
use reqwest::redirect::Policy;

use super::asking::Person;
use super::auth::PrincipalAccounts;
use super::exit::Failure;
use super::governance::{AnswerChannels, Purpose, ServerAddress};
use super::schedules::Starters;
use super::{governance, streams};

/// The name of the demo server, where nothing is configured.
const DEMO: &str = "demo";

/// What is said where no server is configured.
pub(super) const NO_SERVERS: &str =
    "no server is configured: add one with `ampoule servers add`, or as a table `[servers.NAME]`";

/// The place of the configuration.
#[derive(Debug, Args)]
pub(super) struct Setup {
    /// The configuration file. Default: ampoule.toml in this folder, else in the user's
    /// configuration folder, else only the demo server.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

impl Setup {
    /// The configuration in a file.
    pub(super) fn of_file(file: PathBuf) -> Self {
        Self { config: Some(file) }
    }

    /// The configured runtime, to show servers and tools. No server is started yet.
    pub(super) fn configured(&self) -> Result<ConfiguredRuntime, Failure> {
        self.made_of(self.read_or_demo()?, Observer::Nobody, Some(&Purpose::Show))
    }

    /// The same for runs of this command: with all checks between a grant and a call.
    pub(super) fn running(&self) -> Result<ConfiguredRuntime, Failure> {
        let here = Purpose::Here(Person::at_terminal());
        self.made_of(self.read_or_demo()?, Observer::Nobody, Some(&here))
    }

    /// The same for the runs of an agent in this process, whose calls are watched.
    pub(super) fn chatting(
        &self,
        watch: CallWatch,
        purpose: &Purpose,
    ) -> Result<ConfiguredRuntime, Failure> {
        self.made_of(self.read_or_demo()?, Observer::Agent(watch), Some(purpose))
    }

    /// The same without these checks, to show everything.
    pub(super) fn ungoverned(&self) -> Result<ConfiguredRuntime, Failure> {
        self.made_of(self.read_or_demo()?, Observer::Nobody, None)
    }

    /// The same for a server, and the notes for its operator. `beneath`: the address under which
    /// browsers on this machine reach it, if they do.
    pub(super) fn served(
        &self,
        beneath: ServerAddress,
    ) -> Result<(ConfiguredRuntime, Telemetry), Failure> {
        let config = self.read_or_demo()?;
        let names = config.servers.keys().chain(config.disabled.keys());
        let names: Vec<Arc<str>> = names.map(|name| name.as_str().into()).collect();
        let telemetry = Telemetry::new(names, traces(&config.telemetry));
        let observer = Observer::Operator(&telemetry);
        let configured = self.made_of(config, observer, Some(&Purpose::Clients(beneath)))?;
        let runtime = configured.runtime.clone();
        telemetry.look_at(move || {
            let (isolates, waiting) = runtime.load();
            ProcessState {
                isolates,
                waiting,
                parked: runtime.waiting().parked,
                kept_alive: runtime.waiting().kept_alive,
                upstreams: runtime.standings(),
            }
        });
        Ok((configured, telemetry))
    }

    fn made_of(
        &self,
        config: Config,
        observer: Observer<'_>,
        of: Option<&Purpose>,
    ) -> Result<ConfiguredRuntime, Failure> {
        let origin = match &config.source {
            None => Some(
                "no ampoule.toml, so scripts may call only the built-in server `demo`, a made-up business",
            ),
            Some(file) if self.config.is_none() && file.is_relative() => {
                Some("using the servers of ampoule.toml in this folder")
            }
            Some(_) => None,
        };
        let mut builder = builder();
        // Outside of all other layers, so that their denials are reported, too.
        builder = match observer {
            Observer::Nobody => builder,
            Observer::Operator(telemetry) => builder.layer(telemetry.layer()),
            Observer::Agent(watch) => builder.layer(watch),
        };
        let accounts = match of {
            Some(Purpose::Clients(beneath)) => PrincipalAccounts::of(&config, beneath)?,
            _ => None,
        };
        let principals = accounts.as_ref().map(|it| &it.principals);
        let bindings = ampoule_configured::servers_for(&config, principals);
        let (governed, places) = match of {
            None => (None, AnswerChannels::default()),
            Some(of) => governance::governed(&config, &bindings, of)?,
        };
        if let (Some(accounts), Some(governed)) = (&accounts, &governed) {
            accounts.record(&governed.governance);
        }
        if let Some(governed) = &governed {
            builder = builder.governance(governed.governance.clone());
        }
        let bindings = bindings.into_iter();
        let builder = ampoule_configured::given(builder, &config)?;
        let runtime = bindings
            .fold(builder, |builder, binding| builder.binding(binding))
            .build()?;
        let starters = Starters::of(&config);
        Ok(ConfiguredRuntime {
            starters,
            exchanges_tokens: ampoule_configured::exchanges_tokens(config.servers.values()),
            runtime,
            governed,
            places,
            accounts: accounts.map(|it| it.principals.accounts),
            components: ClientComponents {
                sent: config.components.sent,
                folder: config.components.folder,
            },
            serve: config.serve,
            counts_tools: config.exposure.hot.unwrap_or(true),
            exposure: exposure(config.exposure),
            chat: config.chat,
            tls: config.tls,
            toolkits: config.toolkits,
            remarks: Remarks {
                origin,
                disabled: config.disabled,
                notes: config.notes,
            },
        })
    }

    /// The file that was named on the command line.
    pub(super) fn file(&self) -> Option<&std::path::Path> {
        self.config.as_deref()
    }

    /// The configuration, or the demo server if there is no configuration.
    pub(super) fn read_or_demo(&self) -> Result<Config, Failure> {
        let mut config = self.read()?;
        if config.source.is_none() {
            config.servers.insert(DEMO.to_owned(), demo_server()?);
        }
        Ok(config)
    }

    /// The configuration, without the demo server.
    pub(super) fn read(&self) -> Result<Config, Failure> {
        Config::find(self.config.as_deref()).map_err(|error| Failure::usage(error.to_string()))
    }
}

/// Who hears of the calls of all runs.
enum Observer<'a> {
    Nobody,
    /// The operator of a server.
    Operator(&'a Telemetry),
    /// An agent's terminal, or its program.
    Agent(CallWatch),
}

/// What the configuration makes.
pub(super) struct ConfiguredRuntime {
    pub(super) runtime: Runtime,
    /// The checks between a grant and a call; none if nothing is configured.
    pub(super) governed: Option<GovernanceSetup>,
    /// Where this program asks for approvals.
    pub(super) places: AnswerChannels,
    /// How principals sign in to servers, where there are principals.
    pub(super) accounts: Option<Accounts>,
    /// Which components clients may run.
    pub(super) components: ClientComponents,
    /// Runs that a clock or a message starts.
    pub(super) starters: Starters,
    /// How clients reach it over HTTP.
    pub(super) serve: ServeConfig,
    /// How tools are shown to clients' models.
    pub(super) exposure: Exposure,
    /// Which model `ampoule chat` asks.
    pub(super) chat: ChatConfig,
    /// Whom to trust.
    pub(super) tls: Tls,
    /// Parts of the tools under names.
    pub(super) toolkits: Toolkits,
    /// Whether it is counted which tools runs use.
    pub(super) counts_tools: bool,
    /// Whether the tokens of callers are exchanged for those of servers.
    pub(super) exchanges_tokens: bool,
    pub(super) remarks: Remarks,
}

/// How tools are shown, as the server takes it.
pub(super) fn exposure(config: ExposureConfig) -> Exposure {
    let ExposureConfig {
        direct,
        listed,
        searched,
        call_tool,
        budget,
        hot: _,
        prompts,
        resources,
        apps,
    } = config;
    Exposure {
        direct,
        listed,
        searched,
        call_tool,
        budget: budget.and_then(|tokens| usize::try_from(tokens.get()).ok()),
        prompts: prompts.unwrap_or(true),
        resources: resources.unwrap_or(true),
        apps: apps.unwrap_or(true),
    }
}

/// Notes about the configuration, printed after the result.
pub(super) struct Remarks {
    /// Where the servers come from, if the command line does not name the file. A file in the
    /// working folder may be anyone's, and names commands to run: the note says that it is used.
    origin: Option<&'static str>,
    disabled: BTreeMap<String, ConfigError>,
    /// Notes about the files that servers are imported from.
    notes: Vec<String>,
}

impl Remarks {
    /// Notes about the files that servers are imported from, a sentence each.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(super) fn say_origin(&self) {
        if let Some(origin) = self.origin {
            streams::err().note(origin);
        }
    }

    /// The disabled servers that the grant covers, a sentence each.
    pub(super) fn disabled<'a>(&'a self, grant: &'a Grant) -> impl Iterator<Item = String> + 'a {
        let granted = self
            .disabled
            .iter()
            .filter(|(name, _)| grant.allows_server(name));
        granted.map(|(name, error)| sentence(name, error))
    }

    /// Refuses a grant that names a disabled server.
    pub(super) fn refuse(&self, grant: &Grant) -> Result<(), Failure> {
        let mut disabled = self.disabled.iter();
        match disabled.find(|(name, _)| grant.names_server(name)) {
            Some((name, error)) => Err(Failure::usage(sentence(name, error))),
            None => Ok(()),
        }
    }
}

/// Where traces go. A failure to send traces does not stop the server.
fn traces(config: &TelemetryConfig) -> Option<Traces> {
    let settings = TraceSettings {
        endpoint: config.endpoint.clone(),
        headers: config.headers.clone().into_iter().collect(),
        service_name: config.service_name.clone(),
        sample: config.sampled(),
    };
    let client = || {
        let client = Tls::default().client()?.redirect(Policy::none()).build();
        client.map_err(|_| "the HTTP client can't be created".to_owned())
    };
    Traces::start(settings, client).unwrap_or_else(|why| {
        tracing::warn!("traces are not sent: {why}");
        None
    })
}

fn sentence(name: &str, error: &ConfigError) -> String {
    format!("server `{name}` is disabled: {error}")
}

/// This program, as the demo server.
fn demo_server() -> Result<ServerConfig, Failure> {
    let command = Command {
        program: std::env::current_exe()?,
        args: vec!["demo-server".to_owned()],
        ..Command::default()
    };
    Ok(ServerConfig::process("ampoule demo-server", command))
}

/// Builds the runtime of each command. `AMPOULE_CODE=portable` makes and uses compiled code for
/// other machines, as in an image.
pub(super) fn builder() -> RuntimeBuilder {
    let portable = std::env::var_os("AMPOULE_CODE").is_some_and(|code| code == "portable");
    Runtime::builder().portable_code(portable)
}

/// The size of the definitions of all known granted tools, as JSON.
pub(super) fn definition_bytes(tools: &GrantedTools) -> u64 {
    let known = tools
        .servers()
        .filter_map(|server| tools.known_tools_of(server));
    // A definition that came as JSON can be written as JSON.
    let bytes = |tool: &ResolvedTool| {
        serde_json::to_string(tool.definition()).map_or(0, |json| json.len() as u64)
    };
    known.flatten().map(|tool| bytes(&tool)).sum()
}
