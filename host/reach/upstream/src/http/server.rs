//! Where a remote server is, and what it is sent besides messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ampoule_network::Tls;
use url::Url;

use crate::authorizer::Authorizer;
use crate::command::ServerCommand;
use crate::gate::Gate;
use crate::secrets::{Secrets, token_of};

/// How messages travel to a remote server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// Streamable HTTP, and where the server does not know that, HTTP with SSE.
    #[default]
    Auto,
    /// Streamable HTTP: since 2025-03-26.
    StreamableHttp,
    /// HTTP with SSE, as it was in 2024-11-05.
    Sse,
}

/// A server that is reached by HTTP.
#[derive(Clone)]
pub struct RemoteServer {
    pub(super) url: Url,
    /// How messages travel. Default: as the server understands them.
    pub transport: Transport,
    /// Further headers of each request. Their values are secrets: they are shown nowhere, and sent
    /// to no other origin.
    pub headers: BTreeMap<String, String>,
    /// A command that prints further headers, as a JSON object of texts. It is run before the first
    /// request, and again when the server answers 401.
    pub headers_command: Option<ServerCommand>,
    /// Whom to trust. Default: the system's authorities.
    pub tls: Tls,
    /// What signs the requests.
    pub authorizer: Option<Arc<dyn Authorizer>>,
    /// What its calls pass, where it is reached in several ways that count as one. Default: what its
    /// options say.
    pub gate: Option<Arc<Gate>>,
    /// Further texts that are shown nowhere, such as a part of the address.
    pub secrets: BTreeSet<String>,
}

/// Why an address can't be a server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlError(String);

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UrlError {}

impl RemoteServer {
    /// The server at this address.
    ///
    /// # Errors
    ///
    /// [`UrlError`], where it is neither `http` nor `https`.
    pub fn new(url: &str) -> Result<Self, UrlError> {
        let mut url = Url::parse(url.trim())
            .map_err(|error| UrlError(format!("the address can't be read: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = ampoule_untrusted::text::one_line(url.scheme()).into_owned();
            return Err(UrlError(format!(
                "the address begins with {scheme}:, and must begin with https: or http:"
            )));
        }
        url.set_fragment(None);
        Ok(Self {
            url,
            transport: Transport::Auto,
            headers: BTreeMap::new(),
            headers_command: None,
            tls: Tls::default(),
            authorizer: None,
            gate: None,
            secrets: BTreeSet::new(),
        })
    }

    /// Sets how messages travel.
    #[must_use]
    pub fn transport(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self
    }

    /// Adds a header to each request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Sets the command that prints further headers.
    #[must_use]
    pub fn headers_command(mut self, command: ServerCommand) -> Self {
        self.headers_command = Some(command);
        self
    }

    /// Sets whom to trust, and who to be.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    /// Sets what signs the requests.
    #[must_use]
    pub fn authorizer(mut self, authorizer: Arc<dyn Authorizer>) -> Self {
        self.authorizer = Some(authorizer);
        self
    }

    /// Sets what its calls pass, together with those of others that have the same.
    #[must_use]
    pub fn gate(mut self, gate: Arc<Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Adds a text that is shown nowhere, not even where the server says it.
    #[must_use]
    pub fn secret(mut self, text: impl Into<String>) -> Self {
        self.secrets.insert(text.into());
        self
    }

    /// What must not be shown even where the server itself says it.
    pub(crate) fn secrets(&self) -> Secrets {
        let query: Vec<_> = self.url.query_pairs().collect();
        let query = query.iter().map(|(name, value)| (&**name, &**value));
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| (&**name, &**value));
        let values = headers.clone().map(|(_, value)| value);
        let password = self.url.password();
        let secrets = Secrets::new(
            values
                .clone()
                .chain(values.map(token_of))
                .chain(password)
                .chain(query.clone().map(|(_, value)| value))
                .chain(self.secrets.iter().map(String::as_str)),
        );
        let password = password.map(|password| ("password", password));
        secrets.with_credentials(headers.chain(query).chain(password))
    }

    /// Tells two servers apart, without telling what they are.
    pub(crate) fn identity(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_derive_key("ampoule remote server");
        let headers = self
            .headers
            .iter()
            .flat_map(|(name, value)| [name.as_str(), value]);
        for text in std::iter::once(self.url.as_str()).chain(headers) {
            hasher
                .update(&(text.len() as u64).to_le_bytes())
                .update(text.as_bytes());
        }
        if let Some(command) = &self.headers_command {
            hasher.update(command.identity().as_bytes());
        }
        hasher.finalize()
    }
}

impl fmt::Debug for RemoteServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("RemoteServer")
            // Secrets may have been expanded into the rest.
            .field("origin", &self.url.origin().ascii_serialization())
            .field("transport", &self.transport)
            .field("headers", &names)
            .field("headers_command", &self.headers_command)
            .field("tls", &self.tls)
            .field("authorizer", &self.authorizer.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let server = RemoteServer::new("https://ada:hunter2-a@example.com/mcp?key=hunter2-b")
            .unwrap()
            .header("Authorization", "Bearer hunter2-c")
            .secret("hunter2-d");
        let shown = format!("{server:?}");
        assert!(shown.contains("https://example.com") && shown.contains("Authorization"));
        assert!(!shown.contains("hunter2"), "{shown}");
        let said = "hunter2-a hunter2-b hunter2-c hunter2-d Bearer hunter2-c";
        let blotted = server.secrets().redact(said, 1000);
        assert_eq!(blotted, ["[redacted]"; 5].join(" "));
    }

    #[test]
    fn only_addresses_of_http_are_taken() {
        for (url, why) in [
            (
                "ftp://example.com",
                "the address begins with ftp:, and must begin with https: or http:",
            ),
            (
                "example.com/mcp",
                "the address can't be read: relative URL without a base",
            ),
            ("https://", "the address can't be read: empty host"),
        ] {
            assert_eq!(RemoteServer::new(url).unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn each_part_tells_it_apart() {
        let server = || RemoteServer::new("https://example.com/a").unwrap();
        let others = [
            RemoteServer::new("https://example.com/b").unwrap(),
            server().header("a", "b"),
            server().header("a", "c"),
            server().headers_command(ServerCommand::new("x")),
        ];
        let mut seen = vec![server().identity()];
        assert_eq!(server().identity(), seen[0]);
        for other in others {
            assert!(!seen.contains(&other.identity()), "{other:?}");
            seen.push(other.identity());
        }
    }
}
