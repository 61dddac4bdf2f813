//! The servers whose tools runs call.

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, EVENTS, Section};
use super::visit::{Fields, Visit};
use super::{parts, tools};
use crate::Console;
use crate::model::{PageQuery, ServerDetail, ServerRow};

/// The routes of servers.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/servers", get(list))
        .route("/console/servers/one", get(show))
        .route("/console/servers/restart", post(restart))
}

fn address(name: &str) -> String {
    parts::address("/console/servers/one", &[("name", name)])
}

async fn list(visit: Visit) -> Response {
    let part: PageQuery = visit.query();
    let content = visit.console.servers(&visit.viewer, &part).await.map(|page| {
        let body = html! {
            (parts::heading("Servers", "What offers tools to runs: MCP servers, HTTP APIs, and Ampoule's own."))
            section.panel.flush #servers data-live=(EVENTS) aria-label="List of servers" {
                (parts::problems(&page.problems))
                @if page.items.is_empty() {
                    (parts::empty("No servers yet", &html! { "Add one: " code { "ampoule servers add" } " on the host, or " code { "[servers.NAME]" } " in " code { "ampoule.toml" } "." }))
                } @else { (table(&page.items)) }
                (parts::pager(Section::Servers.address(), part.cursor.as_deref(), page.next.as_deref()))
            }
        };
        Content {
            section: Section::Servers,
            title: "Servers".to_owned(),
            body,
            news: Some(news(&page.items)),
        }
    });
    visit.show(Section::Servers, content)
}

fn news(servers: &[ServerRow]) -> String {
    let failed: Vec<_> = servers.iter().filter(|it| it.problem.is_some()).collect();
    match failed.as_slice() {
        [] => "No server has a problem".to_owned(),
        failed => parts::counted(failed.len() as u64, "server") + " with a problem",
    }
}

fn table(servers: &[ServerRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Servers" }
            thead { tr { th scope="col" { "Server" } th scope="col" { "State" } th.number scope="col" { "Tools" } th scope="col" { "Problem" } } }
            tbody { @for server in servers { tr {
                th scope="row" { a id={ "server-" (server.name) } href=(address(&server.name)) { (parts::text(&server.name)) } }
                td { (parts::tag(&server.state)) }
                td.number { @if let Some(tools) = server.tools { (parts::count(tools)) } @else { "–" } }
                td { @if let Some(problem) = &server.problem { (parts::text(problem)) } }
            } } }
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    name: String,
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let server = visit.console.server(&visit.viewer, &wanted.name).await;
    visit.show(
        Section::Servers,
        server.map(|server| content(&visit, &server)),
    )
}

fn content(visit: &Visit, server: &ServerDetail) -> Content {
    let row = &server.row;
    let deeds = html! {
        @if server.can_restart {
            form method="post" action="/console/servers/restart" {
                (visit.frame.proof())
                input type="hidden" name="name" value=(row.name);
                button { "Restart" }
            }
        }
    };
    let body = html! {
        (parts::back("/console/servers", "Servers"))
        div #server data-live=(EVENTS) {
            (parts::head(&html! { (parts::text(&row.name)) " " (parts::tag(&row.state)) }, None, &deeds))
            @if let Some(problem) = &row.problem { (parts::notice("bad", &html! { p { (parts::text(problem)) } })) }
            (parts::problems(&server.problems))
            section.panel.flush aria-labelledby="tools-title" {
                header { h2 #tools-title { "Tools" } span.end.quiet { (server.tools.len()) } }
                @if server.tools.is_empty() { (parts::empty("No tools are known", &html! { "The server lists its tools when it is first used, or after a restart." })) }
                @else { (tools::table(&server.tools)) }
            }
        }
    };
    Content {
        section: Section::Servers,
        title: row.name.clone(),
        body,
        news: Some(format!("State: {}", row.state)),
    }
}

async fn restart(visit: Visit, fields: Fields) -> Response {
    let name = fields.get("name").unwrap_or_default();
    let restarted = visit.console.restart_server(&visit.viewer, name).await;
    let to = restarted.map(|_| address(name));
    visit.go(Section::Servers, to)
}
