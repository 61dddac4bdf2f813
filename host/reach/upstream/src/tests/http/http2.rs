//! HTTP/2, where a server offers it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Response, Version};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::tls::Authority;
use super::{method, text, upstream};
use crate::RemoteServer;
use crate::testing::call;

/// How many calls are under way at once.
const CALLS: usize = 50;

/// What a server got.
#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    versions: Mutex<Vec<Version>>,
    calls: AtomicUsize,
    /// Cancelled once all calls are there: none is answered before.
    all: CancellationToken,
}

async fn talk(stream: TcpStream, tls: TlsAcceptor, seen: Arc<Seen>) -> Option<()> {
    let stream = tls.accept(stream).await.ok()?;
    let mut connection = h2::server::handshake(stream).await.ok()?;
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(answer(request, respond, Arc::clone(&seen)));
    }
    Some(())
}

async fn answer(
    request: http::Request<h2::RecvStream>,
    mut respond: h2::server::SendResponse<Bytes>,
    seen: Arc<Seen>,
) -> Option<()> {
    seen.versions.lock().push(request.version());
    let (mut received, mut body) = (request.into_body(), Vec::new());
    while let Some(Ok(chunk)) = received.data().await {
        received.flow_control().release_capacity(chunk.len()).ok()?;
        body.extend_from_slice(&chunk);
    }
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let result = match method(&message) {
        "server/discover" => json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} }),
        "tools/list" => json!({ "tools": [] }),
        _ => {
            if seen.calls.fetch_add(1, Ordering::Relaxed) + 1 == CALLS {
                seen.all.cancel();
            }
            seen.all.cancelled().await;
            json!({ "content": [{ "type": "text", "text": "x".repeat(100_000) }] })
        }
    };
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    let head = Response::builder().header("content-type", "application/json");
    let mut stream = respond.send_response(head.body(()).ok()?, false).ok()?;
    stream.send_data(answer.to_string().into(), true).ok()
}

#[tokio::test]
async fn many_calls_share_one_connection() {
    let authority = Authority::new();
    let tls = authority.acceptor("localhost", 2100, false, &[b"h2"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}/mcp",
        listener.local_addr().unwrap().port()
    );
    let seen: Arc<Seen> = Arc::default();
    let told = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            told.connections.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(talk(stream, tls.clone(), Arc::clone(&told)));
        }
    });
    let upstream = upstream(RemoteServer::new(&url).unwrap().tls(authority.tls()));
    let calls: Vec<_> = (0..CALLS).map(|_| call(&upstream, "x")).collect();
    for call in calls {
        assert_eq!(text(&call.await.unwrap().unwrap()).len(), 100_000);
    }
    assert_eq!(seen.connections.load(Ordering::Relaxed), 1);
    let versions = seen.versions.lock().clone();
    assert!(versions.len() > CALLS && versions.iter().all(|it| *it == Version::HTTP_2));
    upstream.stop().await;
}
