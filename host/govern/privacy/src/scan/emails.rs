//! What has an `@`: e-mail addresses, with the name before them in `Name <address>`; and passwords in URLs.

use super::Scan;
use crate::kind::Kind;
use crate::values::looks_like_name;

/// How long what is before the `@` may be (RFC 5321).
const LONGEST_LOCAL: usize = 64;
/// How long a domain may be.
const LONGEST_DOMAIN: usize = 253;
/// How far before the `@` of a URL its scheme may be.
const LONGEST_USER: usize = 200;
/// How far before an address a name is looked for.
const LONGEST_NAME: usize = 60;
/// What names of files end with, of what stands where a domain's last part would.
const FILES: &[&str] = &[
    "avif", "bmp", "conf", "css", "csv", "gif", "gz", "html", "ico", "internal", "jpeg", "jpg",
    "js", "json", "jsx", "lock", "log", "map", "mount", "mp4", "path", "pdf", "png", "scss",
    "service", "slice", "socket", "svg", "target", "timer", "tiff", "toml", "ts", "tsx", "txt",
    "vue", "webm", "webp", "xml", "yaml", "yml",
];

impl Scan<'_> {
    /// Looks at every `@`.
    pub(super) fn emails(&mut self) {
        let text = self.text;
        for at in memchr::memchr_iter(b'@', text.as_bytes()) {
            if let Some(scheme) = self.scheme(at) {
                self.password(scheme, at);
                continue;
            }
            let Some(start) = self.local(at) else {
                continue;
            };
            let Some(end) = self.domain(at) else {
                continue;
            };
            if !self.is_path(end) {
                self.mailbox(start);
                self.keep(Kind::Email, start, end);
            }
        }
    }

    /// Where what is before the `@` begins.
    fn local(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let in_it = |byte: &&u8| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'\'' | b'-' | 0x80..)
        };
        let length = bytes[..at]
            .iter()
            .rev()
            .take(LONGEST_LOCAL + 1)
            .take_while(in_it)
            .count();
        if length == 0 || length > LONGEST_LOCAL {
            return None;
        }
        let mut start = at - length;
        // Escapes of text that is JSON, but was cut off: `\njane@…`.
        if self.before(start) == b'\\' && matches!(bytes[start], b'n' | b't' | b'r') {
            start += 1;
        }
        // Dashes and quotes of other languages.
        while start < at && (!self.text.is_char_boundary(start) || is_mark(&self.text[start..at])) {
            start += 1;
        }
        let local = &self.text[start..at];
        let valid = !local.is_empty() && !local.ends_with('.') && !local.contains("..");
        valid.then_some(start)
    }

    /// Where the domain after an `@` ends.
    fn domain(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes()[at + 1..];
        let in_it =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | 0x80..);
        let length = rest
            .iter()
            .take(LONGEST_DOMAIN + 1)
            .take_while(in_it)
            .count();
        let mut end = at + 1 + length;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let domain = &self.text[at + 1..end];
        let letters = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let stop = domain.find(|c| !letters(c)).unwrap_or(domain.len());
        let domain = domain[..stop].trim_end_matches(['.', '-']);
        // `a@b.com..`, `a@b.com.Next`: the rest is not a part of it.
        let (rest, last) = domain.rsplit_once('.')?;
        let top =
            last.len() >= 2 && last.chars().all(char::is_alphabetic) || last.starts_with("xn--");
        let labels = !rest.is_empty()
            && rest
                .split('.')
                .all(|label| !label.is_empty() && label.len() <= 63 && !label.starts_with('-'));
        let file = FILES.iter().any(|file| last.eq_ignore_ascii_case(file));
        let next = self.byte(at + 1 + domain.len());
        let valid = top
            && labels
            && !file
            && domain.len() <= LONGEST_DOMAIN
            && next != b'@'
            && next != b'_';
        valid.then_some(at + 1 + domain.len())
    }

    /// `git@host.com:group/project` is where a repository is.
    fn is_path(&self, end: usize) -> bool {
        let bytes = &self.bytes()[end..];
        if bytes.first() != Some(&b':') || !bytes.get(1).is_some_and(u8::is_ascii_alphanumeric) {
            return false;
        }
        let path = bytes
            .iter()
            .take(LONGEST_USER)
            .take_while(|byte| byte.is_ascii_graphic());
        path.into_iter().any(|byte| *byte == b'/')
    }

    /// Where a URL's user begins, if the `@` is that of one.
    fn scheme(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes();
        let in_it = |byte: &&u8| {
            byte.is_ascii_graphic()
                && !matches!(byte, b'/' | b'"' | b'\'' | b'@' | b'<' | b'>' | b'?' | b',')
        };
        let length = bytes[..at]
            .iter()
            .rev()
            .take(LONGEST_USER)
            .take_while(in_it)
            .count();
        let start = at - length;
        bytes[..start].ends_with(b"://").then_some(start)
    }

    /// The password in `scheme://user:password@host`.
    fn password(&mut self, user: usize, at: usize) {
        let Some(colon) = self.text[user..at].find(':') else {
            return;
        };
        let start = user + colon + 1;
        let password = &self.text[start..at];
        let stands_for_one = password.starts_with(['$', '{', '<', '*']) || password.len() < 3;
        if !stands_for_one {
            self.keep(Kind::Secret("password"), start, at);
        }
    }

    /// The name in `Jane Doe <jane@example.org>`.
    fn mailbox(&mut self, start: usize) {
        let Some(before) = self.text[..start].strip_suffix(" <").map(str::len) else {
            return;
        };
        let mut from = before.saturating_sub(LONGEST_NAME);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let head = &self.text[from..before];
        let delimiter = head.rfind([':', ',', ';', '\n', '"', '(', '|', '\t', '>', '=']);
        let begins = delimiter.map_or(from, |at| from + at + 1);
        let name = self.text[begins..before].trim_start();
        if looks_like_name(name, 1) {
            self.keep(Kind::Name, before - name.len(), before);
        }
    }
}

/// Whether a text begins with what no address begins with.
fn is_mark(text: &str) -> bool {
    let first = text.chars().next();
    first.is_some_and(|c| !c.is_alphanumeric() && !matches!(c, '_' | '+'))
}
