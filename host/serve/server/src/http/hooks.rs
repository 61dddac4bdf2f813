//! Messages of other systems that start runs, at `/hooks/NAME`. A sender is not a client: it signs
//! its messages.

use ampoule_schedules::hook::signature::SignatureError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{Method, Request, StatusCode};
use serde_json::json;
use tokio::sync::Semaphore;

use super::body::{self, BoundedBody, Room};
use super::connection::{Arrival, Patience};
use super::refusal::HttpRefusal;
use crate::unattended::{Message, MessageRefusal, UnattendedRuns};

/// Where messages are sent.
pub(super) const HOOK: &str = "/hooks/{name}";
/// How many messages are read at once, of all hooks.
const AT_ONCE: usize = 32;
/// How much they may take together, in bytes.
const ROOM_BYTES: u64 = 64 << 20;

/// What takes messages to hooks.
pub(super) struct HookDoor {
    unattended: Option<UnattendedRuns>,
    at_once: Semaphore,
    room: Room,
    patience: Patience,
}

impl HookDoor {
    /// For these runs, if there are any.
    pub(super) fn new(unattended: Option<UnattendedRuns>, patience: Patience) -> Self {
        Self {
            unattended,
            at_once: Semaphore::new(AT_ONCE),
            room: Room::new(ROOM_BYTES),
            patience,
        }
    }

    /// The response to a message.
    pub(super) async fn answer(&self, name: &str, request: Request<Body>) -> Response {
        match self.answered(name, request).await {
            Ok(response) => response,
            Err(refused) => refused.into_response(),
        }
    }

    async fn answered(&self, name: &str, request: Request<Body>) -> Result<Response, HttpRefusal> {
        let known = self.unattended.as_ref();
        let known = known.and_then(|known| Some((known, known.message_bytes(name)?)));
        let Some((unattended, most)) = known else {
            return Err(HttpRefusal::plain(StatusCode::NOT_FOUND, "unknown hook"));
        };
        if request.method() != Method::POST {
            let mut response =
                HttpRefusal::plain(StatusCode::METHOD_NOT_ALLOWED, "send the message with POST")
                    .into_response();
            let post = HeaderValue::from_static("POST");
            response.headers_mut().insert(header::ALLOW, post);
            return Ok(response);
        }
        let unsigned = unattended.refuse_unsigned(name, request.headers());
        unsigned.map_err(|refusal| refused(name, refusal))?;
        let _one = self.at_once.try_acquire().map_err(|_| {
            let said = "too many messages at once; send this one again in a moment";
            HttpRefusal::busy(StatusCode::SERVICE_UNAVAILABLE, said.to_owned())
        })?;
        let arrival = request.extensions().get::<Arrival>();
        let _busy = arrival.map(|arrival| arrival.busy.began());
        let mut reservation = self.room.take()?;
        let (parts, body) = request.into_parts();
        let bounded = BoundedBody {
            body,
            most,
            patience: self.patience,
        };
        let body = match body::read(bounded, &self.room, &mut reservation).await {
            Err(body::BodyError::TooLong) => {
                let said =
                    "the message is too long; the operator's key `body` says how long it may be";
                return Err(HttpRefusal::plain(StatusCode::PAYLOAD_TOO_LARGE, said));
            }
            read => read?,
        };
        let message = Message {
            headers: parts.headers,
            body,
        };
        let run = unattended.receive(name, message).await;
        let run = run.map_err(|refusal| refused(name, refusal))?;
        let json = [(header::CONTENT_TYPE, "application/json")];
        let body = json!({ "run": run }).to_string();
        Ok((StatusCode::ACCEPTED, json, body).into_response())
    }
}

/// Why a message starts no run, for its sender. What is the operator's goes to the log.
fn refused(hook: &str, refusal: MessageRefusal) -> HttpRefusal {
    let plain = |status, said: &str| HttpRefusal::plain(status, said);
    match refusal {
        MessageRefusal::Signature(SignatureError::Secret) => {
            let problem = SignatureError::Secret.to_string();
            refused(hook, MessageRefusal::Host(problem))
        }
        MessageRefusal::Signature(error) => {
            tracing::warn!(hook, %error, "a message was refused");
            plain(StatusCode::UNAUTHORIZED, &error.to_string())
        }
        MessageRefusal::Body => plain(
            StatusCode::BAD_REQUEST,
            "the body is neither text nor what its content type says",
        ),
        MessageRefusal::Repeated => {
            tracing::warn!(hook, "a message came twice: its second time starts no run");
            plain(StatusCode::CONFLICT, "this message was taken already")
        }
        MessageRefusal::TooMany => HttpRefusal::busy(
            StatusCode::TOO_MANY_REQUESTS,
            "too many messages within a minute; send this one again later".to_owned(),
        ),
        MessageRefusal::Busy => HttpRefusal::busy(
            StatusCode::SERVICE_UNAVAILABLE,
            "too many runs of this hook are under way; send the message again later".to_owned(),
        ),
        MessageRefusal::Stopping => HttpRefusal::busy(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server stops, and the run did not start; send the message again later".to_owned(),
        ),
        MessageRefusal::Host(problem) => {
            let id = ampoule_untrusted::log_id();
            tracing::error!(id, hook, problem, "a message started no run");
            let said = format!("the host can't start the run ({id}, in its log)");
            plain(StatusCode::INTERNAL_SERVER_ERROR, &said)
        }
    }
}
