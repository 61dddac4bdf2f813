//! Sessions, files and skills.

use axum::extract::{Path, State};
use axum::response::Response;
use axum::{Extension, Json};
use http::StatusCode;
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
    ApproveRequest, FileRow, ForkRequest, NewSkill, Page, PageQuery, RewindRequest, SessionDetail,
    SessionRow, SkillDetail, SkillRow, SkillTest, VersionRequest,
};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(list_sessions))
        .routes(routes!(show_session))
        .routes(routes!(rewind_session))
        .routes(routes!(fork_session))
        .routes(routes!(list_files))
        .routes(routes!(get_file))
        .routes(routes!(list_skills, save_skill))
        .routes(routes!(show_skill))
        .routes(routes!(test_skill))
        .routes(routes!(approve_skill))
        .routes(routes!(roll_back_skill))
}

/// Whose things are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Owner {
    /// The principal, for operators; `local` is the user of this machine. Default: your own.
    principal: Option<String>,
}

/// A version of a skill.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Version {
    /// One of the principal's own versions. Default: the version that scripts import.
    version: Option<u32>,
}

/// The file that is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FilePath {
    /// Its path in the workspace.
    path: String,
}

/// Lists sessions, the last used first.
#[utoipa::path(get, path = "/sessions", tag = "lasting", params(Owner, PageQuery),
    responses((status = 200, body = Page<SessionRow>), Problems))]
async fn list_sessions(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(owner): QueryParameters<Owner>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<SessionRow>>, Problem> {
    let of = owner.principal.as_deref();
    Ok(Json(console.sessions(&visitor.viewer, of, &page).await?))
}

/// Shows a session: its variables, and the states that it can be rewound to.
#[utoipa::path(get, path = "/sessions/{name}", tag = "lasting", params(("name" = String, Path, description = "The session's name"), Owner),
    responses((status = 200, body = SessionDetail), Problems))]
async fn show_session(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
) -> Result<Json<SessionDetail>, Problem> {
    let of = owner.principal.as_deref();
    Ok(Json(console.session(&visitor.viewer, of, &name).await?))
}

/// Rewinds a session by a number of runs.
#[utoipa::path(post, path = "/sessions/{name}/rewind", tag = "lasting", request_body = RewindRequest,
    params(("name" = String, Path, description = "The session's name"), Owner),
    responses((status = 200, body = SessionDetail), Problems))]
async fn rewind_session(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    Body(request): Body<RewindRequest>,
) -> Result<Json<SessionDetail>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let rewound = console.rewind_session(viewer, of, &name, request).await?;
    Ok(Json(rewound))
}

/// Copies a session. The answer is the copy.
#[utoipa::path(post, path = "/sessions/{name}/fork", tag = "lasting", request_body = ForkRequest,
    params(("name" = String, Path, description = "The session's name"), Owner),
    responses((status = 200, body = SessionDetail), Problems))]
async fn fork_session(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    Body(request): Body<ForkRequest>,
) -> Result<Json<SessionDetail>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let copy = console.fork_session(viewer, of, &name, request).await?;
    Ok(Json(copy))
}

/// Lists the files of a workspace.
#[utoipa::path(get, path = "/files", tag = "lasting", params(Owner, PageQuery),
    responses((status = 200, body = Page<FileRow>), Problems))]
async fn list_files(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(owner): QueryParameters<Owner>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<FileRow>>, Problem> {
    let of = owner.principal.as_deref();
    Ok(Json(console.files(&visitor.viewer, of, &page).await?))
}

/// Sends a file of a workspace, as a download.
#[utoipa::path(get, path = "/files/content", tag = "lasting", params(Owner, FilePath),
    responses((status = 200, content_type = "application/octet-stream", body = Vec<u8>), Problems))]
async fn get_file(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(owner): QueryParameters<Owner>,
    QueryParameters(wanted): QueryParameters<FilePath>,
) -> Result<Response, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let file = console.file(viewer, of, &wanted.path).await?;
    Ok(download(file))
}

/// Lists the skills that scripts can import.
#[utoipa::path(get, path = "/skills", tag = "lasting", params(Owner, PageQuery),
    responses((status = 200, body = Page<SkillRow>), Problems))]
async fn list_skills(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    QueryParameters(owner): QueryParameters<Owner>,
    QueryParameters(page): QueryParameters<PageQuery>,
) -> Result<Json<Page<SkillRow>>, Problem> {
    let of = owner.principal.as_deref();
    Ok(Json(console.skills(&visitor.viewer, of, &page).await?))
}

/// Saves a script as a skill of your own.
#[utoipa::path(post, path = "/skills", tag = "lasting", request_body = NewSkill,
    responses((status = 201, body = SkillDetail), Problems))]
async fn save_skill(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Body(new): Body<NewSkill>,
) -> Result<(StatusCode, Json<SkillDetail>), Problem> {
    let skill = console.save_skill(&visitor.viewer, new).await?;
    Ok((StatusCode::CREATED, Json(skill)))
}

/// Shows a skill with its source, its versions and how it differs from the approved one.
#[utoipa::path(get, path = "/skills/{name}", tag = "lasting", params(("name" = String, Path, description = "The skill's name"), Owner, Version),
    responses((status = 200, body = SkillDetail), Problems))]
async fn show_skill(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    QueryParameters(version): QueryParameters<Version>,
) -> Result<Json<SkillDetail>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let skill = console.skill(viewer, of, &name, version.version).await?;
    Ok(Json(skill))
}

/// Tests a skill: its code loads, and its example runs. No tool is called; calls get the answers that
/// they got when the skill was saved.
#[utoipa::path(post, path = "/skills/{name}/test", tag = "lasting", request_body = VersionRequest,
    params(("name" = String, Path, description = "The skill's name"), Owner),
    responses((status = 200, body = SkillTest), Problems))]
async fn test_skill(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    Body(request): Body<VersionRequest>,
) -> Result<Json<SkillTest>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let tested = console.test_skill(viewer, of, &name, request).await?;
    Ok(Json(tested))
}

/// Approves the version of a skill that was shown, for all principals. For operators.
#[utoipa::path(post, path = "/skills/{name}/approve", tag = "lasting", request_body = ApproveRequest,
    params(("name" = String, Path, description = "The skill's name"), Owner),
    responses((status = 200, body = SkillDetail), Problems))]
async fn approve_skill(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    Body(request): Body<ApproveRequest>,
) -> Result<Json<SkillDetail>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let skill = console.approve_skill(viewer, of, &name, request).await?;
    Ok(Json(skill))
}

/// Approves an earlier version in place of the approved one. For operators.
#[utoipa::path(post, path = "/skills/{name}/roll-back", tag = "lasting", request_body = VersionRequest,
    params(("name" = String, Path, description = "The skill's name"), Owner),
    responses((status = 200, body = SkillDetail), Problems))]
async fn roll_back_skill(
    State(console): State<Console>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    QueryParameters(owner): QueryParameters<Owner>,
    Body(request): Body<VersionRequest>,
) -> Result<Json<SkillDetail>, Problem> {
    let (viewer, of) = (&visitor.viewer, owner.principal.as_deref());
    let skill = console.roll_back_skill(viewer, of, &name, request).await?;
    Ok(Json(skill))
}
