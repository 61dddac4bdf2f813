//! Messages of other systems are taken only as their senders signed them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_schedules::fuzzing::signature(data);
});
