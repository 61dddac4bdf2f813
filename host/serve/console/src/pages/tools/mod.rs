//! The tools that runs may call.
//!
//! - `form`: a form made of a tool's schema; `arguments`: its fields, read again as JSON

mod arguments;
mod form;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::source::{self, Language};
use super::visit::{Fields, Visit};
use super::{parts, run};
use crate::model::{CallRequest, PageQuery, ToolDetail, ToolFilter, ToolRow};
use crate::{Console, ConsoleError};

/// The routes of tools.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/tools", get(list))
        .route("/console/tools/one", get(show).post(call))
}

/// The address of a tool.
fn address(name: &str) -> String {
    parts::address("/console/tools/one", &[("name", name)])
}

async fn list(visit: Visit) -> Response {
    visit.show(Section::Tools, found(&visit).await)
}

async fn found(visit: &Visit) -> Result<Content, ConsoleError> {
    let given = |field: Option<String>| field.filter(|it| !it.trim().is_empty());
    let filter: ToolFilter = visit.query();
    let filter = ToolFilter {
        query: given(filter.query),
        server: given(filter.server),
    };
    let part: PageQuery = visit.query();
    let page = visit.console.tools(&visit.viewer, &filter, &part).await?;
    let query = [
        ("query", filter.query.as_deref().unwrap_or_default()),
        ("server", filter.server.as_deref().unwrap_or_default()),
    ];
    let own = parts::address(Section::Tools.address(), &query);
    let body = html! {
        (parts::heading("Tools", "What your runs may call. For a run, nothing else exists."))
        form.filters role="search" aria-label="Tools" {
            div.grow {
                label for="query" { "What should the tool do?" }
                input #query type="search" name="query" value=[filter.query.as_deref()];
            }
            div {
                label for="server" { "Server" }
                input #server type="text" name="server" size="14" value=[filter.server.as_deref()];
            }
            div { button { "Search" } }
        }
        section.panel.flush aria-label="List of tools" {
            (parts::problems(&page.problems))
            @if page.items.is_empty() { (none(&filter)) } @else { (table(&page.items)) }
            (parts::pager(&own, part.cursor.as_deref(), page.next.as_deref()))
        }
    };
    Ok(Content {
        section: Section::Tools,
        title: "Tools".to_owned(),
        body,
        news: None,
    })
}

fn none(filter: &ToolFilter) -> Markup {
    match (&filter.query, &filter.server) {
        (None, None) => parts::empty(
            "No tools yet",
            &html! { a href="/console/servers" { "Servers" } " offer tools. Add one, or see why none is ready." },
        ),
        _ => parts::empty(
            "No tool matches",
            &html! { "Say it in other words, or " a href="/console/tools" { "show all tools" } "." },
        ),
    }
}

/// A list of tools.
pub(super) fn table(tools: &[ToolRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Tools" }
            thead { tr { th scope="col" { "Tool" } th scope="col" { "What it does" } } }
            tbody { @for tool in tools { tr {
                th scope="row" { a href=(address(&tool.name)) { (parts::name(&tool.name)) } }
                td { (parts::text(&tool.description)) }
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
    let tool = visit.console.tool(&visit.viewer, &wanted.name).await;
    visit.show(
        Section::Tools,
        tool.map(|tool| content(&visit, &tool, None)),
    )
}

fn content(visit: &Visit, tool: &ToolDetail, wrong: Option<&ConsoleError>) -> Content {
    let row = &tool.row;
    let own = format!("{}.{}", row.server, row.tool);
    let body = html! {
        (parts::back("/console/tools", "Tools"))
        (parts::head(&html! { (parts::name(&row.name)) }, Some(&row.description), &html! {}))
        @if own != row.name { p.small.quiet { "Policies, grants and records name it " (parts::name(&own)) "." } }
        div.split {
            section.panel aria-labelledby="call-title" {
                header { h2 #call-title { "Call it" } }
                @if let Some(wrong) = wrong { (parts::notice("bad", &html! { p role="alert" { (parts::text(&wrong.to_string())) } })) }
                form method="post" action=(address(&row.name)) {
                    (visit.frame.proof())
                    (form::fields(&tool.input_schema))
                    div.deeds { button.main { "Call" } }
                }
            }
            (declarations(tool))
        }
    };
    Content {
        section: Section::Tools,
        title: row.name.clone(),
        body,
        news: None,
    }
}

fn declarations(tool: &ToolDetail) -> Markup {
    let sources = [
        ("TypeScript", &tool.typescript, Language::JavaScript),
        ("Python", &tool.python, Language::Python),
        ("WIT", &tool.wit, Language::JavaScript),
    ];
    html! {
        section.panel aria-labelledby="declarations-title" {
            header { h2 #declarations-title { "Declarations" } }
            @for (index, (title, text, language)) in sources.iter().enumerate() {
                details.more id={ "declaration-" (index) } open[index == 0] {
                    summary { (title) }
                    pre.wrap tabindex="0" role="group" aria-label=(title) { code { (source::tokens(&ampoule_untrusted::text::visible(text), *language)) } }
                }
            }
            details.more #definition {
                summary { "The server's definition" }
                (parts::json(&tool.definition, "The server's definition"))
            }
        }
    }
}

/// Calls the tool as a run of its own, and leads to the run.
async fn call(visit: Visit, fields: Fields) -> Response {
    let wanted: Query = visit.query();
    let tool = match visit.console.tool(&visit.viewer, &wanted.name).await {
        Ok(tool) => tool,
        Err(problem) => return visit.problem(Section::Tools, &problem),
    };
    let called = async {
        let arguments = arguments::read(&tool.input_schema, &fields)?;
        let request = CallRequest { arguments };
        visit
            .console
            .call_tool(&visit.viewer, &wanted.name, request)
            .await
    };
    match called.await {
        Ok(started) => visit.go(Section::Tools, Ok(run::address(&started.run))),
        Err(problem) => visit.show(Section::Tools, Ok(content(&visit, &tool, Some(&problem)))),
    }
}
