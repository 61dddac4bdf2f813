//! The modules `_bz2`, `_lzma` and `_zstd`, which CPython's `bz2`, `lzma` and `compression.zstd` are
//! written on. CPython's own are not in the libraries that the guest is linked with.
//!
//! They are in the snapshot, since `shutil` imports them: a run that uses none of them pays nothing.
//!
//! - `input`: the bytes of a script's object
//! - `output`: what a call gives, in blocks
//! - `decompressor`: what all decompressors do with data that comes in parts
//! - `bz2`: over the crate `bzip2`, whose library is written in Rust
//! - `lzma`: over liblzma, by the crate `liblzma-sys`
//! - `zstd`: over libzstd, by the crate `zstd-sys`

mod bz2;
mod decompressor;
mod input;
mod lzma;
mod output;
mod zstd;

use bz2::_bz2;
use lzma::_lzma;
use zstd::_zstd;

/// Makes the modules known to CPython, before it starts.
pub(crate) fn register() {
    pyo3::append_to_inittab!(_bz2);
    pyo3::append_to_inittab!(_lzma);
    pyo3::append_to_inittab!(_zstd);
}
