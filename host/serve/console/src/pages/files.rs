//! The workspace: files that outlive runs.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::parts;
use super::visit::Visit;
use crate::Console;
use crate::download::download;
use crate::model::{FileRow, PageQuery};
use crate::sources::FileBeginning;

/// How much of a file is looked at, in bytes.
const SHOWN: usize = 64 << 10;

/// The routes of files.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/files", get(list))
        .route("/console/files/one", get(show))
        .route("/console/files/save", get(save))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    path: String,
    principal: String,
}

impl Query {
    fn principal(&self) -> Option<&str> {
        Some(self.principal.as_str()).filter(|it| !it.is_empty())
    }

    /// An address with this file.
    fn address(&self, page: &str, path: &str) -> String {
        parts::address(page, &[("path", path), ("principal", &self.principal)])
    }
}

async fn list(visit: Visit) -> Response {
    let (part, wanted): (PageQuery, Query) = (visit.query(), visit.query());
    let page = visit
        .console
        .files(&visit.viewer, wanted.principal(), &part)
        .await;
    let content = page.map(|page| {
        let body = html! {
            (parts::heading("Files", "Your workspace: files that outlive a run. Scripts read and write them as they would files anywhere."))
            (parts::whose_field(visit.viewer.is_operator(), &wanted.principal))
            section.panel.flush aria-label="List of files" {
                (parts::problems(&page.problems))
                @if page.items.is_empty() {
                    (parts::empty("No files yet", &html! { "A script writes one where " code { "[workspace]" } " is set up in " code { "ampoule.toml" } "." }))
                } @else { (table(&wanted, &page.items)) }
                (parts::pager(&wanted.address(Section::Files.address(), ""), part.cursor.as_deref(), page.next.as_deref()))
            }
        };
        Content {
            section: Section::Files,
            title: "Files".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Files, content)
}

fn table(wanted: &Query, files: &[FileRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Files" }
            thead { tr { th scope="col" { "File" } th.number scope="col" { "Size" } th scope="col" { "Changed" } } }
            tbody { @for file in files { tr {
                th scope="row" {
                    @if file.kind == "file" { a href=(wanted.address("/console/files/one", &file.path)) { (parts::name(&file.path)) } }
                    @else { (parts::name(&file.path)) " " (parts::tag(&file.kind)) }
                }
                td.number { @if file.kind == "file" { (parts::bytes(file.bytes)) } }
                td { (parts::since(&file.modified)) }
            } } }
        }
    }
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let (console, viewer) = (&visit.console, &visit.viewer);
    let content = console
        .file_beginning(viewer, wanted.principal(), &wanted.path, SHOWN)
        .await;
    let content = content.map(|content| {
        let FileBeginning { bytes, size } = &content;
        let is_cut = *size > bytes.len() as u64;
        let deeds = html! { a.button href=(wanted.address("/console/files/save", &wanted.path)) download { "Save" } };
        let body = html! {
            (parts::back("/console/files", "Files"))
            (parts::head(&html! { (parts::name(&wanted.path)) }, None, &deeds))
            section.panel aria-label="Content" {
                @match std::str::from_utf8(bytes) {
                    Ok(text) => { (parts::block(text, "Content of the file")) },
                    // The last character may be cut in two.
                    Err(cut) if is_cut && cut.valid_up_to() + 4 > bytes.len() => {
                        (parts::block(&String::from_utf8_lossy(&bytes[..cut.valid_up_to()]), "Content of the file"))
                    },
                    Err(_) => { p.quiet { "This file is not text. Save it to look at it." } },
                }
                @if is_cut { p.small.quiet { "This is the beginning of " (parts::bytes(*size)) "." } }
            }
        };
        Content {
            section: Section::Files,
            title: wanted.path.clone(),
            body,
            news: None,
        }
    });
    visit.show(Section::Files, content)
}

/// The file, to be saved: never as a page.
async fn save(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    match visit
        .console
        .file(&visit.viewer, wanted.principal(), &wanted.path)
        .await
    {
        Ok(content) => download(content),
        Err(problem) => visit.problem(Section::Files, &problem),
    }
}
