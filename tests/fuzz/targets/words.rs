//! Tools whose every text is made of what ends, escapes and hides things: their declarations differ from harmless ones in names and comments alone.

#![no_main]

use ampoule::projection;
use arbitrary::Unstructured;
use libfuzzer_sys::{Corpus, fuzz_target};

#[path = "../../../host/src/projection/tests/support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "the library's own tests use more of it"
)]
mod support;

fuzz_target!(|data: &[u8]| -> Corpus {
    let mut u = Unstructured::new(data);
    let Ok(tools) = support::saying(|| support::hostile(&mut u)) else {
        return Corpus::Reject;
    };
    support::assert_only_said(&tools, &support::saying_nothing());
    Corpus::Keep
});
