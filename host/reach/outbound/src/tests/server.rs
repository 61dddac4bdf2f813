//! Servers that requests of tests go to.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What a server got: the request's line, and its headers and body as text.
pub(super) type ReceivedRequests = Arc<Mutex<Vec<String>>>;

type Answer = Arc<dyn Fn(&str) -> Response + Send + Sync>;

/// What requests are answered with, and where they are noted.
#[derive(Clone)]
struct Served {
    got: ReceivedRequests,
    answer: Answer,
}

/// A server on this machine.
pub(super) struct Server {
    pub(super) origin: String,
    pub(super) port: u16,
    got: ReceivedRequests,
    serving: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Server {
    /// One that answers each path and query so.
    pub(super) async fn new(answer: impl Fn(&str) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = ReceivedRequests::default();
        let served = Served {
            got: Arc::clone(&got),
            answer: Arc::new(answer),
        };
        let router = Router::new().fallback(any(noted)).with_state(served);
        let serving = async move { axum::serve(listener, router).await.unwrap() };
        Self {
            origin: format!("http://127.0.0.1:{port}"),
            port,
            got,
            serving: tokio::spawn(serving),
        }
    }

    /// One that answers with what it got.
    pub(super) async fn echo() -> Self {
        Self::new(|seen| Response::new(seen.to_owned().into())).await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// What it got since this was last asked for.
    pub(super) fn take_got(&self) -> Vec<String> {
        std::mem::take(&mut self.got.lock())
    }
}

async fn noted(State(Served { got, answer }): State<Served>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 24)
        .await
        .unwrap_or(Bytes::new());
    let mut seen = format!("{} {}\n", head.method, head.uri);
    for (name, value) in &head.headers {
        seen += &format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()));
    }
    seen += &format!("\n{}", String::from_utf8_lossy(&body));
    got.lock().push(seen.clone());
    answer(&seen)
}

/// A response with a status and a header.
pub(super) fn with(status: u16, name: &str, value: &str) -> Response {
    Response::builder()
        .status(status)
        .header(name, value)
        .body("there".into())
        .unwrap()
}

/// The path that a server got.
pub(super) fn path_of(seen: &str) -> &str {
    seen.split(' ').nth(1).unwrap().lines().next().unwrap()
}
