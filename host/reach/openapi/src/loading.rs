//! Reading a document, and all that it refers to; and again, where it may have changed.

use std::sync::Arc;
use std::time::Duration;

use ampoule_api::download::{Download, Fallback, FreshDocument};
use ampoule_api::{DocumentCache, Source, elsewhere};
use http::{HeaderMap, HeaderValue};
use url::Url;

use crate::api::{Api, ApiContent};
use crate::document::{Documents, NextDocument, Reader};
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
    let cache = server.cache();
    let texts = Texts::of(&server, confidential, cache.as_ref(), Fallback::Never).await?;
    elsewhere(move || {
        // What was kept turned out to be as it was.
        let is_news = known.stale.is_some();
        texts.api_unless(&server, cache.as_ref(), |documents| {
            !is_news && documents.says_the_same(&known.described.documents)
        })
    })
    .await
}

/// Reads a document, and makes tools of it where nobody else waits for the thread.
pub(crate) async fn read(server: Arc<ApiServer>, confidential: HeaderMap) -> Result<Api, String> {
    let cache = server.cache();
    let fallback = Fallback::After(server.options.start_timeout / 2);
    let texts = Texts::of(&server, confidential, cache.as_ref(), fallback).await?;
    elsewhere(move || {
        let api = texts.api_unless(&server, cache.as_ref(), |_| false)?;
        api.ok_or_else(|| "it was read for nothing".to_owned())
    })
    .await
}

/// A document, and all files that it refers to.
struct Texts {
    reader: Reader,
    /// Those that were downloaded.
    fresh: Vec<FreshDocument>,
    /// Why some are those that were kept.
    stale: Option<String>,
}

impl Texts {
    /// Reads them.
    async fn of(
        server: &ApiServer,
        confidential: HeaderMap,
        cache: Option<&DocumentCache>,
        mut fallback: Fallback,
    ) -> Result<Self, String> {
        let base = Base::of_server(server)?;
        let mut reader = Reader::new(server.document.clone());
        let (mut fresh, mut stale) = (Vec::new(), None);
        loop {
            let wanted;
            (reader, wanted) = elsewhere(move || {
                let wanted = reader.go_on()?;
                Ok((reader, wanted))
            })
            .await?;
            let NextDocument::Address(url) = wanted else {
                return Ok(Self {
                    reader,
                    fresh,
                    stale,
                });
            };
            // What is secret goes with a document only to the server itself.
            let confidential = match is_at(&base, &url) {
                true => confidential.clone(),
                false => HeaderMap::new(),
            };
            let download = Download {
                url: &url,
                confidential,
                accept: DOCUMENT,
                tls: &server.tls,
            };
            let read = download.description(cache, fallback).await;
            let text = read.map(|read| {
                fresh.extend(read.fresh);
                if stale.is_none() && read.stale.is_some() {
                    (stale, fallback) = (read.stale, Fallback::AtOnce);
                }
                read.text
            });
            reader = elsewhere(move || reader.add(text).map(|()| reader)).await?;
        }
    }

    /// The API, unless nobody needs it. A document of which an API can be made is kept.
    fn api_unless(
        self,
        server: &ApiServer,
        cache: Option<&DocumentCache>,
        is_needless: impl FnOnce(&Documents) -> bool,
    ) -> Result<Option<Api>, String> {
        let (documents, problems) = self.reader.done()?;
        if is_needless(&documents) {
            return Ok(None);
        }
        let mut api = ApiContent::api(documents, problems, server)?;
        api.stale = self.stale;
        if let Some(cache) = cache {
            self.fresh.iter().for_each(|fresh| fresh.save(cache));
        }
        Ok(Some(api))
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
    // Nobody signs in by what was true once.
    let reading = Texts::of(server, HeaderMap::new(), None, Fallback::Never);
    let texts = tokio::time::timeout(server.options.start_timeout, reading).await;
    let texts = texts.unwrap_or_else(|_| Err("it was not read in time".to_owned()))?;
    let (documents, _) = elsewhere(move || texts.reader.done()).await?;
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
