//! Selections and documents of GraphQL send nothing beside what they are for.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_graphql::fuzzing::select(data);
});
