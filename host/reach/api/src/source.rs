//! Where an API's description is, and the API itself.

use std::path::PathBuf;

use url::Url;

/// Where a description is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// A file on this machine.
    File(PathBuf),
    /// An address, `http://` or `https://`.
    Address(Url),
}

/// A description, as messages name it.
pub fn shown(source: &Source) -> String {
    match source {
        Source::File(path) => crate::text::line(&path.to_string_lossy()),
        Source::Address(url) => {
            let mut url = url.clone();
            // There may be secrets in it.
            url.set_query(None);
            let _ = url.set_password(None);
            let _ = url.set_username("");
            crate::text::line(url.as_str())
        }
    }
}

/// The address of an API, as the operator wrote it behind `key`.
///
/// # Errors
///
/// Why the address can't be used.
pub fn base_url(key: &str, text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("`{key}` can't be read: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("`{key}` must begin with https:// or http://"));
    }
    match url.username().is_empty() && url.password().is_none() {
        true => Ok(url),
        false => Err(format!(
            "`{key}` has a user name or a password in it; write it in `headers` or `credentials`"
        )),
    }
}
