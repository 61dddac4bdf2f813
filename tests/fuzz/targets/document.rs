//! OpenAPI documents are read or refused, and no argument leads a call elsewhere.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_openapi::fuzzing::document(data);
});
