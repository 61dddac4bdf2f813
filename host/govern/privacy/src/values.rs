//! Whether what is in a field can be a name or an address.

/// Longer values are not names.
const LONGEST_NAME: usize = 100;
/// Longer values are not addresses.
const LONGEST_ADDRESS: usize = 300;

/// Words within names that are written small.
const PARTICLES: &[&str] = &[
    "af", "al", "bin", "da", "das", "de", "dei", "del", "della", "den", "der", "di", "do", "dos",
    "du", "e", "el", "ibn", "la", "le", "los", "ten", "ter", "van", "vom", "von", "y", "zu", "zum",
    "zur",
];
/// What stands where nothing is known.
const NOTHING: &[&str] = &[
    "n/a",
    "na",
    "nil",
    "none",
    "null",
    "unknown",
    "undefined",
    "test",
    "true",
    "false",
    "unbekannt",
    "inconnu",
    "desconocido",
    "string",
    "required",
    "optional",
    "anonymous",
    "redacted",
    "tbd",
];

/// A value of a field that is for names.
pub(crate) fn may_be_name(value: &str) -> bool {
    value.len() <= LONGEST_NAME
        && value.chars().any(char::is_alphabetic)
        && !value.contains(['@', '<', '{', '=', '\n', '$'])
        && !value.contains("://")
        && !is_nothing(value)
}

/// A value that looks like a name of a person, of so many words at least.
pub(crate) fn looks_like_name(value: &str, least: usize) -> bool {
    if !may_be_name(value) {
        return false;
    }
    let mut words = 0;
    for word in value.split_whitespace() {
        if PARTICLES.contains(&word) {
            continue;
        }
        let mut letters = word.chars();
        let begins = letters
            .next()
            .is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
        let goes_on =
            letters.all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.' | ','));
        // A file's name has a point within a word.
        let point = word.trim_end_matches(['.', ',']).contains('.');
        if !begins || !goes_on || point {
            return false;
        }
        words += 1;
    }
    (least..=6).contains(&words)
}

/// A value of a field for addresses that looks like one: words, or a word with the number of a house.
pub(crate) fn looks_like_address(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let is_words = value.split_whitespace().nth(1).is_some();
    (4..=LONGEST_ADDRESS).contains(&value.len())
        && letters >= 2
        && is_words
        && !value.contains(['@', '<', '{', '=', '\\'])
        && !value.contains("://")
        && !value.starts_with("0x")
        && !is_nothing(value)
}

fn is_nothing(value: &str) -> bool {
    let value = value.trim();
    NOTHING
        .iter()
        .any(|nothing| value.eq_ignore_ascii_case(nothing))
}

/// A value of a field for secrets that may be one, and not what stands for it.
pub(crate) fn may_be_secret(value: &str) -> bool {
    let first = value.bytes().next();
    (8..=4096).contains(&value.len())
        && !value.contains([' ', '\n'])
        && !value.starts_with(['<', '$', '{'])
        && !value.bytes().all(|byte| Some(byte) == first)
        && value.bytes().any(|byte| !byte.is_ascii_lowercase())
        && !is_nothing(value)
}
