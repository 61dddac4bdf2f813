//! Patterns for paths, and what a path may mean to the server that gets it.

use std::fmt;
use std::str::FromStr;

use ampoule_fields::ExpandedText;
use percent_encoding::percent_decode;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::RuleError;

/// How often a path is decoded: what is encoded more often is refused.
const MOST_DECODED: usize = 3;

/// Some paths: `/v1/items`, or `/v1/*`, where each `*` stands for any text. What follows a `?` is
/// not part of a path. `%2F` and `/` are the same.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "ExpandedText")]
#[schemars(with = "String")]
pub struct PathPattern {
    text: String,
    /// What stands between the stars.
    parts: Vec<Vec<u8>>,
}

impl PathPattern {
    /// Any path.
    pub fn any() -> Self {
        Self {
            text: "*".to_owned(),
            parts: vec![Vec::new(), Vec::new()],
        }
    }

    /// Whether it means all that a path may mean.
    pub(crate) fn means(&self, forms: &Forms) -> bool {
        // Servers differ in whether `;x` is a part of a segment; whoever writes one says that it is.
        let knows_parameters = self.parts.iter().any(|part| part.contains(&b';'));
        let without = forms.without_parameters.iter();
        let mut meant = forms
            .as_they_are
            .iter()
            .chain(without.filter(|_| !knows_parameters));
        meant.all(|form| self.matches(form))
    }

    /// Whether it means something that a path may mean, to a server to whom neither case matters nor
    /// whether there is a `/` at the end.
    pub(crate) fn may_mean(&self, forms: &Forms) -> bool {
        let lower = Self {
            text: String::new(),
            parts: self
                .parts
                .iter()
                .map(|part| part.to_ascii_lowercase())
                .collect(),
        };
        let is_meant = |form: &Vec<u8>| {
            let form = form.to_ascii_lowercase();
            lower.matches(&form)
                || form
                    .strip_suffix(b"/")
                    .is_some_and(|form| lower.matches(form))
        };
        let mut forms = forms.as_they_are.iter().chain(&forms.without_parameters);
        forms.any(is_meant)
    }

    /// Each part is looked for after the one before, so a path is read once.
    fn matches(&self, path: &[u8]) -> bool {
        let Some((first, rest)) = self.parts.split_first() else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return path == first;
        };
        let Some(mut path) = path.strip_prefix(&**first) else {
            return false;
        };
        for part in middle.iter().filter(|part| !part.is_empty()) {
            let Some(at) = path.windows(part.len()).position(|window| window == part) else {
                return false;
            };
            path = &path[at + part.len()..];
        }
        path.ends_with(last)
    }
}

impl FromStr for PathPattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if !text.starts_with(['/', '*']) || text.contains(['?', '#', '\\']) || text.len() > 1000 {
            let shown = ampoule_untrusted::text::one_line(text);
            return Err(RuleError(format!(
                "`{shown}` is not a pattern for paths; write `/v1/items` or `/v1/*`"
            )));
        }
        let parts = text.split('*');
        let parts = parts.map(|part| percent_decode(part.as_bytes()).collect());
        Ok(Self {
            parts: parts.collect(),
            text: text.to_owned(),
        })
    }
}

impl TryFrom<ExpandedText> for PathPattern {
    type Error = RuleError;

    fn try_from(text: ExpandedText) -> Result<Self, RuleError> {
        text.as_ref().parse()
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// All that a path may mean to a server: decoded once, or more often; with `..` in it, or without.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    as_they_are: Vec<Vec<u8>>,
    /// The same where `/a;x/b` is `/a/b`.
    without_parameters: Vec<Vec<u8>>,
}

impl Forms {
    /// # Errors
    ///
    /// Why no server should get it.
    pub(crate) fn of(path: &str) -> Result<Self, &'static str> {
        let (mut forms, mut decoded) = (Self::default(), path.as_bytes().to_vec());
        for _ in 0..MOST_DECODED {
            let next: Vec<u8> = percent_decode(&decoded).collect();
            if next.iter().any(u8::is_ascii_control) {
                return Err("its path has control characters");
            }
            let is_last = next == decoded;
            forms.add(&next);
            if is_last {
                return Ok(forms);
            }
            decoded = next;
        }
        // The last one may have been the last.
        match percent_decode(&decoded).eq(decoded.iter().copied()) {
            true => Ok(forms),
            false => Err("its path is encoded too many times"),
        }
    }

    fn add(&mut self, path: &[u8]) {
        for form in [resolved(path), path.to_vec()] {
            if !self.as_they_are.contains(&form) {
                self.as_they_are.push(form);
            }
        }
        if path.contains(&b';') {
            let form = resolved(&without_parameters(path));
            self.without_parameters.push(form);
        }
    }
}

/// A path without what follows a `;` in each of its segments.
fn without_parameters(path: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut is_parameter = false;
    for &byte in path {
        is_parameter = match byte {
            b'/' | b'\\' => false,
            b';' => true,
            _ => is_parameter,
        };
        if !is_parameter {
            kept.push(byte);
        }
    }
    kept
}

/// A path as servers tidy it: `\` is `/`, several are one, and `..` leads up, even as `..;x`.
fn resolved(path: &[u8]) -> Vec<u8> {
    let mut segments: Vec<&[u8]> = Vec::new();
    let mut parts = path.split(|byte| matches!(byte, b'/' | b'\\')).peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        match part.split(|byte| *byte == b';').next().unwrap_or(part) {
            b"." => {}
            b".." => {
                segments.pop();
            }
            b"" if part.is_empty() && !is_last => {}
            _ => segments.push(part),
        }
    }
    let mut path = vec![b'/'];
    path.extend(segments.join(&b'/'));
    path
}
