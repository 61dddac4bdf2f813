//! Sessions: what code keeps between runs.

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, EVENTS, Section};
use super::parts;
use super::visit::{Fields, Visit};
use crate::Console;
use crate::model::{ForkRequest, PageQuery, RewindRequest, SessionDetail, SessionHead, SessionRow};

/// The most variables that are shown of a state.
const VARIABLES: usize = 60;

/// The routes of sessions.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/sessions", get(list))
        .route("/console/sessions/one", get(show))
        .route("/console/sessions/rewind", post(rewind))
        .route("/console/sessions/fork", post(fork))
}

/// The address of a session, of this principal.
pub(super) fn address(name: &str, principal: Option<&str>) -> String {
    let query = [("name", name), ("principal", principal.unwrap_or_default())];
    parts::address("/console/sessions/one", &query)
}

async fn list(visit: Visit) -> Response {
    let (part, wanted): (PageQuery, Query) = (visit.query(), visit.query());
    let page = visit
        .console
        .sessions(&visit.viewer, wanted.principal(), &part)
        .await;
    let content = page.map(|page| {
        let body = html! {
            (parts::heading("Sessions", "What code keeps between runs: a run of a session begins with the variables that the last one left."))
            (parts::whose_field(visit.viewer.is_operator(), &wanted.principal))
            section.panel.flush #sessions data-live=(EVENTS) aria-label="List of sessions" {
                (parts::problems(&page.problems))
                @if page.items.is_empty() {
                    (parts::empty("No sessions yet", &html! { "Give a run a session’s name, in the options of the " a href="/console" { "playground" } " or as " code { "session" } " of " code { "execute_code" } "." }))
                } @else { (table(&page.items)) }
                (parts::pager(&parts::address(Section::Sessions.address(), &[("principal", &wanted.principal)]), part.cursor.as_deref(), page.next.as_deref()))
            }
        };
        Content {
            section: Section::Sessions,
            title: "Sessions".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Sessions, content)
}

fn table(sessions: &[SessionRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Sessions" }
            thead { tr { th scope="col" { "Session" } th.wide scope="col" { "Principal" } th.number scope="col" { "Runs" } th.number scope="col" { "Size" } th scope="col" { "Used" } } }
            tbody { @for session in sessions { tr {
                th scope="row" { a href=(address(&session.name, session.principal.as_deref())) { (parts::text(&session.name)) } }
                td.wide { @if let Some(principal) = &session.principal { (parts::text(principal)) } }
                td.number { (parts::count(session.run)) }
                td.number { (parts::bytes(session.bytes)) }
                td { (parts::since(&session.used)) }
            } } }
        }
    }
}

/// Which session is meant.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    name: String,
    principal: String,
}

impl Query {
    fn of(fields: &Fields) -> Self {
        let field = |name| fields.get(name).unwrap_or_default().to_owned();
        Self {
            name: field("name"),
            principal: field("principal"),
        }
    }

    fn principal(&self) -> Option<&str> {
        Some(self.principal.as_str()).filter(|it| !it.is_empty())
    }
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let session = visit
        .console
        .session(&visit.viewer, wanted.principal(), &wanted.name);
    let session = session.await;
    visit.show(
        Section::Sessions,
        session.map(|session| content(&visit, &session)),
    )
}

fn content(visit: &Visit, session: &SessionDetail) -> Content {
    let row = &session.row;
    let last = session.history.len().saturating_sub(1);
    let body = html! {
        (parts::back("/console/sessions", "Sessions"))
        (parts::head(&html! { (parts::text(&row.name)) }, None, &html! {}))
        (parts::figures(&[
            ("Runs", parts::count(row.run)),
            ("On disk", parts::bytes(row.bytes)),
            ("Can go back by", parts::counted(row.back, "run")),
        ]))
        div.split {
            section.panel aria-labelledby="history-title" {
                header { h2 #history-title { "History" } span.end.quiet { "the newest first" } }
                ol.tree reversed {
                    @for (index, head) in session.history.iter().enumerate().rev() {
                        li { (state(visit, row, head, last - index)) }
                    }
                }
            }
            section.panel aria-labelledby="fork-title" {
                header { h2 #fork-title { "Fork" } }
                p { "A copy begins with the same variables and goes its own way." }
                form method="post" action="/console/sessions/fork" {
                    (hidden(visit, row))
                    div.field {
                        label for="fork" { "Name of the copy" }
                        input #fork type="text" name="fork" required autocomplete="off";
                    }
                    button { "Fork" }
                }
            }
        }
    };
    Content {
        section: Section::Sessions,
        title: row.name.clone(),
        body,
        news: None,
    }
}

fn hidden(visit: &Visit, row: &SessionRow) -> Markup {
    html! {
        (visit.frame.proof())
        input type="hidden" name="name" value=(row.name);
        input type="hidden" name="principal" value=[row.principal.as_deref()];
    }
}

/// A state, which is so many runs before the present one.
fn state(visit: &Visit, row: &SessionRow, head: &SessionHead, back: usize) -> Markup {
    html! {
        details.more id={ "state-" (head.run) } open[back == 0] {
            summary {
                "After run " (head.run) " "
                @if back == 0 { (parts::tag("now")) }
                " " span.quiet.small { (parts::text(&head.language)) " · " (parts::bytes(head.memory_bytes)) }
            }
            (variables(head))
            @if back > 0 {
                form method="post" action="/console/sessions/rewind" {
                    (hidden(visit, row))
                    input type="hidden" name="runs" value=(back);
                    button { "Rewind to here" }
                    p.small.quiet { "It undoes " (parts::counted(back as u64, "run")) " of this session. Files and calls stay as they are." }
                }
            }
        }
    }
}

fn variables(head: &SessionHead) -> Markup {
    html! {
        @if head.variables.is_empty() { p.quiet { "No variables." } }
        @else {
            table {
                caption.unseen { "Variables after run " (head.run) }
                thead { tr { th scope="col" { "Variable" } th scope="col" { "Kind" } th.number scope="col" { "Size" } } }
                tbody { @for variable in head.variables.iter().take(VARIABLES) { tr {
                    th scope="row" { (parts::name(&variable.name)) }
                    td { (parts::text(&variable.kind)) }
                    td.number { @if let Some(size) = variable.size { (parts::count(size)) } }
                } } }
            }
        }
        @let more = head.more + head.variables.len().saturating_sub(VARIABLES) as u64;
        @if more > 0 { p.small.quiet { (parts::counted(more, "further variable")) } }
    }
}

async fn rewind(visit: Visit, fields: Fields) -> Response {
    let wanted = Query::of(&fields);
    let request = RewindRequest {
        runs: fields
            .get("runs")
            .and_then(|it| it.parse().ok())
            .unwrap_or(1),
    };
    let (console, viewer) = (&visit.console, &visit.viewer);
    let rewound = console
        .rewind_session(viewer, wanted.principal(), &wanted.name, request)
        .await;
    let to = rewound.map(|_| address(&wanted.name, wanted.principal()));
    visit.go(Section::Sessions, to)
}

async fn fork(visit: Visit, fields: Fields) -> Response {
    let wanted = Query::of(&fields);
    let name = fields.get("fork").unwrap_or_default().to_owned();
    let request = ForkRequest { name: name.clone() };
    let (console, viewer) = (&visit.console, &visit.viewer);
    let forked = console
        .fork_session(viewer, wanted.principal(), &wanted.name, request)
        .await;
    let to = forked.map(|_| address(&name, wanted.principal()));
    visit.go(Section::Sessions, to)
}
