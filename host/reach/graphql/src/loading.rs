//! Reading a schema: from the API itself, a file or an address.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_api::download::{self, Description, Download, DownloadError, Fallback, FreshDocument};
use ampoule_api::{Caller, DescriptionError, DocumentCache, Source, elsewhere, transport};
use ampoule_outbound::{Methods, Requests, Rule, Rules};
use ampoule_tools::{CallContext, CallError};
use http::{HeaderMap, HeaderValue};
use serde_json::Map;
use url::Url;

use crate::api::{Api, ApiContent};
use crate::documents::OutgoingDocument;
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
pub(crate) async fn read(
    server: Arc<GraphqlServer>,
    caller: Arc<Caller>,
) -> Result<Api, DescriptionError> {
    let fallback = Fallback::After(server.options.start_timeout / 2);
    let text = Text::of(&server, &caller, fallback).await?;
    Ok(elsewhere(move || text.api(&server)).await?)
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
) -> Result<Option<Api>, DescriptionError> {
    let text = Text::of(&server, &caller, Fallback::Never).await?;
    let made = elsewhere(move || {
        // What was kept may have turned out to be as it was.
        match known.stale.is_none() && known.described.is_of(&text.description.text) {
            true => Ok(None),
            false => text.api(&server).map(Some),
        }
    });
    Ok(made.await?)
}

/// A schema as it is written, and the way to its API.
struct Text {
    endpoint: Url,
    requests: Requests,
    description: Description,
    /// Where it is kept.
    cache: Option<DocumentCache>,
}

impl Text {
    async fn of(
        server: &GraphqlServer,
        caller: &Caller,
        fallback: Fallback,
    ) -> Result<Self, DescriptionError> {
        let endpoint = server.url()?;
        let requests = requests(server, &endpoint)?;
        let mut cache = server.cache();
        let description = match &server.schema {
            None => {
                // What an API tells those who signed in is theirs.
                cache = cache.filter(|_| !caller.is_signed());
                let introspection = Introspection {
                    requests: &requests,
                    endpoint: &endpoint,
                    caller,
                };
                introspection.description(cache.as_ref(), fallback).await?
            }
            Some(Source::File(path)) => {
                let path = path.clone();
                Description {
                    text: elsewhere(move || file(&path)).await?,
                    stale: None,
                    fresh: None,
                }
            }
            Some(Source::Address(url)) => {
                // What is secret goes with a request for the schema only to the API itself.
                let confidential = match url.origin() == endpoint.origin() {
                    true => caller.headers().await?,
                    false => HeaderMap::new(),
                };
                let download = Download {
                    url,
                    confidential,
                    accept: SCHEMA,
                    tls: &server.tls,
                };
                download.description(cache.as_ref(), fallback).await?
            }
        };
        Ok(Self {
            endpoint,
            requests,
            description,
            cache,
        })
    }

    /// The API. A schema of which an API can be made is kept.
    fn api(self, server: &GraphqlServer) -> Result<Api, String> {
        let Description { text, stale, fresh } = self.description;
        let mut api = ApiContent::api(&text, self.endpoint, self.requests, server)?;
        api.stale = stale;
        if let (Some(cache), Some(fresh)) = (&self.cache, fresh) {
            fresh.save(cache);
        }
        Ok(api)
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

/// A question for the schema, as the API says it itself to whoever calls it.
struct Introspection<'a> {
    requests: &'a Requests,
    endpoint: &'a Url,
    caller: &'a Caller,
}

/// Why an API does not say its schema.
enum AskError {
    /// Somebody has to sign in.
    NeedsSignIn(String),
    Download(DownloadError),
}

impl From<DownloadError> for AskError {
    fn from(why: DownloadError) -> Self {
        Self::Download(why)
    }
}

impl From<String> for AskError {
    fn from(why: String) -> Self {
        Self::Download(DownloadError::Refused(why))
    }
}

impl Introspection<'_> {
    /// The schema; what was kept of it where the API can't be reached, and the fallback says so.
    async fn description(
        &self,
        cache: Option<&DocumentCache>,
        fallback: Fallback,
    ) -> Result<Description, DescriptionError> {
        let kept = match fallback {
            Fallback::Never => None,
            Fallback::After(_) | Fallback::AtOnce => download::kept(cache, self.endpoint).await?,
        };
        let asking = self.text();
        let answer = match (&kept, fallback) {
            (Some(_), Fallback::After(most)) => {
                let asked = tokio::time::timeout(most, asking).await;
                asked.unwrap_or_else(|_| Err(download::not_within(most).into()))
            }
            _ => asking.await,
        };
        match (answer, kept) {
            (Ok(text), _) => Ok(Description {
                fresh: cache.map(|_| FreshDocument::of_text(self.endpoint, &text)),
                text,
                stale: None,
            }),
            (Err(AskError::Download(DownloadError::Away(why))), Some(kept)) => {
                Ok(Description::stale(kept, &why))
            }
            (Err(AskError::Download(why)), _) => Err(why.into_reason().into()),
            (Err(AskError::NeedsSignIn(why)), _) => Err(DescriptionError::NeedsSignIn(why)),
        }
    }

    async fn text(&self) -> Result<String, AskError> {
        let mut refused = DownloadError::Refused(String::new());
        for question in QUESTIONS {
            let sent = OutgoingDocument {
                text: question.to_owned(),
                variables: Map::new(),
                operation: None,
            };
            let context = CallContext::without_a_run("graphql", "schema", MAX_BYTES as u64);
            let request = |confidential| Ok(request::of(self.endpoint, &sent, confidential));
            let response = self.caller.send(self.requests, &context, request).await;
            let response = response.map_err(|error| match error {
                CallError::NeedsSignIn(why) => AskError::NeedsSignIn(why),
                error => {
                    let why = format!("it can't be reached: {error}");
                    DownloadError::of_call(&error, why).into()
                }
            })?;
            let status = response.status();
            let body = String::from_utf8(response.into_body().into());
            let body = body.map_err(|_| "its answer is not text in UTF-8".to_owned())?;
            let error = answer::error_of(&body);
            if status.is_success() && error.is_none() {
                return Ok(body);
            }
            let why = error.unwrap_or_else(|| format!("HTTP status {status}"));
            refused = DownloadError::of_status(status, why);
        }
        Err(match refused {
            DownloadError::Away(why) => DownloadError::Away(silent(&why)).into(),
            DownloadError::Refused(why) => silent(&why).into(),
        })
    }
}

fn silent(why: &str) -> String {
    format!(
        "it does not give its schema: {why}; if it never does, save the schema in a file, name that file as `graphql`, and the API's address as `base-url`"
    )
}

fn file(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = MAX_BYTES as u64 + 1;
    let read = fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.map_err(|error| format!("it can't be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}
