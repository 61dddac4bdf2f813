//! Stands between MCP's conformance suite and `ampoule serve --http`: `conformance-renamer URL
//! SERVER`. It prints its address.
//!
//! The suite calls tools by names of its own. `ampoule serve` shows the direct tools of a server as
//! `SERVER__TOOL`. Names are all that changes here, in messages and in the headers that repeat them:
//! everything else passes as it comes, while it comes.

#![expect(clippy::print_stdout, reason = "it prints its address")]

mod names;

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, TryStreamExt};
use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, Request, StatusCode};

use self::names::{Lines, Names};

/// How long a request may be, in bytes.
const REQUEST_BYTES: usize = 64 << 20;

/// What the suite talks to.
struct Renamer {
    /// Of `ampoule serve`.
    url: String,
    names: Names,
    client: reqwest::Client,
}

#[tokio::main]
async fn main() -> Result<()> {
    // Without one, no client can be made, though this one needs none.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    let usage = "conformance-renamer URL SERVER";
    let (url, server) = (arguments.next(), arguments.next());
    let renamer = Renamer {
        url: url.context(usage)?,
        names: Names::of(&server.context(usage)?),
        client: reqwest::Client::builder().no_proxy().build()?,
    };
    let router = Router::new().fallback(passed).with_state(Arc::new(renamer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, router).await?;
    Ok(())
}

async fn passed(State(renamer): State<Arc<Renamer>>, request: Request<Body>) -> Response {
    renamer.pass(request).await.unwrap_or_else(|error| {
        let said = format!("{error:#}\n");
        (StatusCode::BAD_GATEWAY, said).into_response()
    })
}

/// The headers that are not about one of the two connections.
fn end_to_end(mut headers: HeaderMap) -> HeaderMap {
    for of_connection in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
        headers.remove(of_connection);
    }
    headers
}

impl Renamer {
    async fn pass(&self, request: Request<Body>) -> Result<Response> {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, REQUEST_BYTES).await?;
        let mut headers = end_to_end(parts.headers);
        let body = match self.names.in_call(&body) {
            Some(renamed) => {
                self.names.in_headers(&mut headers);
                Bytes::from(renamed)
            }
            None => body,
        };
        let sent = self.client.request(parts.method, &self.url);
        let answer = sent.headers(headers).body(body).send().await?;
        let (status, headers) = (answer.status(), end_to_end(answer.headers().clone()));
        let mut lines = Lines::new(self.names.clone());
        let pieces = answer.bytes_stream().map_ok(Some);
        let end = futures::stream::once(async { Ok(None) });
        let renamed = pieces.chain(end).map_ok(move |piece| match piece {
            Some(piece) => lines.next(&piece),
            None => lines.rest(),
        });
        let mut response = Response::new(Body::from_stream(renamed));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}
