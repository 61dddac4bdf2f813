//! Text that would be more than text, in every place of a tool: what is declared stays the same but
//! for names and comments.

use std::ops::Range;

use ampoule_projection_tests::{assert_words_stay_words, bytes};
use arbitrary::Unstructured;

/// How many pairs of tools the quick tests try. The same each time.
const CASES: u64 = 100;

fn stay_text(cases: Range<u64>) {
    for case in cases {
        let bytes = bytes(case, 2_000);
        assert_words_stay_words(&mut Unstructured::new(&bytes)).unwrap();
    }
}

#[test]
fn no_text_becomes_more_than_text() {
    stay_text(0..CASES);
}

/// Among the tests that take long.
mod often {
    #[test]
    fn no_text_becomes_more_than_text() {
        super::stay_text(super::CASES..300);
    }
}
