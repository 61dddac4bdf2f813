//! Parameters of both directions, and their bounds.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use zstd_sys::{self as zstd, ZSTD_bounds, ZSTD_cParameter as C, ZSTD_dParameter as D};

use super::errors::{ZstdError, checked, failure};

/// A parameter: libzstd's key, the constant of the module, and the name that messages have.
pub(super) struct Parameter<K> {
    pub(super) key: K,
    pub(super) constant: &'static str,
    name: &'static str,
}

macro_rules! parameters {
    ($kind:ident: $($key:ident = $name:literal),+ $(,)?) => {
        [$(Parameter { key: $kind::$key, constant: stringify!($key), name: $name }),+]
    };
}

/// The parameters of compression.
pub(super) const COMPRESSION: [Parameter<C>; 19] = parameters![C:
    ZSTD_c_compressionLevel = "compression_level",
    ZSTD_c_windowLog = "window_log",
    ZSTD_c_hashLog = "hash_log",
    ZSTD_c_chainLog = "chain_log",
    ZSTD_c_searchLog = "search_log",
    ZSTD_c_minMatch = "min_match",
    ZSTD_c_targetLength = "target_length",
    ZSTD_c_strategy = "strategy",
    ZSTD_c_enableLongDistanceMatching = "enable_long_distance_matching",
    ZSTD_c_ldmHashLog = "ldm_hash_log",
    ZSTD_c_ldmMinMatch = "ldm_min_match",
    ZSTD_c_ldmBucketSizeLog = "ldm_bucket_size_log",
    ZSTD_c_ldmHashRateLog = "ldm_hash_rate_log",
    ZSTD_c_contentSizeFlag = "content_size_flag",
    ZSTD_c_checksumFlag = "checksum_flag",
    ZSTD_c_dictIDFlag = "dict_id_flag",
    ZSTD_c_nbWorkers = "nb_workers",
    ZSTD_c_jobSize = "job_size",
    ZSTD_c_overlapLog = "overlap_log",
];

/// The parameters of decompression.
pub(super) const DECOMPRESSION: [Parameter<D>; 1] = parameters![D:
    ZSTD_d_windowLogMax = "window_log_max",
];

/// The strategies of compression.
pub(super) const STRATEGIES: [(&str, zstd::ZSTD_strategy); 9] = [
    ("ZSTD_fast", zstd::ZSTD_strategy::ZSTD_fast),
    ("ZSTD_dfast", zstd::ZSTD_strategy::ZSTD_dfast),
    ("ZSTD_greedy", zstd::ZSTD_strategy::ZSTD_greedy),
    ("ZSTD_lazy", zstd::ZSTD_strategy::ZSTD_lazy),
    ("ZSTD_lazy2", zstd::ZSTD_strategy::ZSTD_lazy2),
    ("ZSTD_btlazy2", zstd::ZSTD_strategy::ZSTD_btlazy2),
    ("ZSTD_btopt", zstd::ZSTD_strategy::ZSTD_btopt),
    ("ZSTD_btultra", zstd::ZSTD_strategy::ZSTD_btultra),
    ("ZSTD_btultra2", zstd::ZSTD_strategy::ZSTD_btultra2),
];

/// A key of libzstd: of one direction.
pub(super) trait Key: Copy + Sized + 'static {
    /// What messages call the direction.
    const DIRECTION: &str;
    /// What a key of the other direction is called.
    const OTHER: &str;
    /// All parameters that CPython knows.
    const ALL: &[Parameter<Self>];

    fn number(self) -> i32;

    fn bounds(self) -> ZSTD_bounds;
}

impl Key for C {
    const DIRECTION: &str = "compression";
    const OTHER: &str = "DecompressionParameter";
    const ALL: &[Parameter<Self>] = &COMPRESSION;

    fn number(self) -> i32 {
        self as i32
    }

    fn bounds(self) -> ZSTD_bounds {
        // SAFETY: the function takes any key.
        unsafe { zstd::ZSTD_cParam_getBounds(self) }
    }
}

impl Key for D {
    const DIRECTION: &str = "decompression";
    const OTHER: &str = "CompressionParameter";
    const ALL: &[Parameter<Self>] = &DECOMPRESSION;

    fn number(self) -> i32 {
        self as i32
    }

    fn bounds(self) -> ZSTD_bounds {
        // SAFETY: the function takes any key.
        unsafe { zstd::ZSTD_dParam_getBounds(self) }
    }
}

/// The parameter of a number, if there is one.
fn of_number<K: Key>(number: i32) -> Option<&'static Parameter<K>> {
    K::ALL.iter().find(|known| known.key.number() == number)
}

/// Reads a dict of parameters, and sets each by a function that returns what libzstd does.
pub(super) fn set_all<K: Key>(
    py: Python<'_>,
    options: &Bound<'_, PyAny>,
    class: &str,
    mut set: impl FnMut(K, i32) -> PyResult<usize>,
) -> PyResult<()> {
    let Ok(options) = options.cast::<PyDict>() else {
        let kind = options.get_type().fully_qualified_name()?;
        return Err(PyTypeError::new_err(format!(
            "{class}() argument 'options' must be dict, not {kind}"
        )));
    };
    for (key, value) in options {
        if is_of_other::<K>(py, &key) {
            // CPython has this word for both directions.
            return Err(PyTypeError::new_err(format!(
                "compression options dictionary key must not be a {} attribute",
                K::OTHER
            )));
        }
        let (key, value): (i32, i32) = (key.extract()?, value.extract()?);
        let Some(parameter) = of_number::<K>(key) else {
            return Err(PyValueError::new_err(format!(
                "invalid {} parameter 'unknown parameter (key {key})'",
                K::DIRECTION
            )));
        };
        if failure(set(parameter.key, value)?).is_some() {
            let bounds = parameter.key.bounds();
            return Err(PyValueError::new_err(format!(
                "{} parameter '{}' received an illegal value {value}; the valid range is [{}, {}]",
                K::DIRECTION,
                parameter.name,
                bounds.lowerBound,
                bounds.upperBound
            )));
        }
    }
    Ok(())
}

/// Python's classes of parameters.
struct Types {
    compression: Py<PyType>,
    decompression: Py<PyType>,
}

/// The classes that the module `compression.zstd` has named last.
static TYPES: Mutex<Option<Types>> = Mutex::new(None);

/// Whether a key is a parameter of the other direction.
fn is_of_other<K: Key>(py: Python<'_>, key: &Bound<'_, PyAny>) -> bool {
    let types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(types) = &*types else { return false };
    let other = match K::DIRECTION {
        C::DIRECTION => &types.decompression,
        _ => &types.compression,
    };
    key.get_type().is(other.bind(py))
}

/// Says what Python's classes of parameters are.
#[pyfunction]
pub(super) fn set_parameter_types(
    c_parameter_type: Bound<'_, PyType>,
    d_parameter_type: Bound<'_, PyType>,
) {
    let types = Types {
        compression: c_parameter_type.unbind(),
        decompression: d_parameter_type.unbind(),
    };
    let earlier = TYPES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .replace(types);
    // Behind the lock: what is let go of may run code of a script.
    drop(earlier);
}

/// The lowest and the highest value of a parameter.
#[pyfunction]
pub(super) fn get_param_bounds(parameter: i32, is_compress: bool) -> PyResult<(i32, i32)> {
    if is_compress {
        bounds_of::<C>(parameter)
    } else {
        bounds_of::<D>(parameter)
    }
}

fn bounds_of<K: Key>(parameter: i32) -> PyResult<(i32, i32)> {
    let failed = format!("Unable to get zstd {} parameter bounds", K::DIRECTION);
    let Some(parameter) = of_number::<K>(parameter) else {
        let message = format!("{failed}: Unsupported parameter");
        return Err(ZstdError::new_err(message));
    };
    let bounds = parameter.key.bounds();
    checked(bounds.error, &failed)?;
    Ok((bounds.lowerBound, bounds.upperBound))
}
