//! Cron expressions give times in their order, the same forwards as backwards.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_schedules::fuzzing::cron(data);
});
