//! Which server is shown, and which files are watched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule_config::{
    Auth, Command, GovernanceConfig, Reach, Remote, ServerConfig, Tls, Transport,
};
use ampoule_untrusted::text;
use clap::Args;

use super::saves::is_source;
use crate::code::key_and_value;
use crate::exit::Failure;
use crate::setup::Setup;

/// What scripts call a server that no configuration names.
const UNNAMED: &str = "server";

/// Which server to show, and what to watch of it.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// The server: its name in the configuration, or its address.
    #[arg(
        value_name = "NAME|URL",
        required_unless_present = "command",
        conflicts_with = "command"
    )]
    server: Option<String>,
    /// The server's program and its arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// An environment variable for the program. May be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value, requires = "command")]
    env: Vec<(String, String)>,
    /// A file or folder to watch, too. May be repeated. Default: the files that the command names,
    /// with their folders; if it names none, its working folder.
    #[arg(long, value_name = "PATH")]
    watch: Vec<PathBuf>,
    #[command(flatten)]
    setup: Setup,
}

/// A server, and what is watched.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) config: ServerConfig,
    /// Files and folders, each by its whole path.
    pub(super) places: Vec<PathBuf>,
}

impl Target {
    /// The server that is meant. Whether it is called decides which ones may be.
    pub(super) fn of(arguments: &TargetArguments, is_called: bool) -> Result<Self, Failure> {
        let (name, mut config) = match &arguments.server {
            None => {
                let config = of_command(&arguments.command, &arguments.env);
                (UNNAMED.to_owned(), config)
            }
            Some(address) if address.contains("://") => (UNNAMED.to_owned(), of_address(address)),
            Some(name) => (name.clone(), configured(&arguments.setup, name, is_called)?),
        };
        // Between two saves, nobody calls it.
        config.idle_timeout = Some(Duration::ZERO);
        let mut places = BTreeSet::new();
        for place in &arguments.watch {
            let whole = std::fs::canonicalize(place).map_err(|error| {
                let place = place.to_string_lossy();
                Failure::usage(format!("--watch {}: {error}", text::one_line(&place)))
            })?;
            places.insert(whole);
        }
        let folder = folder_of(&config);
        let named = named_files(&config, &folder);
        let others = match named.is_empty() && arguments.watch.is_empty() {
            true => vec![folder],
            false => named,
        };
        places.extend(others.into_iter().filter_map(|it| it.canonicalize().ok()));
        Ok(Self {
            name,
            config,
            places: places.into_iter().collect(),
        })
    }
}

fn of_command(words: &[String], env: &[(String, String)]) -> ServerConfig {
    let (program, args) = words
        .split_first()
        .map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
    let command = Command {
        program: program.into(),
        args: args.to_vec(),
        env: env.iter().cloned().collect(),
        ..Command::default()
    };
    ServerConfig::process(words.join(" "), command)
}

fn of_address(address: &str) -> ServerConfig {
    let remote = Remote {
        url: address.to_owned(),
        transport: Transport::default(),
        headers: Default::default(),
        headers_command: Vec::new(),
        auth: Auth::default(),
        tls: Tls::default(),
        variables: BTreeSet::new(),
    };
    ServerConfig {
        reach: Reach::Remote(remote),
        ..ServerConfig::process(address, Command::default())
    }
}

fn configured(setup: &Setup, name: &str, is_called: bool) -> Result<ServerConfig, Failure> {
    let mut config = setup.read_or_demo()?;
    let shown = text::one_line(name);
    if let Some(problem) = config.disabled.get(name) {
        return Err(Failure::usage(format!(
            "server `{shown}` is disabled: {problem}"
        )));
    }
    let Some(server) = config.servers.remove(name) else {
        return Err(Failure::usage(format!(
            "unknown server `{shown}`; `ampoule servers` lists the servers. To start a program, write it after `--`"
        )));
    };
    // The command looks at the server itself, without what stands before calls.
    let is_free = server.tools.allow_all() && config.governance == GovernanceConfig::default();
    if is_called && !is_free {
        return Err(Failure::usage(format!(
            "--call: the configuration has rules for calls, which `ampoule dev` does not apply; use `ampoule run`, or start `{shown}` by its command after `--`"
        )));
    }
    Ok(server)
}

/// The folder that the server's process begins in.
fn folder_of(config: &ServerConfig) -> PathBuf {
    let folder = match &config.reach {
        Reach::Process(command) => command.cwd.clone(),
        _ => None,
    };
    folder.unwrap_or_else(|| PathBuf::from("."))
}

/// The files that the server's command names, and the folders of those that are source.
fn named_files(config: &ServerConfig, folder: &Path) -> Vec<PathBuf> {
    let Reach::Process(command) = &config.reach else {
        return Vec::new();
    };
    // A name alone is looked up in PATH.
    let program = &command.program;
    let program = (program.components().count() > 1).then(|| program.clone());
    let words = command.args.iter().map(PathBuf::from);
    let mut named = Vec::new();
    for word in program.into_iter().chain(words) {
        let file = folder.join(word);
        if !file.is_file() {
            continue;
        }
        if is_source(&file) {
            named.extend(file.parent().map(Path::to_path_buf));
        }
        named.push(file);
    }
    named
}
