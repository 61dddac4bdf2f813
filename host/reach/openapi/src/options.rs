//! What is configured of an API.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ampoule_api::{DocumentCache, Source};
use ampoule_network::Tls;
use ampoule_upstream::{Authorizer, UpstreamOptions, names_credential};

/// An HTTP API that an OpenAPI document describes.
#[derive(Clone)]
pub struct ApiServer {
    /// Where the document is.
    pub document: Source,
    /// The address below which its paths are. Default: as the document says.
    pub base_url: Option<String>,
    /// Which of the document's servers is meant, by its description, its address as it is written, or
    /// its number from 1. Default: the first.
    pub server: Option<String>,
    /// Values for the variables in that server's address.
    pub server_variables: BTreeMap<String, String>,
    /// Headers of every request. They are sent to the server's own addresses alone.
    pub headers: BTreeMap<String, String>,
    /// What the document's security schemes want, by their names: a key, a token, or
    /// `user:password`. They are sent with the operations that ask for them.
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

impl ApiServer {
    /// The API of this document, with everything else as it is by default.
    pub fn new(document: Source) -> Self {
        Self {
            document,
            base_url: None,
            server: None,
            server_variables: BTreeMap::new(),
            headers: BTreeMap::new(),
            credentials: BTreeMap::new(),
            authorizer: None,
            secrets: BTreeSet::new(),
            tls: Tls::default(),
            options: UpstreamOptions::default(),
        }
    }

    /// Where what is downloaded of its document is kept.
    pub(crate) fn cache(&self) -> Option<DocumentCache> {
        let told = self.headers.iter().chain(&self.credentials);
        let told = told.flat_map(|(name, value)| [name.as_str(), value]);
        DocumentCache::new(self.options.cache_dir.as_deref(), told, &self.tls)
    }

    /// Whether requests say who asks without any scheme of the document.
    pub(crate) fn is_signed_in(&self) -> bool {
        let mut headers = self.headers.keys();
        self.authorizer.is_some()
            || self.tls.certificate.is_some()
            || headers.any(|name| names_credential(name))
    }

    /// Whether anything is sent that not everybody may know.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.headers.is_empty() || !self.credentials.is_empty() || self.authorizer.is_some()
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("credentials", &self.credentials.keys().collect::<Vec<_>>())
            .field("authorizer", &self.authorizer.is_some())
            .field("tls", &self.tls)
            .field("options", &self.options)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}
