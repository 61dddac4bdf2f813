//! Chains of filters, from what a script says of them: a list of dicts.

use std::ffi::c_void;
use std::mem;

use liblzma_sys as lzma;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PySequence};

use super::errors::LZMAError;

/// How many filters a chain may have.
const MOST: usize = lzma::LZMA_FILTERS_MAX as usize;

/// The options of a filter, where liblzma finds them.
enum Options {
    Lzma(Box<lzma::lzma_options_lzma>),
    Delta(Box<lzma::lzma_options_delta>),
    Branches(Box<lzma::lzma_options_bcj>),
}

/// A filter, as liblzma wants it, and its options.
pub(super) struct Filter {
    id: lzma::lzma_vli,
    options: Options,
}

impl Filter {
    /// For a function that reads the options and does not keep them.
    pub(super) fn raw(&self) -> lzma::lzma_filter {
        let options: *const c_void = match &self.options {
            Options::Lzma(options) => (&raw const **options).cast(),
            Options::Delta(options) => (&raw const **options).cast(),
            Options::Branches(options) => (&raw const **options).cast(),
        };
        lzma::lzma_filter {
            id: self.id,
            options: options.cast_mut(),
        }
    }

    /// The options, if it is the filter LZMA1.
    fn lzma1(&self) -> Option<&lzma::lzma_options_lzma> {
        match &self.options {
            Options::Lzma(options) if self.id == lzma::LZMA_FILTER_LZMA1 => Some(options),
            _ => None,
        }
    }
}

impl FromPyObject<'_, '_> for Filter {
    type Error = PyErr;

    fn extract(said: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let Ok(said) = said.cast::<PyMapping>() else {
            return Err(PyTypeError::new_err(
                "Filter specifier must be a dict or dict-like object",
            ));
        };
        let Some(id) = entry(&said, "id")? else {
            return Err(PyValueError::new_err(
                "Filter specifier must have an \"id\" entry",
            ));
        };
        let id: lzma::lzma_vli = id.extract()?;
        let options = match id {
            lzma::LZMA_FILTER_LZMA1 | lzma::LZMA_FILTER_LZMA2 => {
                Options::Lzma(lzma_options(&said)?)
            }
            lzma::LZMA_FILTER_DELTA => {
                let [dist] = numbers(&said, ["dist"], "delta")?;
                // SAFETY: zeros are options.
                let mut options: Box<lzma::lzma_options_delta> = Box::new(unsafe { mem::zeroed() });
                options.dist = dist.unwrap_or(1);
                Options::Delta(options)
            }
            lzma::LZMA_FILTER_X86
            | lzma::LZMA_FILTER_POWERPC
            | lzma::LZMA_FILTER_IA64
            | lzma::LZMA_FILTER_ARM
            | lzma::LZMA_FILTER_ARMTHUMB
            | lzma::LZMA_FILTER_SPARC => {
                let [start] = numbers(&said, ["start_offset"], "BCJ")?;
                Options::Branches(Box::new(lzma::lzma_options_bcj {
                    start_offset: start.unwrap_or(0),
                }))
            }
            other => return Err(unknown(other)),
        };
        Ok(Self { id, options })
    }
}

/// What is said of a number that no filter has.
pub(super) fn unknown(id: lzma::lzma_vli) -> PyErr {
    PyValueError::new_err(format!("Invalid filter ID: {id}"))
}

/// Options of LZMA: those of a preset, and what the script says otherwise.
fn lzma_options(said: &Bound<'_, PyMapping>) -> PyResult<Box<lzma::lzma_options_lzma>> {
    let preset = entry(said, "preset")?.map(|preset| number(&preset));
    let mut options = preset_options(preset.transpose()?.unwrap_or(lzma::LZMA_PRESET_DEFAULT))?;
    let names = [
        "preset",
        "dict_size",
        "lc",
        "lp",
        "pb",
        "mode",
        "nice_len",
        "mf",
        "depth",
    ];
    let [_, dictionary, lc, lp, pb, mode, nice, finder, depth] = numbers(said, names, "LZMA")?;
    options.dict_size = dictionary.unwrap_or(options.dict_size);
    options.lc = lc.unwrap_or(options.lc);
    options.lp = lp.unwrap_or(options.lp);
    options.pb = pb.unwrap_or(options.pb);
    options.mode = mode.unwrap_or(options.mode);
    options.nice_len = nice.unwrap_or(options.nice_len);
    options.mf = finder.unwrap_or(options.mf);
    options.depth = depth.unwrap_or(options.depth);
    Ok(options)
}

/// The options of a preset.
pub(super) fn preset_options(preset: u32) -> PyResult<Box<lzma::lzma_options_lzma>> {
    // SAFETY: zeros are options.
    let mut options: Box<lzma::lzma_options_lzma> = Box::new(unsafe { mem::zeroed() });
    // SAFETY: the function writes to the options, and keeps nothing.
    let failed = unsafe { lzma::lzma_lzma_preset(&raw mut *options, preset) } != 0;
    if failed {
        let message = format!("Invalid compression preset: {preset}");
        return Err(LZMAError::new_err(message));
    }
    Ok(options)
}

/// An entry of a filter, if it is there.
fn entry<'py>(said: &Bound<'py, PyMapping>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if said.contains(name)? {
        said.get_item(name).map(Some)
    } else {
        Ok(None)
    }
}

/// A number of 32 bits, as CPython takes it from a script.
pub(super) fn number(said: &Bound<'_, PyAny>) -> PyResult<u32> {
    let number: u64 = said.extract()?;
    let too_large = || PyOverflowError::new_err("Value too large for uint32_t type");
    number.try_into().map_err(|_| too_large())
}

/// The numbers that a filter may have beside its `id`. Anything else is an error.
fn numbers<const N: usize>(
    said: &Bound<'_, PyMapping>,
    names: [&str; N],
    kind: &str,
) -> PyResult<[Option<u32>; N]> {
    let invalid = || PyValueError::new_err(format!("Invalid filter specifier for {kind} filter"));
    let mut found = [None; N];
    for key in said.keys()?.try_iter()? {
        let key: String = key?.extract().map_err(|_| invalid())?;
        if key == "id" {
            continue;
        }
        let place = names.iter().position(|name| *name == key);
        let place = place.ok_or_else(invalid)?;
        let said = said.get_item(&key)?;
        found[place] = Some(number(&said).map_err(|_| invalid())?);
    }
    Ok(found)
}

/// A chain of filters.
pub(super) struct Chain(Vec<Filter>);

impl Chain {
    /// For a function that reads the chain and does not keep it: the filters, and what ends them.
    pub(super) fn raw(&self) -> [lzma::lzma_filter; MOST + 1] {
        let mut filters = [END; MOST + 1];
        for (place, filter) in filters.iter_mut().zip(&self.0) {
            *place = filter.raw();
        }
        filters
    }

    /// The options of the filter LZMA1, if that is the whole chain.
    pub(super) fn only_lzma1(&self) -> Option<&lzma::lzma_options_lzma> {
        match &self.0[..] {
            [only] => only.lzma1(),
            _ => None,
        }
    }
}

/// What ends a chain.
pub(super) const END: lzma::lzma_filter = lzma::lzma_filter {
    id: lzma::LZMA_VLI_UNKNOWN,
    options: std::ptr::null_mut(),
};

impl FromPyObject<'_, '_> for Chain {
    type Error = PyErr;

    fn extract(said: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let count = said.len()?;
        if count > MOST {
            return Err(PyValueError::new_err(format!(
                "Too many filters - liblzma supports a maximum of {MOST}"
            )));
        }
        let said = said.cast::<PySequence>()?;
        let filters = (0..count).map(|place| said.get_item(place)?.extract());
        filters.collect::<PyResult<_>>().map(Self)
    }
}
