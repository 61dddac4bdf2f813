//! How much stack there is. In WebAssembly it is a part of linear memory, of a size that is set
//! when the guest is linked.

/// What is left to the engine itself, to throw and to render an error, when the script has used up
/// its part.
const RESERVE: usize = 192 * 1024;

/// The most that a script's recursion may use, in bytes.
#[cfg(target_family = "wasm")]
fn available() -> usize {
    // The stack ends where memory begins.
    let here = 0_u8;
    std::hint::black_box(&raw const here) as usize
}

/// The most that a script's recursion may use, in bytes.
#[cfg(not(target_family = "wasm"))]
fn available() -> usize {
    1 << 20
}

/// The limit for a script that asks for so many bytes.
pub(crate) fn limit(wanted: u32) -> usize {
    (wanted as usize)
        .min(available().saturating_sub(RESERVE))
        .max(RESERVE / 4)
}
