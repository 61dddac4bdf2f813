//! How often, and how much: `[quotas]`.

use std::time::Duration;

use ampoule_limits::units;

use super::{Keys, text};
use crate::ConfigError;
use crate::keys::governance::QUOTA;
use crate::read::{Entry, Table};

/// How often, and how much. What is not said is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuotaConfig {
    /// `principal`: to whom it applies, as a pattern; to all, if nothing is said.
    pub principal: Option<String>,
    /// `tool`: to calls of which tools, as a pattern.
    pub tool: Option<String>,
    /// `class`: to calls of which class of tools.
    pub class: Option<ToolClass>,
    /// `per`: who shares it.
    pub per: QuotaPer,
    /// `calls-per-minute`.
    pub calls_per_minute: Option<u32>,
    /// `calls-per-hour`.
    pub calls_per_hour: Option<u32>,
    /// `calls-per-day`.
    pub calls_per_day: Option<u64>,
    /// `runs-per-minute`.
    pub runs_per_minute: Option<u32>,
    /// `runs-per-day`.
    pub runs_per_day: Option<u64>,
    /// `fuel-per-day`.
    pub fuel_per_day: Option<u64>,
    /// `isolate-time-per-day`.
    pub isolate_time_per_day: Option<Duration>,
    /// `bytes-per-day`.
    pub bytes_per_day: Option<u64>,
}

/// A class of tools, by what their servers say of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolClass {
    /// Those that change nothing.
    ReadOnly,
    /// Those that may destroy something.
    Destructive,
    /// Those that reach beyond their server's own world.
    OpenWorld,
}

/// Who shares what a quota allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QuotaPer {
    /// Each principal has all of it.
    #[default]
    Principal,
    /// Each principal has all of it for each tool.
    Tool,
    /// All principals together have it.
    Everybody,
}

const CLASSES: [(&str, ToolClass); 3] = [
    ("read-only", ToolClass::ReadOnly),
    ("destructive", ToolClass::Destructive),
    ("open-world", ToolClass::OpenWorld),
];
const PER: [(&str, QuotaPer); 3] = [
    ("principal", QuotaPer::Principal),
    ("tool", QuotaPer::Tool),
    ("everybody", QuotaPer::Everybody),
];

pub(super) fn read(table: &Table<'_>) -> Result<QuotaConfig, ConfigError> {
    let mut keys = Keys::only(table, QUOTA);
    let quota = QuotaConfig {
        principal: keys.find("principal", text),
        tool: keys.find("tool", text),
        class: keys.find("class", |it| it.choice(&CLASSES)),
        per: keys.get("per", |it| it.choice(&PER)),
        calls_per_minute: keys.find("calls-per-minute", small),
        calls_per_hour: keys.find("calls-per-hour", small),
        calls_per_day: keys.find("calls-per-day", count),
        runs_per_minute: keys.find("runs-per-minute", small),
        runs_per_day: keys.find("runs-per-day", count),
        fuel_per_day: keys.find("fuel-per-day", count),
        isolate_time_per_day: keys.find("isolate-time-per-day", |it| {
            it.quantity(units::parse_duration)
        }),
        bytes_per_day: keys.find("bytes-per-day", |it| it.quantity(units::parse_bytes)),
    };
    keys.done(quota)
}

fn count(entry: &Entry<'_>) -> Result<u64, ConfigError> {
    entry.quantity(units::parse_count)
}

fn small(entry: &Entry<'_>) -> Result<u32, ConfigError> {
    u32::try_from(count(entry)?)
        .map_err(|_| entry.refuse(format!("this must be at most {}", u32::MAX)))
}
