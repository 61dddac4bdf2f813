//! Texts that nobody guesses: the last parts of addresses, and what cookies hold.

pub(super) use crate::secret::random;

/// What a secret text is looked for by: comparing hashes tells nobody how much was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Digest(blake3::Hash);

impl Digest {
    pub(super) fn of(secret: &str) -> Self {
        Self(blake3::hash(secret.as_bytes()))
    }
}

/// A name for what this secret opens. It opens nothing.
pub(super) fn name_of(secret: &str) -> String {
    blake3::derive_key("ampoule 2026 the name of an invitation", secret.as_bytes())
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// What a form holds, of the browser that it was shown in: only this process and who has both can
/// make it.
pub(super) fn form_of(browser: &str, id: &str) -> String {
    let key = blake3::derive_key("ampoule 2026 the form of a sign-in", browser.as_bytes());
    blake3::keyed_hash(&key, id.as_bytes()).to_hex().to_string()
}

/// Whether these are the same, compared in constant time.
pub(super) fn same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}
