//! The configuration, to read. Only for operators.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::parts;
use super::visit::Visit;
use crate::Console;
use crate::model::{Configuration, ConfigurationKey, Reload};

/// The route of the configuration.
pub(super) fn router() -> Router<Console> {
    Router::new().route("/console/configuration", get(show))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    search: String,
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let content = visit
        .console
        .configuration(&visit.viewer)
        .await
        .map(|read| Content {
            section: Section::Configuration,
            title: "Configuration".to_owned(),
            body: body(&read, wanted.search.trim()),
            news: None,
        });
    visit.show(Section::Configuration, content)
}

fn body(read: &Configuration, search: &str) -> Markup {
    let keys: Vec<_> = read
        .keys
        .iter()
        .filter(|it| it.key.contains(search))
        .collect();
    html! {
        (parts::heading("Configuration", "What was read. Secrets are not shown; edit the files on the host."))
        @if !read.notes.is_empty() { (parts::problems(&read.notes)) }
        section.panel aria-labelledby="files-title" {
            header { h2 #files-title { "Files" } }
            @if read.files.is_empty() { p.quiet { "No file: Ampoule uses its defaults. " code { "ampoule init" } " writes one." } }
            dl.facts { @for file in &read.files { dt { (parts::text(&file.what)) } dd { (parts::name(&file.path)) } } }
        }
        form.filters role="search" aria-label="Keys" {
            div.grow { label for="search" { "Search keys" } input #search type="search" name="search" value=(search); }
            div { button { "Search" } }
        }
        section.panel.flush aria-label="Keys" {
            @if keys.is_empty() { (parts::empty("No key is set", &html! { "Every key has a default. " code { "ampoule config" } " explains them." })) }
            @else { (table(&keys)) }
        }
    }
}

fn table(keys: &[&ConfigurationKey]) -> Markup {
    html! {
        table {
            caption.unseen { "Keys that are set" }
            thead { tr { th scope="col" { "Key" } th scope="col" { "Value" } th scope="col" { "Takes effect" } } }
            tbody { @for key in keys { tr {
                th scope="row" {
                    (parts::name(&key.key))
                    @if let Some(help) = &key.help { p.small.quiet { (parts::text(help)) } }
                }
                td.code { @match &key.value { Some(value) => { (parts::text(value)) }, None => { span.hidden-value { "set, not shown" } } } }
                td { @match key.reload { Reload::Reread => { "at once" }, Reload::Restart => { "after a restart" } } }
            } } }
        }
    }
}
