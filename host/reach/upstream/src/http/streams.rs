//! Streams of events: answers, what servers send unasked, and all that comes in HTTP with SSE.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ampoule_mcp::envelope::RequestId;
use bytes::Bytes;
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use reqwest::Response;
use tokio::time::Instant;
use tokio_util::io::StreamReader;
use url::Url;

use super::events::{Event, Events};
use super::session::Session;
use super::{Transport, client};
use crate::backoff::{doubled, jittered};
use crate::pending::Fault;
use crate::reading::{Messages, Solicitation};

/// How long to wait before a stream is asked for again, where the server does not say; it doubles
/// with each stream that brings nothing.
const PAUSE: Duration = Duration::from_secs(1);

/// The shortest pause, whatever the server says: a stream that ends at once must not take a core.
const SHORTEST: Duration = Duration::from_millis(50);

const LONGEST: Duration = Duration::from_secs(60);

/// How often the rest of an answer is asked for in vain.
const RESUMED: u32 = 5;

/// A stream that lasted this long was a good one.
const LASTING: Duration = Duration::from_secs(10);

type Stream = Events<StreamReader<BoxStream<'static, io::Result<Bytes>>, Bytes>>;

fn events(response: Response) -> Stream {
    let chunks = response.bytes_stream();
    let chunks = chunks.map_err(|error| io::Error::other(client::explained(&error)));
    Events::new(StreamReader::new(chunks.boxed()))
}

fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    response.status().is_success()
        && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

impl Session {
    /// Reads the answer to a request, among whatever else comes. A stream that ends before it is
    /// taken up where it ended, if the server can.
    pub(super) async fn answer_on_stream(
        &self,
        id: RequestId,
        response: Response,
    ) -> Result<(), Fault> {
        let messages = self.messages.about(id);
        let pending = &messages.wire.pending;
        let (mut stream, mut vain) = (events(response), 0);
        loop {
            let (brought, ended) = self.hand_on(&mut stream, &messages).await;
            if !pending.awaits(id) {
                return Ok(());
            }
            vain = if brought { 0 } else { vain + 1 };
            stream = self.taken_up(stream, ended, vain).await?;
        }
    }

    /// The rest of a stream that ended too early. Streams that bring nothing are not counted: some
    /// servers let clients ask now and then instead of waiting.
    async fn taken_up(
        &self,
        broken: Stream,
        ended: io::Result<()>,
        vain: u32,
    ) -> Result<Stream, Fault> {
        let why = ended
            .err()
            .map_or_else(String::new, |error| format!(": {error}"));
        let lost = |more: &str| Fault::Lost(format!("broke off its answer{why}{more}"));
        let (retry, last_id) = (broken.retry, broken.last_id.clone());
        drop(broken);
        let Some(last_id) = last_id.filter(|_| !self.is_stateless()) else {
            return Err(lost(""));
        };
        for attempt in 0..RESUMED {
            let pause = retry.unwrap_or_else(|| jittered(doubled(PAUSE, vain + attempt)));
            tokio::time::sleep(pause.clamp(SHORTEST, LONGEST)).await;
            match self.get(Some(&last_id)).await {
                Ok(response) if is_stream(&response) => {
                    let mut stream = events(response);
                    (stream.last_id, stream.retry) = (Some(last_id), retry);
                    return Ok(stream);
                }
                Ok(response) if !is_passing(&response) => {
                    let status = response.status();
                    return Err(lost(&format!(
                        "; asked for the rest, it says HTTP status {status}"
                    )));
                }
                Ok(_) | Err(Fault::Lost(_) | Fault::NotReached(_)) => {}
                Err(other) => return Err(other),
            }
        }
        Err(lost(", and can no longer be asked for the rest"))
    }

    /// Listens to what a server sends unasked, where it does that.
    pub(super) async fn listen(self: Arc<Self>) {
        let (mut last_id, mut retry, mut vain) = (None::<String>, None, 0);
        loop {
            let began = Instant::now();
            match self.get(last_id.as_deref()).await {
                Ok(response) if is_stream(&response) => {
                    self.listens.cancel();
                    let mut stream = events(response);
                    stream.last_id = last_id.take();
                    let (brought, _) = self.hand_on(&mut stream, &self.messages).await;
                    last_id = stream.last_id;
                    retry = stream.retry.or(retry);
                    if brought || began.elapsed() >= LASTING {
                        vain = 0;
                    }
                }
                Ok(response) if self.is_forgotten(&response) => return self.retire(),
                Ok(response) if !is_passing(&response) => {
                    self.listens.cancel();
                    let status = response.status();
                    tracing::debug!(server = %self.remote.name, %status, "the server sends nothing unasked");
                    return;
                }
                Ok(_) | Err(Fault::Lost(_) | Fault::NotReached(_)) => {}
                Err(Fault::Closed | Fault::NeedsSignIn(_)) => return,
            }
            let pause = retry.unwrap_or(PAUSE).clamp(SHORTEST, LONGEST);
            tokio::time::sleep(jittered(doubled(pause, vain))).await;
            vain += 1;
        }
    }

    /// Opens the stream of HTTP with SSE, once: on it, the server says where messages go.
    pub(super) async fn open_stream(self: &Arc<Self>) -> Result<(), Fault> {
        let opened = self.endpoint.get_or_try_init(|| self.opened_stream()).await;
        let speaks_sse = &self.remote.speaks_sse;
        let found = opened.is_ok() && self.remote.server.transport == Transport::Auto;
        speaks_sse.store(found, Ordering::Relaxed);
        opened.map(|_| ())
    }

    async fn opened_stream(self: &Arc<Self>) -> Result<Url, Fault> {
        let response = self.get(None).await?;
        if !is_stream(&response) {
            let said = super::error_response::ErrorResponse::read(response).await;
            let text = said.text(&self.remote.secrets);
            if said.status == StatusCode::UNAUTHORIZED {
                return Err(self.wants_sign_in(&text));
            }
            return Err(Fault::NotReached(format!(
                "opened no stream of events: {text}"
            )));
        }
        let mut stream = events(response);
        let limit = || self.messages.wire.pending.longest_line();
        loop {
            let event = stream.next(limit, || self.heard()).await.map_err(|error| {
                Fault::NotReached(format!("broke off its stream of events: {error}"))
            })?;
            let Some(event) = event else {
                let why = "ended its stream of events before it said where messages go";
                return Err(Fault::NotReached(why.to_owned()));
            };
            if event.name == "endpoint" {
                let url = self.endpoint_in(&event)?;
                let session = Arc::clone(self);
                self.spawn(async move {
                    let (_, ended) = session.hand_on(&mut stream, &session.messages).await;
                    let why = ended
                        .err()
                        .map_or_else(String::new, |error| format!(": {error}"));
                    let why = format!("ended its stream of events{why}");
                    session.messages.wire.fail(why);
                });
                return Ok(url);
            }
            stream.unasked(event.data.len()).await;
        }
    }

    /// Where messages go: at the same origin, since they come with credentials.
    fn endpoint_in(&self, event: &Event) -> Result<Url, Fault> {
        let own = &self.remote.server.url;
        let named = std::str::from_utf8(&event.data).ok();
        let url = named.and_then(|named| own.join(named.trim()).ok());
        match url.filter(|_| event.too_long.is_none()) {
            Some(url) if url.origin() == own.origin() => Ok(url),
            Some(_) => Err(Fault::NotReached(
                "can't be used: it wants messages sent to another origin than its own".to_owned(),
            )),
            None => Err(Fault::NotReached(
                "can't be used: it wants messages sent to an address that can't be read".to_owned(),
            )),
        }
    }

    /// Hands on what comes until the stream ends. Whether something came, and how it ended.
    async fn hand_on(
        &self,
        stream: &mut Stream,
        messages: &Arc<Messages>,
    ) -> (bool, io::Result<()>) {
        let limit = || messages.wire.pending.longest_line();
        let mut brought = false;
        loop {
            let event = match stream.next(limit, || self.heard()).await {
                Ok(Some(event)) => event,
                Ok(None) => return (brought, Ok(())),
                Err(error) => return (brought, Err(error)),
            };
            brought = true;
            let bytes = event.data.len();
            let asked = match event.too_long {
                Some(more) => messages.too_long(&event.data, &more.tail, more.bytes),
                None if matches!(&*event.name, "" | "message") => messages.take(event.data).await,
                None => Solicitation::No,
            };
            if asked == Solicitation::No {
                stream.unasked(bytes).await;
            }
        }
    }
}

/// Whether the server may send a stream later.
fn is_passing(response: &Response) -> bool {
    matches!(response.status().as_u16(), 429 | 500..)
}
