//! The audit log: whether its chain is intact, its events, and all of it as a file.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};

use super::layout::{Content, Section};
use super::visit::Visit;
use super::{parts, run};
use crate::download::download;
use crate::model::{AuditFilter, AuditLine, ChainReport, PageQuery};
use crate::{Console, ConsoleError};

/// The routes of the audit log.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/audit", get(show))
        .route("/console/audit/chain", get(chain))
        .route("/console/audit/save", get(save))
}

async fn show(visit: Visit) -> Response {
    visit.show(Section::Audit, content(&visit).await)
}

fn given(filter: AuditFilter) -> AuditFilter {
    let given = |field: Option<String>| field.filter(|it| !it.trim().is_empty());
    AuditFilter {
        since: given(filter.since),
        until: given(filter.until),
        run: given(filter.run),
        principal: given(filter.principal),
        tool: given(filter.tool),
        kind: given(filter.kind),
        outcome: given(filter.outcome),
    }
}

/// The filter's fields, as an address has them.
fn fields(filter: &AuditFilter) -> [(&'static str, &str); 5] {
    [
        ("run", filter.run.as_deref().unwrap_or_default()),
        ("principal", filter.principal.as_deref().unwrap_or_default()),
        ("tool", filter.tool.as_deref().unwrap_or_default()),
        ("kind", filter.kind.as_deref().unwrap_or_default()),
        ("outcome", filter.outcome.as_deref().unwrap_or_default()),
    ]
}

async fn content(visit: &Visit) -> Result<Content, ConsoleError> {
    let filter = given(visit.query());
    let part: PageQuery = visit.query();
    let page = visit.console.audit(&visit.viewer, &filter, &part).await?;
    let own = parts::address(Section::Audit.address(), &fields(&filter));
    let export = parts::address("/console/audit/save", &fields(&filter));
    let deeds = html! {
        @if visit.viewer.is_operator() {
            a.button href="/console/audit/chain" { "Check the chain" }
            a.button href=(export) download { "Export" }
        }
    };
    let body = html! {
        (parts::head(&html! { "Audit" }, Some("Who did what, and what was decided: a signed chain of events."), &deeds))
        (filters(&filter))
        section.panel.flush aria-label="Events" {
            (parts::problems(&page.problems))
            @if page.items.is_empty() { (none(&own)) } @else { (table(&page.items)) }
            (parts::pager(&own, part.cursor.as_deref(), page.next.as_deref()))
        }
    };
    Ok(Content {
        section: Section::Audit,
        title: "Audit".to_owned(),
        body,
        news: None,
    })
}

fn none(own: &str) -> Markup {
    if own == Section::Audit.address() {
        return parts::empty(
            "No events yet",
            &html! { "Runs and calls are recorded where " code { "[audit]" } " is set up in " code { "ampoule.toml" } "." },
        );
    }
    parts::empty(
        "No event matches",
        &html! { a href=(Section::Audit.address()) { "Show all events" } },
    )
}

fn filters(filter: &AuditFilter) -> Markup {
    let labels = ["Run", "Principal", "Tool", "Kind", "Outcome"];
    html! {
        form.filters role="search" aria-label="Events" {
            @for (label, (name, value)) in labels.into_iter().zip(fields(filter)) {
                div { label for=(name) { (label) } input id=(name) type="text" name=(name) size="12" value=(value); }
            }
            div { button { "Filter" } }
        }
    }
}

fn table(events: &[AuditLine]) -> Markup {
    html! {
        table {
            caption.unseen { "Events, the newest first" }
            thead { tr { th scope="col" { "Event" } th.wide scope="col" { "Outcome" } th.wide scope="col" { "Run" } th scope="col" { "When" } } }
            tbody { @for (index, event) in events.iter().enumerate() { tr {
                th scope="row" {
                    details.more id={ "event-" (index) } {
                        summary { (parts::text(&event.text)) }
                        (parts::json(&event.event, "The whole event"))
                    }
                }
                td.wide { @if let Some(outcome) = &event.outcome { (parts::tag(outcome)) } }
                td.wide { @if let Some(run) = &event.run { a href=(run::address(run)) { code.nowrap { (run::short(run)) } } } }
                td { (parts::time(&event.at)) }
            } } }
        }
    }
}

/// The events as a file.
async fn save(visit: Visit) -> Response {
    let filter = given(visit.query());
    match visit
        .console
        .export_audit(&visit.viewer, &filter, "jsonl")
        .await
    {
        Ok(events) => download(events),
        Err(problem) => visit.problem(Section::Audit, &problem),
    }
}

async fn chain(visit: Visit) -> Response {
    let report = visit.console.verify_audit(&visit.viewer).await;
    let content = report.map(|report| Content {
        section: Section::Audit,
        title: "Chain of the audit log".to_owned(),
        body: chain_of(&report),
        news: None,
    });
    visit.show(Section::Audit, content)
}

fn chain_of(report: &ChainReport) -> Markup {
    html! {
        (parts::back("/console/audit", "Audit"))
        (parts::heading("Chain of the audit log", "Each event carries the hash of the one before, and signatures cover all of them."))
        @if report.whole {
            (parts::notice("ok", &html! { p role="status" { strong { "The log is intact." } " Nothing was changed, removed, added or moved." } }))
        } @else {
            (parts::notice("bad", &html! { p role="alert" { strong { "The log is not intact." } " Compare it with a copy, and find out who can write to its folder." } }))
        }
        (parts::figures(&[
            ("Events", parts::count(report.events)),
            ("Files", parts::count(report.files)),
            ("Chains", parts::count(report.chains)),
            ("Signatures", parts::count(report.checkpoints)),
            ("Without a signature yet", parts::count(report.unsigned)),
            ("Number of the log", parts::count(report.number)),
        ]))
        @if let Some(key) = &report.key { section.panel { h2 { "Public key" } (parts::block(key, "Public key")) } }
        @if !report.findings.is_empty() {
            section.panel.flush aria-labelledby="findings-title" {
                header { h2 #findings-title { "Findings" } }
                table {
                    thead { tr { th scope="col" { "Where" } th scope="col" { "What" } } }
                    tbody { @for finding in &report.findings { tr {
                        th scope="row" { (parts::name(&finding.file)) @if finding.line > 0 { ", line " (finding.line) } }
                        td { (parts::tag(if finding.level == "broken" { "error" } else { "note" })) " " (parts::text(&finding.what)) }
                    } } }
                }
                @if report.more > 0 { p.pager.quiet { (parts::counted(report.more, "further finding")) } }
            }
        }
    }
}
