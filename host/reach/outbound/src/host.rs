//! Patterns for hosts.

use std::fmt;
use std::str::FromStr;

use ampoule_fields::ExpandedText;
use schemars::JsonSchema;
use serde::Deserialize;
use url::{Host, Url};

use crate::RuleError;

/// Some hosts: `api.example.com`, `*.example.com` (any name below it), `*` (any name at all, and no
/// bare address), `192.0.2.7`, `[2001:db8::7]`. HTTPS at its usual port, unless it is written with
/// another: `http://example.com`, `example.com:8443`, `example.com:*` (any port).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "ExpandedText")]
#[schemars(with = "String")]
pub struct HostPattern {
    scheme: Scheme,
    host: HostMatcher,
    /// None for any.
    port: Option<u16>,
    /// Whether scheme and port are written.
    written: (bool, bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostMatcher {
    AnyName,
    /// Names that end so, the dot before it included.
    Below(String),
    One(Host),
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl HostPattern {
    /// Whether it means where this leads.
    pub(crate) fn means(&self, url: &Url) -> bool {
        let port = url.port_or_known_default();
        url.scheme() == self.scheme.name()
            && (self.port.is_none() || self.port == port)
            && url.host().is_some_and(|host| self.host.means(&host))
    }

    /// Whether it means where this leads, as what denies does: any scheme and port unless they are
    /// written, and by `*` addresses too.
    pub(crate) fn may_mean(&self, url: &Url) -> bool {
        let (scheme, port) = self.written;
        let is_port = match (scheme, port) {
            (false, false) => true,
            _ => self.port.is_none() || self.port == url.port_or_known_default(),
        };
        is_port
            && (!scheme || url.scheme() == self.scheme.name())
            && url
                .host()
                .is_some_and(|host| self.host == HostMatcher::AnyName || self.host.means(&host))
    }
}

impl HostMatcher {
    fn means(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::AnyName, Host::Domain(_)) => true,
            (Self::Below(end), Host::Domain(name)) => name.ends_with(&**end),
            (Self::One(meant), host) => *meant == host.to_owned(),
            _ => false,
        }
    }
}

impl FromStr for HostPattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let wrong = || {
            let shown = ampoule_untrusted::text::one_line(text);
            RuleError(format!(
                "`{shown}` is not a pattern for hosts; write `api.example.com`, `*.example.com`, or `http://example.com:8080`"
            ))
        };
        let has_scheme = text.contains("://");
        let (scheme, rest) = match text.split_once("://") {
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(_) => return Err(wrong()),
            None => (Scheme::Https, text),
        };
        // The colons of an address stand in brackets.
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (rest, None),
        };
        let written = (has_scheme, port.is_some());
        let port = match port {
            None => Some(scheme.port()),
            Some("*") => None,
            Some(port) => Some(
                port.parse()
                    .ok()
                    .filter(|port| *port > 0)
                    .ok_or_else(wrong)?,
            ),
        };
        let host = meant(host).ok_or_else(wrong)?;
        Ok(Self {
            scheme,
            host,
            port,
            written,
        })
    }
}

/// What is written where the host stands.
fn meant(text: &str) -> Option<HostMatcher> {
    if text == "*" {
        return Some(HostMatcher::AnyName);
    }
    let (below, name) = match text.strip_prefix("*.") {
        Some(name) => (true, name),
        None => (false, text),
    };
    if name.is_empty() || name.contains(['*', '/', '@', '?', '#', '\\', '%']) {
        return None;
    }
    let host = Host::parse(name.strip_suffix('.').unwrap_or(name)).ok()?;
    match host {
        Host::Domain(name) if below => Some(HostMatcher::Below(format!(".{name}"))),
        host if !below => Some(HostMatcher::One(host)),
        _ => None,
    }
}

impl TryFrom<ExpandedText> for HostPattern {
    type Error = RuleError;

    fn try_from(text: ExpandedText) -> Result<Self, RuleError> {
        text.as_ref().parse()
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.scheme.name())?;
        match &self.host {
            HostMatcher::AnyName => write!(f, "*")?,
            HostMatcher::Below(end) => write!(f, "*{end}")?,
            HostMatcher::One(host) => write!(f, "{host}")?,
        }
        match self.port {
            None => write!(f, ":*"),
            Some(port) if port == self.scheme.port() => Ok(()),
            Some(port) => write!(f, ":{port}"),
        }
    }
}
