//! `ZstdDict`, and how dictionaries are made.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyTuple};
use zstd_sys as zstd;

use super::super::input::Input;
use super::contexts::Way;
use super::errors::{ZstdError, checked};

/// The fewest bytes that a dictionary has.
const FEWEST_BYTES: usize = 8;

/// A dictionary: what data is likely to have in common.
#[pyclass(module = "compression.zstd", frozen)]
pub(super) struct ZstdDict {
    content: Box<[u8]>,
    id: u32,
    /// Read for compression, by level. None is let go of while the dictionary is there.
    compression: Mutex<BTreeMap<i32, ReadForCompression>>,
    /// Read for decompression.
    decompression: OnceLock<ReadForDecompression>,
}

struct ReadForCompression(NonNull<zstd::ZSTD_CDict>);
struct ReadForDecompression(NonNull<zstd::ZSTD_DDict>);

// SAFETY: libzstd only reads them once they are made.
unsafe impl Send for ReadForCompression {}
// SAFETY: as above.
unsafe impl Send for ReadForDecompression {}
// SAFETY: as above.
unsafe impl Sync for ReadForDecompression {}

impl Drop for ReadForCompression {
    fn drop(&mut self) {
        // SAFETY: whoever refers to it keeps the dictionary that it belongs to.
        unsafe { zstd::ZSTD_freeCDict(self.0.as_ptr()) };
    }
}

impl Drop for ReadForDecompression {
    fn drop(&mut self) {
        // SAFETY: whoever refers to it keeps the dictionary that it belongs to.
        unsafe { zstd::ZSTD_freeDDict(self.0.as_ptr()) };
    }
}

impl ZstdDict {
    /// Its bytes, which stay where they are.
    pub(super) fn content(&self) -> &[u8] {
        &self.content
    }

    /// What it is to compression at a level. It is there as long as the dictionary.
    pub(super) fn for_compression(&self, level: i32) -> PyResult<*const zstd::ZSTD_CDict> {
        let mut read = self
            .compression
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let read = match read.entry(level) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => {
                let (start, bytes) = (self.content.as_ptr().cast(), self.content.len());
                // SAFETY: the function copies these bytes.
                let read = unsafe { zstd::ZSTD_createCDict(start, bytes, level) };
                place.insert(ReadForCompression(read_one(read, "ZSTD_CDict")?))
            }
        };
        Ok(read.0.as_ptr())
    }

    /// What it is to decompression. It is there as long as the dictionary.
    pub(super) fn for_decompression(&self) -> PyResult<*const zstd::ZSTD_DDict> {
        if let Some(read) = self.decompression.get() {
            return Ok(read.0.as_ptr());
        }
        // SAFETY: the function copies these bytes.
        let read =
            unsafe { zstd::ZSTD_createDDict(self.content.as_ptr().cast(), self.content.len()) };
        let read = ReadForDecompression(read_one(read, "ZSTD_DDict")?);
        Ok(self.decompression.get_or_init(|| read).0.as_ptr())
    }
}

#[pymethods]
impl ZstdDict {
    #[new]
    #[pyo3(signature = (dict_content, /, *, is_raw=false))]
    fn new(py: Python<'_>, dict_content: Input, is_raw: bool) -> PyResult<Self> {
        let content = dict_content.bytes(py);
        if content.len() < FEWEST_BYTES {
            return Err(PyValueError::new_err(
                "Zstandard dictionary content too short (must have at least eight bytes)",
            ));
        }
        // SAFETY: the function reads these bytes.
        let id = unsafe { zstd::ZSTD_getDictID_fromDict(content.as_ptr().cast(), content.len()) };
        if !is_raw && id == 0 {
            return Err(PyValueError::new_err("invalid Zstandard dictionary"));
        }
        Ok(Self {
            content: content.into(),
            id,
            compression: Mutex::default(),
            decompression: OnceLock::new(),
        })
    }

    fn __len__(&self) -> usize {
        self.content.len()
    }

    fn __repr__(&self) -> String {
        let (id, bytes) = (self.id, self.content.len());
        format!("<ZstdDict dict_id={id} dict_size={bytes}>")
    }

    /// The dictionary's number. Zero means that the content is not in libzstd's format.
    #[getter]
    fn dict_id(&self) -> u32 {
        self.id
    }

    /// The dictionary's bytes.
    #[getter]
    fn dict_content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.content)
    }

    /// The dictionary, to be read once for all compressors of a level.
    #[getter]
    fn as_digested_dict(this: Bound<'_, Self>) -> (Bound<'_, Self>, i32) {
        (this, Way::Digested as i32)
    }

    /// The dictionary, to be read by each compressor.
    #[getter]
    fn as_undigested_dict(this: Bound<'_, Self>) -> (Bound<'_, Self>, i32) {
        (this, Way::Undigested as i32)
    }

    /// The dictionary, as data before that of the first frame.
    #[getter]
    fn as_prefix(this: Bound<'_, Self>) -> (Bound<'_, Self>, i32) {
        (this, Way::Prefix as i32)
    }
}

/// What libzstd made of a dictionary, if it could read it.
fn read_one<T>(read: *mut T, kind: &str) -> PyResult<NonNull<T>> {
    NonNull::new(read).ok_or_else(|| {
        ZstdError::new_err(format!(
            "Failed to create a {kind} instance from Zstandard dictionary content."
        ))
    })
}

/// A dictionary that a script wants to be used, and how, if it says so.
pub(super) struct Use<'py> {
    pub(super) dictionary: Bound<'py, ZstdDict>,
    pub(super) way: Option<Way>,
}

impl<'py> Use<'py> {
    /// From what a script gives: a dictionary, or a pair of one and the way.
    pub(super) fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wrong = || PyTypeError::new_err("zstd_dict argument should be a ZstdDict object.");
        if let Ok(dictionary) = given.cast::<ZstdDict>() {
            return Ok(Self {
                dictionary: dictionary.clone(),
                way: None,
            });
        }
        let pair = given.cast_exact::<PyTuple>().map_err(|_| wrong())?;
        if pair.len() != 2 {
            return Err(wrong());
        }
        let (dictionary, way) = (pair.get_item(0)?, pair.get_item(1)?);
        let dictionary = dictionary.cast_into::<ZstdDict>().map_err(|_| wrong())?;
        let way = way.cast::<PyInt>().map_err(|_| wrong())?;
        let way = match way.extract::<i32>()? {
            0 => Way::Digested,
            1 => Way::Undigested,
            2 => Way::Prefix,
            _ => return Err(wrong()),
        };
        Ok(Self {
            dictionary,
            way: Some(way),
        })
    }
}

/// Samples, one behind the other, and their sizes.
struct Samples<'a> {
    bytes: &'a [u8],
    sizes: Vec<usize>,
}

impl<'a> Samples<'a> {
    fn of(bytes: &'a Bound<'_, PyBytes>, sizes: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mismatch = || {
            PyValueError::new_err("The samples size tuple doesn't match the concatenation's size.")
        };
        let bytes = bytes.as_bytes();
        let mut left = bytes.len();
        let mut all = Vec::with_capacity(sizes.len());
        for size in sizes {
            let size = size.extract::<usize>().map_err(|error| {
                let is_too_large = error.is_instance_of::<PyOverflowError>(size.py());
                if is_too_large { mismatch() } else { error }
            })?;
            left = left.checked_sub(size).ok_or_else(mismatch)?;
            all.push(size);
        }
        if left != 0 {
            return Err(mismatch());
        }
        Ok(Self { bytes, sizes: all })
    }

    fn count(&self) -> PyResult<u32> {
        self.sizes.len().try_into().map_err(|_| {
            let most = u32::MAX;
            PyValueError::new_err(format!("The number of samples should be <= {most}."))
        })
    }
}

/// A dictionary of at most so many bytes, which a function of libzstd writes.
fn written<'py>(
    py: Python<'py>,
    most: isize,
    failed: &str,
    write: impl FnOnce(&mut [u8]) -> PyResult<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let most = usize::try_from(most).unwrap_or(0);
    if most == 0 {
        return Err(PyValueError::new_err(
            "dict_size argument should be positive number.",
        ));
    }
    let mut bytes = 0;
    let space = PyBytes::new_with(py, most, |space| {
        bytes = checked(write(space)?, failed)?;
        Ok(())
    })?;
    Ok(PyBytes::new(py, &space.as_bytes()[..bytes]))
}

/// A dictionary that libzstd makes of samples.
#[pyfunction]
#[pyo3(signature = (samples_bytes, samples_sizes, dict_size, /))]
pub(super) fn train_dict<'py>(
    py: Python<'py>,
    samples_bytes: Bound<'py, PyBytes>,
    samples_sizes: Bound<'py, PyTuple>,
    dict_size: isize,
) -> PyResult<Bound<'py, PyBytes>> {
    let failed = "Unable to train the Zstandard dictionary";
    written(py, dict_size, failed, |space| {
        let samples = Samples::of(&samples_bytes, &samples_sizes)?;
        let count = samples.count()?;
        // SAFETY: the function reads the samples, whose sizes were compared with their bytes, and
        // writes to the space.
        Ok(unsafe {
            zstd::ZDICT_trainFromBuffer(
                space.as_mut_ptr().cast(),
                space.len(),
                samples.bytes.as_ptr().cast(),
                samples.sizes.as_ptr(),
                count,
            )
        })
    })
}

/// A dictionary of a content that the script has, with what libzstd learns from samples.
#[pyfunction]
#[pyo3(signature = (custom_dict_bytes, samples_bytes, samples_sizes, dict_size, compression_level, /))]
pub(super) fn finalize_dict<'py>(
    py: Python<'py>,
    custom_dict_bytes: Bound<'py, PyBytes>,
    samples_bytes: Bound<'py, PyBytes>,
    samples_sizes: Bound<'py, PyTuple>,
    dict_size: isize,
    compression_level: i32,
) -> PyResult<Bound<'py, PyBytes>> {
    let failed = "Unable to finalize the Zstandard dictionary";
    written(py, dict_size, failed, |space| {
        let samples = Samples::of(&samples_bytes, &samples_sizes)?;
        let count = samples.count()?;
        let content = custom_dict_bytes.as_bytes();
        let parameters = zstd::ZDICT_params_t {
            compressionLevel: compression_level,
            notificationLevel: 0,
            dictID: 0,
        };
        // SAFETY: the function reads the content and the samples, whose sizes were compared with
        // their bytes, and writes to the space.
        Ok(unsafe {
            zstd::ZDICT_finalizeDictionary(
                space.as_mut_ptr().cast(),
                space.len(),
                content.as_ptr().cast(),
                content.len(),
                samples.bytes.as_ptr().cast(),
                samples.sizes.as_ptr(),
                count,
                parameters,
            )
        })
    })
}
