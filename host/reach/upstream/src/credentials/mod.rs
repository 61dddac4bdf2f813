//! A server's credentials, redacted from its results: scripts read those, and are to learn no token
//! of a server that repeats it.
//!
//! What may be an ordinary text is left alone there, unlike in messages: a result is data.

use std::borrow::Cow;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2};
use parking_lot::RwLock;
use serde_json::value::RawValue;

/// Shorter texts are found where they only happen to stand.
const SHORTEST: usize = 8;

/// How many are kept: tokens follow one another, and the oldest are let go of.
const MOST: usize = 64;

const BLOT: &str = "[redacted]";

/// What says who asks, as it may come back.
#[derive(Default)]
pub(super) struct Credentials(RwLock<Vec<Finder<'static>>>);

impl Credentials {
    /// Adds a credential. False where it is known, or too short to be looked for.
    pub(super) fn add(&self, credential: &str) -> bool {
        let credential = credential.trim();
        let is_known = |known: &Finder<'_>| known.needle() == credential.as_bytes();
        if credential.len() < SHORTEST || self.0.read().iter().any(is_known) {
            return false;
        }
        let mut known = self.0.write();
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Finder::new(credential).into_owned());
        true
    }

    /// A part of a message without them, in however its texts are escaped.
    pub(super) fn blot(&self, json: &RawValue) -> Box<RawValue> {
        match self.blotted(json.get()) {
            Cow::Borrowed(_) => json.to_owned(),
            // Texts were replaced by texts, so it is JSON still.
            Cow::Owned(blotted) => {
                RawValue::from_string(blotted).unwrap_or_else(|_| RawValue::NULL.to_owned())
            }
        }
    }

    fn blotted<'a>(&self, json: &'a str) -> Cow<'a, str> {
        let known = self.0.read();
        let occurs = |text: &str| {
            let find = |credential: &Finder<'_>| credential.find(text.as_bytes()).is_some();
            known.iter().any(find)
        };
        if known.is_empty() || (memchr(b'\\', json.as_bytes()).is_none() && !occurs(json)) {
            return Cow::Borrowed(json);
        }
        let (mut out, mut copied, mut at) = (String::new(), 0, 0);
        while let Some(quote) = memchr(b'"', &json.as_bytes()[at..]) {
            let begin = at + quote;
            at = end_of_text(json, begin);
            let quoted = &json[begin..at];
            let blotted = match text_of(quoted) {
                Ok(text) if occurs(&text) => without(&known, text),
                Err(_) if occurs(quoted) => BLOT.to_owned(),
                Ok(_) | Err(_) => continue,
            };
            out.push_str(&json[copied..begin]);
            out.push_str(&serde_json::Value::from(blotted).to_string());
            copied = at;
        }
        if copied == 0 {
            return Cow::Borrowed(json);
        }
        out.push_str(&json[copied..]);
        Cow::Owned(out)
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({})", self.0.read().len())
    }
}

/// Whether what goes by this name, such as a header or a variable, says who asks.
pub fn is_name(name: &str) -> bool {
    const WHOLE: [&str; 2] = ["auth", "key"];
    const ENDS: [&str; 8] = [
        "apikey",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "password",
        "secret",
        "token",
    ];
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|char: char| !char.is_ascii_alphanumeric());
    words.any(|word| WHOLE.contains(&word) || ENDS.iter().any(|end| word.ends_with(end)))
}

/// Where the text ends that begins with the quote there, in valid JSON.
fn end_of_text(json: &str, begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(found) = memchr2(b'"', b'\\', &json.as_bytes()[at.min(json.len())..]) {
        at += found;
        match json.as_bytes()[at] {
            b'"' => return at + 1,
            // What follows is escaped.
            _ => at += 2,
        }
    }
    json.len()
}

/// What a quoted text says.
///
/// # Errors
///
/// It has half a surrogate, which is not a character.
fn text_of(quoted: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    match quoted.get(1..quoted.len() - 1) {
        Some(inner) if memchr(b'\\', inner.as_bytes()).is_none() => Ok(Cow::Borrowed(inner)),
        _ => serde_json::from_str(quoted).map(Cow::Owned),
    }
}

/// Longer ones first: one may begin with another.
fn without(known: &[Finder<'static>], text: Cow<'_, str>) -> String {
    let needles = known
        .iter()
        .filter_map(|it| std::str::from_utf8(it.needle()).ok());
    let mut needles: Vec<&str> = needles.collect();
    needles.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
    let whole = text.into_owned();
    needles
        .iter()
        .fold(whole, |text, needle| match text.contains(needle) {
            true => text.replace(needle, BLOT),
            false => text,
        })
}

#[cfg(test)]
mod tests;
