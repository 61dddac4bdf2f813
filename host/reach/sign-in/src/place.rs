//! Under what a sign-in is kept: whose it is, and to which server.

use std::sync::Arc;

use ampoule_projection::names::server_and_account;
use url::Url;

/// Whose a sign-in is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The host's: all of its runs use it.
    #[default]
    Host,
    /// One principal's, of this name: only that principal's calls use it.
    Principal(Arc<str>),
}

/// What is kept, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) server: String,
    pub(crate) resource: Url,
    pub(crate) content: Content,
}

/// What is kept at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// The host's own sign-in.
    OfHost,
    /// A principal's sign-in.
    Of(Arc<str>),
    /// The client by which all principals sign in, without any token.
    Client,
}

impl Place {
    pub(crate) fn new(server: &str, resource: &Url, owner: &Owner) -> Self {
        Self {
            server: server.to_owned(),
            resource: resource.clone(),
            content: match owner {
                Owner::Host => Content::OfHost,
                Owner::Principal(name) => Content::Of(Arc::clone(name)),
            },
        }
    }

    /// The place of the client by which principals sign in to the same server.
    pub(crate) fn of_client(&self) -> Self {
        Self {
            content: Content::Client,
            ..self.clone()
        }
    }

    /// Whether what is kept here is encrypted, and never in a keyring.
    pub(crate) fn is_sealed(&self) -> bool {
        self.content != Content::OfHost
    }

    /// The name of its file, without an extension. Whoever knows one can't make another of it, and
    /// two places never have the same. Addresses can be longer than names of files.
    pub(crate) fn name(&self) -> String {
        let resource = self.resource.as_str();
        let hash = match &self.content {
            Content::OfHost => match server_and_account(&self.server) {
                (_, None) => blake3::hash(resource.as_bytes()),
                // Each account of a server has a sign-in of its own.
                (_, Some(_)) => hash(&["account", &self.server, resource]),
            },
            Content::Of(principal) => hash(&["principal", principal, &self.server, resource]),
            Content::Client => hash(&["client", &self.server, resource]),
        };
        hash.to_hex()[..32].to_owned()
    }
}

/// A hash of these texts: where one ends and the next begins counts.
fn hash(parts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("ampoule 2026 the place of a sign-in");
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize()
}
