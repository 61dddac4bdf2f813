//! The cookies of browsers: of one that is signed in, and of one that is at the issuer to sign in.
//!
//! Browsers send cookies to every port of a host, so the name has the port: two consoles on one
//! machine don't take each other's cookie.

use http::HeaderMap;
use http::header::{COOKIE, HOST};
use http::uri::Authority;

/// How long a browser may take at the issuer, in seconds.
pub(super) const AWAY_SECONDS: u64 = 600;

/// How browsers reach the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS, so that the cookie is `Secure`.
    Https,
}

/// What a cookie is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It says who the browser is. No other site's links and forms come with it.
    SignedIn,
    /// It says that this browser went to the issuer. The issuer, which is another site, leads the
    /// browser back, so the cookie comes with the links of other sites.
    Away,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::SignedIn => "ampoule-console",
            Self::Away => "ampoule-away",
        }
    }

    fn attributes(self) -> String {
        match self {
            Self::SignedIn => "SameSite=Strict".to_owned(),
            Self::Away => format!("SameSite=Lax; Max-Age={AWAY_SECONDS}"),
        }
    }
}

/// The cookies of a request, and those of its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookies<'h> {
    headers: &'h HeaderMap,
    scheme: Scheme,
}

impl<'h> Cookies<'h> {
    /// Those of a request with these headers.
    pub(crate) fn of(headers: &'h HeaderMap, scheme: Scheme) -> Self {
        Self { headers, scheme }
    }

    /// The cookie's name: with the port that the request was sent to.
    fn name(self, purpose: Purpose) -> String {
        let host = self.headers.get(HOST).map(http::HeaderValue::as_bytes);
        let host = host.and_then(|host| Authority::try_from(host).ok());
        let port = host.and_then(|host| host.port_u16());
        let port = port.unwrap_or(match self.scheme {
            Scheme::Http => 80,
            Scheme::Https => 443,
        });
        // Browsers take a cookie with this prefix from the host itself alone.
        let prefix = match self.scheme {
            Scheme::Http => "",
            Scheme::Https => "__Host-",
        };
        format!("{prefix}{}-{port}", purpose.name())
    }

    /// The value of the request's cookie; none if there is none, or more than one.
    pub(crate) fn read(self, purpose: Purpose) -> Option<&'h str> {
        let name = self.name(purpose);
        let all = self.headers.get_all(COOKIE).iter();
        let texts = all.filter_map(|value| value.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';'));
        let mut found = pairs.filter_map(|pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        });
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The header that gives a browser its cookie.
    pub(crate) fn given(self, purpose: Purpose, value: &str) -> String {
        self.written(purpose, value, &purpose.attributes())
    }

    /// The header that takes the cookie away.
    pub(crate) fn removed(self, purpose: Purpose) -> String {
        self.written(purpose, "", "SameSite=Strict; Max-Age=0")
    }

    fn written(self, purpose: Purpose, value: &str, attributes: &str) -> String {
        let name = self.name(purpose);
        let secure = match self.scheme {
            Scheme::Http => "",
            Scheme::Https => "; Secure",
        };
        format!("{name}={value}; Path=/; HttpOnly; {attributes}{secure}")
    }
}
