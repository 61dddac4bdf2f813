//! One connection, from its first byte to its last: what it may take, and how long it may take for
//! it.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// How long a connection may take to end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How many headers a request may have.
const HEADERS: usize = 64;
/// How long they may be, in bytes.
const HEADER_BYTES: usize = 32 << 10;
/// How much of a request is read at once, in bytes.
const READ_BYTES: usize = 64 << 10;
/// How many requests there may be at once on a connection of HTTP/2.
const STREAMS: u32 = 128;
/// How often a client of HTTP/2 is pinged, and how long it may take to answer.
const PING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// How long a client may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Until its first request is here. Default: 10 s.
    pub first: Duration,
    /// Between two requests. Default: 75 s, longer than proxies keep connections that they mean to
    /// use.
    pub idle: Duration,
    /// To send more of a message. Default: 10 s.
    pub pause: Duration,
    /// To send a message. Default: 60 s.
    pub message: Duration,
    /// To take more of what is sent to it. Default: 60 s.
    pub stalled: Duration,
    /// To be reachable without sending anything: TCP keep-alive asks its system. Default: 60 s.
    pub vanished: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            pause: Duration::from_secs(10),
            message: Duration::from_secs(60),
            stalled: Duration::from_secs(60),
            vanished: Duration::from_secs(60),
        }
    }
}

/// The connection that a request came on.
#[derive(Clone)]
pub(super) struct Arrival {
    /// The address that it was reached by; none on a socket without one.
    pub(super) local: Option<IpAddr>,
    pub(super) busy: Arc<ConnectionUse>,
}

/// Whether a connection is in use.
pub(super) struct ConnectionUse {
    used: Mutex<Use>,
    patience: Patience,
}

struct Use {
    requests: usize,
    /// Until when it need not be in use.
    until: Instant,
}

/// An active request.
pub(super) struct UseGuard(Arc<ConnectionUse>);

impl ConnectionUse {
    pub(super) fn new(patience: Patience) -> Arc<Self> {
        let used = Mutex::new(Use {
            requests: 0,
            until: Instant::now() + patience.first,
        });
        Arc::new(Self { used, patience })
    }

    pub(super) fn began(self: &Arc<Self>) -> UseGuard {
        self.used.lock().requests += 1;
        UseGuard(Arc::clone(self))
    }

    /// Waits until it has not been in use for too long.
    async fn idle(&self) {
        loop {
            let until = {
                let used = self.used.lock();
                match used.requests {
                    0 if used.until <= Instant::now() => return,
                    0 => used.until,
                    _ => Instant::now() + self.patience.idle,
                }
            };
            tokio::time::sleep_until(until).await;
        }
    }
}

impl Drop for UseGuard {
    fn drop(&mut self) {
        let mut used = self.0.used.lock();
        used.requests -= 1;
        used.until = Instant::now() + self.0.patience.idle;
    }
}

/// Serves a connection until it ends, or `closing` is cancelled and what is under way has been
/// answered.
pub(super) async fn serve<S>(
    stream: S,
    speaks_http2: bool,
    router: Router,
    arrival: Arrival,
    closing: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let busy = Arc::clone(&arrival.busy);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(arrival.clone());
        router.clone().oneshot(request)
    });
    let io = TokioIo::new(Patient::new(stream, busy.patience.stalled));
    if speaks_http2 {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADER_BYTES as u32)
            .keep_alive_interval(PING.0)
            .keep_alive_timeout(PING.1);
        // What waits takes what its own kind of connection takes, and not what the largest would.
        let connection = Box::pin(builder.serve_connection(io, service));
        until_over(
            connection,
            http2::Connection::graceful_shutdown,
            &busy,
            &closing,
        )
        .await;
    } else {
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(busy.patience.idle)
            .max_headers(HEADERS)
            .max_header_size(HEADER_BYTES)
            .max_buf_size(READ_BYTES);
        let connection = Box::pin(builder.serve_connection(io, service));
        until_over(
            connection,
            http1::Connection::graceful_shutdown,
            &busy,
            &closing,
        )
        .await;
    }
}

async fn until_over<C>(
    mut connection: Pin<Box<C>>,
    shut_down: impl FnOnce(Pin<&mut C>),
    busy: &ConnectionUse,
    closing: &CancellationToken,
) where
    C: Future<Output = hyper::Result<()>>,
{
    tokio::select! {
        ended = &mut connection => return said(ended),
        () = busy.idle() => {}
        () = closing.cancelled() => {}
    }
    shut_down(connection.as_mut());
    tokio::select! {
        ended = &mut connection => said(ended),
        () = unused(busy) => {}
    }
}

/// Has the system notice within that time that the other end is gone without closing: its machine
/// lost power or network.
pub(super) fn notice_who_vanishes(stream: &TcpStream, within: Duration) {
    /// How often it is asked before it counts as gone.
    const ASKED: u32 = 3;
    // The system counts in seconds.
    let part = |parts| (within / parts).max(Duration::from_secs(1));
    let asks = TcpKeepalive::new()
        .with_time(part(2))
        .with_interval(part(2 * ASKED))
        .with_retries(ASKED);
    let socket = SockRef::from(stream);
    let set = socket.set_tcp_keepalive(&asks);
    // While sent data is not acknowledged, keep-alive does not ask.
    #[cfg(target_os = "linux")]
    let set = set.and_then(|()| socket.set_tcp_user_timeout(Some(within)));
    if let Err(error) = set {
        tracing::debug!(%error, "a client that vanishes will be noticed late");
    }
}

/// Waits until nothing has been under way for long enough that the connection should have ended.
async fn unused(busy: &ConnectionUse) {
    loop {
        tokio::time::sleep(LAST_WORDS).await;
        if busy.used.lock().requests == 0 {
            return;
        }
    }
}

fn said(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// A stream that fails if its other end reads nothing for too long.
struct Patient<S> {
    stream: S,
    patience: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            stalled: None,
        }
    }

    fn wrote<T>(
        &mut self,
        context: &mut Context<'_>,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.stalled = None;
            return wrote;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(self.patience)));
        stalled
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.wrote(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.wrote(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.wrote(context, shut)
    }
}
