//! The world `ampoule:guest/interpreter`, as `wit-bindgen` writes it, but for the export `memory`,
//! which is written by hand.
#![expect(missing_docs, reason = "generated; the WIT has the documentation")]

wit_bindgen::generate!({
    path: "../../wit",
    world: "interpreter",
    generate_all,
    skip: ["size", "grow", "take", "expect-patch", "patch"],
});
