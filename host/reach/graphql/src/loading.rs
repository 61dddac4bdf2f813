//! Reading a schema: from the API itself, a file or an address.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use ampoule_api::{Source, elsewhere, transport};
use ampoule_outbound::{Methods, Requests, Rule, Rules};
use ampoule_tools::CallContext;
use http::{HeaderMap, HeaderValue};
use serde_json::Map;
use url::Url;

use crate::api::Api;
use crate::documents::Sent;
use crate::options::GraphqlServer;
use crate::schema::introspection::QUESTIONS;
use crate::schema::{MAX_BYTES, Schema};
use crate::{answer, request};

/// What a schema may be, in a request for it.
const SCHEMA: HeaderValue =
    HeaderValue::from_static("application/graphql, text/plain, application/json, */*;q=0.5");

/// Reads a schema, and makes tools of it where no other task waits for the thread.
///
/// # Errors
///
/// Why the API can't be used.
pub(crate) async fn read(
    server: Arc<GraphqlServer>,
    endpoint: Url,
    confidential: HeaderMap,
) -> Result<Api, String> {
    let requests = requests(&server, &endpoint)?;
    let text = match &server.schema {
        None => ask(&requests, &endpoint, confidential).await?,
        Some(Source::File(path)) => {
            let path = path.clone();
            elsewhere(move || file(&path)).await?
        }
        Some(Source::Address(url)) => {
            // What is secret goes with a request for the schema only to the API itself.
            let headers = match url.origin() == endpoint.origin() {
                true => confidential,
                false => HeaderMap::new(),
            };
            transport::text(url, headers, SCHEMA, &server.tls).await?
        }
    };
    elsewhere(move || Api::of(Schema::read(&text)?, requests, &server)).await
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

/// The schema as the API says it itself.
async fn ask(
    requests: &Requests,
    endpoint: &Url,
    confidential: HeaderMap,
) -> Result<String, String> {
    let mut why = String::new();
    for question in QUESTIONS {
        let sent = Sent {
            text: question.to_owned(),
            variables: Map::new(),
            operation: None,
        };
        let request = request::of(endpoint, &sent, confidential.clone());
        let context = CallContext::without_a_run("graphql", "schema", MAX_BYTES as u64);
        let response = requests.send(request, &context).await;
        let response = response.map_err(|error| format!("it can't be reached: {error}"))?;
        let status = response.status();
        let body = String::from_utf8(response.into_body().into());
        let body = body.map_err(|_| "its answer is not text in UTF-8".to_owned())?;
        let error = answer::error_of(&body);
        if status.is_success() && error.is_none() {
            return Ok(body);
        }
        why = error.unwrap_or_else(|| format!("HTTP status {status}"));
    }
    Err(format!(
        "it does not say its schema: {why}; if it never does, save the schema in a file, name that as `graphql`, and the API's address as `base-url`"
    ))
}

fn file(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = MAX_BYTES as u64 + 1;
    let read = fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| format!("it can't be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}
