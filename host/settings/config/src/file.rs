//! The form of `ampoule.toml`, and what must hold beyond it.

use std::num::NonZeroU32;
use std::path::Path;

use ampoule_limits::{Limit, Limits, units};

use super::error::Mistakes;
use super::read::{Entry, Source, Table};
use super::server::{self, Read, Servers, Surroundings};
use super::tree::Format;
use super::{
    ComponentsConfig, Config, ConfigError, LimitsConfig, User, clients, governance, keys, records,
    remote, runs, serve, sessions, skills, telemetry, typed, workspace,
};

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
    };
    let mut mistakes = Mistakes::default();
    mistakes.unless(root.only(keys::FILE));
    let mut table = |key: &str| mistakes.unless(root.read(key, Entry::table)).flatten();
    let (servers, limits) = (table("servers"), table("limits"));
    let (ceilings, folders) = (table("ceilings"), table("components"));
    let (told, kept) = (table("telemetry"), table("sessions"));
    let (recorded, runs) = (table("records"), table("runs"));
    let (workspace, given) = (table("workspace"), table("folders"));
    let skills = table("skills");
    let serve = table("serve");
    let tls = root.read("tls", |tls| remote::read_tls(tls, around));
    let tls = mistakes.unless(tls).flatten().unwrap_or_default();
    let import = root.read("import", |import| {
        import.each(|from| clients::files(from, folder, user))
    });
    let mut config = Config {
        source: Some(file.to_owned()),
        isolates: mistakes.unless(root.read("isolates", isolates)).flatten(),
        slot_wait: mistakes
            .unless(quantity(&root, "slot-wait", units::parse_duration))
            .flatten(),
        limits: mistakes
            .unless(read_limits(limits.as_ref()))
            .unwrap_or_default(),
        ceilings: mistakes
            .unless(read_limits(ceilings.as_ref()))
            .unwrap_or_default(),
        ..Config::default()
    };
    if let Some(folders) = folders {
        let read = mistakes.unless(components(&folders, around));
        config.components = read.unwrap_or_default();
    }
    if let Some(kept) = kept {
        let read = mistakes.unless(sessions::read(&kept, around));
        config.sessions = read.unwrap_or_default();
    }
    if let Some(skills) = skills {
        config.skills = mistakes.unless(skills::read(&skills, around));
    }
    let outbound = root.read("outbound", |outbound| typed::read(outbound, around));
    config.outbound = mistakes.unless(outbound).flatten();
    config.tls = tls.clone();
    if let Some(workspace) = workspace {
        config.workspace = mistakes.unless(workspace::workspace(&workspace, around));
    }
    if let Some(given) = given {
        let read = mistakes.unless(workspace::folders(&given, around));
        config.folders = read.unwrap_or_default();
    }
    if let Some(told) = told {
        let read = mistakes.unless(telemetry::telemetry(&told, around));
        config.telemetry = read.unwrap_or_default();
    }
    if let Some(recorded) = recorded {
        let read = mistakes.unless(records::records(&recorded));
        config.records = read.unwrap_or_default();
    }
    if let Some(runs) = runs {
        config.runs = mistakes.unless(runs::read(&runs)).unwrap_or_default();
    }
    if let Some(serve) = serve {
        let read = mistakes.unless(serve::read(&serve, &tls, around));
        config.serve = read.unwrap_or_default();
    }
    let governed = mistakes.unless(governance::read(&root, around));
    config.governance = governed.unwrap_or_default();
    config.notes = governance::idle(&root, &config.governance);
    mistakes.unless(check_limits(&config, limits.as_ref(), ceilings.as_ref()));
    let import = mistakes.unless(import).flatten().unwrap_or_default();
    if let Some(servers) = servers {
        config.take(server::servers(&servers, &tls, around));
    }
    match mistakes.none() {
        Ok(()) => {
            clients::import(&mut config, import.into_iter().flatten(), &tls, user);
            Ok(config)
        }
        // Who mends these wants to know of all.
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

fn quantity<T>(
    table: &Table<'_>,
    key: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    table.read(key, |entry| entry.quantity(parse))
}

fn isolates(entry: &Entry<'_>) -> Result<NonZeroU32, ConfigError> {
    let most = entry.quantity(units::parse_count)?;
    let most = u32::try_from(most).ok().and_then(NonZeroU32::new);
    most.ok_or_else(|| entry.refuse(format!("there can be 1 to {} isolates", u32::MAX)))
}

fn read_limits(table: Option<&Table<'_>>) -> Result<LimitsConfig, ConfigError> {
    let Some(table) = table else {
        return Ok(LimitsConfig::default());
    };
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(&keys::of_limits()));
    let mut limits = LimitsConfig::default();
    for limit in Limit::ALL {
        mistakes.unless(table.read(limit.name(), |entry| {
            entry.quantity(|text| limits.read(limit, text))
        }));
    }
    mistakes.none().map(|()| limits)
}

fn components(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<ComponentsConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("components")));
    let sent = mistakes
        .unless(table.read("sent", Entry::boolean))
        .flatten();
    let folder = table.read("folder", |folder| server::path(folder, around));
    let folder = mistakes.unless(folder).flatten();
    mistakes.none()?;
    Ok(ComponentsConfig {
        sent: sent.unwrap_or_default(),
        folder,
    })
}

/// No run can keep a limit below the least that there may be, and a limit above its ceiling would
/// never be reached. One that is not configured is lowered without a word.
fn check_limits(
    config: &Config,
    limits_table: Option<&Table<'_>>,
    ceilings_table: Option<&Table<'_>>,
) -> Result<(), ConfigError> {
    let ceilings = config.ceilings.over(Limits::default_ceilings());
    let limits = config.limits.over(Limits::default().lowered_to(&ceilings));
    // What is not configured is right.
    for (values, table) in [(&ceilings, ceilings_table), (&limits, limits_table)] {
        if let Some((limit, problem)) = values.problem()
            && let Some(entry) = table.and_then(|table| table.get(limit.name()))
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
