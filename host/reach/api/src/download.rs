//! Downloading a description: again only where it may have changed, and what was kept of it where its
//! address can't be reached.

use std::time::{Duration, SystemTime};

use ampoule_network::Tls;
use ampoule_outbound::{Requests, Rule, Rules, ServerRequest};
use ampoule_tools::{CallContext, CallError};
use bytes::Bytes;
use http::header::{
    ACCEPT, CACHE_CONTROL, ETAG, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use url::Url;

use crate::document_cache::{CachedDocument, DocumentCache, DocumentVersion};
use crate::loading::elsewhere;
use crate::transport::{self, MAX_BODY, too_long};

/// A description at an address.
pub struct Download<'d> {
    /// Where it is.
    pub url: &'d Url,
    /// Headers that its server alone may know.
    pub confidential: HeaderMap,
    /// Which media types it may have.
    pub accept: HeaderValue,
    /// Whom to trust, and who to be.
    pub tls: &'d Tls,
}

/// When a description that was kept is used without its server's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Never.
    Never,
    /// Where the server can't be reached, or does not answer for so long.
    After(Duration),
    /// At once: its server was not reached a moment ago.
    AtOnce,
}

/// A description, and where it is from.
#[derive(Debug)]
pub struct Description {
    /// What it says.
    pub text: String,
    /// Why it is not known to be what its server has now, as a sentence.
    pub stale: Option<String>,
    /// What is kept of it, once it turns out to be good.
    pub fresh: Option<FreshDocument>,
}

/// A description that was downloaded just now.
#[derive(Debug)]
pub struct FreshDocument {
    url: Url,
    document: CachedDocument,
}

/// Why there is no description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadError {
    /// Its server can't be reached, or is out of order: why.
    Away(String),
    /// It can't be used, or its server does not give it: why.
    Refused(String),
}

impl DownloadError {
    /// Why, whatever it is.
    pub fn into_reason(self) -> String {
        match self {
            Self::Away(why) | Self::Refused(why) => why,
        }
    }

    /// Of a request that has no response.
    pub fn of_call(error: &CallError, why: String) -> Self {
        match error {
            CallError::NotReached(_)
            | CallError::TimedOut(_)
            | CallError::Lost(_)
            | CallError::Protocol(_) => Self::Away(why),
            _ => Self::Refused(why),
        }
    }

    /// Of a response with such a status.
    pub fn of_status(status: StatusCode, why: String) -> Self {
        let is_away = status.is_server_error()
            || matches!(
                status,
                StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
            );
        match is_away {
            true => Self::Away(why),
            false => Self::Refused(why),
        }
    }
}

impl FreshDocument {
    /// What is read at an address without a version.
    pub fn of_text(url: &Url, text: &str) -> Self {
        Self {
            url: url.clone(),
            document: CachedDocument {
                text: text.to_owned(),
                version: DocumentVersion::default(),
                at: SystemTime::now(),
            },
        }
    }

    /// Keeps it.
    pub fn save(&self, cache: &DocumentCache) {
        cache.save(&self.url, &self.document);
    }
}

impl Description {
    /// One that was kept, as its server can't be reached.
    pub fn stale(kept: CachedDocument, why: &str) -> Self {
        let at = humantime::format_rfc3339_seconds(kept.at);
        Self {
            stale: Some(format!("{why}; what was downloaded at {at} is used")),
            text: kept.text,
            fresh: None,
        }
    }
}

impl Download<'_> {
    /// The description; what was kept of it where its server says that it is the same, or where the
    /// fallback says so.
    ///
    /// # Errors
    ///
    /// A sentence on why there is none.
    pub async fn description(
        self,
        cache: Option<&DocumentCache>,
        fallback: Fallback,
    ) -> Result<Description, String> {
        let kept = kept(cache, self.url).await?;
        let answer = {
            let asking = self.answer(kept.as_ref().map(|kept| &kept.version));
            match (&kept, fallback) {
                (Some(_), Fallback::AtOnce) => Err(away()),
                (Some(_), Fallback::After(most)) => {
                    let asked = tokio::time::timeout(most, asking).await;
                    asked.unwrap_or_else(|_| Err(not_within(most)))
                }
                _ => asking.await,
            }
        };
        match (answer, kept) {
            (Ok(response), Some(kept)) if response.status() == StatusCode::NOT_MODIFIED => {
                Ok(Description {
                    text: kept.text,
                    stale: None,
                    fresh: None,
                })
            }
            (Ok(response), _) => self.downloaded(response, cache.is_some()),
            (Err(DownloadError::Away(why)), Some(kept)) if fallback != Fallback::Never => {
                Ok(Description::stale(kept, &why))
            }
            (Err(why), _) => Err(why.into_reason()),
        }
    }

    fn downloaded(&self, response: Response<Bytes>, is_kept: bool) -> Result<Description, String> {
        if !response.status().is_success() {
            return Err(format!(
                "it can't be read: HTTP status {}",
                response.status()
            ));
        }
        let header = |name: HeaderName| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        let version = DocumentVersion {
            tag: header(ETAG),
            modified: header(LAST_MODIFIED),
        };
        let is_kept = is_kept && !header(CACHE_CONTROL).is_some_and(|it| forbids_to_keep(&it));
        let text = String::from_utf8(response.into_body().into());
        let text = text.map_err(|_| "it is not text in UTF-8".to_owned())?;
        let mut fresh = is_kept.then(|| FreshDocument::of_text(self.url, &text));
        if let Some(fresh) = &mut fresh {
            fresh.document.version = version;
        }
        Ok(Description {
            text,
            stale: None,
            fresh,
        })
    }

    /// What its server answers, whom it is told which version is known.
    async fn answer(
        &self,
        known: Option<&DocumentVersion>,
    ) -> Result<Response<Bytes>, DownloadError> {
        let unusable = |error: &dyn std::fmt::Display| DownloadError::Refused(error.to_string());
        let rule = Rule::to([self.url.origin().ascii_serialization()]);
        let rule = rule.map_err(|error| unusable(&error))?;
        let rules = transport::elsewhere(Rules::default().and(rule.private()), self.tls);
        let rules = rules.map_err(|error| unusable(&error))?;
        let requests = Requests::new(rules, transport::options(self.tls));
        let mut headers = HeaderMap::from_iter([(ACCEPT, self.accept.clone())]);
        let conditions = known.into_iter().flat_map(|known| {
            [
                (IF_NONE_MATCH, &known.tag),
                (IF_MODIFIED_SINCE, &known.modified),
            ]
        });
        for (name, value) in conditions {
            let value = value.as_deref().map(HeaderValue::from_str);
            headers.extend(value.and_then(Result::ok).map(|value| (name, value)));
        }
        let request = ServerRequest {
            method: Method::GET,
            url: self.url.clone(),
            headers,
            confidential: self.confidential.clone(),
            body: Bytes::new(),
        };
        let context = CallContext::without_a_run("api", "document", MAX_BODY);
        let response = requests.send(request, &context).await;
        let response = response.map_err(|error| match error {
            CallError::ResultTooLarge { .. } => DownloadError::Refused(too_long()),
            error => DownloadError::of_call(&error, format!("it can't be read: {error}")),
        })?;
        let status = response.status();
        let why = || format!("it can't be read: HTTP status {status}");
        match DownloadError::of_status(status, why()) {
            away @ DownloadError::Away(_) => Err(away),
            DownloadError::Refused(_) => Ok(response),
        }
    }
}

/// What was kept of an address.
///
/// # Errors
///
/// The host is about to stop.
pub async fn kept(
    cache: Option<&DocumentCache>,
    url: &Url,
) -> Result<Option<CachedDocument>, String> {
    let Some(cache) = cache.cloned() else {
        return Ok(None);
    };
    let url = url.clone();
    elsewhere(move || Ok(cache.load(&url))).await
}

/// What is said of a server that did not answer for so long.
pub fn not_within(most: Duration) -> DownloadError {
    let waited = humantime::format_duration(most);
    DownloadError::Away(format!("it was not read within {waited}"))
}

fn away() -> DownloadError {
    DownloadError::Away("its server was not reached".to_owned())
}

fn forbids_to_keep(directives: &str) -> bool {
    let mut directives = directives.split(',').map(str::trim);
    directives.any(|directive| directive.eq_ignore_ascii_case("no-store"))
}
