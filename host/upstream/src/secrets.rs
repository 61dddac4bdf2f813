//! What must not be shown, even where a server says it itself.

use std::sync::Arc;

/// Shorter texts can't be told from ordinary ones, so they are not blotted out.
const SHORTEST: usize = 6;

/// Texts to blot out of what a server prints and says. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Secrets(Arc<[String]>);

impl Secrets {
    /// A text of several lines, such as a key file, is one secret a line: servers print lines, and
    /// JSON writes breaks differently.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut secrets: Vec<String> = texts
            .into_iter()
            .flat_map(|text| text.split(['\n', '\r']))
            .map(str::trim)
            .filter(|line| line.len() >= SHORTEST)
            .map(ToOwned::to_owned)
            .collect();
        // Where one secret begins with another, the longer one must be found.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self(secrets.into())
    }

    /// The beginning of a text, without secrets, in at most so many bytes. No secret is cut in two,
    /// which would hide it from the search.
    pub(super) fn redact(&self, text: &str, most: usize) -> String {
        let mut shown = String::with_capacity(text.len().min(most));
        let mut rest = text;
        while shown.len() < most
            && let Some(char) = rest.chars().next()
        {
            let found = self.0.iter().find(|secret| rest.starts_with(&***secret));
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
        write!(f, "Secrets({})", self.0.len())
    }
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
    fn a_cut_does_not_uncover_the_half_of_a_secret() {
        let secrets = Secrets::new(["hunter2"]);
        for most in 0..30 {
            let shown = secrets.redact("grüße hunter2 grüße", most);
            assert!(shown.len() <= most, "{shown}");
            assert!(!shown.contains("hun"), "{shown}");
        }
    }
}
