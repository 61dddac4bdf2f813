//! One request to a model, and its answer as it arrives.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ampoule_network::Tls;
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use sse_stream::SseStream;
use url::Url;

use super::address::{AddressError, Choice, Form, Target, is_this_machine};
use super::error::{EndpointError, FailureKind};
use super::forms::Reader;
use super::inquiry::Request;
use super::reply::{Piece, Reply, ReplyBuilder};
use super::retry::Patience;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(20);
/// How long an endpoint may send nothing: models that think say nothing for a while.
const SILENCE: Duration = Duration::from_secs(300);
/// How large an answer may be.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// How much of a refusal is read.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

/// A model at an address.
#[derive(Clone)]
pub struct Endpoint {
    pub(super) form: Form,
    address: Url,
    pub(super) model: String,
    key: Option<String>,
    client: Client,
    pub(super) patience: Patience,
    /// The endpoint has said that its model has no reasoning to give back.
    pub(super) lacks_reasoning: Arc<AtomicBool>,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("form", &self.form)
            .field("address", &self.shown_address())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The endpoint that is meant. `variable` reads the environment.
    ///
    /// # Errors
    ///
    /// What to add to the choice.
    pub fn new(
        choice: Choice,
        tls: &Tls,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, AddressError> {
        let Target {
            form,
            address,
            model,
            key,
        } = choice.target(variable)?;
        let client = tls.client().map_err(AddressError)?;
        // A key goes nowhere but to the address that it is for.
        let client = client
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE);
        // A proxy would get what is for this machine alone, unencrypted.
        let client = match is_this_machine(&address) {
            true => client.no_proxy(),
            false => client,
        };
        let client = client
            .build()
            .map_err(|_| AddressError("the HTTP client can't be created".to_owned()))?;
        Ok(Self {
            form,
            address,
            model,
            key,
            client,
            patience: Patience::default(),
            lacks_reasoning: Arc::default(),
        })
    }

    /// The same endpoint, which sends a request again at most so often.
    #[must_use]
    pub fn with_retries(&self, most: u32) -> Self {
        let retries = self.patience.retries.min(most);
        let patience = Patience {
            retries,
            ..self.patience
        };
        Self {
            patience,
            ..self.clone()
        }
    }

    /// The form on the wire.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The address, without a query, which may hold a secret.
    pub fn shown_address(&self) -> String {
        let mut address = self.address.clone();
        address.set_query(None);
        address.to_string()
    }

    /// Sends one request and reads its answer.
    pub(super) async fn ask_once(
        &self,
        request: &Request<'_>,
        listener: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<Reply, EndpointError> {
        let key = self.opened_key().await?;
        let begun = Instant::now();
        let answered = self.exchange(request, key.as_deref(), listener).await;
        // The key may be another one by now.
        if let (Err(error), Some(reference)) = (&answered, &self.key)
            && error.kind == FailureKind::Key
        {
            ampoule_secrets::forget([reference], begun).await;
        }
        answered
    }

    async fn opened_key(&self) -> Result<Option<String>, EndpointError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let opened = ampoule_secrets::open(key).await.map_err(|problem| {
            let message = format!("the key of the model's endpoint can't be read: {problem}");
            EndpointError::new(FailureKind::Key, message)
        })?;
        Ok(Some(opened.text.trim().to_owned()))
    }

    async fn exchange(
        &self,
        request: &Request<'_>,
        key: Option<&str>,
        listener: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<Reply, EndpointError> {
        let sending = self.keyed(self.client.post(self.address.clone()), key)?;
        let sending = sending
            .header(ACCEPT, "text/event-stream")
            .json(&self.form.body(&self.model, request));
        let response = sending
            .send()
            .await
            .map_err(|error| unreachable_by(&error, self))?;
        match response.status() {
            status if status.is_success() => self.read(response, key, listener).await,
            status if status.is_redirection() => {
                let message = format!(
                    "the model's endpoint redirects{}, which Ampoule does not follow with a key; use the new address as --endpoint",
                    target_of(response.headers())
                );
                Err(EndpointError::new(FailureKind::Refused, message))
            }
            status => {
                let headers = response.headers().clone();
                let body = beginning(response).await;
                Err(EndpointError::of_status(status, &headers, &body, key))
            }
        }
    }

    fn keyed(
        &self,
        request: RequestBuilder,
        key: Option<&str>,
    ) -> Result<RequestBuilder, EndpointError> {
        let request = match self.form {
            Form::Anthropic => request.header("anthropic-version", "2023-06-01"),
            Form::ChatCompletions | Form::Responses => request,
        };
        let Some(key) = key else {
            return Ok(request);
        };
        let (name, value) = match self.form {
            Form::Anthropic => ("x-api-key", key.to_owned()),
            _ => (AUTHORIZATION.as_str(), format!("Bearer {key}")),
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            let message = "the key of the model's endpoint has characters that no key has; check where it comes from";
            EndpointError::new(FailureKind::Key, message.to_owned())
        })?;
        value.set_sensitive(true);
        Ok(request.header(name, value))
    }

    /// Reads the events of an answer.
    async fn read(
        &self,
        response: Response,
        key: Option<&str>,
        listener: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<Reply, EndpointError> {
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.starts_with("text/event-stream") {
            let body = beginning(response).await;
            let body: Value = serde_json::from_str(&body).unwrap_or_default();
            if body["error"].is_object() {
                return Err(EndpointError::of_event(&body["error"], key));
            }
            let message = "the model's endpoint answered without a stream of events; use one that streams, or check --endpoint";
            return Err(EndpointError::new(FailureKind::Broken, message.to_owned()).lasting());
        }
        let bytes = response.bytes_stream();
        let bytes = bytes.map(|chunk| chunk.map_err(io::Error::other));
        answer(Reader::new(self.form, key), bytes, listener).await
    }
}

/// The answer in a stream of events.
pub(super) async fn answer(
    reader: Reader<'_>,
    bytes: impl Stream<Item = io::Result<Bytes>> + Unpin,
    listener: &mut (dyn FnMut(Piece) + Send),
) -> Result<Reply, EndpointError> {
    let mut left = MAX_ANSWER_BYTES;
    let bytes = bytes.map(move |chunk| {
        let chunk = chunk?;
        left = left
            .checked_sub(chunk.len())
            .ok_or_else(|| io::Error::other("it is longer than 16 MiB"))?;
        Ok::<_, io::Error>(chunk)
    });
    let lines = bytes.flat_map(|chunk| stream::iter(lines(chunk)));
    let mut events = SseStream::from_bytes_stream(lines);
    let mut reply = ReplyBuilder::default();
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            // What was missing was the number of tokens at most.
            Err(_) if reply.is_whole => break,
            Err(error) => return Err(EndpointError::broken(reason_of(&error))),
        };
        let read = reader.read(event.data.as_deref().unwrap_or_default(), &mut reply);
        reply.take_pieces().into_iter().for_each(&mut *listener);
        read?;
        // Chat completions have the number of tokens after their end.
        if reply.is_over || reply.is_whole && !reader.counts_after_the_end() {
            break;
        }
    }
    match reply.is_whole {
        true => Ok(reply.finish()),
        false => Err(EndpointError::broken("the connection closed")),
    }
}

/// The lines of a piece of a stream. What can't be read takes nothing with it that came before.
fn lines(chunk: io::Result<Bytes>) -> Vec<io::Result<Bytes>> {
    let mut chunk = match chunk {
        Ok(chunk) => chunk,
        Err(error) => return vec![Err(error)],
    };
    let mut lines = Vec::new();
    while let Some(at) = chunk.iter().position(|byte| b"\r\n".contains(byte)) {
        lines.push(Ok(chunk.split_to(at + 1)));
    }
    lines.push(Ok(chunk));
    lines
}

fn unreachable_by(error: &reqwest::Error, endpoint: &Endpoint) -> EndpointError {
    let address = endpoint.shown_address();
    let why = match () {
        () if error.is_timeout() => "no answer in time".to_owned(),
        () => reason_of(error),
    };
    let message =
        format!("the model's endpoint {address} can't be reached ({why}); check that it runs");
    EndpointError::new(FailureKind::Unreachable, message)
}

/// The innermost reason, which has no address in it.
fn reason_of(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    ampoule_untrusted::text::one_line(&innermost.to_string()).into_owned()
}

fn target_of(headers: &HeaderMap) -> String {
    let target = headers
        .get(LOCATION)
        .and_then(|target| target.to_str().ok());
    let target = target.and_then(|target| Url::parse(target).ok());
    let host = target.as_ref().and_then(Url::host_str);
    host.map_or_else(String::new, |host| format!(" to {host}"))
}

/// The beginning of a body, as text.
async fn beginning(response: Response) -> String {
    let (mut bytes, mut body) = (Vec::new(), response.bytes_stream());
    while let Some(Ok(chunk)) = body.next().await {
        let room = MAX_REFUSAL_BYTES - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if bytes.len() == MAX_REFUSAL_BYTES {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
