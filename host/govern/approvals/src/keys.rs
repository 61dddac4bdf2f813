//! What is made of the store's key: one key for each purpose, so that nothing made for one of them
//! counts for another.

use ampoule_store::key::Key;

/// The keys of a store.
pub(crate) struct Keys {
    /// Signs files.
    pub(crate) files: Key,
    /// Makes digests of arguments: who does not have it can't find out what they were by trying.
    pub(crate) digests: Key,
    /// Signs addresses of the page, its cookies and its forms.
    pub(crate) page: Key,
    /// Seals what a client keeps for us.
    pub(crate) seal: Key,
}

impl Keys {
    pub(crate) fn of(key: &Key) -> Self {
        let derive = |purpose| blake3::derive_key(purpose, key);
        Self {
            files: derive("ampoule approvals 1: files"),
            digests: derive("ampoule approvals 1: digests of calls"),
            page: derive("ampoule approvals 1: addresses, cookies and forms"),
            seal: derive("ampoule approvals 1: request states"),
        }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}
