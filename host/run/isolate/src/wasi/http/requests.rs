//! A guest's requests, whole before they are made.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use ampoule_effort as effort;
use ampoule_limits::LimitError;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::task::unconstrained;
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};
use wasmtime_wasi_io::bytes::{Bytes, BytesMut};

use super::exchanges::{Exchanges, Message, WholeRequest};
use super::message;
use crate::host_memory::Hold;
use crate::wasi::account::Account;
use crate::wasi::output::WRITE_BYTES;

/// A guest's requests on their way to what makes them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Requests {
    messages: mpsc::Sender<Message>,
    account: Account,
}

/// Why a request is not sent.
enum SendError {
    /// The guest gets this.
    Refused(Error),
    /// The run ends.
    Limit(LimitError),
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<LimitError> for SendError {
    fn from(hit: LimitError) -> Self {
        Self::Limit(hit)
    }
}

type SentRequest = Result<
    (
        Response<WasiBody>,
        Box<dyn Future<Output = Result<(), Error>> + Send>,
    ),
    Error,
>;

impl Requests {
    /// The requests of a run, and what makes them.
    pub(crate) fn new(account: Account) -> (Self, Exchanges) {
        // One that is not taken waits with its sender, and is gone when the guest gives it up.
        let (messages, received) = mpsc::channel(1);
        (Self { messages, account }, Exchanges::new(received))
    }

    /// Sends a request once its body has come, and waits for the response. The head counts from the
    /// start.
    async fn send(
        self,
        request: Request<WasiBody>,
        head: Result<Hold, LimitError>,
        timeout: Option<Duration>,
    ) -> SentRequest {
        // Either end is gone once the run is.
        let over = || Error::ConnectionTerminated;
        let (arguments, held) = match self.account.whole(request, head).await {
            Ok(whole) => whole,
            Err(SendError::Refused(error)) => return Err(error),
            Err(SendError::Limit(hit)) => {
                let _ = self.messages.send(Message::Limit(hit)).await;
                return Err(over());
            }
        };
        let (answer, answered) = oneshot::channel();
        let request = WholeRequest {
            arguments,
            held,
            answer,
            timeout,
        };
        let sent = self.messages.send(Message::Request(request)).await;
        sent.map_err(|_| over())?;
        let response = answered.await.map_err(|_| over())??;
        let nothing_left: Box<dyn Future<Output = _> + Send> = Box::new(async { Ok(()) });
        Ok((response, nothing_left))
    }
}

impl WasiHttpHooks for Requests {
    /// The rules for requests say which headers can't be set, with a reason.
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::new(|_| false)
    }

    /// The host sets it when it sends the request.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = SentRequest> + Send> {
        let (head, body) = request.into_parts();
        let held = self.account.held.hold(message::head_bytes(&head));
        let request = Request::from_parts(head, body);
        let sending = self.clone().send(request, held, options.and_then(timeout));
        // A task sends what is left to send of WASI 0.2. What has its body is sent now, so that the
        // calls of a run are in the order of its program.
        let mut sending = Box::pin(unconstrained(sending));
        match sending
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(sent) => Box::new(std::future::ready(sent)),
            Poll::Pending => Box::new(sending),
        }
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        WRITE_BYTES
    }

    fn p3_outgoing_body_chunk_size(&mut self) -> usize {
        WRITE_BYTES
    }
}

/// How long the guest waits for a response. The host gets one whole, so that the wait for its first
/// byte is the wait for all of it; and it does not show when it is connected.
fn timeout(options: RequestOptions) -> Option<Duration> {
    let connect = options.connect_timeout.unwrap_or_default();
    let first = options.first_byte_timeout?;
    Some(first.saturating_add(connect))
}

impl Account {
    /// A request as the tool takes it, once its body has come, with what the host holds of it.
    async fn whole(
        &self,
        request: Request<WasiBody>,
        head: Result<Hold, LimitError>,
    ) -> Result<(String, Hold), SendError> {
        let mut hold = head?;
        let (head, body) = request.into_parts();
        let body = self.body(body, &mut hold).await?;
        let arguments = self.arguments(&head, &body, &mut hold)?;
        drop((head, body));
        hold.shrink_to(arguments.len() as u64);
        Ok((arguments, hold))
    }

    /// A body, once all of it is there.
    async fn body(&self, mut body: WasiBody, hold: &mut Hold) -> Result<Bytes, SendError> {
        let mut bytes = BytesMut::new();
        while let Some(frame) = body.frame().await {
            // Trailers are not sent.
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            let size = (bytes.len() + data.len()) as u64;
            if size > self.limits.argument_bytes {
                return Err(too_large(size).into());
            }
            hold.grow(data.len() as u64)?;
            bytes.extend_from_slice(&data);
        }
        Ok(bytes.freeze())
    }

    fn arguments(&self, head: &Parts, body: &Bytes, hold: &mut Hold) -> Result<String, SendError> {
        let arguments = message::arguments(head, body);
        let size = arguments.len() as u64;
        // The limit is that of the arguments, which base64 makes longer than the body.
        if size > self.limits.argument_bytes {
            return Err(too_large(body.len() as u64).into());
        }
        hold.grow(size)?;
        self.spend(effort::BYTE * size)?;
        Ok(arguments)
    }
}

fn too_large(size: u64) -> Error {
    Error::HttpRequestBodySize(Some(size))
}
