//! Text that would be more than text, in every place of a tool: what is declared stays the same but
//! for names and comments.

use ampoule_projection_tests::{assert_words_stay_words, bytes};
use arbitrary::Unstructured;

/// How many pairs of tools a test run tries. The same each time.
const CASES: u64 = 300;

#[test]
fn no_text_becomes_more_than_text() {
    for case in 0..CASES {
        let bytes = bytes(case, 2_000);
        assert_words_stay_words(&mut Unstructured::new(&bytes)).unwrap();
    }
}
