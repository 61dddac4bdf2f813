//! The form of `ampoule.toml`, and what must hold beyond it.

use std::num::NonZeroU32;
use std::path::Path;

use ampoule_limits::{Limit, Limits, units};

use super::read::{Entry, Source, Table};
use super::server::{self, Environment, Surroundings};
use super::{ComponentsConfig, Config, ConfigError, LimitsConfig};

/// The keys of the file.
const KEYS: [&str; 6] = [
    "isolates",
    "slot-wait",
    "servers",
    "limits",
    "ceilings",
    "components",
];

/// Reads the text of `file`, whose paths are relative to `folder`.
pub(super) fn parse(
    file: &Path,
    folder: &Path,
    text: &str,
    environment: Environment<'_>,
) -> Result<Config, ConfigError> {
    let source = Source { file, text };
    let document = source.parsed()?;
    let root = Table::root(&source, &document);
    root.only(&KEYS)?;
    let table = |key: &str| root.get(key).map(|entry| entry.table()).transpose();
    let around = Surroundings {
        folder,
        environment,
    };
    let (servers, disabled) =
        table("servers")?.map_or_else(Default::default, |table| server::servers(&table, around));
    let (limits, ceilings) = (table("limits")?, table("ceilings")?);
    let config = Config {
        source: Some(file.to_owned()),
        isolates: root
            .get("isolates")
            .map(|entry| isolates(&entry))
            .transpose()?,
        slot_wait: quantity(&root, "slot-wait", units::parse_duration)?,
        servers,
        disabled,
        limits: read_limits(limits.as_ref())?,
        ceilings: read_limits(ceilings.as_ref())?,
        components: match table("components")? {
            Some(table) => components(&table, around)?,
            None => ComponentsConfig::default(),
        },
    };
    check_limits(&config, limits.as_ref(), ceilings.as_ref())?;
    Ok(config)
}

fn quantity<T>(
    table: &Table<'_>,
    key: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    table
        .get(key)
        .map(|entry| entry.quantity(parse))
        .transpose()
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
    table.only(&Limit::ALL.map(Limit::name))?;
    let mut limits = LimitsConfig::default();
    for limit in Limit::ALL {
        if let Some(entry) = table.get(limit.name()) {
            entry.quantity(|text| limits.read(limit, text))?;
        }
    }
    Ok(limits)
}

fn components(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<ComponentsConfig, ConfigError> {
    table.only(&["sent", "folder"])?;
    let sent = table.get("sent").map(|entry| entry.boolean()).transpose()?;
    let folder = table.get("folder").map(|entry| {
        let folder = server::expanded(&entry, around.environment)?;
        Ok(around.folder.join(folder))
    });
    Ok(ComponentsConfig {
        sent: sent.unwrap_or_default(),
        folder: folder.transpose()?,
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
