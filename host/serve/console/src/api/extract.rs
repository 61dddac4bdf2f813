//! What requests say, with problems in place of texts where it can't be read.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Query};

use super::Problem;

/// A body of JSON.
#[derive(Debug, FromRequest)]
#[from_request(via(Json), rejection(Problem))]
pub(super) struct Body<T>(pub(super) T);

/// The query of an address.
#[derive(Debug, FromRequestParts)]
#[from_request(via(Query), rejection(Problem))]
pub(super) struct QueryParameters<T>(pub(super) T);

impl From<JsonRejection> for Problem {
    fn from(refused: JsonRejection) -> Self {
        let text = ampoule_untrusted::text::visible(&refused.body_text()).into_owned();
        Self::of(status_of(refused.status()), text)
    }
}

impl From<QueryRejection> for Problem {
    fn from(refused: QueryRejection) -> Self {
        let text = ampoule_untrusted::text::visible(&refused.body_text()).into_owned();
        Self::of(refused.status(), text)
    }
}

/// JSON of another form is as wrong as none.
fn status_of(status: http::StatusCode) -> http::StatusCode {
    match status {
        http::StatusCode::UNPROCESSABLE_ENTITY => http::StatusCode::BAD_REQUEST,
        other => other,
    }
}
