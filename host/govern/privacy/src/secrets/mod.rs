//! Keys and tokens of services, by how they begin.
//!
//! - `services`: which there are, and where their form is told

mod services;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use services::SERVICES;

/// How much after its beginning is looked at, in bytes. Keys in PEM are longer than others.
const LONGEST: usize = 400;
const LONGEST_JWT: usize = 1500;
const LONGEST_BLOCK: usize = 8 << 10;

struct Form {
    service: &'static str,
    beginning: &'static str,
    form: Regex,
    least: usize,
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms = SERVICES.iter().flat_map(|service| {
        service.beginnings.iter().filter_map(|beginning| {
            // Patterns of ours: a test makes each.
            let form = Regex::new(&format!("^(?:{})", service.form)).ok()?;
            Some(Form {
                service: service.name,
                beginning,
                form,
                least: service.least,
            })
        })
    });
    forms.collect()
});

/// How keys begin, in the order that [`at`] counts them by.
pub(crate) fn beginnings() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|form| form.beginning)
}

/// The key that begins there as that beginning says: whose it is, and what of it is secret.
pub(crate) fn at(
    text: &str,
    start: usize,
    beginning: usize,
) -> Option<(&'static str, Range<usize>)> {
    let form = FORMS.get(beginning)?;
    let bytes = text.as_bytes();
    // The search knows no case.
    if !bytes[start..].starts_with(form.beginning.as_bytes()) {
        return None;
    }
    // The number of a bot stands before what is the same in all of its keys.
    let before = if form.beginning.starts_with(':') {
        digits_before(bytes, start)
    } else {
        0
    };
    let start_of_all = start - before;
    let joined = start_of_all > 0
        && is_key(bytes[start_of_all - 1])
        && !begins_after_escape(bytes, start_of_all);
    if joined {
        return None;
    }
    let lacks_number = form.beginning.starts_with(':') && before < 8;
    // Keys have no spaces, but for their names and for keys of several lines.
    let spaced = form.beginning.starts_with("-----") || form.beginning.starts_with("aws_");
    let dense = || bytes.get(start..start + form.least);
    let whole = dense().is_some_and(|key| {
        key.iter()
            .all(|byte| byte.is_ascii_graphic() || (*byte == b' ' && spaced))
    });
    // `-----BEGIN ` begins certificates, too.
    let other = form.service == "private key" && !begins_key(&bytes[start..]);
    if lacks_number || !whole || other {
        return None;
    }
    let longest = match form.service {
        "private key" => LONGEST_BLOCK,
        "jwt" => LONGEST_JWT,
        _ => LONGEST,
    };
    let mut end = text.len().min(start + longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let found = form.form.captures(&text[start..end])?;
    let secret = found.get(1).or_else(|| found.get(0))?;
    let from = if before > 0 {
        start_of_all
    } else {
        start + secret.start()
    };
    let range = from..start + secret.end();
    let ends = bytes
        .get(range.end)
        .is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let varied = distinct(&bytes[range.clone()]) >= 5;
    (ends && varied).then_some((form.service, range))
}

/// Whether the first line of a block says that it is a private key.
fn begins_key(block: &[u8]) -> bool {
    const MOST: usize = "-----BEGIN ENCRYPTEDXX PRIVATE KEY".len();
    let line = &block[..block.len().min(MOST)];
    memchr::memmem::find(line, b"PRIVATE KEY").is_some()
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// How many digits there are before that place, of those that a bot's number can have.
fn digits_before(bytes: &[u8], at: usize) -> usize {
    let digits = bytes[..at].iter().rev().take(10);
    digits.take_while(|byte| byte.is_ascii_digit()).count()
}

/// `\nghp_…`, in JSON that was cut off.
fn begins_after_escape(bytes: &[u8], start: usize) -> bool {
    start >= 2 && bytes[start - 2] == b'\\' && matches!(bytes[start - 1], b'n' | b't' | b'r')
}

/// How many different bytes there are: what is written in examples has few.
fn distinct(bytes: &[u8]) -> u32 {
    let seen = bytes
        .iter()
        .fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    seen.count_ones()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_there_are_more_than_thirty_services() {
        let forms: usize = SERVICES
            .iter()
            .map(|service| service.beginnings.len())
            .sum();
        assert_eq!(FORMS.len(), forms);
        let names: std::collections::BTreeSet<_> =
            SERVICES.iter().map(|service| service.name).collect();
        assert!(names.len() > 32, "{}", names.len());
    }
}
