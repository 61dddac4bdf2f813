//! Which tools are meant.

use std::fmt;
use std::str::FromStr;

/// The tools of some servers: `server.tool`, where `*` stands for any characters, or `server` for
/// all of its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

/// What is no pattern.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` names no tools: write `server.tool`, where `*` stands for any characters")]
pub struct NoPattern(String);

impl FromStr for Pattern {
    type Err = NoPattern;

    fn from_str(text: &str) -> Result<Self, NoPattern> {
        /// Longer names than servers' and tools' together.
        const MOST: usize = 1024;
        if text.is_empty() || text.len() > MOST || text.chars().any(char::is_whitespace) {
            return Err(NoPattern(text.chars().take(MOST).collect()));
        }
        let text = match text.contains('.') || text == "*" {
            true => text.to_owned(),
            false => format!("{text}.*"),
        };
        Ok(Self { text })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Whether a tool is one of them.
    pub fn matches(&self, server: &str, tool: &str) -> bool {
        // No copy for what is asked of every call.
        if self.text == "*" {
            return true;
        }
        fits(&self.text, &format!("{server}.{tool}"))
    }
}

/// Each part between stars is looked for where the one before ends: what fits the first place fits
/// any later one.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_tools() {
        for (pattern, server, tool, fits) in [
            ("*", "mail", "send", true),
            ("mail", "mail", "send", true),
            ("mail", "mailbox", "send", false),
            ("mail.send", "mail", "send", true),
            ("mail.send", "mail", "send_all", false),
            ("mail.send*", "mail", "send_all", true),
            ("*.delete_*", "files", "delete_all", true),
            ("*.delete_*", "files", "undelete", false),
            ("a.*b*c", "a", "xbxbyc", true),
            ("a.*b*c", "a", "xbxbyd", false),
            ("a.b*b", "a", "b", false),
        ] {
            let parsed: Pattern = pattern.parse().unwrap();
            assert_eq!(
                parsed.matches(server, tool),
                fits,
                "{pattern} {server}.{tool}"
            );
        }
        assert!("".parse::<Pattern>().is_err());
        assert!("a b".parse::<Pattern>().is_err());
    }
}
