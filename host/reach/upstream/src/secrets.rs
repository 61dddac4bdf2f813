//! What must not be shown, even where a server says it itself.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::value::RawValue;

use super::credentials::{self, Credentials};

/// Shorter texts can't be told from ordinary ones, so they are not redacted.
const SHORTEST: usize = 6;

/// How many texts are kept that became known later: tokens follow one another.
const MAX_LATER: usize = 32;

/// Texts to blot out of what a server prints and says. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    known: Arc<[String]>,
    later: Arc<RwLock<VecDeque<String>>>,
    /// Those that say who asks.
    credentials: Arc<Credentials>,
}

impl Secrets {
    /// A text of several lines, such as a key file, is one secret a line: servers print lines, and
    /// JSON writes breaks differently.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<String> = texts.into_iter().flat_map(lines).collect();
        // Where one secret begins with another, the longer one must be found.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self {
            known: secrets.into(),
            ..Self::default()
        }
    }

    /// Blots out of results as well what its name, such as a header's, calls a credential.
    pub(super) fn with_credentials<'a>(
        self,
        named: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        for (name, value) in named {
            if credentials::is_name(name) {
                self.credentials.add(token_of(value));
            }
        }
        self
    }

    /// Adds a header that became known later.
    pub(super) fn add_header(&self, name: &str, value: &str) {
        self.add(value);
        self.add(token_of(value));
        if credentials::is_name(name) {
            self.credentials.add(token_of(value));
        }
    }

    /// Adds a token. False where it is known.
    pub(super) fn add_token(&self, token: &str) -> bool {
        self.add(token);
        self.credentials.add(token)
    }

    /// A result without credentials.
    pub(super) fn blot(&self, result: &RawValue) -> Box<RawValue> {
        self.credentials.blot(result)
    }

    /// All that are known by now.
    pub(super) fn all(&self) -> Vec<String> {
        let later = self.later.read();
        self.known.iter().chain(later.iter()).cloned().collect()
    }

    /// Adds a text that became known later, such as a token, for all who share these.
    pub(super) fn add(&self, text: &str) {
        for secret in lines(text) {
            if self.later.read().contains(&secret) {
                continue;
            }
            let mut later = self.later.write();
            later.truncate(MAX_LATER - 1);
            later.push_front(secret);
        }
    }

    /// The beginning of a text, without secrets, in at most so many bytes. No secret is cut in two,
    /// which would hide it from the search.
    pub(super) fn redact(&self, text: &str, most: usize) -> String {
        let later = self.later.read();
        let mut shown = String::with_capacity(text.len().min(most));
        let mut rest = text;
        while shown.len() < most
            && let Some(char) = rest.chars().next()
        {
            let begins = |secret: &&String| rest.starts_with(secret.as_str());
            let later = later.iter().filter(begins).max_by_key(|it| it.len());
            let known = self.known.iter().find(begins);
            let found = known.into_iter().chain(later).max_by_key(|it| it.len());
            match found {
                Some(secret) => {
                    shown += "[redacted]";
                    rest = &rest[secret.len()..];
                }
                None => {
                    shown.push(char);
                    rest = &rest[char.len_utf8()..];
                }
            }
        }
        shown.truncate(shown.floor_char_boundary(most));
        shown
    }

    /// The same, fit to be shown: what can't be seen in it is there as an escape.
    pub(super) fn quote(&self, text: &str, most: usize) -> String {
        let shown = self.redact(text, most);
        ampoule_untrusted::text::visible(&shown).into_owned()
    }

    /// The same on one line.
    pub(super) fn quote_line(&self, text: &str, most: usize) -> String {
        let shown = self.redact(text, most);
        ampoule_untrusted::text::one_line(&shown).into_owned()
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({})", self.known.len() + self.later.read().len())
    }
}

/// Of `Bearer …`, the part after the space.
pub(super) fn token_of(header: &str) -> &str {
    header.split_once(' ').map_or(header, |(_, token)| token)
}

/// The lines of a text that can be told from ordinary ones.
fn lines(text: &str) -> impl Iterator<Item = String> {
    text.split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| line.len() >= SHORTEST)
        .map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_blotted_out_wherever_they_are() {
        let secrets = Secrets::new([
            "hunter2",
            "hunter2-long",
            "short",
            "BEGIN KEY\nMIIEvA==\r\n",
        ]);
        let cases = [
            ("hunter2 and hunter2-long", "[redacted] and [redacted]"),
            ("hunter2hunter2-longhunter", "[redacted][redacted]hunter"),
            ("short stays", "short stays"),
            (
                r#"{"key":"BEGIN KEY\nMIIEvA==\n"}"#,
                r#"{"key":"[redacted]\n[redacted]\n"}"#,
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(secrets.redact(text, 100), expected);
        }
        assert_eq!(format!("{secrets:?}"), "Secrets(4)");
    }

    #[test]
    fn what_became_known_later_is_blotted_out_for_all_who_share_it() {
        let secrets = Secrets::new(["hunter2"]);
        let shared = secrets.clone();
        for n in 10_000..10_100 {
            shared.add(&format!("token-{n}"));
        }
        assert_eq!(
            secrets.redact("hunter2 token-10099", 100),
            "[redacted] [redacted]"
        );
        assert_eq!(secrets.redact("token-10000", 100), "token-10000");
        assert_eq!(format!("{secrets:?}"), "Secrets(33)");
    }

    #[test]
    fn a_cut_does_not_uncover_the_half_of_a_secret() {
        let secrets = Secrets::new(["hunter2"]);
        for most in 0..30 {
            let shown = secrets.redact("grüße hunter2 grüße", most);
            assert!(shown.len() <= most, "{shown}");
            assert!(!shown.contains("hun"), "{shown}");
        }
    }
}
