//! Where a call belongs in a distributed trace, as servers are told: in `_meta` whatever the
//! transport is (SEP-414), and in HTTP's headers too, for what stands before the server.

use ampoule_tools::Trace;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// Adds it to a request's headers.
pub fn headers(trace: &Trace, headers: &mut HeaderMap) {
    for (name, text) in parts(trace) {
        if let Ok(value) = HeaderValue::from_str(text) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// The same for a request's `_meta`.
pub(super) fn meta(trace: &Trace) -> impl Iterator<Item = (String, Value)> {
    parts(trace).map(|(name, text)| (name.to_owned(), text.into()))
}

fn parts(trace: &Trace) -> impl Iterator<Item = (&'static str, &str)> {
    let state = trace.state().map(|state| (Trace::STATE, state));
    [(Trace::PARENT, trace.parent())].into_iter().chain(state)
}
