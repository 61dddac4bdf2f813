//! What a server says where it does not do what it was asked.

use std::time::Duration;

use ampoule_mcp::envelope::error_in;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use reqwest::Response;

use super::retry;
use crate::refusal::Refusal;
use crate::secrets::Secrets;

/// How much of it is read, in bytes, and for how long.
const MAX_BYTES: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

/// How much of it is shown, in bytes.
const SHOWN_BYTES: usize = 300;

/// A status, and what came with it.
pub(super) struct ErrorResponse {
    pub(super) status: StatusCode,
    body: String,
    is_page: bool,
    /// How long the server wants not to be asked again.
    pub(super) pause: Option<Duration>,
}

impl ErrorResponse {
    pub(super) async fn read(mut response: Response) -> Self {
        let kind = response.headers().get(CONTENT_TYPE);
        let is_page = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        let (status, pause) = (response.status(), retry::asked_for(response.headers()));
        let mut body = Vec::new();
        let all = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                let room = MAX_BYTES - body.len();
                body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if body.len() == MAX_BYTES {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all).await;
        Self {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
            is_page,
            pause,
        }
    }

    /// The error of JSON-RPC that it is, if it is one.
    pub(super) fn refusal(&self, secrets: &Secrets) -> Option<Refusal> {
        error_in(&self.body).map(|error| Refusal::read(error, secrets))
    }

    /// Whether it speaks of sessions.
    pub(super) fn is_about_the_session(&self) -> bool {
        self.body.to_lowercase().contains("session")
    }

    /// The status and the first line, as the end of a sentence.
    pub(super) fn text(&self, secrets: &Secrets) -> String {
        let line = self
            .body
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        match line.filter(|_| !self.is_page) {
            Some(line) => {
                format!(
                    "HTTP status {}: {}",
                    self.status,
                    secrets.quote_line(line, SHOWN_BYTES)
                )
            }
            None => format!("HTTP status {}", self.status),
        }
    }
}
