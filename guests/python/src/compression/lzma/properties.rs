//! The properties of a filter, as bytes and back: `zipfile` has them in its archives.

use std::ptr;

use liblzma_sys as lzma;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::super::input::Input;
use super::errors::checked;
use super::filters::{END, Filter, unknown};

/// The properties of a filter, as bytes.
#[pyfunction]
#[pyo3(signature = (filter, /))]
pub(super) fn _encode_filter_properties<'py>(
    py: Python<'py>,
    filter: Filter,
) -> PyResult<Bound<'py, PyBytes>> {
    let raw = filter.raw();
    let mut bytes = 0;
    // SAFETY: the function reads the filter, whose options are there until this one ends.
    checked(unsafe { lzma::lzma_properties_size(&raw mut bytes, &raw const raw) })?;
    PyBytes::new_with(py, bytes as usize, |space| {
        // SAFETY: as above; it writes as many bytes as it said.
        checked(unsafe { lzma::lzma_properties_encode(&raw const raw, space.as_mut_ptr()) })?;
        Ok(())
    })
}

/// Filters whose options liblzma made.
struct Decoded([lzma::lzma_filter; 2]);

impl Decoded {
    fn of(id: lzma::lzma_vli, properties: &[u8]) -> PyResult<Self> {
        let mut decoded = Self([END, END]);
        decoded.0[0].id = id;
        // SAFETY: the function reads the bytes, and sets the options of the filter, or makes them
        // null.
        let returned = unsafe {
            lzma::lzma_properties_decode(
                &raw mut decoded.0[0],
                ptr::null(),
                properties.as_ptr(),
                properties.len(),
            )
        };
        checked(returned)?;
        Ok(decoded)
    }

    /// The options, of the type that the caller knows by the filter's number.
    ///
    /// # Safety
    ///
    /// The type is that of liblzma for this filter.
    unsafe fn options<T>(&self) -> Option<&T> {
        // SAFETY: liblzma made the options, of this type, as the caller says.
        unsafe { self.0[0].options.cast_const().cast::<T>().as_ref() }
    }
}

impl Drop for Decoded {
    fn drop(&mut self) {
        // SAFETY: the options are null, or liblzma made them; nobody uses them after this.
        unsafe { lzma::lzma_filters_free(&raw mut self.0[0], ptr::null()) };
    }
}

/// A filter, from its number and its properties.
#[pyfunction]
#[pyo3(signature = (filter_id, encoded_props, /))]
pub(super) fn _decode_filter_properties<'py>(
    py: Python<'py>,
    filter_id: lzma::lzma_vli,
    encoded_props: Input,
) -> PyResult<Bound<'py, PyDict>> {
    let decoded = Decoded::of(filter_id, encoded_props.bytes(py))?;
    let filter = PyDict::new(py);
    filter.set_item("id", filter_id)?;
    match filter_id {
        lzma::LZMA_FILTER_LZMA1 | lzma::LZMA_FILTER_LZMA2 => {
            // SAFETY: these are the options of both.
            let options = unsafe { decoded.options::<lzma::lzma_options_lzma>() };
            if let Some(options) = options {
                filter.set_item("dict_size", options.dict_size)?;
                if filter_id == lzma::LZMA_FILTER_LZMA1 {
                    filter.set_item("lc", options.lc)?;
                    filter.set_item("lp", options.lp)?;
                    filter.set_item("pb", options.pb)?;
                }
            }
        }
        lzma::LZMA_FILTER_DELTA => {
            // SAFETY: these are the options of this filter.
            let options = unsafe { decoded.options::<lzma::lzma_options_delta>() };
            if let Some(options) = options {
                filter.set_item("dist", options.dist)?;
            }
        }
        lzma::LZMA_FILTER_X86
        | lzma::LZMA_FILTER_POWERPC
        | lzma::LZMA_FILTER_IA64
        | lzma::LZMA_FILTER_ARM
        | lzma::LZMA_FILTER_ARMTHUMB
        | lzma::LZMA_FILTER_SPARC => {
            // SAFETY: these are the options of all of them.
            let options = unsafe { decoded.options::<lzma::lzma_options_bcj>() };
            if let Some(options) = options {
                filter.set_item("start_offset", options.start_offset)?;
            }
        }
        other => return Err(unknown(other)),
    }
    Ok(filter)
}
