//! Servers, tools and toolkits.

use axum::extract::{Path, State};
use axum::{Extension, Json};
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Body, QueryParameters};
use super::problem::{Problem, Problems};
use crate::Console;
use crate::access::Visitor;
use crate::model::{
    CallRequest, Page, PageQuery, ServerDetail, ServerRow, SignInAddress, StartedRun, ToolDetail,
    ToolFilter, ToolRow, ToolkitRow,
};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(list_servers))
        .routes(routes!(show_server))
        .routes(routes!(restart_server))
        .routes(routes!(sign_in_to_server))
        .routes(routes!(sign_out_of_server))
        .routes(routes!(list_tools))
        .routes(routes!(show_tool))
        .routes(routes!(call_tool))
        .routes(routes!(list_toolkits))
}

/// Lists servers. No server is started for that.
#[utoipa::path(get, path = "/servers", tag = "catalog", params(PageQuery),
    responses((status = 200, body = Page<ServerRow>), Problems))]
async fn list_servers(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<ServerRow>>, Problem> {
    Ok(Json(console.servers(&visitor.viewer, &page).await?))
}

/// Shows a server with its known tools.
#[utoipa::path(get, path = "/servers/{name}", tag = "catalog", params(("name" = String, Path, description = "The server's name")),
    responses((status = 200, body = ServerDetail), Problems))]
async fn show_server(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Json<ServerDetail>, Problem> {
    Ok(Json(console.server(&visitor.viewer, &name).await?))
}

/// Restarts a server, also under active calls. For operators.
#[utoipa::path(post, path = "/servers/{name}/restart", tag = "catalog", params(("name" = String, Path, description = "The server's name")),
    responses((status = 200, body = ServerDetail), Problems))]
async fn restart_server(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Json<ServerDetail>, Problem> {
    Ok(Json(console.restart_server(&visitor.viewer, &name).await?))
}

/// Begins your sign-in to a server: gives the address that a browser is to open.
#[utoipa::path(post, path = "/servers/{name}/sign-in", tag = "catalog", params(("name" = String, Path, description = "The server's name")),
    responses((status = 200, body = SignInAddress), Problems))]
async fn sign_in_to_server(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Json<SignInAddress>, Problem> {
    let address = console.sign_in_to_server(&visitor.viewer, &name).await?;
    Ok(Json(address))
}

/// Ends your sign-in to a server.
#[utoipa::path(post, path = "/servers/{name}/sign-out", tag = "catalog", params(("name" = String, Path, description = "The server's name")),
    responses((status = 200, body = ServerDetail), Problems))]
async fn sign_out_of_server(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Json<ServerDetail>, Problem> {
    let server = console.sign_out_of_server(&visitor.viewer, &name).await?;
    Ok(Json(server))
}

/// Lists tools, or finds them by what they do.
#[utoipa::path(get, path = "/tools", tag = "catalog", params(ToolFilter, PageQuery),
    responses((status = 200, body = Page<ToolRow>), Problems))]
async fn list_tools(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(filter): QueryParameters<ToolFilter>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<ToolRow>>, Problem> {
    let viewer = &visitor.viewer;
    Ok(Json(console.tools(viewer, &filter, &page).await?))
}

/// Shows a tool with its declarations in TypeScript, Python and WIT, and its schema.
#[utoipa::path(get, path = "/tools/{name}", tag = "catalog", params(("name" = String, Path, description = "`server.tool`")),
    responses((status = 200, body = ToolDetail), Problems))]
async fn show_tool(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Result<Json<ToolDetail>, Problem> {
    Ok(Json(console.tool(&visitor.viewer, &name).await?))
}

/// Calls a tool, as a run of one call.
#[utoipa::path(post, path = "/tools/{name}/call", tag = "catalog", request_body = CallRequest,
    params(("name" = String, Path, description = "`server.tool`")),
    responses((status = 202, body = StartedRun), Problems))]
async fn call_tool(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    Body(request): Body<CallRequest>,
) -> Result<(StatusCode, Json<StartedRun>), Problem> {
    let started = console.call_tool(&visitor.viewer, &name, request).await?;
    Ok((StatusCode::ACCEPTED, Json(started)))
}

/// Lists toolkits.
#[utoipa::path(get, path = "/toolkits", tag = "catalog",
    responses((status = 200, body = [ToolkitRow]), Problems))]
async fn list_toolkits(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Json<Vec<ToolkitRow>>, Problem> {
    Ok(Json(console.toolkits(&visitor.viewer).await?))
}
