//! Approvals.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Body, QueryParameters};
use super::problem::{Problem, Problems};
use crate::Console;
use crate::access::Visitor;
use crate::model::{ApprovalAnswer, ApprovalDetail, ApprovalDone, ApprovalRow, Page, PageQuery};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(list_approvals))
        .routes(routes!(show_approval))
        .routes(routes!(answer_approval))
}

/// Which questions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ApprovalQuery {
    /// Also those that were answered, or have expired. Default: only open ones.
    #[serde(default)]
    all: bool,
}

/// Lists calls that wait for a person.
#[utoipa::path(get, path = "/approvals", tag = "approvals", params(ApprovalQuery, PageQuery),
    responses((status = 200, body = Page<ApprovalRow>), Problems))]
async fn list_approvals(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(wanted): QueryParameters<ApprovalQuery>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<ApprovalRow>>, Problem> {
    let viewer = &visitor.viewer;
    Ok(Json(console.approvals(viewer, wanted.all, &page).await?))
}

/// Shows a question: each call with its arguments, why it is asked, and the script around it.
#[utoipa::path(get, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path, description = "The question's id, whole")),
    responses((status = 200, body = ApprovalDetail), Problems))]
async fn show_approval(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<Json<ApprovalDetail>, Problem> {
    Ok(Json(console.approval(&visitor.viewer, &id).await?))
}

/// Answers a question. The waiting run resumes at once.
#[utoipa::path(post, path = "/approvals/{id}/answer", tag = "approvals", request_body = ApprovalAnswer,
    params(("id" = String, Path, description = "The question's id, whole")),
    responses((status = 200, body = ApprovalDone), Problems))]
async fn answer_approval(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    Body(answer): Body<ApprovalAnswer>,
) -> Result<Json<ApprovalDone>, Problem> {
    let done = console
        .answer_approval(&visitor.viewer, &id, answer)
        .await?;
    Ok(Json(done))
}
