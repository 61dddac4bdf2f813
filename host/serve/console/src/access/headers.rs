//! What each answer says to browsers.

use axum::response::Response;
use http::HeaderValue;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};

/// Only what the console itself serves; nothing inline, no frames, no address outside.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
);

/// Adds the headers. An answer that says nothing about being stored is not stored.
pub(crate) fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // Not `no-referrer`: then browsers would not say where a form comes from.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    let alone = HeaderValue::from_static("same-origin");
    headers.insert("cross-origin-opener-policy", alone.clone());
    headers.insert("cross-origin-resource-policy", alone);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}
