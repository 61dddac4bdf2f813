//! Which calls somebody is asked about.

use ampoule_foreign::ToolPatterns;
use pyo3::prelude::*;

use crate::fault;

/// Patterns of tools, as `[approvals]` of a configuration has them.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Patterns {
    patterns: ToolPatterns,
}

#[pymethods]
impl Patterns {
    /// Patterns that are written as JSON: a text, or an array of texts.
    #[new]
    fn new(py: Python<'_>, patterns: &str) -> PyResult<Self> {
        match ToolPatterns::from_json(patterns) {
            Ok(patterns) => Ok(Self { patterns }),
            Err(fault) => Err(fault::raised(py, &fault)),
        }
    }

    /// Whether one of them means this tool.
    fn matches(&self, server: &str, tool: &str) -> bool {
        self.patterns.matches(server, tool)
    }
}
