//! Twice the text takes about twice the time, whatever it is: what the example `measure` shows in
//! milliseconds, tried on what would be worst.

use std::time::{Duration, Instant};

use crate::{Detector, Settings};

/// How many bytes the shorter text has.
const BYTES: usize = 32 << 10;
/// How much longer the longer one is.
const TIMES: usize = 8;
/// How much longer that may take: as much again, for the noise of other processes.
const MOST: u32 = 3 * TIMES as u32;

#[test]
fn no_text_takes_more_than_linear_time() {
    let detector = Detector::new(&Settings::default()).expect("settings");
    let pieces = [
        "1 ",
        "1",
        "1.2.",
        "@",
        "a@",
        "a@b.",
        "f:",
        "fe80::",
        "+1 ",
        "GB29 ",
        "sk-",
        "eyJaaaaaaaaaaa.",
        "-----BEGIN PRIVATE KEY-----",
        "tel ",
        "name: ",
        "nom: Ab Cd, ",
        "\"",
        "\\",
        "[",
        "{\"a\":\n",
        "[1,\n",
        "[\"\n",
        "<email:1>",
        "é",
        "\"name\":\"A B\",",
        "{\"name\":\"A B\"}\n",
        "://a:b@",
    ];
    for piece in pieces {
        let text = piece.repeat(BYTES * TIMES / piece.len());
        let mut short = BYTES;
        while !text.is_char_boundary(short) {
            short -= 1;
        }
        let time = |text: &str| {
            let run = |_| {
                let begun = Instant::now();
                detector.find(text);
                begun.elapsed()
            };
            (0..5).map(run).min().unwrap_or_default()
        };
        let (one, many) = (time(&text[..short]), time(&text));
        let allowed = (one + Duration::from_micros(100)) * MOST;
        assert!(
            many < allowed,
            "`{piece}`: {one:?}, and {many:?} for {TIMES} times as much"
        );
    }
}
