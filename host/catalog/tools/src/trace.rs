//! Where a run and its calls belong in a distributed trace: W3C Trace Context, as it is passed on.

use std::sync::Arc;

/// How long a `tracestate` may be, in bytes: what everybody must pass on, and no more.
const MAX_STATE_BYTES: usize = 512;
/// How many members it may have.
const MAX_MEMBERS: usize = 32;
/// How long a `traceparent` of a version that does not exist yet may be, in bytes.
const MAX_PARENT_BYTES: usize = 256;

/// The length of a `traceparent` of version 00, in bytes.
const PARENT_BYTES: usize = 55;
/// The flags that have a meaning: sampled, and an id that was drawn at random.
const KNOWN_FLAGS: u8 = 0b11;

/// Where something belongs in a distributed trace: W3C's `traceparent` and `tracestate`, both as
/// the standard has them, from any sender. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    parent: Arc<str>,
    state: Option<Arc<str>>,
}

impl Trace {
    /// The name of what says which trace and which of its spans: a header's, and in `_meta`.
    pub const PARENT: &'static str = "traceparent";
    /// The name of what systems add to that: a header's, and in `_meta`.
    pub const STATE: &'static str = "tracestate";

    /// A `traceparent`, with the `tracestate` that came with it. None where the first is not what
    /// the standard says. A `tracestate` that is not is left out, as the standard says.
    pub fn new(parent: &str, state: Option<&str>) -> Option<Self> {
        let state = state.map(str::trim).filter(|state| is_state(state));
        Some(Self {
            parent: parent_of(parent)?.into(),
            state: state.map(Arc::from),
        })
    }

    /// The `traceparent`, in version 00.
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// The `tracestate`.
    pub fn state(&self) -> Option<&str> {
        self.state.as_deref()
    }
}

/// A `traceparent` in version 00; of later versions, what that has of it.
fn parent_of(text: &str) -> Option<String> {
    if !text.is_ascii() || !(PARENT_BYTES..=MAX_PARENT_BYTES).contains(&text.len()) {
        return None;
    }
    let (known, later) = text.split_at(PARENT_BYTES);
    let mut parts = known.split('-');
    let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let (flags, None) = (parts.next()?, parts.next()) else {
        return None;
    };
    let is_whole = match version {
        "00" => later.is_empty(),
        _ => later.is_empty() || later.starts_with('-'),
    };
    let is_sound = is_hex(version, 2) && version != "ff" && is_whole;
    if !is_sound || !is_id(trace, 32) || !is_id(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let flags = u8::from_str_radix(flags, 16).ok()? & KNOWN_FLAGS;
    Some(format!("00-{trace}-{span}-{flags:02x}"))
}

fn is_hex(text: &str, digits: usize) -> bool {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == digits && text.bytes().all(digit)
}

fn is_id(text: &str, digits: usize) -> bool {
    is_hex(text, digits) && text.bytes().any(|byte| byte != b'0')
}

fn is_state(text: &str) -> bool {
    if text.is_empty() || text.len() > MAX_STATE_BYTES {
        return false;
    }
    let members = text
        .split(',')
        .map(|member| member.trim_matches([' ', '\t']));
    let mut keys = Vec::new();
    for member in members.filter(|member| !member.is_empty()) {
        let Some((key, value)) = member.split_once('=') else {
            return false;
        };
        if !is_key(key) || !is_value(value) || keys.contains(&key) || keys.len() == MAX_MEMBERS {
            return false;
        }
        keys.push(key);
    }
    !keys.is_empty()
}

/// `vendor`, or `tenant@vendor`.
fn is_key(key: &str) -> bool {
    let of = |name: &str, most: usize, may_begin_with_digit: bool| {
        let within =
            |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/');
        let begins =
            |byte: u8| byte.is_ascii_lowercase() || (may_begin_with_digit && byte.is_ascii_digit());
        name.len() <= most && name.bytes().all(within) && name.bytes().next().is_some_and(begins)
    };
    match key.split_once('@') {
        Some((tenant, vendor)) => of(tenant, 241, true) && of(vendor, 14, false),
        None => of(key, 256, true),
    }
}

fn is_value(value: &str) -> bool {
    let printable = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
    (1..=256).contains(&value.len()) && value.bytes().all(printable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn what_is_as_the_standard_has_it_is_passed_on() {
        let trace = Trace::new(PARENT, Some(" rojo=00f067aa0ba902b7, t61@congo=x y ,,")).unwrap();
        assert_eq!(trace.parent(), PARENT);
        let state = "rojo=00f067aa0ba902b7, t61@congo=x y ,,";
        assert_eq!(trace.state(), Some(state));
        assert_eq!(Trace::new(PARENT, None).unwrap().state(), None);
    }

    #[test]
    fn of_a_later_version_what_the_first_has_is_passed_on() {
        let of = |text: &str| Trace::new(text, None).map(|trace| trace.parent().to_owned());
        let later = PARENT
            .replacen("00", "cc", 1)
            .replace("-01", "-ff-what-comes");
        assert_eq!(of(&later).as_deref(), Some(&*PARENT.replace("-01", "-03")));
        assert_eq!(of(&later.replace("-ff-", "-ff.")), None);
    }

    #[test]
    fn what_does_not_follow_the_standard_is_not_a_trace() {
        let zeros = |digits: usize| "0".repeat(digits);
        let cases = [
            String::new(),
            PARENT.to_uppercase(),
            PARENT.replacen("00", "ff", 1),
            format!("{PARENT}-"),
            format!("{PARENT} "),
            PARENT.replace('-', "_"),
            PARENT.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zeros(32)),
            PARENT.replace("00f067aa0ba902b7", &zeros(16)),
            PARENT.replace("4736-", "473-6"),
            PARENT.replace("4b", "é"),
            format!("cc{}-{}", &PARENT[2..], "x".repeat(1000)),
        ];
        for case in cases {
            assert_eq!(Trace::new(&case, None), None, "{case}");
        }
    }

    #[test]
    fn a_state_that_is_not_as_the_standard_has_it_is_left_out() {
        let many: Vec<String> = (0..33).map(|n| format!("k{n}=v")).collect();
        let cases = [
            String::new(),
            ",".to_owned(),
            "key".to_owned(),
            "Key=v".to_owned(),
            "k=a=b".to_owned(),
            "k=".to_owned(),
            "k=v\r\nhost: x".to_owned(),
            "k=é".to_owned(),
            "k=1,k=2".to_owned(),
            "a@1b=v".to_owned(),
            format!("k={}", "v".repeat(257)),
            many.join(","),
        ];
        for case in cases {
            let trace = Trace::new(PARENT, Some(&case)).unwrap();
            assert_eq!(trace.state(), None, "{case}");
        }
        assert!(is_state(&many[1..].join(",")));
    }
}
