//! Policies, the audit log, statistics, principals and the configuration.

use axum::extract::State;
use axum::response::Response;
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Body, QueryParameters};
use super::problem::{Problem, Problems};
use crate::Console;
use crate::access::Visitor;
use crate::download::download;
use crate::model::{
    AuditFilter, AuditLine, ChainReport, Configuration, Page, PageQuery, PolicyCase,
    PolicyOverview, PolicyResult, PrincipalRow, Statistics,
};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(show_policies))
        .routes(routes!(test_policy))
        .routes(routes!(list_events))
        .routes(routes!(verify_audit))
        .routes(routes!(export_audit))
        .routes(routes!(show_statistics))
        .routes(routes!(list_principals))
        .routes(routes!(show_configuration))
}

/// The format of an export.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportFormat {
    /// `jsonl`, `ocsf` or `otlp`.
    format: String,
}

/// Shows the policies that hold; to operators also as Cedar.
#[utoipa::path(get, path = "/policies", tag = "governance",
    responses((status = 200, body = PolicyOverview), Problems))]
async fn show_policies(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<PolicyOverview>, Problem> {
    Ok(Json(console.policies(&visitor.viewer).await?))
}

/// Tests a case: what the policies say of a call, and why.
#[utoipa::path(post, path = "/policies/test", tag = "governance", request_body = PolicyCase,
    responses((status = 200, body = PolicyResult), Problems))]
async fn test_policy(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Body(case): Body<PolicyCase>,
) -> Result<Json<PolicyResult>, Problem> {
    Ok(Json(console.test_policy(&visitor.viewer, &case)?))
}

/// Lists the events of the audit log, the newest first.
#[utoipa::path(get, path = "/audit", tag = "governance", params(AuditFilter, PageQuery),
    responses((status = 200, body = Page<AuditLine>), Problems))]
async fn list_events(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(filter): QueryParameters<AuditFilter>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<AuditLine>>, Problem> {
    let viewer = &visitor.viewer;
    Ok(Json(console.audit(viewer, &filter, &page).await?))
}

/// Verifies the audit log. For operators.
#[utoipa::path(get, path = "/audit/chain", tag = "governance",
    responses((status = 200, body = ChainReport), Problems))]
async fn verify_audit(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<ChainReport>, Problem> {
    Ok(Json(console.verify_audit(&visitor.viewer).await?))
}

/// Exports the events of the audit log, as a download. For operators.
#[utoipa::path(get, path = "/audit/export", tag = "governance", params(AuditFilter, ExportFormat),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), Problems))]
async fn export_audit(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(filter): QueryParameters<AuditFilter>,
    QueryParameters(wanted): QueryParameters<ExportFormat>,
) -> Result<Response, Problem> {
    let (viewer, format) = (&visitor.viewer, &wanted.format);
    let exported = console.export_audit(viewer, &filter, format).await?;
    Ok(download(exported))
}

/// Counts runs and calls by day, tool and principal.
#[utoipa::path(get, path = "/statistics", tag = "governance", params(AuditFilter),
    responses((status = 200, body = Statistics), Problems))]
async fn show_statistics(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(filter): QueryParameters<AuditFilter>,
) -> Result<Json<Statistics>, Problem> {
    Ok(Json(console.statistics(&visitor.viewer, &filter).await?))
}

/// Lists principals with tokens. For operators.
#[utoipa::path(get, path = "/principals", tag = "governance",
    responses((status = 200, body = [PrincipalRow]), Problems))]
async fn list_principals(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Vec<PrincipalRow>>, Problem> {
    Ok(Json(console.principals(&visitor.viewer).await?))
}

/// Shows the configuration. For operators.
#[utoipa::path(get, path = "/configuration", tag = "governance",
    responses((status = 200, body = Configuration), Problems))]
async fn show_configuration(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Configuration>, Problem> {
    Ok(Json(console.configuration(&visitor.viewer).await?))
}
