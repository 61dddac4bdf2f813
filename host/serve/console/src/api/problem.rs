//! Errors, as RFC 9457 has them.

use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::ConsoleError;

/// Why a request is not answered (RFC 9457).
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    /// The status of the answer.
    pub status: u16,
    /// The status in words.
    pub title: String,
    /// What is wrong, and what to do.
    pub detail: String,
}

impl Problem {
    /// A problem with this status.
    pub(crate) fn of(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status: status.as_u16(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            detail: detail.into(),
        }
    }
}

impl From<&ConsoleError> for Problem {
    fn from(problem: &ConsoleError) -> Self {
        Self::of(problem.status(), problem.to_string())
    }
}

impl From<ConsoleError> for Problem {
    fn from(problem: ConsoleError) -> Self {
        Self::from(&problem)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, axum::Json(self)).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

/// The answers of each route but the wanted one.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "it describes answers, and is not one")]
pub(super) enum Problems {
    /// The request can't be read, or asks for something that does not exist.
    #[response(status = 400, content_type = "application/problem+json")]
    Invalid(Problem),
    /// Nobody is signed in: send a token, or the cookie of a browser.
    #[response(status = 401, content_type = "application/problem+json")]
    Stranger(Problem),
    /// Only operators may do it, or the request comes from another page.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// It does not exist, or belongs to another principal, or its part is not set up.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// It can't be done in the present state.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// The body is too large.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// The body is not JSON.
    #[response(status = 415, content_type = "application/problem+json")]
    NotJson(Problem),
    /// Too much happens at once: try again.
    #[response(status = 429, content_type = "application/problem+json")]
    Busy(Problem),
    /// The host failed; its log has the details.
    #[response(status = 500, content_type = "application/problem+json")]
    Host(Problem),
}

/// For an address that the API does not have.
pub(super) async fn no_route() -> Problem {
    Problem::of(
        StatusCode::NOT_FOUND,
        "unknown address; /api/v1/openapi.json describes it",
    )
}
