//! Which of a script's headers are sent, and where to.

use http::header::{ACCEPT_ENCODING, AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};

/// How many headers a request may have, and how many bytes they may take.
const MOST: usize = 100;
const MOST_BYTES: usize = 32 * 1024;

/// Headers that say where a message ends, or what becomes of its connection: two who read them
/// differently see different requests.
const PROTOCOLS_OWN: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// Headers by which some servers take another method, path or host than the one that was decided on.
const OTHER_THAN_ASKED: [&str; 13] = [
    "forwarded",
    "x-forwarded-host",
    "x-forwarded-path",
    "x-forwarded-prefix",
    "x-forwarded-uri",
    "x-host",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-uri",
    "x-original-url",
    "x-rewrite-url",
];

pub(crate) fn is_protocols_own(name: &HeaderName) -> bool {
    let name = dashed(name);
    PROTOCOLS_OWN.contains(&&*name) || name.starts_with("proxy-")
}

/// Whether a header says where a message ends, or makes the request another one to some servers.
pub fn changes_request(name: &HeaderName) -> bool {
    is_protocols_own(name) || OTHER_THAN_ASKED.contains(&&*dashed(name))
}

/// A name as servers know it that have headers as variables, to whom `_` and `-` are the same.
pub(crate) fn dashed(name: &HeaderName) -> String {
    name.as_str().replace('_', "-")
}

/// The headers of a script's request.
///
/// # Errors
///
/// Which of them can't be sent, and why.
pub(crate) fn of_script(pairs: &[(String, String)]) -> Result<HeaderMap, String> {
    let bytes: usize = pairs
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if pairs.len() > MOST || bytes > MOST_BYTES {
        return Err(format!(
            "a request may have {MOST} headers of {MOST_BYTES} bytes together; this one has {} of {bytes}",
            pairs.len()
        ));
    }
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let shown = || ampoule_untrusted::text::one_line(name).into_owned();
        let parsed: HeaderName = name
            .parse()
            .map_err(|_| format!("no header can have the name `{}`", shown()))?;
        if is_protocols_own(&parsed) {
            let why = "the host sets it, as HTTP requires; leave it out";
            return Err(format!("the header `{}` can't be set: {why}", shown()));
        }
        if OTHER_THAN_ASKED.contains(&&*dashed(&parsed)) {
            let why = "it would change what the request means";
            return Err(format!("the header `{}` can't be set: {why}", shown()));
        }
        // What is understood is what the host decodes.
        if dashed(&parsed) == ACCEPT_ENCODING.as_str() {
            continue;
        }
        let value = latin1(value).and_then(|bytes| HeaderValue::from_bytes(&bytes).ok());
        let value = value.ok_or_else(|| {
            let rule = "no line breaks or other control characters, and nothing beyond Latin-1";
            format!(
                "the header `{}` has a value that can't be sent: {rule}",
                shown()
            )
        })?;
        headers.append(parsed, value);
    }
    Ok(headers)
}

/// Headers hold bytes, which are written as the first 256 characters.
fn latin1(text: &str) -> Option<Vec<u8>> {
    let bytes = text.trim_matches([' ', '\t']).chars();
    bytes.map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Leaves out what only the first origin was to know.
pub(crate) fn for_another_origin(headers: &mut HeaderMap) {
    headers.remove(AUTHORIZATION);
    headers.remove(COOKIE);
}

/// Leaves out what describes a body, where it is not sent on.
pub(crate) fn without_body(headers: &mut HeaderMap) {
    let names = [
        "content-type",
        "content-encoding",
        "content-language",
        "content-location",
    ];
    for name in names {
        headers.remove(name);
    }
}
