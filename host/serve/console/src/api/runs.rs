//! Runs.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use axum::{Extension, Json};
use futures::{Stream, StreamExt};
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Body, QueryParameters};
use super::problem::{Problem, Problems};
use crate::Console;
use crate::access::{CSRF_HEADER, Visitor};
use crate::model::{
    CallRow, Me, NewRun, Page, PageQuery, ReplayRequest, ReplayResult, RunDetail, RunFilter,
    RunRow, StartedRun,
};
use crate::sources::RunEvents;

/// After how long without an event a comment shows that the stream is alive.
const ALIVE: Duration = Duration::from_secs(15);

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(me))
        .routes(routes!(list_runs, start_run))
        .routes(routes!(show_run))
        .routes(routes!(show_call))
        .routes(routes!(follow_run))
        .routes(routes!(cancel_run))
        .routes(routes!(replay_run))
}

/// Who is signed in, and what is set up.
///
/// A browser's cookie gets the header `x-ampoule-csrf`, which requests that change something send back.
#[utoipa::path(get, path = "/me", tag = "runs", responses((status = 200, body = Me), Problems))]
async fn me(State(console): State<Console>, Extension(visitor): Extension<Visitor>) -> Response {
    let mut response = Json(console.me(&visitor.viewer)).into_response();
    // Pages elsewhere can't read it.
    if let Ok(csrf) = HeaderValue::try_from(&visitor.csrf)
        && !csrf.is_empty()
    {
        response.headers_mut().insert(CSRF_HEADER, csrf);
    }
    response
}

/// Lists runs, the newest first.
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunFilter, PageQuery),
    responses((status = 200, body = Page<RunRow>), Problems))]
async fn list_runs(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(filter): QueryParameters<RunFilter>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<RunRow>>, Problem> {
    let viewer = &visitor.viewer;
    Ok(Json(console.runs(viewer, &filter, &page).await?))
}

/// Runs a script, in the background.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = NewRun,
    responses((status = 202, body = StartedRun), Problems))]
async fn start_run(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Body(run): Body<NewRun>,
) -> Result<(StatusCode, Json<StartedRun>), Problem> {
    let started = console.start_run(&visitor.viewer, run).await?;
    Ok((StatusCode::ACCEPTED, Json(started)))
}

/// Shows a run with its script, output, calls, decisions and outcome.
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "The run's id, whole")),
    responses((status = 200, body = RunDetail), Problems))]
async fn show_run(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Json<RunDetail>, Problem> {
    let run = console.run_with_variables(&visitor.viewer, &id).await?;
    Ok(Json(run))
}

/// Which call of which run.
#[derive(Deserialize)]
struct CallPlace {
    id: String,
    /// The number. What is not one counts as a call that is not there.
    call: String,
}

/// Shows one call of a run, with its whole answer.
#[utoipa::path(get, path = "/runs/{id}/calls/{call}", tag = "runs",
    params(("id" = String, Path, description = "The run's id, whole"), ("call" = u32, Path, description = "The call's number, from 0")),
    responses((status = 200, body = CallRow), Problems))]
async fn show_call(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(place): Path<CallPlace>,
) -> Result<Json<CallRow>, Problem> {
    let unknown = || Problem::of(StatusCode::NOT_FOUND, "not found: this call");
    let number = place.call.parse().map_err(|_| unknown())?;
    Ok(Json(
        console.call(&visitor.viewer, &place.id, number).await?,
    ))
}

/// Follows a run: its events as server-sent events, from the first that is kept to `ended`.
///
/// The name of each event is its kind, and its data a JSON object. The stream ends with the run, and
/// half a minute after the sign-in has ended.
#[utoipa::path(get, path = "/runs/{id}/events", tag = "runs", params(("id" = String, Path, description = "The run's id, whole")),
    responses((status = 200, content_type = "text/event-stream", body = String), Problems))]
async fn follow_run(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + Send>, Problem> {
    let events = console.follow(&visitor.viewer, &id).await?;
    let stream = futures::stream::unfold(events, |mut events: RunEvents| async move {
        let next = events.next().await?;
        let event = Event::default().event(next.kind()).data(next.0.to_string());
        Some((Ok(event), events))
    });
    let Visitor {
        viewer, credential, ..
    } = visitor;
    let over = async move { console.browsers().until_over(credential, viewer).await };
    let stream = stream.take_until(Box::pin(over));
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE)))
}

/// Cancels an active run.
#[utoipa::path(post, path = "/runs/{id}/cancel", tag = "runs", params(("id" = String, Path, description = "The run's id, whole")),
    responses((status = 200, body = RunRow), Problems))]
async fn cancel_run(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Json<RunRow>, Problem> {
    Ok(Json(console.cancel_run(&visitor.viewer, &id).await?))
}

/// Replays a recorded run, with its own script or another one. No tool is called.
#[utoipa::path(post, path = "/runs/{id}/replay", tag = "runs", request_body = ReplayRequest,
    params(("id" = String, Path, description = "The run's id, whole")),
    responses((status = 200, body = ReplayResult), Problems))]
async fn replay_run(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Body(request): Body<ReplayRequest>,
) -> Result<Json<ReplayResult>, Problem> {
    let replayed = console.replay(&visitor.viewer, &id, request).await?;
    Ok(Json(replayed))
}
