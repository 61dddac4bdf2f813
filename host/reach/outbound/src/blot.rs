//! What scripts must not see, even where a server says it.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::encodings::written;

/// Shorter texts can't be told from ordinary ones, so they are not redacted.
const SHORTEST: usize = 6;

/// Of parts of a value, shorter ones are likely words.
const SHORTEST_PART: usize = 8;

const BLOT: &[u8] = b"[redacted]";

/// Texts to blot out of what is shown.
pub struct Blot {
    secrets: Vec<String>,
    /// None where the texts can't be searched for: then nothing is shown.
    search: Option<AhoCorasick>,
}

impl Blot {
    /// Blots out values of headers: whole, their token alone, and as JSON, URLs, pages and base64
    /// have them.
    pub fn of<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<String> = values.flat_map(forms).collect();
        secrets.retain(|secret| secret.len() >= SHORTEST);
        secrets.sort_unstable();
        secrets.dedup();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&secrets);
        Self {
            search: search.ok(),
            secrets,
        }
    }

    /// All of them.
    pub fn secrets(&self) -> Vec<String> {
        self.secrets.clone()
    }

    /// These bytes without secrets.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.secrets.is_empty() {
            return Cow::Borrowed(bytes);
        }
        match &self.search {
            Some(search) if search.is_match(bytes) => {
                let blots = vec![BLOT; self.secrets.len()];
                Cow::Owned(search.replace_all_bytes(bytes, &blots))
            }
            Some(_) => Cow::Borrowed(bytes),
            None => Cow::Borrowed(BLOT),
        }
    }

    /// A text without secrets.
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }
}

/// How a value, and the parts of it that are secrets by themselves, may be written.
fn forms(value: &str) -> Vec<String> {
    // Of `Bearer …`, the part after the space.
    let token = value
        .split_once(' ')
        .map_or(value, |(_, token)| token.trim());
    let mut plain = vec![value.to_owned(), token.to_owned()];
    // Of `Basic …`, what is encoded, and the password in it.
    let decoded = STANDARD.decode(token).ok();
    if let Some(decoded) = decoded.and_then(|bytes| String::from_utf8(bytes).ok())
        && let Some((_, password)) = decoded.split_once(':')
    {
        plain.extend([password.to_owned(), decoded.clone()]);
    }
    // Of `session=…; other=…`, each.
    let parts = value.split([';', ',']);
    let parts = parts.filter_map(|part| part.split_once('='));
    let parts = parts.map(|(_, part)| part.trim().trim_matches('"').to_owned());
    plain.extend(parts.filter(|part| part.len() >= SHORTEST_PART));
    let others: Vec<String> = plain.iter().flat_map(|text| written(text)).collect();
    [plain, others].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_secrets_can_not_be_searched_for_nothing_is_shown() {
        let blot = |secrets: &[&str], search| Blot {
            secrets: secrets.iter().map(ToString::to_string).collect(),
            search,
        };
        assert_eq!(blot(&["hunter2-hunter2"], None).text("hello"), "[redacted]");
        assert_eq!(blot(&[], None).text("hello"), "hello");
        let whole = Blot::of(["hunter2-hunter2"].into_iter());
        assert_eq!(whole.text("a hunter2-hunter2 b"), "a [redacted] b");
        assert_eq!(whole.text("hello"), "hello");
    }
}
