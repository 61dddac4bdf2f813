//! Runs and calls, counted: by day, tool and principal.

use std::time::{Duration, SystemTime};

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::parts;
use super::plots::{Plot, Series};
use super::visit::Visit;
use crate::Console;
use crate::model::{AuditFilter, Statistics, StatisticsRow};

/// The most rows of a table.
const ROWS: usize = 50;

/// The route of statistics.
pub(super) fn router() -> Router<Console> {
    Router::new().route("/console/statistics", get(show))
}

/// For how long.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    span: String,
}

/// Spans of time: their parts of an address, their names, and how long they are.
const SPANS: [(&str, &str, Option<Duration>); 4] = [
    ("", "All", None),
    ("day", "A day", Some(Duration::from_hours(24))),
    ("week", "A week", Some(Duration::from_hours(7 * 24))),
    ("month", "30 days", Some(Duration::from_hours(30 * 24))),
];

/// When a span began, in RFC 3339.
fn begin(span: &str) -> Option<String> {
    let (.., length) = SPANS.into_iter().find(|(name, ..)| *name == span)?;
    let began = SystemTime::now().checked_sub(length?)?;
    Some(humantime::format_rfc3339_millis(began).to_string())
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let filter = AuditFilter {
        since: begin(&wanted.span),
        ..AuditFilter::default()
    };
    let content = visit.console.statistics(&visit.viewer, &filter).await.map(|statistics| {
        let body = html! {
            (parts::heading("Statistics", "Runs and calls of the audit log, counted."))
            (spans(&wanted.span))
            @if statistics.all.runs == 0 && statistics.all.calls == 0 {
                section.panel { (parts::empty("Nothing to count yet", &html! { "Run a script, or choose a longer time." })) }
            } @else { (all(&statistics)) }
        };
        Content {
            section: Section::Statistics,
            title: "Statistics".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Statistics, content)
}

fn spans(chosen: &str) -> Markup {
    html! {
        nav aria-label="Time" {
            ul.tabs { @for (span, words, _) in SPANS {
                li { a href=(parts::address(Section::Statistics.address(), &[("span", span)])) aria-current=[(chosen == span).then_some("true")] { (words) } }
            } }
        }
    }
}

fn all(statistics: &Statistics) -> Markup {
    let all = &statistics.all;
    html! {
        (parts::figures(&[
            ("Runs", parts::count(all.runs)),
            ("Failed runs", parts::count(all.failures)),
            ("Calls", parts::count(all.calls)),
            ("Failed calls", parts::count(all.failed_calls)),
            ("Denied calls", parts::count(all.denied)),
            ("Median run", time(all.p50_ms)),
            ("95th percentile", time(all.p95_ms)),
            ("99th percentile", time(all.p99_ms)),
            ("Fuel", parts::short(all.fuel)),
            ("Tokens", parts::short(all.tokens)),
            ("Tokens saved", parts::short(all.direct_tokens.saturating_sub(all.tokens))),
        ]))
        @if !statistics.advice.is_empty() {
            (parts::notice("", &html! { h2 { "Suggestions" } ul { @for advice in &statistics.advice { li { (parts::text(advice)) } } } }))
        }
        div.split.even { (runs_by_day(&statistics.days)) (tokens_by_day(&statistics.days)) }
        div.split.even { (calls_by_day(&statistics.days)) (fuel_by_day(&statistics.days)) }
        (table("Days", "Day", &statistics.days))
        (table("Tools", "Tool", &statistics.tools))
        (table("Principals", "Principal", &statistics.principals))
        p.small.quiet { "Median, p95 and p99: how long one run took; of a tool, one call. They are at most an eighth too high." }
    }
}

fn time(ms: Option<f64>) -> String {
    ms.map_or_else(|| "–".to_owned(), parts::millis)
}

fn days(rows: &[StatisticsRow]) -> Vec<&str> {
    rows.iter().map(|row| row.name.as_str()).collect()
}

fn numbers(rows: &[StatisticsRow], of: fn(&StatisticsRow) -> u64) -> Vec<f64> {
    rows.iter().map(|row| of(row) as f64).collect()
}

fn written(number: f64) -> String {
    if number.fract() > 0.0 && number < 10.0 {
        return format!("{number:.1}");
    }
    parts::short(number as u64)
}

fn panel(title: &str, id: &str, content: &Markup) -> Markup {
    html! { section.panel aria-labelledby=(id) { header { h2 id=(id) { (title) } } (content) } }
}

fn runs_by_day(rows: &[StatisticsRow]) -> Markup {
    let plot = Plot {
        title: "Runs",
        days: days(rows),
        series: vec![
            Series {
                name: "succeeded",
                class: "bar-ok",
                numbers: numbers(rows, |row| row.runs.saturating_sub(row.failures)),
            },
            Series {
                name: "failed",
                class: "bar-bad",
                numbers: numbers(rows, |row| row.failures),
            },
        ],
        write: written,
    };
    panel("Runs", "runs-title", &plot.bars())
}

fn calls_by_day(rows: &[StatisticsRow]) -> Markup {
    let plot = Plot {
        title: "Calls",
        days: days(rows),
        series: vec![
            Series {
                name: "succeeded",
                class: "bar-ok",
                numbers: numbers(rows, |row| {
                    row.calls.saturating_sub(row.failed_calls + row.denied)
                }),
            },
            Series {
                name: "denied",
                class: "bar-wait",
                numbers: numbers(rows, |row| row.denied),
            },
            Series {
                name: "failed",
                class: "bar-bad",
                numbers: numbers(rows, |row| row.failed_calls),
            },
        ],
        write: written,
    };
    panel("Calls", "calls-title", &plot.bars())
}

fn tokens_by_day(rows: &[StatisticsRow]) -> Markup {
    let plot = Plot {
        title: "Tokens",
        days: days(rows),
        series: vec![
            Series {
                name: "read and written by models",
                class: "line-a",
                numbers: numbers(rows, |row| row.tokens),
            },
            Series {
                name: "what the same calls would have cost, made directly",
                class: "line-b",
                numbers: numbers(rows, |row| row.direct_tokens),
            },
        ],
        write: written,
    };
    panel("Tokens", "tokens-title", &plot.lines())
}

fn fuel_by_day(rows: &[StatisticsRow]) -> Markup {
    let plot = Plot {
        title: "Fuel",
        days: days(rows),
        series: vec![Series {
            name: "fuel",
            class: "line-a",
            numbers: numbers(rows, |row| row.fuel),
        }],
        write: written,
    };
    panel("Fuel", "fuel-title", &plot.lines())
}

fn table(title: &str, what: &str, rows: &[StatisticsRow]) -> Markup {
    let id = format!("{}-table", what.to_lowercase());
    html! {
        @if !rows.is_empty() {
            section.panel.flush aria-labelledby=(id) {
                header { h2 id=(id) { (title) } }
                div.scroll tabindex="0" role="group" aria-label=(title) {
                    table {
                        thead { tr {
                            th scope="col" { (what) }
                            @for name in ["Runs", "Failed", "Calls", "Failed calls", "Denied", "Took", "Median", "p95", "p99", "Fuel", "Tokens", "Tokens saved"] { th.number scope="col" { (name) } }
                        } }
                        tbody { @for row in rows.iter().take(ROWS) { tr {
                            th scope="row" { (parts::text(&row.name)) }
                            @for number in [row.runs, row.failures, row.calls, row.failed_calls, row.denied] { td.number { (parts::count(number)) } }
                            td.number { (parts::millis(row.took_ms)) }
                            @for ms in [row.p50_ms, row.p95_ms, row.p99_ms] { td.number { @if let Some(ms) = ms { (parts::millis(ms)) } @else { "–" } } }
                            td.number { (parts::short(row.fuel)) }
                            td.number { (parts::short(row.tokens)) }
                            td.number { (parts::short(row.direct_tokens.saturating_sub(row.tokens))) }
                        } } }
                    }
                }
            }
        }
    }
}
