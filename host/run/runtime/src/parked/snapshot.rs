//! What is kept of a run besides its memory.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule_isolate::{CallUsage, Journal, Language, Line, Note};
use ampoule_limits::{Limit, Limits, LimitsConfig};
use ampoule_persistence::parked::{RunEntry, State};
use ampoule_tools::{Error, Grant, Principal, RunId, Toolkit};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::governed::CarriedData;

/// How much is kept of a script's source, in bytes: all of it is in its memory.
const SHOWN_BYTES: usize = 4 << 10;

/// What is kept of a run that waits.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSnapshot {
    #[serde(flatten)]
    pub(crate) fixed: RunFacts,
    /// The number of its session's newest run when it began.
    pub(crate) session_run: u64,
    pub(crate) journal: Journal,
    /// What it had read by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) carried: Option<CarriedData>,
}

/// Something that was noted of it since.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum NoteOnDisk {
    /// What it has read by now: noted before the answer that it read.
    Carried { carried: CarriedData },
    /// Whether its embedder [suspended](crate::Suspender::suspend) it: the time until it resumes is
    /// not the run's.
    Suspended { suspended: bool },
    /// What the isolate's side notes.
    Note(Note),
}

impl NoteOnDisk {
    /// [`Suspended`](Self::Suspended), as it is written.
    pub(super) const SUSPENDED: &[u8] = br#"{"suspended":true}"#;
}

/// What stays the same in a run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct RunFacts {
    pub(super) principal: Option<String>,
    pub(super) language: String,
    /// The main module's name.
    pub(super) name: String,
    /// The start of its source.
    pub(super) code: String,
    /// The hash of the interpreter whose memory it is.
    pub(super) guest: String,
    pub(super) grant: String,
    /// Each by its name, in its unit.
    limits: Vec<(String, u64)>,
    /// After how long it is parked.
    pub(super) after: Duration,
    #[serde(default)]
    pub(crate) owner: Owner,
}

/// What is known of its owner, besides the principal.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Owner {
    /// The principal's groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) groups: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<Arc<str>>,
    /// What narrows its grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toolkit: Option<Toolkit>,
    /// What its embedder calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<Arc<str>>,
    /// The digest of its script, which is in its memory alone.
    pub(crate) script: String,
    /// What somebody has approved of it, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<String>,
}

/// The main module of a script.
#[derive(Clone, Copy)]
pub(crate) struct MainModule<'s> {
    pub(crate) language: Language,
    pub(crate) name: &'s str,
    pub(crate) source: &'s str,
}

/// What a run may do, and after how long it is parked.
pub(crate) struct Terms<'l> {
    pub(crate) grant: String,
    pub(crate) limits: &'l Limits,
    pub(crate) after: Duration,
}

impl RunFacts {
    pub(crate) fn new(
        principal: Option<&Principal>,
        main: MainModule<'_>,
        guest: &str,
        terms: Terms<'_>,
        owner: Owner,
    ) -> Self {
        let MainModule {
            language,
            name,
            source,
        } = main;
        let Terms {
            grant,
            limits,
            after,
        } = terms;
        let limits = Limit::ALL.map(|limit| (limit.name().to_owned(), limit.of(limits)));
        Self {
            principal: principal.map(|principal| principal.name().to_string()),
            language: language.name().to_owned(),
            name: name.to_owned(),
            code: source[..source.floor_char_boundary(SHOWN_BYTES)].to_owned(),
            guest: guest.to_owned(),
            grant,
            limits: limits.into(),
            after,
            owner: Owner {
                groups: principal.map_or_else(Vec::new, groups),
                ..owner
            },
        }
    }

    pub(super) fn language(&self) -> Option<Language> {
        Language::named(&self.language)
    }

    pub(super) fn principal(&self) -> Option<Principal> {
        let groups = self.owner.groups.iter().map(|group| &**group);
        let principal = self.principal.as_deref().map(Principal::new)?;
        Some(principal.with_groups(groups))
    }

    pub(super) fn grant(&self) -> Result<Grant, Error> {
        let grant = match self.grant.is_empty() {
            true => Ok(Grant::none()),
            false => Grant::from_str(&self.grant),
        };
        let grant = grant.map_err(|wrong| Error::request(wrong.to_string()))?;
        Ok(match &self.owner.toolkit {
            Some(toolkit) => grant.within(toolkit.clone()),
            None => grant,
        })
    }

    /// The limits, as far as they are still allowed.
    pub(super) fn limits(&self, ceilings: &Limits) -> Limits {
        let mut read = LimitsConfig::default();
        for limit in Limit::ALL {
            let kept = self.limits.iter().find(|(name, _)| name == limit.name());
            let Some((_, value)) = kept else { continue };
            let text = match limit {
                Limit::WallTime => format!("{value}ms"),
                _ => value.to_string(),
            };
            // What was written here can be read; else the default holds.
            if let Err(problem) = read.read(limit, &text) {
                tracing::warn!(%limit, problem, "a limit of a parked run can't be read");
            }
        }
        read.over(Limits::default()).lowered_to(ceilings)
    }
}

fn groups(principal: &Principal) -> Vec<String> {
    let groups = principal.groups().iter();
    groups.map(|group| group.to_string()).collect()
}

/// What is kept of a run that is over.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndedRun {
    pub(super) fixed: RunFacts,
    pub(super) outcome: Box<RawValue>,
}

/// What a run that is over used, as its outcome has it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageSummary {
    calls: Vec<IgnoredAny>,
    peak_memory_bytes: u64,
}

impl UsageSummary {
    fn of(outcome: &RawValue) -> Self {
        #[derive(Deserialize)]
        struct OutcomeSummary {
            usage: UsageSummary,
        }
        let outcome = serde_json::from_str(outcome.get());
        outcome.map_or_else(|_| Self::default(), |outcome: OutcomeSummary| outcome.usage)
    }
}

/// A call of a parked run that has not ended.
#[derive(Debug, Clone, Serialize)]
pub struct OpenParkedCall {
    /// Which of the run's calls it is, counted from 0.
    pub call: u32,
    /// The binding's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, unless they are too large to be kept.
    pub arguments: Option<Box<RawValue>>,
}

/// A run that a process parked, as lists have it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ParkedRun {
    /// Its id.
    pub run: RunId,
    /// On whose behalf it happens.
    pub principal: Option<String>,
    /// Its client, by the name that the client gives itself.
    pub client: Option<Arc<str>>,
    /// The toolkit that it is within, by name.
    pub toolkit: Option<Arc<str>>,
    /// What its embedder [calls it](crate::Isolate::label).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Arc<str>>,
    /// Its script's language.
    pub language: String,
    /// How it stands: `parked`, where a process that is there resumes it; `left`, where that is
    /// gone, and another has to; `ended`.
    pub state: &'static str,
    /// The process that has it, if one does and that is known.
    pub pid: Option<u32>,
    /// When it was last kept.
    #[serde(serialize_with = "as_text")]
    pub since: SystemTime,
    /// When it continues if no call ends, where a timer says so.
    #[serde(serialize_with = "as_text_or_null")]
    pub due: Option<SystemTime>,
    /// How many calls it has made.
    pub calls: usize,
    /// How many of these have not ended.
    pub under_way: usize,
    /// Its memory at its largest, in bytes.
    pub memory_bytes: u64,
    /// How much is kept of it, in bytes.
    pub kept_bytes: u64,
    /// The start of its source.
    #[serde(skip)]
    pub code: String,
    /// What it printed so far; of a run that is governed, what it is shown of that is in its events
    /// and its outcome alone.
    #[serde(skip)]
    pub printed: String,
    /// The same in lines.
    #[serde(skip)]
    pub output: Vec<Line>,
    /// What its calls have used so far.
    #[serde(skip)]
    pub usage: Vec<CallUsage>,
    /// The calls that have not ended.
    #[serde(skip)]
    pub open_calls: Vec<OpenParkedCall>,
    /// How it ended, as [`Outcome`](crate::Outcome) serialises.
    #[serde(skip)]
    pub outcome: Option<Box<RawValue>>,
}

impl ParkedRun {
    /// Of what was found; or what is wrong with it.
    pub(super) fn read(found: &RunEntry, is_governed: bool) -> Result<Self, Error> {
        let damaged = || {
            let run = &found.run;
            Error::request(format!(
                "the stored state of the run `{run}` is from another version of Ampoule; `ampoule runs rm {run}` removes it"
            ))
        };
        let (fixed, journal, outcome) = match found.state {
            State::Parked => {
                let about: RunSnapshot =
                    serde_json::from_str(found.about.get()).map_err(|_| damaged())?;
                (about.fixed, Some(about.journal), None)
            }
            State::Ended => {
                let over: EndedRun =
                    serde_json::from_str(found.about.get()).map_err(|_| damaged())?;
                (over.fixed, None, Some(over.outcome))
            }
        };
        let used = outcome.as_deref().map(UsageSummary::of).unwrap_or_default();
        let over = (used.calls.len(), 0);
        let (calls, under_way) = journal.as_ref().map_or(over, Journal::calls);
        let peak = journal.as_ref().map(Journal::peak_memory_bytes);
        let lines = journal.as_ref().filter(|_| !is_governed);
        let lines = lines.map_or(&[][..], Journal::output);
        let due = journal.as_ref().and_then(Journal::due);
        Ok(Self {
            run: found.run.parse().map_err(|_| damaged())?,
            principal: fixed.principal,
            client: fixed.owner.client,
            toolkit: (fixed.owner.toolkit.as_ref()).map(|toolkit| Arc::clone(toolkit.name())),
            label: fixed.owner.label,
            language: fixed.language,
            state: match (found.state, found.is_owned) {
                (State::Ended, _) => "ended",
                (State::Parked, true) => "parked",
                (State::Parked, false) => "left",
            },
            pid: found.pid,
            since: found.kept,
            due: due.map(|due| SystemTime::UNIX_EPOCH + Duration::from_nanos(due)),
            calls,
            under_way,
            memory_bytes: peak.unwrap_or(used.peak_memory_bytes),
            kept_bytes: found.bytes,
            code: fixed.code,
            printed: lines.iter().map(|line| line.text.clone() + "\n").collect(),
            output: lines.to_vec(),
            open_calls: journal.as_ref().map_or_else(Vec::new, open_calls),
            usage: journal.as_ref().map_or_else(Vec::new, Journal::usage),
            outcome,
        })
    }
}

fn open_calls(journal: &Journal) -> Vec<OpenParkedCall> {
    let calls = journal.open_calls().map(|open| OpenParkedCall {
        call: open.call,
        server: open.server.to_owned(),
        tool: open.tool.to_owned(),
        arguments: open
            .arguments
            .and_then(|text| RawValue::from_string(text.to_owned()).ok()),
    });
    calls.collect()
}

fn as_text<S: serde::Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_seconds(*time))
}

fn as_text_or_null<S: serde::Serializer>(
    time: &Option<SystemTime>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => as_text(time, serializer),
        None => serializer.serialize_none(),
    }
}
