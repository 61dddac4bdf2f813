//! What the console shows of a configuration has no secret in it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_config::fuzzing::shown(data);
});
