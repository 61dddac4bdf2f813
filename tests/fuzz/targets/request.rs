//! HTTP requests that are allowed go where they may, however their server reads them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_outbound::fuzzing::request(data);
});
