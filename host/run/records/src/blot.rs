//! What must not be in a record, redacted: as many `*` as it has bytes, so that what a run costs
//! stays what it was.

use std::borrow::Cow;
use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, MatchKind};

/// Shorter texts can't be distinguished from ordinary ones.
const SHORTEST: usize = 6;
/// How often a secret may be JSON within a text of JSON, and still be found.
const LEVELS: usize = 4;
/// How many texts are looked for: a host that has more has other worries.
const MOST: usize = 10_000;

/// Texts to redact.
#[derive(Debug, Default)]
pub(crate) struct Blot {
    known: BTreeSet<String>,
    search: Option<AhoCorasick>,
    /// How many were found.
    pub(crate) found: u64,
}

impl Blot {
    /// Looks for these, too.
    pub(crate) fn add(&mut self, secrets: impl IntoIterator<Item = String>) {
        let before = self.known.len();
        for secret in secrets {
            // Tools print lines, and a key file has several.
            let lines = secret.split(['\n', '\r']).map(str::trim);
            for line in lines.filter(|line| line.len() >= SHORTEST) {
                if self.known.len() < MOST {
                    // In a text that holds JSON, it has JSON's escapes; and so on.
                    let inside = |text: &String| Some(escaped(text));
                    let written = std::iter::successors(Some(line.to_owned()), inside);
                    self.known.extend(written.take(LEVELS));
                }
            }
        }
        if self.known.len() > before {
            self.search = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&self.known)
                .inspect_err(|error| tracing::error!(%error, "secrets can't be searched for"))
                .ok();
        }
    }

    /// Whether what is written can be trusted to be free of them.
    pub(crate) fn works(&self) -> bool {
        self.known.is_empty() || self.search.is_some()
    }

    /// Whether a text has one of them.
    pub(crate) fn finds(&self, text: &str) -> bool {
        let search = self.search.as_ref();
        search.map_or(!self.works(), |search| search.is_match(text))
    }

    /// The same of bytes that are not text.
    pub(crate) fn bytes(&mut self, bytes: &mut [u8]) {
        let Some(search) = &self.search else {
            return;
        };
        let hits: Vec<_> = search.find_iter(&*bytes).map(|hit| hit.range()).collect();
        for hit in hits {
            bytes[hit].fill(b'*');
            self.found += 1;
        }
    }

    /// A JSON document without them. It is one afterwards, of the same size.
    pub(crate) fn document(&mut self, json: Vec<u8>) -> Vec<u8> {
        let Some(search) = &self.search else {
            return json;
        };
        let (mut out, mut rest) = (Vec::with_capacity(json.len()), &json[..]);
        while let Some((token, after)) = next_token(rest) {
            let written = blotted(search, token, &mut self.found);
            out.extend_from_slice(&written);
            rest = after;
        }
        out
    }
}

/// A piece of a JSON document: a string with its quotes, or all that is up to the next.
fn next_token(json: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = json.split_first()?;
    let end = match first {
        b'"' => {
            let mut escaped = false;
            let closes = |byte: &u8| {
                let closes = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                closes
            };
            rest.iter().position(closes).map(|at| at + 2)
        }
        _ => json.iter().position(|byte| *byte == b'"'),
    };
    Some(json.split_at(end.unwrap_or(json.len())))
}

fn blotted<'t>(search: &AhoCorasick, token: &'t [u8], found: &mut u64) -> Cow<'t, [u8]> {
    if !token.starts_with(b"\"") {
        return numbers(search, token, found);
    }
    let plain = !token.contains(&b'\\');
    let text: Cow<'_, str> = match (plain, std::str::from_utf8(token)) {
        (true, Ok(token)) => token.into(),
        _ => match serde_json::from_slice::<String>(token) {
            Ok(text) => text.into(),
            Err(_) => return token.into(),
        },
    };
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for hit in search.find_iter(&*text) {
        clean.push_str(&text[at..hit.start()]);
        clean.extend(std::iter::repeat_n('*', hit.len()));
        at = hit.end();
        *found += 1;
    }
    if at == 0 {
        return token.into();
    }
    clean.push_str(&text[at..]);
    match plain {
        true => clean.into_bytes().into(),
        false => serde_json::to_vec(&clean).unwrap_or_default().into(),
    }
}

/// What is between strings: a secret may be a number, and what is in its place must be one.
fn numbers<'t>(search: &AhoCorasick, between: &'t [u8], found: &mut u64) -> Cow<'t, [u8]> {
    let mut out: Cow<'t, [u8]> = between.into();
    for hit in search.find_iter(between) {
        let number = &mut out.to_mut()[hit.range()];
        if number.iter().any(u8::is_ascii_digit) {
            let digits = number.iter_mut().filter(|byte| byte.is_ascii_digit());
            digits.for_each(|byte| *byte = b'1');
            *found += 1;
        }
    }
    out
}

/// A text as it is between the quotes of JSON.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
