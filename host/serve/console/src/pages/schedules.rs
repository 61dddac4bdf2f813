//! Schedules and hooks: what starts runs by itself.

use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};

use super::layout::{Content, EVENTS, Section};
use super::visit::Visit;
use super::{parts, run};
use crate::Console;
use crate::model::{ScheduleKind, ScheduleRow};

/// The routes of schedules.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/schedules", get(list))
        .route("/console/schedules/{name}/start", post(start))
}

async fn list(visit: Visit) -> Response {
    let content = visit.console.schedules(&visit.viewer).await.map(|rows| {
        let body = html! {
            (parts::heading("Schedules and hooks", "Runs that nobody asks for at the moment: a clock starts them, or a signed message of another system."))
            section.panel.flush #schedules data-live=(EVENTS) aria-label="List of schedules and hooks" {
                @if rows.is_empty() {
                    (parts::empty("No schedules yet", &html! { "Add one as a table " code { "[schedules.NAME]" } " in " code { "ampoule.toml" } ", or a hook as " code { "[hooks.NAME]" } "." }))
                } @else { (table(&visit, &rows)) }
            }
        };
        Content {
            section: Section::Schedules,
            title: "Schedules and hooks".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Schedules, content)
}

fn table(visit: &Visit, rows: &[ScheduleRow]) -> Markup {
    let may_start = rows.iter().any(|row| row.can_start);
    html! {
        table {
            caption.unseen { "Schedules and hooks" }
            thead { tr {
                th scope="col" { "Name" }
                th.wide scope="col" { "Runs" }
                th scope="col" { "Last run" }
                @if may_start { th scope="col" { "Now" } }
            } }
            tbody { @for row in rows { tr {
                th scope="row" { (begins(row)) }
                td.wide {
                    (parts::name(&row.program))
                    @if let Some(principal) = &row.principal { div.small.quiet { "for " (parts::text(principal)) } }
                }
                td { (last(row)) }
                @if may_start { td {
                    @if row.can_start {
                        (visit.frame.deed(&format!("/console/schedules/{}/start", parts::encoded(&row.name)), "Start", ""))
                    }
                } }
            } } }
        }
    }
}

/// Its name, what starts it, and when it starts next.
fn begins(row: &ScheduleRow) -> Markup {
    html! {
        (parts::name(&row.name)) " "
        @if row.kind == ScheduleKind::Hook { (parts::tag("hook")) }
        div.small.quiet { "Started by " (parts::name(&row.started_by)) }
        @if let Some(next) = &row.next { div.small.quiet { "Next: " (parts::time(next)) } }
    }
}

/// The last run with its outcome, and the active ones.
fn last(row: &ScheduleRow) -> Markup {
    html! {
        @if let Some(outcome) = &row.outcome { (parts::tag(outcome)) " " }
        @if let Some(id) = &row.run { a href=(run::address(id)) { code.nowrap { (run::short(id)) } } " " }
        @match &row.last {
            Some(last) => { (parts::since(last)) },
            None => { span.quiet { "never" } },
        }
        @if row.under_way > 1 || row.waiting > 0 {
            div.small.quiet { (row.under_way) " under way, " (row.waiting) " waiting" }
        }
    }
}

async fn start(visit: Visit, Path(name): Path<String>) -> Response {
    let started = visit.console.start_schedule(&visit.viewer, &name).await;
    visit.go(
        Section::Schedules,
        started.map(|started| run::address(&started.run)),
    )
}
