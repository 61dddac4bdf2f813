//! Whom a rule is about.

use std::fmt;

/// A principal's name in which `*` stands for anything, such as `bot-*` or `*`. Matching takes no longer than
/// the pattern and the name are, multiplied.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(String);

impl Pattern {
    /// One that fits everything.
    pub fn all() -> Self {
        Self("*".to_owned())
    }

    /// Whether it fits everything.
    pub fn is_all(&self) -> bool {
        self.0 == "*"
    }

    /// Whether it fits a name.
    pub fn fits(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut in_pattern) = (0, 0);
        // Where the last star is, and from where on it was tried.
        let mut star: Option<(usize, usize)> = None;
        while let Some(byte) = name.get(at) {
            match pattern.get(in_pattern) {
                Some(b'*') => {
                    star = Some((in_pattern, at));
                    in_pattern += 1;
                }
                Some(wanted) if wanted == byte => {
                    at += 1;
                    in_pattern += 1;
                }
                _ => match &mut star {
                    Some((star, tried)) => {
                        *tried += 1;
                        at = *tried;
                        in_pattern = *star + 1;
                    }
                    None => return false,
                },
            }
        }
        pattern[in_pattern..].iter().all(|byte| *byte == b'*')
    }
}

impl Default for Pattern {
    fn default() -> Self {
        Self::all()
    }
}

impl<T: Into<String>> From<T> for Pattern {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, fits, does_not) in [
            ("*", "", "-"),
            ("ada", "ada", "adab"),
            ("mail.*", "mail.send", "mails.end"),
            ("*.delete*", "crm.delete_all", "delete"),
            ("a*b*c", "axxbyyc", "axxbyy"),
            ("**", "x", "-"),
        ] {
            assert!(Pattern::from(pattern).fits(fits), "{pattern} {fits}");
            assert!(
                does_not == "-" || !Pattern::from(pattern).fits(does_not),
                "{pattern}"
            );
        }
        assert!(!Pattern::from("").fits("x"));
        assert!(Pattern::from("").fits(""));
    }
}
