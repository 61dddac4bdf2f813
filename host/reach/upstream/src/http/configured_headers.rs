//! Headers of the configuration, with the secrets in place that they refer to.

use std::collections::BTreeMap;
use std::time::Instant;

use ampoule_secrets::{forget, is_sealed, open};
use ampoule_untrusted::text::one_line;
use http::{HeaderMap, HeaderName, HeaderValue};

/// Headers of every request to a server, as the configuration has them. Texts among them may have
/// [references](ampoule_secrets) to secrets, which are read when the headers are needed.
#[derive(Clone, Default)]
pub struct ConfiguredHeaders {
    /// Those without a reference.
    plain: HeaderMap,
    sealed: BTreeMap<String, String>,
}

impl ConfiguredHeaders {
    /// Headers by their names.
    ///
    /// # Errors
    ///
    /// A sentence on what can't be sent.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut headers = Self::default();
        for (name, text) in texts {
            if is_sealed(text) {
                header_name(name)?;
                headers.sealed.insert(name.clone(), text.clone());
            } else {
                let (name, value) = header(name, text)?;
                headers.plain.insert(name, value);
            }
        }
        Ok(headers)
    }

    /// The headers. `known` gets the name and the value of each with a secret in it.
    ///
    /// # Errors
    ///
    /// A secret can't be read, or can't be sent.
    pub async fn get(&self, mut known: impl FnMut(&str, &str)) -> Result<HeaderMap, String> {
        let mut headers = self.plain.clone();
        for (name, text) in &self.sealed {
            let opened = open(text).await.map_err(|error| error.to_string())?;
            known(name, &opened.text);
            let (name, value) = header(name, &opened.text)?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    /// The server did not accept those that were got at that time. Whether others may be read now.
    pub async fn refused(&self, got: Instant) -> bool {
        forget(self.sealed.values(), got).await;
        !self.sealed.is_empty()
    }
}

/// Headers out of names and values.
pub(super) fn headers(texts: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    texts
        .iter()
        .map(|(name, text)| header(name, text))
        .collect()
}

fn header(name: &str, text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed = header_name(name)?;
    let mut value = HeaderValue::from_str(text.trim()).map_err(|_| {
        format!(
            "its header `{}` has a value that can't be sent",
            one_line(name)
        )
    })?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

fn header_name(name: &str) -> Result<HeaderName, String> {
    name.parse()
        .map_err(|_| format!("no header can have the name `{}`", one_line(name)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ampoule_secrets::Reference;

    use super::*;

    #[tokio::test]
    async fn secrets_are_read_again_once_they_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "first\n").unwrap();
        let reference = Reference::parse("file:token", folder.path()).unwrap();
        let texts = [
            ("Authorization", format!("Bearer {}", reference.seal())),
            ("X-Plain", "plain".to_owned()),
        ];
        let texts = texts.map(|(name, text)| (name.to_owned(), text));
        let headers = ConfiguredHeaders::new(&texts.into()).unwrap();
        let get = async || {
            let mut known = Vec::new();
            let got = headers.get(|_, value| known.push(value.to_owned())).await;
            assert_eq!(got.as_ref().unwrap()["x-plain"], "plain");
            (got.unwrap()["authorization"].clone(), known)
        };
        let bearer = |token: &str| {
            let text = format!("Bearer {token}");
            (HeaderValue::from_str(&text).unwrap(), vec![text])
        };
        let begun = Instant::now();
        assert_eq!(get().await, bearer("first"));
        std::fs::write(&file, "second\n").unwrap();
        assert!(headers.refused(begun).await);
        assert_eq!(get().await, bearer("first"));
        assert!(headers.refused(Instant::now()).await);
        assert_eq!(get().await, bearer("second"));
        std::fs::write(&file, "a\nb").unwrap();
        assert!(headers.refused(Instant::now()).await);
        let error = headers.get(|_, _| ()).await.unwrap_err();
        assert_eq!(
            error,
            "its header `Authorization` has a value that can't be sent"
        );
    }

    #[tokio::test]
    async fn headers_without_references_have_nothing_to_read_again() {
        let texts = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        let headers = ConfiguredHeaders::new(&texts).unwrap();
        assert!(!headers.refused(Instant::now()).await);
        for (name, text) in [("a b", "c"), ("a", "b\nc")] {
            let texts = BTreeMap::from([(name.to_owned(), text.to_owned())]);
            assert!(ConfiguredHeaders::new(&texts).is_err());
        }
        let missing = Reference::parse("file:/no/such", Path::new("/")).unwrap();
        let texts = BTreeMap::from([("a b".to_owned(), missing.seal())]);
        assert!(ConfiguredHeaders::new(&texts).is_err());
    }
}
