//! Requests that another page makes in a person's name: refused by their origin, and because they
//! lack the token that only the console's own pages have.

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};

/// The header in which a script sends back the visitor's `csrf`.
pub const CSRF_HEADER: &str = "x-ampoule-csrf";
/// The hidden field in which a form sends it back.
pub const CSRF_FIELD: &str = "csrf";

/// Whether a request with this method changes something.
pub(crate) fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a request comes from a page of the console itself, as far as its browser says. A browser
/// that says nothing is not enough for a request that changes something.
pub(crate) fn is_own(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    let by_site = site.map(|site| site == "same-origin");
    let mut origins = headers.get_all(ORIGIN).iter();
    let origin = origins.next();
    if origins.next().is_some() {
        return false;
    }
    // Some browsers say `null` of their own forms: what `sec-fetch-site` says counts then.
    let by_origin = origin.filter(|origin| *origin != "null").map(|origin| {
        let origin = Uri::try_from(origin.as_bytes()).ok();
        let host = headers.get(HOST).map(http::HeaderValue::as_bytes);
        let host = host.and_then(|host| Authority::try_from(host).ok());
        let authority = origin.as_ref().and_then(Uri::authority);
        host.is_some() && authority == host.as_ref()
    });
    match (by_site, by_origin) {
        (None, None) => false,
        (by_site, by_origin) => by_site.unwrap_or(true) && by_origin.unwrap_or(true),
    }
}

/// Whether two tokens are the same, in a time that does not depend on where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}
