//! Schedules and hooks.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use crate::Console;
use crate::access::Visitor;
use crate::model::{ScheduleRow, StartedRun};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(list_schedules))
        .routes(routes!(start_schedule))
}

/// Lists schedules and hooks, each with its next time and what its last run came to.
#[utoipa::path(get, path = "/schedules", tag = "runs",
    responses((status = 200, body = [ScheduleRow]), Problems))]
async fn list_schedules(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Vec<ScheduleRow>>, Problem> {
    Ok(Json(console.schedules(&visitor.viewer).await?))
}

/// Starts a run of a schedule now. For operators.
#[utoipa::path(post, path = "/schedules/{name}/start", tag = "runs",
    params(("name" = String, Path, description = "The schedule's name")),
    responses((status = 202, body = StartedRun), Problems))]
async fn start_schedule(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<(StatusCode, Json<StartedRun>), Problem> {
    let started = console.start_schedule(&visitor.viewer, &name).await?;
    Ok((StatusCode::ACCEPTED, Json(started)))
}
