//! Tools whose every text is made of what ends, escapes and hides things: their declarations differ
//! from harmless ones in names and comments alone.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    match ampoule_fuzz::words(data) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});
