//! All routes, behind the checks of who looks.

use axum::Router;
use axum::middleware::from_fn_with_state;

use crate::access::layer;
use crate::{Console, access, api, pages};

/// All routes of the console: `/console` and `/api/v1`, behind the checks of [`access`]. Host names are
/// checked by what serves them.
pub fn router(console: &Console) -> Router {
    let pages = pages::router().merge(access::routes(pages::stylesheet()));
    let pages = pages.layer(from_fn_with_state(console.clone(), layer::pages));
    let api = api::router().layer(from_fn_with_state(console.clone(), layer::api));
    pages.merge(api).with_state(console.clone())
}
