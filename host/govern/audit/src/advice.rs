//! What the counted events advise.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::stats::Stats;

/// For how long a tool is unused before that is reported.
const UNUSED: Duration = Duration::from_hours(30 * 24);
/// Of so many calls or runs on, shares mean something.
const ENOUGH: u64 = 10;

/// Something that an operator might do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Nobody used the tool for a month.
    Unused {
        /// `server.tool`.
        tool: String,
    },
    /// Calls of the tool are made again, as they fail.
    Retried {
        /// `server.tool`.
        tool: String,
        /// How often.
        retries: u64,
        /// Of how many calls.
        calls: u64,
    },
    /// Half of the calls of the tool fail, or more.
    Failing {
        /// `server.tool`.
        tool: String,
        /// How many.
        failed: u64,
        /// Of how many calls.
        calls: u64,
    },
    /// The tool is asked for and denied.
    Denied {
        /// `server.tool`.
        tool: String,
        /// How often.
        denied: u64,
    },
    /// Runs hit a limit.
    Limit {
        /// Its name.
        limit: String,
        /// How many runs.
        hit: u64,
        /// Of how many.
        runs: u64,
    },
    /// Events are missing in the log.
    Lost {
        /// How many.
        lost: u64,
    },
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Unused { tool } => {
                format!("nobody used {tool} for a month: take it out of what is granted")
            }
            Self::Retried {
                tool,
                retries,
                calls,
            } => format!(
                "{retries} of {calls} calls of {tool} were made again after a failure: tell its callers what it wants"
            ),
            Self::Failing {
                tool,
                failed,
                calls,
            } => format!("{failed} of {calls} calls of {tool} failed: look at its server"),
            Self::Denied { tool, denied } => {
                format!("{tool} was denied {denied} times: allow it, or hide it from scripts")
            }
            Self::Limit { limit, hit, runs } => {
                format!(
                    "{hit} of {runs} runs hit the limit {limit}: raise it, or look at their scripts"
                )
            }
            Self::Lost { lost } => {
                format!(
                    "{lost} events are not in the audit log, as it could not be written: make room for it"
                )
            }
        };
        f.write_str(&ampoule_untrusted::text::one_line(&text))
    }
}

/// What is to be advised, of all tools that there are: servers and tools by name. That tools are
/// unused is reported once the log reaches back for a month.
pub fn advice<'t>(
    stats: &Stats,
    tools: impl IntoIterator<Item = (&'t str, &'t str)>,
    now: SystemTime,
) -> Vec<Advice> {
    let mut advice = Vec::new();
    if stats.lost > 0 {
        advice.push(Advice::Lost { lost: stats.lost });
    }
    for (limit, row) in stats.limits.top() {
        advice.push(Advice::Limit {
            limit: limit.to_owned(),
            hit: row.runs,
            runs: stats.all.runs,
        });
    }
    for (tool, row) in stats.tools.top() {
        let tool = || tool.to_owned();
        if row.calls >= ENOUGH && row.failed_calls.saturating_mul(2) >= row.calls {
            advice.push(Advice::Failing {
                tool: tool(),
                failed: row.failed_calls,
                calls: row.calls,
            });
        }
        if row.retries >= ENOUGH {
            advice.push(Advice::Retried {
                tool: tool(),
                retries: row.retries,
                calls: row.calls,
            });
        }
        if row.denied >= ENOUGH {
            advice.push(Advice::Denied {
                tool: tool(),
                denied: row.denied,
            });
        }
    }
    let month_ago = now.checked_sub(UNUSED);
    let reaches = stats
        .span
        .zip(month_ago)
        .filter(|((first, _), ago)| first <= ago);
    if let Some((_, ago)) = reaches {
        let ago = ago
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        for (server, tool) in tools {
            let tool = format!("{server}.{tool}");
            let used = stats.tools.get(&tool).map_or(0, |row| row.last);
            if used < ago.as_secs() {
                advice.push(Advice::Unused { tool });
            }
        }
    }
    advice
}
