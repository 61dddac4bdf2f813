//! The cookie of a browser that is signed in.
//!
//! Browsers send cookies to every port of a host, so the name has the port: two consoles on one
//! machine don't take each other's cookie.

use http::HeaderMap;
use http::header::{COOKIE, HOST};
use http::uri::Authority;

/// The beginning of the cookie's name.
const NAME: &str = "ampoule-console";

/// How browsers reach the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS, so that the cookie is `Secure`.
    Https,
}

/// The cookie's name for a request: with the port that it was sent to.
fn name(headers: &HeaderMap, scheme: Scheme) -> String {
    let host = headers.get(HOST).map(http::HeaderValue::as_bytes);
    let host = host.and_then(|host| Authority::try_from(host).ok());
    let port = host.and_then(|host| host.port_u16());
    let port = port.unwrap_or(match scheme {
        Scheme::Http => 80,
        Scheme::Https => 443,
    });
    // Browsers take a cookie with this prefix from the host itself alone.
    let prefix = match scheme {
        Scheme::Http => "",
        Scheme::Https => "__Host-",
    };
    format!("{prefix}{NAME}-{port}")
}

/// The value of the request's cookie; none if there is none, or more than one.
pub(crate) fn read(headers: &HeaderMap, scheme: Scheme) -> Option<&str> {
    let name = name(headers, scheme);
    let all = headers.get_all(COOKIE).iter();
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
pub(crate) fn given(headers: &HeaderMap, scheme: Scheme, value: &str) -> String {
    written(headers, scheme, value, "")
}

/// The header that takes the cookie away.
pub(crate) fn removed(headers: &HeaderMap, scheme: Scheme) -> String {
    written(headers, scheme, "", "; Max-Age=0")
}

fn written(headers: &HeaderMap, scheme: Scheme, value: &str, more: &str) -> String {
    let name = name(headers, scheme);
    let secure = match scheme {
        Scheme::Http => "",
        Scheme::Https => "; Secure",
    };
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{more}")
}
