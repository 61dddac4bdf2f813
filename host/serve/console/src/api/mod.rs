//! The HTTP API, beneath `/api/v1`. Each route calls one method of [`Console`], as
//! pages do, and its OpenAPI document is made of the same functions and types.
//!
//! - `runs`, `schedules`, `approvals`, `catalog`, `lasting`, `governance`: routes by subject
//! - `document`: the OpenAPI document; `problem`: errors; `extract`: what requests say

mod approvals;
mod catalog;
mod document;
mod extract;
mod governance;
mod lasting;
mod problem;
mod runs;
mod schedules;

use axum::extract::DefaultBodyLimit;
use axum::{Json, Router};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

pub use problem::Problem;

use crate::Console;
use crate::access::layer::BODY_BYTES;

/// Where the API is.
const BASE: &str = "/api/v1";

fn routes() -> OpenApiRouter<Console> {
    let described = OpenApiRouter::with_openapi(document::base());
    described.nest(
        BASE,
        OpenApiRouter::new()
            .merge(runs::routes())
            .merge(schedules::routes())
            .merge(approvals::routes())
            .merge(catalog::routes())
            .merge(lasting::routes())
            .merge(governance::routes()),
    )
}

/// The OpenAPI document of the API.
pub fn document() -> OpenApi {
    routes().into_openapi()
}

/// The routes.
pub(crate) fn router() -> Router<Console> {
    let (router, described) = routes().split_for_parts();
    let serve = move || {
        let described = described.clone();
        async move { Json(described) }
    };
    router
        .route(&format!("{BASE}/openapi.json"), axum::routing::get(serve))
        .route(
            &format!("{BASE}/{{*unknown}}"),
            axum::routing::any(problem::no_route),
        )
        .layer(DefaultBodyLimit::max(BODY_BYTES))
}
