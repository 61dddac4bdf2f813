//! Texts with references in them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::{Reference, SecretError, cache};

/// What a reference stands between: two characters that Unicode keeps for the inside of programs. A
/// configuration can't contain them otherwise.
const OPENS: char = '\u{fdd0}';
const CLOSES: char = '\u{fdd1}';

/// A text with its secrets in place.
pub struct OpenedText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The secrets in it, which must be shown nowhere.
    pub secrets: Vec<Arc<str>>,
}

impl Reference {
    /// The text that stands for the secret.
    pub fn seal(&self) -> String {
        format!("{OPENS}{}{CLOSES}", self.written())
    }
}

/// Whether a text has references in it, or what looks like one to [`open`].
pub fn is_sealed(text: &str) -> bool {
    text.contains([OPENS, CLOSES])
}

/// The references in a text.
pub(crate) fn references(text: &str) -> impl Iterator<Item = Result<Reference, SecretError>> {
    parts(text).filter_map(|part| match part {
        Part::Reference(reference) => Some(reference),
        Part::Plain(_) => None,
    })
}

/// Reads the secrets that a text refers to, and puts them in.
///
/// # Errors
///
/// [`SecretError`], where one of them can't be read.
pub async fn open(text: &str) -> Result<OpenedText<'_>, SecretError> {
    let mut secrets = Vec::new();
    if !is_sealed(text) {
        let text = Cow::Borrowed(text);
        return Ok(OpenedText { text, secrets });
    }
    let mut opened = String::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Part::Plain(text) => opened.push_str(text),
            Part::Reference(reference) => {
                let secret = cache::secret(&reference?).await?;
                opened.push_str(&secret);
                secrets.push(secret);
            }
        }
    }
    let text = Cow::Owned(opened);
    Ok(OpenedText { text, secrets })
}

/// Texts by name, with their secrets in place.
pub struct OpenedTexts {
    /// The texts.
    pub texts: BTreeMap<String, String>,
    /// The secrets in them, and the passwords of those that are written `user:password`.
    pub secrets: Vec<String>,
}

/// The same for texts by name.
///
/// # Errors
///
/// As for [`open`].
pub async fn open_all(texts: &BTreeMap<String, String>) -> Result<OpenedTexts, SecretError> {
    let (mut all, mut secrets) = (BTreeMap::new(), Vec::new());
    for (name, text) in texts {
        let opened = open(text).await?;
        let found = opened.secrets.iter().map(|secret| &**secret);
        let passwords = found
            .clone()
            .filter_map(|secret| Some(secret.split_once(':')?.1));
        secrets.extend(found.clone().chain(passwords).map(str::to_owned));
        all.insert(name.clone(), opened.text.into_owned());
    }
    let texts = all;
    Ok(OpenedTexts { texts, secrets })
}

/// The same as [`open`] where nothing can be awaited: on a thread of its own.
///
/// # Errors
///
/// As for [`open`].
pub fn open_blocking(text: &str) -> Result<OpenedText<'_>, SecretError> {
    if !is_sealed(text) {
        let (text, secrets) = (Cow::Borrowed(text), Vec::new());
        return Ok(OpenedText { text, secrets });
    }
    let opening = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| SecretError(format!("secrets can't be read: {error}")))?;
        runtime.block_on(open(text))
    };
    let opened = std::thread::scope(|scope| scope.spawn(opening).join());
    opened.unwrap_or_else(|_| Err(SecretError("secrets can't be read here".to_owned())))
}

enum Part<'a> {
    Plain(&'a str),
    Reference(Result<Reference, SecretError>),
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    text.split_inclusive(CLOSES).flat_map(|piece| {
        let (plain, sealed) = match piece.split_once(OPENS) {
            Some((plain, sealed)) => (plain, Some(sealed)),
            None => (piece, None),
        };
        let reference = sealed.map(|sealed| {
            let written = sealed.strip_suffix(CLOSES).unwrap_or(sealed);
            let read = Reference::parse(written, Path::new("/"));
            Part::Reference(read.map_err(|why| SecretError(why.to_owned())))
        });
        [Some(Part::Plain(plain)), reference].into_iter().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn secrets_are_put_where_their_references_are() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
            Reference::parse(&format!("file:{name}"), folder.path()).unwrap()
        };
        let (user, word) = (file("user", "ada\n"), file("word", "hunter2"));
        let text = format!("Basic {}:{}!", user.seal(), word.seal());
        assert!(is_sealed(&text) && !text.contains("hunter2"));
        let opened = open(&text).await.unwrap();
        assert_eq!(opened.text, "Basic ada:hunter2!");
        assert_eq!(opened.secrets, [Arc::from("ada"), Arc::from("hunter2")]);
        assert_eq!(open("plain").await.unwrap().text, "plain");
        assert_eq!(open_blocking(&text).unwrap().text, "Basic ada:hunter2!");
        let missing = Reference::parse("file:/no/such", folder.path()).unwrap();
        let error = open(&missing.seal()).await.err().unwrap().to_string();
        assert_eq!(
            error,
            "the secret `file:/no/such` can't be read: No such file or directory (os error 2)"
        );
    }

    #[tokio::test]
    async fn broken_seals_are_errors() {
        for text in ["\u{fdd0}nothing\u{fdd1}", "\u{fdd0}file:", "a\u{fdd0}"] {
            assert!(open(text).await.is_err(), "{text:?}");
        }
    }
}
