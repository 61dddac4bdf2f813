//! Statistics: the audit log, counted.

use std::collections::BTreeSet;
use std::time::SystemTime;

use ampoule::GrantedTools;
use ampoule_audit::{Row, Rows, Stats, advice};

use super::audit::{events, read};
use super::time;
use super::work::blocking;
use crate::model::{AuditFilter, Statistics, StatisticsRow, Viewer};
use crate::{Console, ConsoleError};

/// The most rows of a table.
const ROWS: usize = 500;

impl Console {
    /// Runs and calls, counted by day, tool and principal. Viewers who are not operators see what
    /// their own runs come to.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without an audit log; [`ConsoleError::Invalid`] for a filter that
    /// can't be read.
    pub async fn statistics(
        &self,
        viewer: &Viewer,
        filter: &AuditFilter,
    ) -> Result<Statistics, ConsoleError> {
        let folder = self.audit_log()?;
        let filter = read(viewer, filter)?;
        let known = known(&self.granted(viewer)?);
        let with_advice = viewer.is_operator();
        blocking(move || {
            let counted = match events(&folder, filter)? {
                Some(events) => Stats::of(events),
                None => Stats::default(),
            };
            let named = known.iter().map(|(server, tool)| (&**server, &**tool));
            let advice = match with_advice {
                true => advice(&counted, named, SystemTime::now()),
                false => Vec::new(),
            };
            let mut days = rows(&counted.days);
            days.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(Statistics {
                from: counted.span.map(|(first, _)| time::text(first)),
                to: counted.span.map(|(_, last)| time::text(last)),
                all: row("", &counted.all),
                days,
                tools: rows(&counted.tools),
                principals: rows(&counted.principals),
                advice: advice.iter().map(ToString::to_string).collect(),
            })
        })
        .await
    }
}

/// The tools that servers had last: no server is started for that.
fn known(tools: &GrantedTools) -> BTreeSet<(String, String)> {
    let servers = tools.servers().flat_map(|server| {
        let known = tools.known_tools_of(server).unwrap_or_default();
        let name = server.name().to_string();
        known
            .into_iter()
            .map(move |tool| (name.clone(), tool.definition().name.clone()))
            .collect::<Vec<_>>()
    });
    servers.collect()
}

fn rows(rows: &Rows) -> Vec<StatisticsRow> {
    let top = rows.top().into_iter().take(ROWS);
    top.map(|(name, counted)| row(name, counted)).collect()
}

fn row(name: &str, counted: &Row) -> StatisticsRow {
    let percentile = |percent| {
        let us = counted.latency.percentile_us(percent)?;
        Some(us as f64 / 1e3)
    };
    StatisticsRow {
        name: name.to_owned(),
        runs: counted.runs,
        failures: counted.failures,
        calls: counted.calls,
        failed_calls: counted.failed_calls,
        denied: counted.denied,
        fuel: counted.fuel,
        took_ms: counted.took_us as f64 / 1e3,
        p50_ms: percentile(50),
        p95_ms: percentile(95),
        p99_ms: percentile(99),
        bytes: counted.bytes,
        tokens: counted.tokens,
        direct_tokens: counted.direct_tokens,
    }
}
