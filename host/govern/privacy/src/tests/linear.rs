//! Twice the text takes about twice the time, whatever it is: what the example `measure` shows in
//! milliseconds, tried on what would be worst.

use ampoule_linear::assert_linear;

use crate::{Detector, Settings};

/// How many bytes the shorter text has.
const BYTES: usize = 32 << 10;

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
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        assert_linear(piece, BYTES, text, |text: &String| {
            drop(detector.find(text))
        });
    }
}
