//! The module `_zstd`.
//!
//! - `contexts`: what of libzstd compresses and unpacks
//! - `dictionary`: `ZstdDict`, and how dictionaries are made
//! - `errors`: what libzstd says, as Python's errors
//! - `frames`: what a frame says of itself
//! - `parameters`: parameters of both directions, and their bounds
//! - `compressor`, `decompressor`: the two classes

mod compressor;
mod contexts;
mod decompressor;
mod dictionary;
mod errors;
mod frames;
mod parameters;

use std::ffi::CStr;

use pyo3::prelude::*;
use zstd_sys as zstd;

use parameters::{COMPRESSION, DECOMPRESSION, STRATEGIES};

/// Compresses and unpacks data in the format of Zstandard.
#[pymodule]
#[pyo3(name = "_zstd")]
pub(super) mod _zstd {
    use super::*;

    #[pymodule_export]
    use super::compressor::ZstdCompressor;

    #[pymodule_export]
    use super::decompressor::ZstdDecompressor;

    #[pymodule_export]
    use super::dictionary::{ZstdDict, finalize_dict, train_dict};

    #[pymodule_export]
    use super::errors::ZstdError;

    #[pymodule_export]
    use super::frames::{get_frame_info, get_frame_size};

    #[pymodule_export]
    use super::parameters::{get_param_bounds, set_parameter_types};

    #[pymodule_init]
    fn add_numbers(module: &Bound<'_, PyModule>) -> PyResult<()> {
        for parameter in COMPRESSION {
            module.add(parameter.constant, parameter.key as i32)?;
        }
        for parameter in DECOMPRESSION {
            module.add(parameter.constant, parameter.key as i32)?;
        }
        for (name, strategy) in STRATEGIES {
            module.add(name, strategy as i32)?;
        }
        // SAFETY: these functions give constants.
        let (number, text, level, bytes) = unsafe {
            (
                zstd::ZSTD_versionNumber(),
                CStr::from_ptr(zstd::ZSTD_versionString()),
                zstd::ZSTD_defaultCLevel(),
                zstd::ZSTD_DStreamOutSize(),
            )
        };
        module.add("zstd_version_number", number)?;
        module.add("zstd_version", text.to_string_lossy())?;
        module.add("ZSTD_CLEVEL_DEFAULT", level)?;
        module.add("ZSTD_DStreamOutSize", bytes)
    }
}
