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
use crate::model::{PageQuery, ServerDetail, ServerRow, ServerSignIn};

/// The routes of servers.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/servers", get(list))
        .route("/console/servers/one", get(show))
        .route("/console/servers/restart", post(restart))
        .route("/console/servers/sign-in", post(sign_in))
        .route("/console/servers/sign-out", post(sign_out))
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
                td { @if let Some(problem) = &server.problem { (parts::lines(problem)) } }
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
            @if let Some(problem) = &row.problem { (parts::notice("bad", &parts::lines(problem))) }
            (parts::problems(&server.problems))
            @if let Some(kept) = &server.sign_in { (signs_in(visit, &row.name, kept)) }
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

/// Whose account calls of this server use, and the way in and out.
fn signs_in(visit: &Visit, server: &str, kept: &ServerSignIn) -> Markup {
    let deed = |action: &str, label: &str| {
        html! {
            form method="post" action=(action) {
                (visit.frame.proof())
                input type="hidden" name="name" value=(server);
                button { (label) }
            }
        }
    };
    let title = match kept.whose.as_str() {
        "own" => "Your sign-in",
        _ => "The sign-in of this host",
    };
    html! {
        section.panel aria-labelledby="sign-in-title" {
            header {
                h2 #sign-in-title { (title) }
                @if kept.can_change {
                    span.end.deeds {
                        (deed("/console/servers/sign-in", if kept.signed_in { "Sign in anew" } else { "Sign in" }))
                        @if kept.signed_in { (deed("/console/servers/sign-out", "Sign out of the server")) }
                    }
                }
            }
            @if kept.signed_in {
                dl.facts {
                    dt { "As" } dd { @if let Some(who) = &kept.who { (parts::text(who)) } @else { "The server does not say." } }
                    @if let Some(issuer) = &kept.issuer { dt { "At" } dd { (parts::name(issuer)) } }
                    @if let Some(until) = &kept.until { dt { "Until" } dd { (parts::time(until)) @if kept.renewed { ", then it is renewed" } } }
                    @if !kept.scopes.is_empty() { dt { "Allows" } dd { ul.tags { @for scope in &kept.scopes { li.tag { (parts::text(scope)) } } } } }
                }
            } @else { p.quiet { "Nobody is signed in." } }
            @if !kept.can_change { p.small.quiet { "All principals share it. Sign in on the host: " code { "ampoule auth login" } "." } }
        }
    }
}

/// Shows the address at which the viewer signs in. It is a link, and not a redirect: browsers hold what
/// comes of a form to where forms may go.
async fn sign_in(visit: Visit, fields: Fields) -> Response {
    let name = fields.get("name").unwrap_or_default();
    let begun = visit.console.sign_in_to_server(&visit.viewer, name).await;
    let content = begun.map(|begun| {
        let body = html! {
            (parts::back(&address(name), name))
            (parts::head(&html! { "Sign in to " (parts::text(name)) }, Some("The link leads to the server’s sign-in. It is good for ten minutes. The sign-in is yours, even if another person opens the link."), &html! {}))
            p { a.button.main href=(begun.address) rel="noreferrer" { "Go to the sign-in" } }
        };
        Content {
            section: Section::Servers,
            title: format!("Sign in to {name}"),
            body,
            news: None,
        }
    });
    visit.show(Section::Servers, content)
}

async fn sign_out(visit: Visit, fields: Fields) -> Response {
    let name = fields.get("name").unwrap_or_default();
    let out = visit.console.sign_out_of_server(&visit.viewer, name).await;
    visit.go(Section::Servers, out.map(|_| address(name)))
}

async fn restart(visit: Visit, fields: Fields) -> Response {
    let name = fields.get("name").unwrap_or_default();
    let restarted = visit.console.restart_server(&visit.viewer, name).await;
    let to = restarted.map(|_| address(name));
    visit.go(Section::Servers, to)
}
