//! Where a request goes: a URL, as it is decided on and as it is sent, which is the same.

use url::{Host, Url};

use crate::path::Forms;

/// How long an address may be, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// How much of an address is shown, in bytes.
const SHOWN_BYTES: usize = 200;

/// An address that a request may have, if the rules allow it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) url: Url,
    pub(crate) forms: Forms,
}

impl Target {
    /// The address that a script wrote.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("the URL has more than {MAX_BYTES} bytes"));
        }
        // They would be left out without a word.
        if text.contains(|c: char| c.is_ascii_control()) {
            return Err("the URL has control characters, such as a line break".to_owned());
        }
        let url = Url::parse(text).map_err(|error| {
            let cut = &text[..text.floor_char_boundary(SHOWN_BYTES)];
            let shown = ampoule_untrusted::text::one_line(cut);
            format!("`{shown}` is not a URL that can be requested: {error}")
        })?;
        Self::of(url)
    }

    /// The address that a server sends the client to.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(crate) fn after(from: &Url, location: &str) -> Result<Self, String> {
        if location.len() > MAX_BYTES {
            return Err(format!("a URL of more than {MAX_BYTES} bytes"));
        }
        let url = from.join(location).map_err(|error| error.to_string())?;
        Self::of(url)
    }

    pub(crate) fn of(mut url: Url) -> Result<Self, String> {
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = ampoule_untrusted::text::one_line(url.scheme()).into_owned();
            return Err(format!(
                "the URL begins with {scheme}:, and only https: and http: can be requested"
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the URL has a user name or password in it; send an Authorization header instead, if the operator adds none".to_owned());
        }
        if url.port() == Some(0) {
            return Err("the URL has port 0".to_owned());
        }
        url.set_fragment(None);
        plain_host(&mut url)?;
        let forms = Forms::of(url.path()).map_err(|why| format!("the URL can't be sent: {why}"))?;
        Ok(Self { url, forms })
    }

    /// The address without its query, in which there may be secrets of the script's own, cut to a
    /// readable length.
    pub(crate) fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        let text = url.as_str();
        match text.len() > SHOWN_BYTES {
            true => format!("{}…", &text[..text.floor_char_boundary(SHOWN_BYTES)]),
            false => text.to_owned(),
        }
    }
}

/// A name may end with a dot, and is the same without it.
fn plain_host(url: &mut Url) -> Result<(), String> {
    let Some(Host::Domain(name)) = url.host() else {
        return Ok(());
    };
    let plain = name.strip_suffix('.').unwrap_or(name);
    if plain.len() > 253
        || plain
            .split('.')
            .any(|label| label.is_empty() || label.len() > 63)
    {
        return Err("the URL's host is not the name of a host".to_owned());
    }
    if plain.len() == name.len() {
        return Ok(());
    }
    let plain = plain.to_owned();
    let put = url.set_host(Some(&plain));
    put.map_err(|_| "the URL's host is not the name of a host".to_owned())
}
