//! The interpreting guests, built for WebAssembly and embedded.
