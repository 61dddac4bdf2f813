//! Headers that scripts may see.

use std::collections::BTreeMap;

use ampoule_outbound::Blot;
use http::HeaderMap;

/// How long a header may be that is told, in bytes.
const MAX_HEADER: usize = 8 << 10;

/// The headers that scripts get with an answer where the document says that they come with it: the
/// next call needs them, and no body repeats them.
const OF_ANSWERS: [&str; 13] = [
    "content-location",
    "etag",
    "last-modified",
    "link",
    "location",
    "operation-location",
    "x-next-page",
    "x-page",
    "x-per-page",
    "x-total",
    "x-total-count",
    "x-total-pages",
    "total-count",
];

/// Those that come along where an answer is more than a body, and with failures. They alone make no
/// answer more than a body: nearly all operations of some APIs have them.
const BESIDES: [&str; 9] = [
    "ratelimit",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
];

/// Whether scripts get a header with an answer, by its name in small letters.
pub fn comes_with_answers(name: &str) -> bool {
    OF_ANSWERS.contains(&name)
}

/// Whether scripts may see a header, by its name in small letters. Others may say who asks.
pub fn may_be_told(name: &str) -> bool {
    OF_ANSWERS.contains(&name) || BESIDES.contains(&name)
}

/// The headers that scripts may see, without secrets.
pub fn told(headers: &HeaderMap, blot: &Blot) -> BTreeMap<String, String> {
    let mut told = BTreeMap::new();
    for name in headers.keys().filter(|name| may_be_told(name.as_str())) {
        let values = headers.get_all(name).into_iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        let text = values.join(", ");
        if text.len() <= MAX_HEADER {
            told.insert(name.as_str().to_owned(), blot.text(&text));
        }
    }
    told
}
