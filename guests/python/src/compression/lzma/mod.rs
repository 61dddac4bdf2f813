//! The module `_lzma`.
//!
//! - `coder`: a stream of liblzma
//! - `errors`: what liblzma says, as Python's errors
//! - `filters`: chains of filters, from what a script says of them
//! - `properties`: the properties of a filter, as bytes and back
//! - `compressor`, `decompressor`: the two classes

mod coder;
mod compressor;
mod decompressor;
mod errors;
mod filters;
mod properties;

use liblzma_sys as lzma;
use pyo3::prelude::*;

/// The formats, as the module counts them.
const AUTO: i32 = 0;
const XZ: i32 = 1;
const ALONE: i32 = 2;
const RAW: i32 = 3;

/// The number of a check that is not known yet. Formats have numbers up to 15.
const CHECK_UNKNOWN: u32 = lzma::LZMA_CHECK_ID_MAX + 1;

/// The module's numbers.
const NUMBERS: [(&str, u64); 28] = [
    ("FORMAT_AUTO", AUTO as u64),
    ("FORMAT_XZ", XZ as u64),
    ("FORMAT_ALONE", ALONE as u64),
    ("FORMAT_RAW", RAW as u64),
    ("CHECK_NONE", lzma::LZMA_CHECK_NONE as u64),
    ("CHECK_CRC32", lzma::LZMA_CHECK_CRC32 as u64),
    ("CHECK_CRC64", lzma::LZMA_CHECK_CRC64 as u64),
    ("CHECK_SHA256", lzma::LZMA_CHECK_SHA256 as u64),
    ("CHECK_ID_MAX", lzma::LZMA_CHECK_ID_MAX as u64),
    ("CHECK_UNKNOWN", CHECK_UNKNOWN as u64),
    ("FILTER_LZMA1", lzma::LZMA_FILTER_LZMA1),
    ("FILTER_LZMA2", lzma::LZMA_FILTER_LZMA2),
    ("FILTER_DELTA", lzma::LZMA_FILTER_DELTA),
    ("FILTER_X86", lzma::LZMA_FILTER_X86),
    ("FILTER_IA64", lzma::LZMA_FILTER_IA64),
    ("FILTER_ARM", lzma::LZMA_FILTER_ARM),
    ("FILTER_ARMTHUMB", lzma::LZMA_FILTER_ARMTHUMB),
    ("FILTER_SPARC", lzma::LZMA_FILTER_SPARC),
    ("FILTER_POWERPC", lzma::LZMA_FILTER_POWERPC),
    ("MF_HC3", lzma::LZMA_MF_HC3 as u64),
    ("MF_HC4", lzma::LZMA_MF_HC4 as u64),
    ("MF_BT2", lzma::LZMA_MF_BT2 as u64),
    ("MF_BT3", lzma::LZMA_MF_BT3 as u64),
    ("MF_BT4", lzma::LZMA_MF_BT4 as u64),
    ("MODE_FAST", lzma::LZMA_MODE_FAST as u64),
    ("MODE_NORMAL", lzma::LZMA_MODE_NORMAL as u64),
    ("PRESET_DEFAULT", lzma::LZMA_PRESET_DEFAULT as u64),
    ("PRESET_EXTREME", lzma::LZMA_PRESET_EXTREME as u64),
];

/// Compresses and unpacks data in the formats of LZMA.
#[pymodule]
#[pyo3(name = "_lzma")]
pub(super) mod _lzma {
    use super::*;

    #[pymodule_export]
    use super::compressor::LzmaCompressor;

    #[pymodule_export]
    use super::decompressor::LzmaDecompressor;

    #[pymodule_export]
    use super::errors::LZMAError;

    #[pymodule_export]
    use super::properties::{_decode_filter_properties, _encode_filter_properties};

    #[pymodule_init]
    fn add_numbers(module: &Bound<'_, PyModule>) -> PyResult<()> {
        NUMBERS
            .into_iter()
            .try_for_each(|(name, number)| module.add(name, number))
    }

    /// Whether a check can be made here.
    #[pyfunction]
    #[pyo3(signature = (check_id, /))]
    fn is_check_supported(check_id: i32) -> bool {
        let check = check_id as lzma::lzma_check;
        // SAFETY: the function takes any number.
        unsafe { lzma::lzma_check_is_supported(check) != 0 }
    }
}
