//! The world `ampoule:guest/interpreter`, as `wit-bindgen` writes it.

wit_bindgen::generate!({
    path: "../../wit",
    world: "interpreter",
    generate_all,
});
