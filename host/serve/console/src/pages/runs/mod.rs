//! Runs.
//!
//! - `list`: all of them, filtered and in parts; `detail`: one, with everything that is known of it
//! - `replay`: a recorded run again, with its recorded answers, also with an edited script

mod detail;
mod list;
mod replay;

use axum::Router;
use axum::routing::{get, post};

use crate::Console;

/// The routes of runs.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/runs", get(list::show))
        .route("/console/runs/{run}", get(detail::show))
        .route("/console/runs/{run}/calls/{call}", get(detail::call))
        .route("/console/runs/{run}/cancel", post(detail::cancel))
        .route("/console/runs/{run}/again", post(detail::again))
        .route("/console/runs/{run}/output", get(detail::output))
        .route(
            "/console/runs/{run}/replay",
            get(replay::show).post(replay::replay),
        )
}
