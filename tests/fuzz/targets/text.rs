//! Variables and references to secrets in texts are replaced once.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_config::fuzzing::text(data);
});
