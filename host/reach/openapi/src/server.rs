//! Where an operation's requests go.

use ampoule_api::{Source, base_url};
use ampoule_network::is_private;
use serde_json::{Map, Value};
use url::{Host, Url};

use crate::document::{Documents, Version};
use crate::swagger2;

/// The address below which a server's paths are, and that of the document.
pub(crate) struct Base {
    /// What the operator wrote, which holds for all operations.
    configured: Option<Url>,
}

impl Base {
    /// # Errors
    ///
    /// Why the address can't be used.
    pub(crate) fn new(configured: Option<&str>) -> Result<Self, String> {
        let configured = configured.map(|text| base_url("base-url", text));
        Ok(Self {
            configured: configured.transpose()?,
        })
    }

    /// What the operator wrote.
    pub(crate) fn configured(&self) -> Option<&Url> {
        self.configured.as_ref()
    }

    /// What its query holds, such as a key.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let query = self.configured.iter().flat_map(Url::query_pairs);
        query.map(|(_, value)| value.into_owned()).collect()
    }

    /// The address for an operation of a path.
    ///
    /// # Errors
    ///
    /// The document names none that can be used.
    pub(crate) fn of(
        &self,
        documents: &Documents,
        item: Option<&Map<String, Value>>,
        operation: Option<&Map<String, Value>>,
    ) -> Result<Url, String> {
        if let Some(url) = &self.configured {
            return Ok(url.clone());
        }
        let of_all = match documents.version() {
            Version::Swagger2 => Some(swagger2::servers(documents)),
            _ => documents.at(0, "/servers"),
        };
        let first = |from: Option<&Value>| from?.as_array()?.first().cloned();
        let own = |from: Option<&Map<String, Value>>| first(from?.get("servers"));
        let server = own(operation)
            .or_else(|| own(item))
            .or_else(|| first(of_all.as_ref()));
        let text = server.as_ref().map_or_else(|| Ok("/".to_owned()), filled)?;
        absolute(documents.source(), &text)
    }
}

/// A server's address, with its variables replaced by their defaults.
fn filled(server: &Value) -> Result<String, String> {
    let mut text = server
        .get("url")
        .and_then(Value::as_str)
        .unwrap_or("/")
        .to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        let default = variable.get("default").map(|default| match default {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        if let Some(default) = default {
            text = text.replace(&format!("{{{name}}}"), &default);
        }
    }
    match text.contains('{') {
        false => Ok(text),
        true => {
            Err("the document's server has a variable without a default; set `base-url`".to_owned())
        }
    }
}

fn absolute(source: &Source, text: &str) -> Result<Url, String> {
    let url = match source {
        Source::Address(document) => document.join(text).ok(),
        Source::File(_) => Url::parse(text).ok(),
    };
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url =
        url.ok_or("the document doesn't say at which address the server is; set `base-url`")?;
    url.set_fragment(None);
    if let Source::Address(document) = source
        && document.scheme() == "https"
        && url.scheme() == "http"
    {
        return Err(
            "the document is at an https: address, and its server is not; set `base-url`"
                .to_owned(),
        );
    }
    Ok(url)
}

/// Whether an address that a document names is a private network's by its very text.
pub(crate) fn is_inside(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_private(ip.into()),
        Some(Host::Ipv6(ip)) => is_private(ip.into()),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(configured: Option<&str>, document: &str) -> Result<String, String> {
        let documents = Documents::of(document);
        let base = Base::new(configured)?;
        base.of(&documents, None, None).map(String::from)
    }

    #[test]
    fn addresses_come_from_the_document_unless_one_is_configured() {
        let document = "openapi: 3.1.0\nservers:\n- url: https://{region}.example.com/{version}\n  variables:\n    region: {default: eu}\n    version: {default: 2}\n";
        assert_eq!(base(None, document).unwrap(), "https://eu.example.com/2");
        let other = base(Some("http://127.0.0.1:8080/x?key=1"), document);
        assert_eq!(other.unwrap(), "http://127.0.0.1:8080/x?key=1");
        let swagger =
            "swagger: '2.0'\nhost: api.example.com\nbasePath: /v1/\nschemes: [http, https]\n";
        assert_eq!(base(None, swagger).unwrap(), "https://api.example.com/v1");
        for (document, why) in [
            (
                "openapi: 3.0.0\n",
                "the document doesn't say at which address the server is; set `base-url`",
            ),
            (
                "openapi: 3.0.0\nservers: [{url: /v1}]\n",
                "the document doesn't say at which address the server is; set `base-url`",
            ),
            (
                "openapi: 3.0.0\nservers: [{url: 'https://{x}.example.com'}]\n",
                "the document's server has a variable without a default; set `base-url`",
            ),
        ] {
            assert_eq!(base(None, document).unwrap_err(), why);
        }
        assert!(base(Some("ftp://example.com"), document).is_err());
    }
}
