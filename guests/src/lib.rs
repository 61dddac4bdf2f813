//! The interpreting guests, built for WebAssembly and embedded.
//!
//! The artifacts are committed (`guests/dist`), so that building needs no WebAssembly toolchain; `cargo xtask guests` builds
//! them from their sources, and `cargo xtask guests --check` tells whether they are what their sources give.

/// The JavaScript and TypeScript guest: a component of the world `ampoule:guest/interpreter`, initialised already.
///
/// It imports the interfaces of that world and nothing else, and each instance runs one script.
pub const JAVASCRIPT: &[u8] = include_bytes!("../dist/javascript.wasm");

#[cfg(test)]
mod tests {
    #[test]
    fn javascript_is_a_component() {
        // The magic number, then the version and layer of the component model's binary format.
        assert!(super::JAVASCRIPT.starts_with(b"\0asm\x0d\x00\x01\x00"));
    }
}
