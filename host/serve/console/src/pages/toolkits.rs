//! Toolkits: named parts of the tools.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::html;

use super::layout::{Content, Section};
use super::parts;
use super::visit::Visit;
use crate::Console;

/// The route of toolkits.
pub(super) fn router() -> Router<Console> {
    Router::new().route("/console/toolkits", get(list))
}

async fn list(visit: Visit) -> Response {
    let content = visit.console.toolkits(&visit.viewer).await.map(|toolkits| {
        let body = html! {
            (parts::heading("Toolkits", "Named parts of the tools. A client that connects to a toolkit gets these tools and no others."))
            @if toolkits.is_empty() {
                section.panel { (parts::empty("No toolkits yet", &html! { "Make one: " code { "[toolkits.NAME]" } " in " code { "ampoule.toml" } " with " code { "tools = [\"server.*\"]" } "." })) }
            } @else {
                ul.cards { @for toolkit in &toolkits {
                    li.panel.card {
                        h2 { (parts::text(&toolkit.name)) }
                        @if let Some(about) = &toolkit.description { p { (parts::text(about)) } }
                        ul.tags { @for pattern in &toolkit.tools { li.tag { (parts::name(pattern)) } } }
                    }
                } }
            }
        };
        Content {
            section: Section::Toolkits,
            title: "Toolkits".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Toolkits, content)
}
