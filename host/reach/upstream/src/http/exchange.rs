//! A request and its answer.

use std::sync::Arc;
use std::time::Duration;

use ampoule_mcp::envelope::{RequestId, error_in};
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use reqwest::Response;

use super::Transport;
use super::error_response::ErrorResponse;
use super::retry::Attempts;
use super::session::Session;
use crate::authorizer::SignInRequiredError;
use crate::outbox::Kind;
use crate::pending::{Answer, Fault};
use crate::refusal::Refusal;

/// How long the rest of an answer is read after what was asked for, so that the connection can be
/// used again.
const REST: Duration = Duration::from_secs(2);

/// A request on its way.
struct Request<'a> {
    id: RequestId,
    method: &'a str,
    kind: &'a Kind,
    line: Bytes,
}

impl Request<'_> {
    /// Whether doing it twice may be worse than doing it once.
    fn acts(&self) -> bool {
        self.method == "tools/call"
    }

    /// Whether it opens the connection.
    fn opens(&self) -> bool {
        matches!(self.method, "server/discover" | "initialize")
    }
}

impl Session {
    /// Sends a request, for as long as somebody waits for its answer: letting go of it on the way
    /// closes its stream.
    pub(super) async fn exchange(self: Arc<Self>, id: RequestId, kind: Kind, line: Bytes) {
        let (pending, kind) = (&self.messages.wire.pending, &kind);
        let (Some(mut settled), Kind::Request { method, .. }) = (pending.watch(id), kind) else {
            return;
        };
        let request = Request {
            id,
            method,
            kind,
            line,
        };
        let carried_out = async {
            if let Err(fault) = self.carry_out(&request).await {
                pending.fail(id, fault);
            }
        };
        let mut carried_out = std::pin::pin!(carried_out);
        tokio::select! {
            biased;
            () = &mut carried_out => {}
            told = &mut settled => if told.is_ok() {
                let _ = tokio::time::timeout(REST, carried_out).await;
            },
        }
    }

    /// # Errors
    ///
    /// Why there will be no answer.
    async fn carry_out(self: &Arc<Self>, request: &Request<'_>) -> Result<(), Fault> {
        let mut attempts = Attempts::default();
        loop {
            if self.is_old() {
                self.open_stream().await?;
            }
            if request.acts() {
                self.listening().await;
            }
            let response = self.post(request.kind, request.line.clone()).await?;
            if response.status().is_success() {
                return self.answered(request, response).await;
            }
            let pause = is_passing(response.status(), request)
                .then(|| attempts.next(response.headers()))
                .flatten();
            let said = ErrorResponse::read(response).await;
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return self.refused(request, &said).await,
            }
        }
    }

    /// The server took the request.
    async fn answered(
        self: &Arc<Self>,
        request: &Request<'_>,
        response: Response,
    ) -> Result<(), Fault> {
        if self.endpoint.get().is_some() {
            // The answer comes on the stream.
            return Ok(());
        }
        if request.method == "initialize" {
            self.begun(&response);
        }
        let kind = response.headers().get(CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
            self.answer_on_stream(request.id, response).await
        } else {
            self.answer_in_body(request.id, response).await
        }
    }

    async fn answer_in_body(&self, id: RequestId, mut response: Response) -> Result<(), Fault> {
        let pending = &self.messages.wire.pending;
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await.map_err(|error| {
                let why = super::client::explained(&error);
                Fault::Lost(format!("broke off its answer: {why}"))
            })?;
            let Some(chunk) = chunk else { break };
            self.heard();
            let bytes = body.len() + chunk.len();
            if bytes > pending.longest_line() {
                let announced = response.content_length().unwrap_or(0);
                pending.settle(id, |_| Answer::TooLarge(announced.max(bytes as u64)));
                return Ok(());
            }
            body.extend_from_slice(&chunk);
        }
        // An error may not say which request it is for.
        let nameless = std::str::from_utf8(&body).ok().and_then(error_in);
        let refusal = nameless.map(|error| Refusal::read(error, &self.remote.secrets));
        let empty = body.trim_ascii().is_empty();
        self.messages.take(body).await;
        if pending.awaits(id) {
            pending.settle(id, |_| match refusal {
                Some(refusal) => Answer::Refused(refusal),
                None if empty => Answer::Unusable("the server's answer is empty".to_owned()),
                None => Answer::Unusable("the server's answer is to another request".to_owned()),
            });
        }
        Ok(())
    }

    /// The server did not take the request.
    async fn refused(
        self: &Arc<Self>,
        request: &Request<'_>,
        said: &ErrorResponse,
    ) -> Result<(), Fault> {
        let secrets = &self.remote.secrets;
        let (status, text) = (said.status, said.text(secrets));
        let forgotten = status == StatusCode::NOT_FOUND
            || (status == StatusCode::BAD_REQUEST && said.is_about_the_session());
        if forgotten && self.is_session() && !request.opens() {
            self.retire();
            return Err(Fault::NotReached(format!("forgot the session: {text}")));
        }
        let refusal = said.refusal(secrets);
        let may_be_old = request.method == "initialize"
            && self.remote.server.transport == Transport::Auto
            && matches!(status.as_u16(), 400 | 404 | 405)
            && refusal.is_none();
        if may_be_old && self.open_stream().await.is_ok() {
            return Box::pin(self.carry_out(request)).await;
        }
        if let Some(refusal) = refusal {
            self.settle(request, Answer::Refused(refusal));
            return Ok(());
        }
        match status.as_u16() {
            401 => Err(self.wants_sign_in(&text)),
            429 | 503 => Err(Fault::NotReached(match said.pause {
                Some(pause) => {
                    let pause = humantime::format_duration(pause);
                    format!("is busy, and asks clients to wait for {pause}: {text}")
                }
                None => format!("is busy: {text}"),
            })),
            500.. if !request.opens() => Err(Fault::Lost(format!("failed: {text}"))),
            _ => {
                self.settle(request, Answer::Refused(Refusal::saying(text)));
                Ok(())
            }
        }
    }

    /// The server does not take requests from who knows whom.
    pub(super) fn wants_sign_in(&self, text: &str) -> Fault {
        Fault::NeedsSignIn(SignInRequiredError(format!(
            "MCP server `{}` needs a sign-in, or credentials in its `headers` ({text})",
            self.remote.name
        )))
    }

    fn settle(&self, request: &Request<'_>, answer: Answer) {
        self.messages.wire.pending.settle(request.id, |_| answer);
    }
}

/// Whether the same request may do better later. Whoever is too busy says so before doing anything;
/// what a gateway got no answer to may have been done.
fn is_passing(status: StatusCode, request: &Request<'_>) -> bool {
    match status.as_u16() {
        429 | 503 => true,
        502 | 504 => !request.acts(),
        _ => false,
    }
}
