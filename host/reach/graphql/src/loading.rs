//! Reading a schema: from the API itself, a file or an address.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_api::{Caller, Source, Unread, elsewhere, transport};
use ampoule_outbound::{Methods, Requests, Rule, Rules};
use ampoule_tools::{CallContext, CallError};
use http::{HeaderMap, HeaderValue};
use serde_json::Map;
use url::Url;

use crate::api::{Api, Described};
use crate::documents::Sent;
use crate::options::GraphqlServer;
use crate::schema::MAX_BYTES;
use crate::schema::introspection::QUESTIONS;
use crate::{answer, request};

/// What a schema may be, in a request for it.
const SCHEMA: HeaderValue =
    HeaderValue::from_static("application/graphql, text/plain, application/json, */*;q=0.5");

/// How long a schema is not read again, whoever asks: files are looked at, other schemas are
/// downloaded.
pub(crate) fn lasts(schema: Option<&Source>) -> Duration {
    match schema {
        Some(Source::File(_)) => Duration::from_secs(1),
        Some(Source::Address(_)) | None => Duration::from_secs(60),
    }
}

/// Reads a schema, and makes tools of it where no other task waits for the thread.
///
/// # Errors
///
/// Why the API can't be used.
pub(crate) async fn read(server: Arc<GraphqlServer>, caller: Arc<Caller>) -> Result<Api, Unread> {
    let Text {
        endpoint,
        requests,
        text,
    } = Text::of(&server, &caller).await?;
    let made = elsewhere(move || Described::api(&text, endpoint, requests, &server));
    Ok(made.await?)
}

/// The same again; nothing where the text is the same.
///
/// # Errors
///
/// Why the schema can't be read now.
pub(crate) async fn reread(
    known: Arc<Api>,
    server: Arc<GraphqlServer>,
    caller: Arc<Caller>,
) -> Result<Option<Api>, Unread> {
    let Text {
        endpoint,
        requests,
        text,
    } = Text::of(&server, &caller).await?;
    let made = elsewhere(move || match known.described.is_of(&text) {
        true => Ok(None),
        false => Described::api(&text, endpoint, requests, &server).map(Some),
    });
    Ok(made.await?)
}

/// A schema as it is written, and the way to its API.
struct Text {
    endpoint: Url,
    requests: Requests,
    text: String,
}

impl Text {
    async fn of(server: &GraphqlServer, caller: &Caller) -> Result<Self, Unread> {
        let endpoint = server.url()?;
        let requests = requests(server, &endpoint)?;
        let text = match &server.schema {
            None => ask(&requests, &endpoint, caller).await?,
            Some(Source::File(path)) => {
                let path = path.clone();
                elsewhere(move || file(&path)).await?
            }
            Some(Source::Address(url)) => {
                // What is secret goes with a request for the schema only to the API itself.
                let headers = match url.origin() == endpoint.origin() {
                    true => caller.headers().await?,
                    false => HeaderMap::new(),
                };
                transport::text(url, headers, SCHEMA, &server.tls).await?
            }
        };
        Ok(Self {
            endpoint,
            requests,
            text,
        })
    }
}

/// The way to the API.
fn requests(server: &GraphqlServer, endpoint: &Url) -> Result<Requests, String> {
    let rules = || {
        let rule = Rule::to([endpoint.origin().ascii_serialization()])?;
        let rule = rule.methods(Methods::all()).private();
        transport::elsewhere(Rules::default().and(rule), &server.tls)
    };
    let rules = rules().map_err(|error| error.to_string())?;
    Ok(Requests::new(rules, transport::options(&server.tls)))
}

/// The schema as the API says it itself, to whoever calls it.
async fn ask(requests: &Requests, endpoint: &Url, caller: &Caller) -> Result<String, Unread> {
    let mut why = String::new();
    for question in QUESTIONS {
        let sent = Sent {
            text: question.to_owned(),
            variables: Map::new(),
            operation: None,
        };
        let context = CallContext::without_a_run("graphql", "schema", MAX_BYTES as u64);
        let request = |confidential| Ok(request::of(endpoint, &sent, confidential));
        let response = caller.send(requests, &context, request).await;
        let response = response.map_err(|error| match error {
            CallError::NeedsSignIn(why) => Unread::NeedsSignIn(why),
            error => format!("it can't be reached: {error}").into(),
        })?;
        let status = response.status();
        let body = String::from_utf8(response.into_body().into());
        let body = body.map_err(|_| "its answer is not text in UTF-8".to_owned())?;
        let error = answer::error_of(&body);
        if status.is_success() && error.is_none() {
            return Ok(body);
        }
        why = error.unwrap_or_else(|| format!("HTTP status {status}"));
    }
    Err(Unread::Unusable(format!(
        "it does not say its schema: {why}; if it never does, save the schema in a file, name that as `graphql`, and the API's address as `base-url`"
    )))
}

fn file(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = MAX_BYTES as u64 + 1;
    let read = fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| format!("it can't be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}
