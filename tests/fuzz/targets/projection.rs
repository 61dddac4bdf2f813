//! Any tools, as text or made from bytes, are declared soundly in each language, and their
//! documents come back from values of WIT.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    match ampoule_fuzz::projection(data) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});
