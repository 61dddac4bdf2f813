//! What must hold of cron expressions and of messages' headers that nobody thought of. Tests try some
//! of them in each run, `tests/fuzz` tries more.

use std::str::FromStr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use croner::Cron;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ring::hmac;

use crate::Timing;
use crate::hook::signature::{Encoding, SignatureForm, SignedContent, TimestampForm};

/// Zones whose clocks change by an hour, by half of one, and not at all.
const ZONES: [&str; 4] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
];
/// Times around which clocks change, and a leap day.
const TIMES: [&str; 4] = [
    "2026-03-29T00:59:58Z",
    "2026-10-25T00:59:59Z",
    "2027-12-31T23:59:59Z",
    "2028-02-29T12:00:00Z",
];
/// How many times of an expression are looked at.
const LOOKS: usize = 4;

/// A cron expression gives times in their order, the same forwards as backwards.
/// Returns a short description of the outcome.
///
/// # Panics
///
/// Where it does not.
pub fn cron(data: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(data) else {
        return "not text".to_owned();
    };
    let cron = match Cron::from_str(text) {
        Ok(cron) => cron,
        Err(error) => {
            let words = error.to_string();
            return words
                .chars()
                .filter(|c| !c.is_ascii_digit())
                .take(24)
                .collect();
        }
    };
    let mut became = String::new();
    for (name, time) in ZONES.into_iter().zip(TIMES) {
        let zone = TimeZone::get(name).expect("a zone");
        let timing = Timing::new(cron.clone(), zone);
        assert!(!timing.to_string().contains(char::is_control), "{timing}");
        let after: Timestamp = time.parse().expect("a time");
        let mut forwards = Vec::new();
        let mut last = after;
        while let Some(next) = timing.next_after(last).filter(|_| forwards.len() < LOOKS) {
            assert!(next > last, "{timing}: {next} is after {last}");
            forwards.push(next);
            last = next;
        }
        let mut backwards = timing.latest(after, last, LOOKS + 1);
        backwards.reverse();
        assert_eq!(forwards, backwards, "{timing}: after {after}");
        became += &forwards.len().to_string();
    }
    let fields = text.split_whitespace().count();
    let signs: String = text.chars().filter(char::is_ascii_punctuation).collect();
    format!("{fields} fields, {signs:.4}, {became}")
}

/// How GitHub, Slack, Stripe and Standard Webhooks sign.
fn forms() -> [SignatureForm; 4] {
    let timestamp = |header: &str, prefix: &str| {
        Some(TimestampForm {
            header: header.to_owned(),
            prefix: prefix.to_owned(),
            tolerance: Duration::from_secs(300),
        })
    };
    let form = |header: &str, prefix: &str, content: &str| SignatureForm {
        header: header.to_owned(),
        prefix: prefix.to_owned(),
        encoding: Encoding::Hex,
        content: SignedContent::read(content),
        timestamp: None,
        id_header: None,
    };
    [
        form("x-hub-signature-256", "sha256=", "{body}"),
        SignatureForm {
            timestamp: timestamp("x-slack-request-timestamp", ""),
            ..form("x-slack-signature", "v0=", "v0:{timestamp}:{body}")
        },
        SignatureForm {
            timestamp: timestamp("stripe-signature", "t="),
            ..form("stripe-signature", "v1=", "{timestamp}.{body}")
        },
        SignatureForm {
            encoding: Encoding::Base64,
            timestamp: timestamp("webhook-timestamp", ""),
            id_header: Some("webhook-id".to_owned()),
            ..form("webhook-signature", "v1,", "{id}.{timestamp}.{body}")
        },
    ]
}

const SECRET: &str = "a secret of more than sixteen bytes";
const NOW: i64 = 1_700_000_000;
const BODY: &[u8] = br#"{"a": 1}"#;
const ID: &str = "msg_1";

/// The headers of a message that the sender signed in this form.
fn signed(form: &SignatureForm, number: usize) -> Vec<(String, String)> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let body = String::from_utf8_lossy(BODY);
    let content = match number {
        0 => body.into_owned(),
        1 => format!("v0:{NOW}:{body}"),
        2 => format!("{NOW}.{body}"),
        _ => format!("{ID}.{NOW}.{body}"),
    };
    let tag = hmac::sign(&key, content.as_bytes());
    let tag = match form.encoding {
        Encoding::Hex => hex::encode(tag),
        Encoding::Base64 => STANDARD.encode(tag),
    };
    let header = |name: &str, value: String| (name.to_owned(), value);
    match number {
        0 | 1 => vec![
            header(&form.header, format!("{}{tag}", form.prefix)),
            header("x-slack-request-timestamp", NOW.to_string()),
        ],
        2 => vec![header(&form.header, format!("t={NOW},v1={tag}"))],
        _ => vec![
            header(&form.header, format!("v1,{tag}")),
            header("webhook-timestamp", NOW.to_string()),
            header("webhook-id", ID.to_owned()),
        ],
    }
}

/// A message is taken only if its body, its time and its id are those that were signed. The bytes are
/// lines: the form's number, `@` and a header's number for what replaces a header, the rest is the
/// body, where `=` stands for the body that was signed.
/// Returns a short description of the outcome.
///
/// # Panics
///
/// Where another message is taken.
pub fn signature(data: &[u8]) -> String {
    let mut lines = data.split(|byte| *byte == b'\n');
    let number = lines.next().and_then(|line| line.first()).copied();
    let number = usize::from(number.unwrap_or_default()) % 4;
    let form = &forms()[number];
    let headers = signed(form, number);
    let (mut map, mut body) = (HeaderMap::new(), Vec::new());
    for (name, value) in &headers {
        let name: HeaderName = name.parse().expect("a header");
        map.insert(name, value.parse().expect("a value"));
    }
    for line in lines {
        match line {
            [b'@', place, rest @ ..] => {
                let (name, value) = &headers[usize::from(*place) % headers.len()];
                // `~` stands for what was signed.
                let text: Vec<u8> = match rest.iter().position(|byte| *byte == b'~') {
                    Some(at) => [&rest[..at], value.as_bytes(), &rest[at + 1..]].concat(),
                    None => rest.to_vec(),
                };
                let name: HeaderName = name.parse().expect("a header");
                if let Ok(value) = HeaderValue::from_bytes(&text) {
                    map.insert(name, value);
                }
            }
            [b'=', rest @ ..] => {
                body.extend_from_slice(BODY);
                body.extend_from_slice(rest);
            }
            line => body.extend_from_slice(line),
        }
    }
    let now = Timestamp::from_second(NOW + 7).expect("a time");
    match form.check(SECRET, &map, &body, now) {
        Ok(message) => {
            assert_eq!(body, BODY, "another body is taken");
            let text = |name: &str| map.get(name).and_then(|value| value.to_str().ok());
            if let Some(timestamp) = &form.timestamp {
                let header = text(&timestamp.header).unwrap_or_default();
                assert!(header.contains(&NOW.to_string()), "another time: {header}");
                let signed = message.signed.expect("it has a time");
                assert_eq!(signed.as_second(), NOW);
            }
            if let Some(id) = &form.id_header {
                assert_eq!(text(id), Some(ID), "another id is taken");
            }
            assert_eq!(message.digest.len(), 32);
            format!("form {number} takes it")
        }
        Err(error) => format!("form {number}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use ampoule_mutated::Inputs;

    #[test]
    fn cron_expressions_are_the_same_both_ways() {
        let inputs = Inputs {
            right: &[
                b"* * * * *",
                b"0 3 * * 1-5",
                b"*/7 2,3 L * MON#2",
                b"30 0 0 29 2 *",
                b"@weekly",
                b"15 2 15W 3,10 SUN",
                b"0 0 2-3 * 1L",
            ],
            words: &[
                "*", "*/5", "L", "W", "#", "?", "JAN", "SUN", "1-5", "0", "59", "29 2", "@daily",
                " ", ",", "/2", "+", "2028", "7",
            ],
            cases: 200,
        };
        inputs.tried(super::cron);
    }

    #[test]
    fn other_messages_than_the_signed_ones_are_not_taken() {
        let inputs = Inputs {
            right: &[
                b"0\n=",
                b"1\n=",
                b"2\n=",
                b"3\n=",
                b"3\n@0v1,AAAA ~\n@2~\n=",
                b"2\n@0t=1,~\n=",
            ],
            words: &[
                "\n@0~",
                "\n@1~",
                "\n@2~",
                "\n=",
                "v1=",
                "t=",
                "v1,",
                "sha256=",
                "1700000000",
                ".",
                ":",
                " ",
                ",",
                "msg_1",
                "{\"a\": 1}",
            ],
            cases: 4_000,
        };
        inputs.tried(super::signature);
    }
}
