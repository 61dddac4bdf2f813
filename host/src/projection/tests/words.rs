//! Text that would be more than text, in every place of a tool: what is declared stays the same but for names and comments.

use arbitrary::Unstructured;

use super::bytes;
use super::support::{assert_only_said, hostile, saying, saying_nothing};

/// How many pairs of tools a test run tries. The same each time.
const CASES: u64 = 300;

#[test]
fn no_text_becomes_more_than_text() {
    let harmless = saying_nothing();
    for case in 0..CASES {
        let bytes = bytes(case, 2_000);
        let mut u = Unstructured::new(&bytes);
        let tools = saying(|| hostile(&mut u)).unwrap();
        assert_only_said(&tools, &harmless);
    }
}
