//! What is raised.

use ampoule_foreign::Fault;
use pyo3::prelude::*;

/// The exception of a fault; which classes there are is said in `pyampoule/_errors.py`.
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
