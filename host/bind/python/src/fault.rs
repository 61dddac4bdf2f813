//! The exceptions.

use ampoule_foreign::Fault;
use pyo3::prelude::*;

/// The exception of a fault; `pyampoule/_errors.py` has the classes.
pub(crate) fn raised(py: Python<'_>, fault: &Fault) -> PyErr {
    match exception(py, fault) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The same, not raised yet.
pub(crate) fn exception<'py>(py: Python<'py>, fault: &Fault) -> PyResult<Bound<'py, PyAny>> {
    let told = (fault.kind.name(), &fault.message, fault.retry_after);
    py.import("pyampoule._errors")?.call_method1("fault", told)
}
