//! The pages in the browser. A handler reads the model, and shows it in the frame that all share.
//!
//! - `visit`: a request for a page; `layout`: the frame; `parts`: what pages are made of
//! - `assets`: styles and scripts; `events`: what keeps parts of pages up to date
//! - `playground`: where people try scripts, the first page; `editor`: its editor
//! - `runs`, `approvals`, `schedules`: what happens, what waits for a person, what starts by itself
//! - `servers`, `tools`, `toolkits`: what runs may call
//! - `sessions`, `files`, `skills`: what outlives runs
//! - `policies`, `audit`, `statistics`, `people`, `configuration`: operation
//! - `run`: what several pages show of a run
//! - `source`: coloured source text; `waterfall`, `plots`: pictures
//!
//! Texts come from scripts, servers and people. The template escapes all of them, and
//! [`parts::text`] makes visible what can't be seen in them. There is no markup from elsewhere.

mod approvals;
mod assets;
mod audit;
mod configuration;
mod editor;
mod events;
mod files;
mod layout;
mod parts;
mod people;
mod playground;
mod plots;
mod policies;
mod run;
mod runs;
mod schedules;
mod servers;
mod sessions;
mod skills;
mod source;
mod statistics;
mod toolkits;
mod tools;
mod visit;
mod waterfall;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{StatusCode, Uri};

use crate::{Console, ConsoleError};

/// The pages, each beneath `/console`.
pub(crate) fn router() -> Router<Console> {
    Router::new()
        .route("/console/assets/{hash}/{name}", get(asset))
        .route("/console/events", get(events::events))
        .route("/console/{*unknown}", get(unknown))
        .merge(playground::router())
        .merge(runs::router())
        .merge(schedules::router())
        .merge(approvals::router())
        .merge(servers::router())
        .merge(tools::router())
        .merge(toolkits::router())
        .merge(sessions::router())
        .merge(files::router())
        .merge(skills::router())
        .merge(policies::router())
        .merge(audit::router())
        .merge(statistics::router())
        .merge(people::router())
        .merge(configuration::router())
}

/// The address of the style, for the page on which people sign in.
pub(crate) fn stylesheet() -> &'static str {
    &assets::assets().style.address
}

/// A style or script. Its address changes with its content, so browsers ask once.
async fn asset(uri: Uri) -> Response {
    let Some(asset) = assets::assets().at(uri.path()) else {
        return (StatusCode::NOT_FOUND, "this file is of another version\n").into_response();
    };
    let headers = [
        (CONTENT_TYPE, asset.kind),
        (CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    (headers, asset.content).into_response()
}

async fn unknown(visit: visit::Visit) -> Response {
    let problem = ConsoleError::NotFound("this page");
    visit.problem(layout::Section::Playground, &problem)
}
