//! How spans get to their collector: by the project's own HTTP client, on Tokio, whoever waits.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

/// How long a collector may take to answer.
const LONGEST: Duration = Duration::from_secs(10);
/// How much of its answer is read, in bytes: it says how many spans it did not like.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Sends requests. Spans wait on a thread that is not Tokio's, and a client needs Tokio.
pub(crate) struct Exporter {
    client: reqwest::Client,
    tokio: Handle,
    /// Whether the collector did not take what it was sent last: that is said once.
    fails: Arc<AtomicBool>,
}

impl Exporter {
    /// Needs Tokio.
    pub(crate) fn new(client: reqwest::Client) -> Self {
        Self {
            client,
            tokio: Handle::current(),
            fails: Arc::default(),
        }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").finish_non_exhaustive()
    }
}

impl HttpClient for Exporter {
    // What `async_trait` makes of an `async fn`.
    fn send_bytes<'own, 'sent>(
        &'own self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sent>>
    where
        'own: 'sent,
        Self: 'sent,
    {
        let (client, fails) = (self.client.clone(), Arc::clone(&self.fails));
        let sending = self.tokio.spawn(async move {
            let sent = tokio::time::timeout(LONGEST, sent(&client, request)).await;
            let sent = sent.unwrap_or_else(|_| Err("it did not answer in time".into()));
            tell(&fails, &sent);
            sent
        });
        Box::pin(async move { sending.await? })
    }
}

async fn sent(
    client: &reqwest::Client,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    // Their errors quote the address, which may hold secrets.
    let request = request.try_into().map_err(reqwest::Error::without_url)?;
    let answer = client.execute(request).await;
    let mut answer = answer.map_err(reqwest::Error::without_url)?;
    let status = answer.status();
    let headers = std::mem::take(answer.headers_mut());
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(reqwest::Error::without_url)? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return Err(format!("its answer has more than {MAX_ANSWER_BYTES} bytes").into());
        }
        body.extend_from_slice(&chunk);
    }
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Says that spans get lost, or no longer do.
fn tell(fails: &AtomicBool, sent: &Result<Response<Bytes>, HttpError>) {
    let why = match sent {
        Ok(response) if response.status().is_success() => {
            if fails.swap(false, Ordering::Relaxed) {
                tracing::info!("the collector takes spans again");
            }
            return;
        }
        Ok(response) => format!("it answers with status {}", response.status().as_u16()),
        Err(error) => ampoule_untrusted::text::one_line(&error.to_string()).into_owned(),
    };
    if !fails.swap(true, Ordering::Relaxed) {
        tracing::warn!("spans are lost, as their collector does not take them: {why}");
    }
}
