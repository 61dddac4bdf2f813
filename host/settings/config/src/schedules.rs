//! Runs that a clock starts: `[schedules.NAME]`; and what runs of clocks and of
//! [messages](super::hooks) have in common.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use ampoule_limits::{Limits, LimitsConfig};
use ampoule_projection::names::{PatternText, ToolPattern};
use croner::Cron;
use croner::parser::{CronParser, Year};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Config;
use super::error::{ConfigError, Mistakes};
use super::read::Table;
use super::toolkits::toolkit_of;

/// The longest name of a schedule or hook, in bytes.
const NAME_BYTES: usize = 64;

/// The schedules, by name.
pub type Schedules = BTreeMap<StarterName, ScheduleConfig>;

/// Runs that a clock starts while `ampoule serve` runs: when, what, and for whom. Each run is
/// governed, recorded, parked and listed like others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScheduleConfig {
    /// When: minute, hour, day of the month, month and day of the week, such as `0 3 * * *`; with six
    /// fields, the first is the second. `@daily` and the like are taken, too.
    #[serde(deserialize_with = "cron")]
    #[schemars(with = "String")]
    pub cron: Cron,
    /// The time zone of these times, such as `Europe/Berlin`. Default: `UTC`.
    #[serde(default = "utc", deserialize_with = "time_zone")]
    #[schemars(with = "String")]
    pub time_zone: TimeZone,
    /// What happens with times at which no server was there. Default: `once`.
    #[serde(default)]
    pub missed: MissedRule,
    /// What happens with a time at which the last run is still under way, also one that is parked.
    /// Default: `skip`.
    #[serde(default)]
    pub overlap: OverlapRule,
    /// The file with the script. It is read at each run.
    #[serde(default, deserialize_with = "ampoule_fields::path")]
    #[schemars(with = "String")]
    pub script: Option<PathBuf>,
    /// A skill, instead of a script: one of the principal's, an approved one, or one of the operator's.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub skill: Option<String>,
    /// The function of the skill that is called, with `env.input` as its argument.
    #[serde(default, deserialize_with = "function")]
    #[schemars(with = "String")]
    pub function: Option<String>,
    /// For whom it runs: roles, quotas, policies, sessions and skills are this principal's. Default:
    /// the local user.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub principal: Option<String>,
    /// The groups of the principal.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The tools that it may call, such as `github.get_*`. Default: those of the toolkit, or none.
    #[serde(default, deserialize_with = "tools")]
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<ToolPattern>,
    /// The toolkit whose tools it may call, instead of `tools`.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub toolkit: Option<String>,
    /// What it may use, where that differs from `[limits]`.
    #[serde(default)]
    pub limits: LimitsConfig,
}

/// What happens with times at which no server was there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MissedRule {
    /// One run makes up for all of them.
    #[default]
    Once,
    /// Each has a run, one after the other; of more than 100, the last 100.
    Each,
    /// Nothing.
    Skip,
}

/// What happens with a time at which the last run is still under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverlapRule {
    /// The time passes without a run.
    #[default]
    Skip,
    /// A run begins when the last one has ended. One waits at most.
    Wait,
    /// A run begins beside the last one; there are 16 at most.
    Start,
}

/// The name of a schedule or hook: a part of an address and of files' names, as it is written there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct StarterName(String);

impl StarterName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for StarterName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_name = name.len() <= NAME_BYTES
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match is_name {
            true => Ok(Self(name)),
            false => Err(format!(
                "the name of a schedule or hook has letters, digits, `_` and `-`, a letter or digit first, and at most {NAME_BYTES} of them"
            )),
        }
    }
}

impl fmt::Display for StarterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a clock or a message runs, and with which rights.
pub(super) struct Job<'c> {
    pub(super) script: Option<&'c PathBuf>,
    pub(super) skill: Option<&'c str>,
    pub(super) function: Option<&'c str>,
    pub(super) tools: &'c [ToolPattern],
    pub(super) toolkit: Option<&'c str>,
    pub(super) limits: &'c LimitsConfig,
}

impl ScheduleConfig {
    fn job(&self) -> Job<'_> {
        Job {
            script: self.script.as_ref(),
            skill: self.skill.as_deref(),
            function: self.function.as_deref(),
            tools: &self.tools,
            toolkit: self.toolkit.as_deref(),
            limits: &self.limits,
        }
    }
}

fn utc() -> TimeZone {
    TimeZone::UTC
}

fn cron<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cron, D::Error> {
    let text = String::deserialize(deserializer)?;
    // With a year, which would be a seventh field, a schedule would end without a word.
    let parser = CronParser::builder().year(Year::Disallowed).build();
    let cron = parser.parse(&text).map_err(|_| {
        D::Error::custom(
            "this is not a cron expression; write minute, hour, day of the month, month and day of the week, such as `0 3 * * *` for each day at three",
        )
    })?;
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    match cron.find_next_occurrence(&now, false) {
        Ok(_) => Ok(cron),
        Err(_) => Err(D::Error::custom(
            "no calendar has such a time; check the day and the month",
        )),
    }
}

fn time_zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TimeZone, D::Error> {
    let name = String::deserialize(deserializer)?;
    TimeZone::get(&name).map_err(|_| {
        D::Error::custom(
            "this is not the name of a time zone; write one such as `Europe/Berlin` or `UTC`",
        )
    })
}

pub(super) fn function<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match is_name {
        true => Ok(Some(name)),
        false => Err(D::Error::custom(
            "a function's name has letters, digits and `_`, and does not begin with a digit",
        )),
    }
}

pub(super) fn tools<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ToolPattern>, D::Error> {
    let patterns = Vec::<PatternText>::deserialize(deserializer)?;
    Ok(patterns.into_iter().map(|it| it.0).collect())
}

/// What must hold of all schedules beyond their keys.
pub(super) fn check(config: &Config, root: &Table<'_>) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    for (name, schedule) in &config.schedules {
        let table = table_of(root, "schedules", name);
        let Some(table) = table else { continue };
        mistakes.unless(check_job(config, &schedule.job(), &table));
    }
    mistakes.none()
}

/// The table of a schedule or hook.
pub(super) fn table_of<'a>(root: &Table<'a>, kind: &str, name: &StarterName) -> Option<Table<'a>> {
    let all = root.get(kind)?.table().ok()?;
    all.get(name.as_str())?.table().ok()
}

/// What must hold of what is run: there is one thing to run, its toolkit exists, and its limits are
/// within what runs may ask for.
pub(super) fn check_job(
    config: &Config,
    job: &Job<'_>,
    table: &Table<'_>,
) -> Result<(), ConfigError> {
    let refuse = |key: &str, why: String| match table.get(key) {
        Some(entry) => Err(entry.refuse(why)),
        None => Err(table.refuse(why)),
    };
    match (job.script, job.skill, job.function) {
        (None, None, _) => {
            return refuse(
                "",
                "it runs nothing: add `script`, a file, or `skill`".into(),
            );
        }
        (Some(_), Some(_), _) => {
            return refuse(
                "skill",
                "`script` and `skill` are two ways to say what runs".into(),
            );
        }
        (Some(_), None, Some(_)) => {
            return refuse("function", "`function` belongs to a `skill`".into());
        }
        (None, Some(_), None) => {
            return refuse(
                "skill",
                "`function` is missing: the function to call".into(),
            );
        }
        _ => {}
    }
    if let Some(toolkit) = job.toolkit {
        if !job.tools.is_empty() {
            let why = "`tools` and `toolkit` are two ways to say what it may call";
            return refuse("toolkit", why.into());
        }
        if let Err(unknown) = toolkit_of(&config.toolkits, toolkit) {
            return refuse("toolkit", unknown);
        }
    }
    check_limits(config, job.limits, table)
}

/// What is wrong with limits that differ from `[limits]`.
pub(super) fn check_limits(
    config: &Config,
    own: &LimitsConfig,
    table: &Table<'_>,
) -> Result<(), ConfigError> {
    let ceilings = config.ceilings.over(Limits::default_ceilings());
    let usual = config.limits.over(Limits::default().lowered_to(&ceilings));
    let limits = own.over(usual);
    let wrong = match (limits.problem(), limits.above(&ceilings)) {
        (Some((limit, problem)), _) => Some((limit, problem)),
        (None, Some((limit, asked, ceiling))) => {
            let unit = limit.unit();
            let problem = format!("{asked} {unit} is above the ceiling of {ceiling} {unit}");
            Some((limit, problem))
        }
        (None, None) => None,
    };
    let own = table.get("limits").and_then(|limits| limits.table().ok());
    // What `[limits]` says wrongly is reported there.
    match wrong.and_then(|(limit, problem)| Some((own?.get(limit.name())?, problem))) {
        Some((entry, problem)) => Err(entry.refuse(problem)),
        None => Ok(()),
    }
}
