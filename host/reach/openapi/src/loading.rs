//! Reading a document, and all that it refers to; and again, where it may have changed.

use std::sync::Arc;
use std::time::Duration;

use ampoule_api::{Source, elsewhere, transport};
use http::{HeaderMap, HeaderValue};
use url::Url;

use crate::api::{Api, Described};
use crate::document::{Reader, Wanted};
use crate::options::ApiServer;
use crate::security::{self, OAuthEndpoints, OAuthFlow};
use crate::server::Base;

/// What a document may be, in a request for it.
const DOCUMENT: HeaderValue =
    HeaderValue::from_static("application/json, application/yaml, */*;q=0.5");

/// How long a document is not read again, whoever asks: files are looked at, texts at an address are
/// downloaded.
pub(crate) fn lasts(document: &Source) -> Duration {
    match document {
        Source::File(_) => Duration::from_secs(1),
        Source::Address(_) => Duration::from_secs(60),
    }
}

/// The API as its document says it now, unless that says the same as before.
pub(crate) async fn reread(
    known: Arc<Api>,
    server: Arc<ApiServer>,
    confidential: HeaderMap,
) -> Result<Option<Api>, String> {
    let before = Arc::clone(&known);
    if !elsewhere(move || Ok(before.described.documents.may_differ())).await? {
        return Ok(None);
    }
    let reader = texts(&server, confidential).await?;
    elsewhere(move || {
        let (documents, problems) = reader.done()?;
        match documents.says_the_same(&known.described.documents) {
            true => Ok(None),
            false => Described::api(documents, problems, &server).map(Some),
        }
    })
    .await
}

/// Reads a document, and makes tools of it where nobody else waits for the thread.
pub(crate) async fn read(server: Arc<ApiServer>, confidential: HeaderMap) -> Result<Api, String> {
    let reader = texts(&server, confidential).await?;
    elsewhere(move || {
        let (documents, problems) = reader.done()?;
        Described::api(documents, problems, &server)
    })
    .await
}

/// Reads a document, and all files that it refers to.
async fn texts(server: &ApiServer, confidential: HeaderMap) -> Result<Reader, String> {
    let base = Base::of_server(server)?;
    let mut reader = Reader::new(server.document.clone());
    loop {
        let wanted;
        (reader, wanted) = elsewhere(move || {
            let wanted = reader.go_on()?;
            Ok((reader, wanted))
        })
        .await?;
        let Wanted::Address(url) = wanted else {
            return Ok(reader);
        };
        // What is secret goes with a document only to the server itself.
        let is_own = is_at(&base, &url);
        let headers = match is_own {
            true => confidential.clone(),
            false => HeaderMap::new(),
        };
        let text = transport::text(&url, headers, DOCUMENT, &server.tls).await;
        reader = elsewhere(move || reader.add(text).map(|()| reader)).await?;
    }
}

fn is_at(base: &Base, url: &Url) -> bool {
    base.configured()
        .is_some_and(|base| base.origin() == url.origin())
}

/// Where people or machines sign in to an API, as its document says.
///
/// # Errors
///
/// The document can't be read, does not say it, or is not the one to say it.
pub async fn oauth_endpoints(
    server: &ApiServer,
    flow: OAuthFlow,
) -> Result<OAuthEndpoints, String> {
    let base = Base::of_server(server)?;
    let Some(at) = base.configured().cloned() else {
        return Err("a sign-in needs the `base-url` of the API".to_owned());
    };
    let reading = texts(server, HeaderMap::new());
    let reader = tokio::time::timeout(server.options.start_timeout, reading).await;
    let reader = reader.unwrap_or_else(|_| Err("it was not read in time".to_owned()))?;
    let (documents, _) = elsewhere(move || reader.done()).await?;
    let found = security::endpoints(&documents, flow, &at);
    let found = found.ok_or("its document has no OAuth 2 scheme with this `grant`")?;
    if let Source::Address(document) = &server.document {
        let is_known = |url: &Url| url.host() == at.host() || url.host() == document.host();
        let is_trusted = is_at(&base, document)
            || std::iter::once(&found.token)
                .chain(&found.authorization)
                .all(is_known);
        if !is_trusted {
            return Err("its document is at an address, and names another server to sign in at; if that is right, save the document as a file".to_owned());
        }
    }
    Ok(found)
}
