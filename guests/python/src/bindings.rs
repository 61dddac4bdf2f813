//! The world `ampoule:guest/interpreter`, as `wit-bindgen` writes it.
#![expect(missing_docs, reason = "generated; the WIT has the documentation")]

wit_bindgen::generate!({
    path: "../../wit",
    world: "interpreter",
    generate_all,
});
