//! The principals that are known here, with their tokens. Only for operators.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::html;

use super::layout::{Content, Section};
use super::parts;
use super::visit::Visit;
use crate::Console;

/// The route of people.
pub(super) fn router() -> Router<Console> {
    Router::new().route("/console/people", get(list))
}

async fn list(visit: Visit) -> Response {
    let content = visit.console.principals(&visit.viewer).await.map(|people| {
        let body = html! {
            (parts::heading("People", "The principals that are known here, and the tokens that they sign in with. A token itself is shown once, when it is made."))
            section.panel.flush aria-label="List of principals" {
                @if people.is_empty() {
                    (parts::empty("No principals yet", &html! { "Give out a token with " code { "ampoule auth token add NAME" } ", or set up the company’s sign-in under " code { "[serve.auth]" } "." }))
                } @else {
                    table {
                        caption.unseen { "Principals" }
                        thead { tr { th scope="col" { "Principal" } th scope="col" { "Groups" } th scope="col" { "Tokens" } th scope="col" { "Runs" } } }
                        tbody { @for person in &people { tr {
                            th scope="row" { (parts::text(&person.name)) " " @if person.operator { (parts::tag("operator")) } }
                            td { ul.tags { @for group in &person.groups { li.tag { (parts::text(group)) } } } }
                            td {
                                (parts::counted(person.tokens.len() as u64, "token"))
                                @for token in &person.tokens {
                                    @if let Some(expires) = &token.expires { div.small.quiet { "until " (parts::time(expires)) } }
                                }
                            }
                            td { a href=(parts::address("/console/runs", &[("principal", &person.name)])) { "Runs of " (parts::text(&person.name)) } }
                        } } }
                    }
                }
            }
        };
        Content {
            section: Section::People,
            title: "People".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::People, content)
}
