//! GraphQL schemas are read or refused, and what is selected by default can be sent.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ampoule_graphql::fuzzing::schema(data);
});
