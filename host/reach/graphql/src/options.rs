//! What is configured of an API.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ampoule_api::{Access, DocumentCache, Source, base_url};
use ampoule_network::Tls;
use ampoule_secrets::{is_sealed, open_blocking};
use ampoule_upstream::{Authorizer, UpstreamOptions};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use url::Url;

use crate::answer;

/// A GraphQL API.
#[derive(Clone)]
pub struct GraphqlServer {
    /// Where requests go.
    pub endpoint: String,
    /// Where the schema is. Default: the API is asked for it.
    pub schema: Option<Source>,
    /// Whether scripts may send whole documents, which can do all that the API does.
    pub documents: bool,
    /// Headers of every request. They are sent to the API's own address alone.
    pub headers: BTreeMap<String, String>,
    /// What goes into the header `Authorization`: a token as `bearer`, or `user:password` as `basic`.
    pub credentials: BTreeMap<String, String>,
    /// What signs the requests, where no header does.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// Further texts that are written down nowhere.
    pub secrets: BTreeSet<String>,
    /// Whom to trust, and who to be.
    pub tls: Tls,
    /// How much and how fast. Options of processes have no effect.
    pub options: UpstreamOptions,
}

impl GraphqlServer {
    /// The API at this address, with everything else as it is by default.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            schema: None,
            documents: false,
            headers: BTreeMap::new(),
            credentials: BTreeMap::new(),
            authorizer: None,
            secrets: BTreeSet::new(),
            tls: Tls::default(),
            options: UpstreamOptions::default(),
        }
    }

    /// Where requests go.
    ///
    /// # Errors
    ///
    /// The address can't be used.
    pub(crate) fn url(&self) -> Result<Url, String> {
        let key = match self.schema {
            Some(_) => "base-url",
            None => "graphql",
        };
        base_url(key, &self.endpoint)
    }

    /// Where its schema is kept, as it is told to whoever has these headers and credentials.
    pub(crate) fn cache(&self) -> Option<DocumentCache> {
        let told = self.headers.iter().chain(&self.credentials);
        let told = told.flat_map(|(name, value)| [name.as_str(), value]);
        DocumentCache::new(self.options.cache_dir.as_deref(), told, &self.tls)
    }

    /// Who calls the API.
    ///
    /// # Errors
    ///
    /// Which of the credentials can't be sent.
    pub(crate) fn access(&self) -> Result<Access, String> {
        let mut headers = self.headers.clone();
        let endpoint = self.url()?;
        let query = endpoint.query_pairs();
        let mut credentials: Vec<String> = query.map(|(_, value)| value.into_owned()).collect();
        for (name, secret) in &self.credentials {
            let mut secret = Cow::Borrowed(&**secret);
            let value = match name.as_str() {
                "bearer" => format!("Bearer {secret}"),
                "basic" => {
                    // What is encoded can't be put in later.
                    let opened = open_blocking(&self.credentials[name]);
                    secret = opened.map_err(|error| error.to_string())?.text;
                    let password = secret.split_once(':').map(|(_, password)| password);
                    let password =
                        password.ok_or("`credentials.basic` must be written `user:password`")?;
                    credentials.push(password.to_owned());
                    format!("Basic {}", STANDARD.encode(&*secret))
                }
                other => {
                    let other = ampoule_api::line(other);
                    return Err(format!(
                        "`credentials.{other}` is not known; a GraphQL API has `bearer`, or `basic`, and `headers` for anything else"
                    ));
                }
            };
            if !is_sealed(&value) && HeaderValue::from_str(&value).is_err() {
                return Err(format!(
                    "`credentials.{name}` has a value that can't be sent"
                ));
            }
            if headers
                .keys()
                .any(|name| name.eq_ignore_ascii_case("authorization"))
            {
                return Err(format!(
                    "`credentials.{name}` and another key both set the header `Authorization`; remove one"
                ));
            }
            credentials.push(secret.into_owned());
            headers.insert("Authorization".to_owned(), value);
        }
        Ok(Access {
            headers,
            credentials,
            authorizer: self.authorizer.clone(),
            secrets: self.secrets.clone(),
            refuses: Some(answer::refuses),
        })
    }
}

impl fmt::Debug for GraphqlServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphqlServer")
            .field("documents", &self.documents)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("credentials", &self.credentials.keys().collect::<Vec<_>>())
            .field("authorizer", &self.authorizer.is_some())
            .field("tls", &self.tls)
            .field("options", &self.options)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}
