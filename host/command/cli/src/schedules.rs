//! Runs that a clock or a message starts: from the configuration to what the server takes.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{Grant, Limits, Principal, Runtime};
use ampoule_config::{
    Config, HookConfig, Hooks, LimitsConfig, MissedRule, OverlapRule, ScheduleConfig, Schedules,
    SignatureEncoding,
};
use ampoule_console::model::{ScheduleKind, ScheduleRow};
use ampoule_projection::names::ToolPattern;
use ampoule_schedules::hook::HookRate;
use ampoule_schedules::hook::signature::{Encoding, SignatureForm, SignedContent, TimestampForm};
use ampoule_schedules::{CatchUp, Overlap, Schedule, State, Store, Timing};
use ampoule_server::Server;
use ampoule_server::unattended::{Hook, Job, JobAccess, JobProgram, ScheduledJob, UnattendedRuns};

use super::exit::Failure;

/// The folder for what is known of schedules, within the user's data folder.
const FOLDER: &str = "schedules";
/// How old a message with a timestamp may be.
const TOLERANCE: Duration = Duration::from_mins(5);
/// How large the body of a message may be, in bytes.
const BODY_BYTES: u64 = 1 << 20;
/// How many messages start runs in a minute.
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(60).unwrap();
/// How many runs of a hook may be under way.
const AT_ONCE: u32 = 4;

/// The runs that a configuration has started.
#[derive(Debug, Default)]
pub(super) struct Starters {
    pub(super) schedules: Schedules,
    pub(super) hooks: Hooks,
    /// The file of the configuration.
    source: Option<PathBuf>,
}

impl Starters {
    /// Those of a configuration.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            schedules: config.schedules.clone(),
            hooks: config.hooks.clone(),
            source: config.source.clone(),
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.schedules.is_empty() && self.hooks.is_empty()
    }

    /// A row for each, with what became of its runs: the schedules first.
    pub(super) fn rows(&self) -> Result<Vec<ScheduleRow>, Failure> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let store = self.store()?;
        let state = |name: &str| store.state(name).map_err(|error| Failure::host(&error));
        let now = jiff::Timestamp::now();
        let mut rows = Vec::new();
        for (name, config) in &self.schedules {
            let (timing, state) = (timing(config), state(name.as_str())?);
            let described = ScheduleRow {
                kind: ScheduleKind::Schedule,
                started_by: timing.to_string(),
                program: program_name(
                    config.script.as_deref(),
                    config.skill.as_deref(),
                    config.function.as_deref(),
                ),
                principal: config.principal.clone(),
                next: state.next(&timing, now).map(seconds),
                ..row(name.as_str(), &state)
            };
            rows.push(described);
        }
        for (name, config) in &self.hooks {
            let described = ScheduleRow {
                kind: ScheduleKind::Hook,
                started_by: format!("/hooks/{name}"),
                program: program_name(
                    config.script.as_deref(),
                    config.skill.as_deref(),
                    config.function.as_deref(),
                ),
                principal: config.principal.clone(),
                ..row(name.as_str(), &state(&format!("hook.{name}"))?)
            };
            rows.push(described);
        }
        Ok(rows)
    }

    /// What is known of them: in a folder for each configuration.
    pub(super) fn store(&self) -> Result<Store, Failure> {
        let place = self.source.as_deref().unwrap_or(Path::new(""));
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        let name = blake3::hash(place.as_os_str().as_encoded_bytes()).to_hex();
        let folder = ampoule::data_folder().ok_or_else(|| {
            Failure::usage(
                "schedules and hooks need a data folder, and none was found: set HOME or XDG_DATA_HOME",
            )
        })?;
        let folder = folder.join(FOLDER).join(&name[..16]);
        Store::open(&folder).map_err(|error| {
            Failure::usage(format!(
                "what is known of schedules can't be kept in {}: {error}",
                folder.display()
            ))
        })
    }

    /// The runs in a server.
    pub(super) fn in_server(
        self,
        server: &Server,
        runtime: &Runtime,
    ) -> Result<UnattendedRuns, Failure> {
        let store = self.store()?;
        let usual = runtime.limits();
        let schedules = self.schedules.into_iter();
        let schedules =
            schedules.map(|(name, schedule)| scheduled(name.to_string(), schedule, usual));
        let hooks = self.hooks.into_iter();
        let hooks = hooks.map(|(name, hook)| hooked(name.to_string(), hook, usual));
        Ok(UnattendedRuns::new(
            server.clone(),
            store,
            schedules.collect(),
            hooks.collect(),
        ))
    }
}

/// What became of the runs of a schedule or hook.
fn row(name: &str, state: &State) -> ScheduleRow {
    let newest = state.newest();
    ScheduleRow {
        name: name.to_owned(),
        kind: ScheduleKind::Schedule,
        started_by: String::new(),
        program: String::new(),
        principal: None,
        next: None,
        last: newest.map(|note| seconds(note.due)),
        outcome: state.outcome().map(ToOwned::to_owned),
        run: newest.and_then(|note| note.run.clone()),
        waiting: state.queue.len() as u64,
        under_way: state.open.len() as u64,
        can_start: false,
    }
}

fn seconds(time: jiff::Timestamp) -> String {
    format!("{time:.0}")
}

/// What runs, in a few words.
fn program_name(script: Option<&Path>, skill: Option<&str>, function: Option<&str>) -> String {
    match script {
        Some(script) => script.display().to_string(),
        None => {
            let (skill, function) = (skill.unwrap_or_default(), function.unwrap_or_default());
            format!("{skill}.{function}")
        }
    }
}

/// The times of a schedule.
fn timing(schedule: &ScheduleConfig) -> Timing {
    Timing::new(schedule.cron.clone(), schedule.time_zone.clone())
}

fn scheduled(name: String, config: ScheduleConfig, usual: &Limits) -> ScheduledJob {
    let schedule = Schedule {
        name,
        timing: timing(&config),
        missed: match config.missed {
            MissedRule::Once => CatchUp::Once,
            MissedRule::Each => CatchUp::Each,
            MissedRule::Skip => CatchUp::Skip,
        },
        overlap: match config.overlap {
            OverlapRule::Skip => Overlap::Skip,
            OverlapRule::Wait => Overlap::Wait,
            OverlapRule::Start => Overlap::Start,
        },
    };
    let job = Job {
        program: program(config.script, config.skill, config.function),
        principal: principal(config.principal, config.groups),
        access: access(config.tools, config.toolkit),
        limits: limits(config.limits, usual),
    };
    ScheduledJob { schedule, job }
}

fn hooked(name: String, config: HookConfig, usual: &Limits) -> Hook {
    let tolerance = config.tolerance.unwrap_or(TOLERANCE);
    let prefix = config.timestamp_prefix;
    let timestamp = config.timestamp_header.map(|header| TimestampForm {
        header,
        prefix,
        tolerance,
    });
    let body = config.body.unwrap_or(BODY_BYTES);
    let at_once = config.at_once.map_or(AT_ONCE, NonZeroU32::get);
    Hook {
        name,
        form: SignatureForm {
            header: config.header,
            prefix: config.prefix,
            encoding: match config.encoding {
                SignatureEncoding::Hex => Encoding::Hex,
                SignatureEncoding::Base64 => Encoding::Base64,
            },
            content: SignedContent::read(&config.signed),
            timestamp,
            id_header: config.id_header,
        },
        secret: config.secret,
        body_bytes: usize::try_from(body).unwrap_or(usize::MAX),
        rate: HookRate::per_minute(config.per_minute.unwrap_or(PER_MINUTE)),
        at_once: at_once as usize,
        headers: config.headers,
        job: Job {
            program: program(config.script, config.skill, config.function),
            principal: principal(config.principal, config.groups),
            access: access(config.tools, config.toolkit),
            limits: limits(config.limits, usual),
        },
    }
}

/// What runs. The configuration was checked: there is one of both.
fn program(script: Option<PathBuf>, skill: Option<String>, function: Option<String>) -> JobProgram {
    match script {
        Some(script) => {
            if !script.is_file() {
                let script = script.display();
                tracing::warn!("{script} is not a file: no run can begin before it is there");
            }
            JobProgram::Script(script)
        }
        None => JobProgram::Skill {
            skill: skill.unwrap_or_default(),
            function: function.unwrap_or_default(),
        },
    }
}

fn principal(name: Option<String>, groups: Vec<String>) -> Option<Principal> {
    Some(Principal::new(name?).with_groups(groups))
}

fn access(tools: Vec<ToolPattern>, toolkit: Option<String>) -> JobAccess {
    match toolkit {
        Some(toolkit) => JobAccess::Toolkit(toolkit),
        None => JobAccess::Tools(Grant::from(tools)),
    }
}

fn limits(own: LimitsConfig, usual: &Limits) -> Limits {
    own.over(*usual)
}
