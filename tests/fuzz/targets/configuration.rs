//! Configurations are read, or their mistakes are said without values.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_config::fuzzing::configuration(data);
});
