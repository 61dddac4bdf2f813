//! Packages that are taken are the same when they are read again.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_persistence::packages::fuzzing::package(data);
});
