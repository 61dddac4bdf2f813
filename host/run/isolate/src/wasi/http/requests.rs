//! A guest's requests, whole before they are made.

use std::sync::Arc;

use ampoule_tools::GrantedTools;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use tokio::sync::{mpsc, oneshot};
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};
use wasmtime_wasi_io::bytes::{Bytes, BytesMut};

use super::exchanges::{Exchanges, WholeRequest};
use crate::held::{HeldBytes, Hold};

/// A guest's requests on their way to what makes them.
pub(crate) struct Requests {
    sent: mpsc::UnboundedSender<WholeRequest>,
    held: Arc<HeldBytes>,
    /// How large a request's body may be.
    body_bytes: u64,
}

impl Requests {
    /// The requests of a run, and what makes them.
    pub(crate) fn new(
        held: Arc<HeldBytes>,
        body_bytes: u64,
        tools: Arc<GrantedTools>,
    ) -> (Self, Exchanges) {
        let (sent, requests) = mpsc::unbounded_channel();
        let sending = Self {
            sent,
            held,
            body_bytes,
        };
        (sending, Exchanges::new(requests, tools))
    }
}

type Sent = Result<
    (
        Response<WasiBody>,
        Box<dyn Future<Output = Result<(), Error>> + Send>,
    ),
    Error,
>;

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
        _: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let (sent, held, most) = (self.sent.clone(), Arc::clone(&self.held), self.body_bytes);
        Box::new(async move {
            let (parts, body) = request.into_parts();
            let (body, held) = whole(body, &held, most).await?;
            let (answer, answered) = oneshot::channel();
            let request = WholeRequest {
                request: Request::from_parts(parts, body),
                held,
                answer,
            };
            // Either end is gone once the run is.
            let over = || Error::ConnectionTerminated;
            sent.send(request).map_err(|_| over())?;
            let response = answered.await.map_err(|_| over())??;
            let nothing_left: Box<dyn Future<Output = _> + Send> = Box::new(async { Ok(()) });
            Ok((response, nothing_left))
        })
    }
}

/// A body, once all of it is there.
async fn whole(
    mut body: WasiBody,
    held: &Arc<HeldBytes>,
    most: u64,
) -> Result<(Bytes, Vec<Hold>), Error> {
    let (mut bytes, mut holds) = (BytesMut::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        // Trailers are not sent.
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let size = (bytes.len() + data.len()) as u64;
        let room = held.hold(data.len() as u64);
        match room {
            Ok(hold) if size <= most => holds.push(hold),
            _ => return Err(Error::HttpRequestBodySize(Some(size))),
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes.freeze(), holds))
}
