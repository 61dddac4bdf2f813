//! Refused requests, each with what to do about it.

use ampoule_access::AccessDeniedError;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{HeaderName, StatusCode};
use rmcp::model::{ErrorCode, RequestId};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::body::BodyError;
use super::names::ForeignName;
use crate::mcp::incoming::Refusal;
use crate::mcp::transport::BUSY;

/// When to try again, in seconds, if other requests are in the way.
const AGAIN: HeaderValue = HeaderValue::from_static("1");

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct HttpRefusal {
    status: StatusCode,
    message: String,
    header: Option<Box<(HeaderName, HeaderValue)>>,
    /// Of a message: its id, if it can be read, and what is wrong with it.
    about: Option<(Option<Box<RawValue>>, ErrorCode)>,
}

impl HttpRefusal {
    pub(super) fn plain(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            header: None,
            about: None,
        }
    }

    /// Other requests are in the way.
    pub(super) fn busy(status: StatusCode, message: String) -> Self {
        Self {
            header: Some(Box::new((header::RETRY_AFTER, AGAIN))),
            ..Self::plain(status, message)
        }
    }

    pub(super) fn name(wrong: &ForeignName) -> Self {
        let said = match wrong {
            ForeignName::Host => {
                "unknown host name; the operator allows it with `hosts` in `[serve]`"
            }
            ForeignName::Origin => {
                "this origin may not use this server; the operator allows it with `origins` in `[serve]`"
            }
        };
        Self::plain(StatusCode::FORBIDDEN, said)
    }

    pub(super) fn method() -> Self {
        Self {
            header: Some(Box::new((
                header::ALLOW,
                HeaderValue::from_static("POST, GET, DELETE"),
            ))),
            ..Self::plain(
                StatusCode::METHOD_NOT_ALLOWED,
                "send messages with POST; GET opens the stream of a session, which it names in `Mcp-Session-Id`",
            )
        }
    }

    /// Unknown id, or the session of another principal.
    pub(super) fn no_session() -> Self {
        let said = "unknown or ended session; begin one with `initialize`";
        Self::plain(StatusCode::NOT_FOUND, said)
    }

    pub(super) fn full() -> Self {
        let said = "too many sessions; end some with DELETE";
        Self::busy(StatusCode::SERVICE_UNAVAILABLE, said.to_owned())
    }

    pub(super) fn stopping(id: &RequestId) -> Self {
        let said = "the server is stopping; try again in a moment";
        Self {
            about: Some((to_raw_value(id).ok(), BUSY)),
            ..Self::busy(StatusCode::SERVICE_UNAVAILABLE, said.to_owned())
        }
    }
}

impl From<AccessDeniedError> for HttpRefusal {
    fn from(refused: AccessDeniedError) -> Self {
        Self {
            header: Some(Box::new((header::WWW_AUTHENTICATE, refused.challenge()))),
            ..Self::plain(refused.status(), refused.message())
        }
    }
}

impl From<Refusal> for HttpRefusal {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.code {
            ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
            _ => StatusCode::BAD_REQUEST,
        };
        Self {
            about: Some((refusal.id, refusal.code)),
            ..Self::plain(status, refusal.message)
        }
    }
}

impl IntoResponse for HttpRefusal {
    fn into_response(self) -> Response {
        tracing::debug!(status = self.status.as_u16(), problem = %self.message, "a request is refused");
        let mut response = match self.about {
            Some((id, code)) => {
                let error = json!({ "code": code, "message": self.message });
                let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                let json = [(header::CONTENT_TYPE, "application/json")];
                (self.status, json, body.to_string()).into_response()
            }
            None => (self.status, format!("{}\n", self.message)).into_response(),
        };
        if let Some(header) = self.header {
            let (name, value) = *header;
            response.headers_mut().insert(name, value);
        }
        response
    }
}

impl From<BodyError> for HttpRefusal {
    fn from(unread: BodyError) -> Self {
        match unread {
            BodyError::TooLong => Self::plain(
                StatusCode::PAYLOAD_TOO_LARGE,
                "the message is too long; send less at once. The limit follows the operator's limit `host-bytes`",
            ),
            BodyError::TooSlow => Self::plain(
                StatusCode::REQUEST_TIMEOUT,
                "the message did not arrive in time",
            ),
            BodyError::NoRoom => Self::busy(
                StatusCode::SERVICE_UNAVAILABLE,
                "the active requests take up all memory for requests; try again in a moment"
                    .to_owned(),
            ),
            BodyError::Broken => Self::plain(StatusCode::BAD_REQUEST, "the message ended early"),
        }
    }
}
