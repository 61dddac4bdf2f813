//! Streams of models' answers are the same however they arrive.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_chat::endpoint::fuzzing::stream(data);
});
