//! The module `_ampoule`: the host's interfaces as Python functions. It converts, and nothing else.

use std::cell::OnceCell;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyTuple, PyType};

use crate::bindings::ampoule::guest::calls::Completion as Ended;
use crate::bindings::ampoule::guest::tools::Server;
use crate::bindings::ampoule::guest::tools::{ToolSummary, UnknownName as Unknown};
use crate::host::{self, Level};
use crate::json::{self, Style};

create_exception!(
    _ampoule,
    UnknownName,
    PyException,
    "No such server or tool in the grant: a message, and the names that were likely meant."
);

create_exception!(
    _ampoule,
    Unlisted,
    PyException,
    "A server can't say which tools it has: why."
);

fn unknown(unknown: Unknown) -> PyErr {
    UnknownName::new_err((unknown.message, unknown.near))
}

/// A tool in short: its server, its name, its name as an identifier, and a sentence on it.
type Summary = (String, String, String, String);

fn summaries(tools: Vec<ToolSummary>) -> Vec<Summary> {
    let summary = |tool: ToolSummary| (tool.server, tool.name, tool.identifier, tool.description);
    tools.into_iter().map(summary).collect()
}

/// A call that has ended: its value, that as JSON where it is for the module `json` to read, or its
/// failure's kind, message, content and data.
#[derive(IntoPyObject)]
pub(crate) enum Completion<'py> {
    Returned(u32, bool, Bound<'py, PyAny>),
    Unread(u32, Option<bool>, String),
    Failed(u32, bool, &'static str, String, String, Option<String>),
}

thread_local! {
    /// What the objects of values are.
    static OBJECTS: OnceCell<Py<PyType>> = const { OnceCell::new() };
}

/// Ended calls, as the Python half reads them.
pub(crate) fn completions(py: Python<'_>, ended: Vec<Ended>) -> Vec<Completion<'_>> {
    let value = |text: &str| OBJECTS.with(|objects| json::value(text, objects.get()?.bind(py)));
    let completion = |Ended { call, outcome }| match outcome {
        Ok(text) => match value(&text) {
            Some(value) => Completion::Returned(call, true, value),
            None => Completion::Unread(call, None, text),
        },
        Err(failure) => {
            let kind = host::kind_name(failure.kind);
            let (message, content) = (failure.message, failure.content);
            Completion::Failed(call, false, kind, message, content, failure.data)
        }
    };
    ended.into_iter().map(completion).collect()
}

/// What the Python half asks of the host.
#[pymodule]
#[pyo3(name = "_ampoule")]
pub(crate) mod _ampoule {
    use super::*;

    #[pymodule_export]
    use super::UnknownName;

    #[pymodule_export]
    use super::Unlisted;

    /// Adds a line to the output.
    #[pyfunction]
    fn write(level: u8, text: &str) {
        let level = match level {
            0 => Level::Debug,
            1 => Level::Log,
            2 => Level::Info,
            3 => Level::Warn,
            _ => Level::Error,
        };
        host::write(level, text);
    }

    /// Tells whoever waits for the run how far it is.
    #[pyfunction]
    #[pyo3(signature = (fraction, text))]
    fn progress(fraction: Option<f64>, text: &str) {
        host::progress(fraction, text);
    }

    /// Gives the person a value, as JSON.
    #[pyfunction]
    fn emit(value: &str) -> PyResult<()> {
        host::emit(value).map_err(PyValueError::new_err)
    }

    /// Nanoseconds since 1970.
    #[pyfunction]
    fn now() -> u64 {
        host::now()
    }

    /// Nanoseconds since the run began.
    #[pyfunction]
    fn elapsed() -> u64 {
        host::elapsed()
    }

    /// A seed of this run.
    #[pyfunction]
    fn seed() -> u64 {
        host::seed()
    }

    /// Says what generators of random numbers are.
    #[pyfunction]
    fn use_generators(of: Bound<'_, PyType>) -> PyResult<()> {
        crate::generators::are(of)
    }

    /// Begins a generator of random numbers anew.
    #[pyfunction]
    fn begin_generator(generator: &Bound<'_, PyAny>, seed: u64) -> PyResult<()> {
        crate::generators::begin(generator, seed)
    }

    /// Bytes fit for keys.
    #[pyfunction]
    fn bytes(py: Python<'_>, count: u32) -> PyResult<Bound<'_, PyBytes>> {
        PyBytes::new_with(py, count as usize, |bytes| {
            bytes.copy_from_slice(&host::bytes(count));
            Ok(())
        })
    }

    /// The servers: name, description, number of tools.
    #[pyfunction]
    fn servers() -> Vec<(String, Option<String>, u32)> {
        let server = |server: Server| (server.name, server.description, server.tools);
        host::servers().into_iter().map(server).collect()
    }

    /// The configured name of a server.
    #[pyfunction]
    fn server_name(name: &str) -> PyResult<String> {
        host::server_name(name).map_err(unknown)
    }

    /// The tool that is meant.
    #[pyfunction]
    #[pyo3(signature = (server, name))]
    fn resolve(server: Option<&str>, name: &str) -> PyResult<u32> {
        host::resolve(server, name).map_err(unknown)
    }

    /// The tools of a server.
    #[pyfunction]
    fn tools_of(server: &str) -> PyResult<Vec<Summary>> {
        host::tools_of(server).map(summaries).map_err(unknown)
    }

    /// The tools that match a query best.
    #[pyfunction]
    #[pyo3(signature = (query, limit, server))]
    fn search(query: &str, limit: u32, server: Option<&str>) -> Vec<Summary> {
        summaries(host::search(query, limit, server))
    }

    /// A tool's server and name.
    #[pyfunction]
    fn name_of(tool: u32) -> (String, String) {
        let name = host::name_of(tool);
        (name.server, name.tool)
    }

    /// The names of a tool's arguments.
    #[pyfunction]
    fn parameters(tool: u32) -> Vec<String> {
        host::parameters(tool)
    }

    /// A tool's declaration.
    #[pyfunction]
    fn describe(tool: u32) -> PyResult<String> {
        host::describe(tool).map_err(Unlisted::new_err)
    }

    /// The value that a JSON text has at a place, of whose objects each is `of`, and where it ends.
    /// Nothing where that is for the module `json` to tell.
    #[pyfunction]
    fn read_json<'py>(
        text: &Bound<'py, PyAny>,
        at: &Bound<'py, PyAny>,
        of: &Bound<'py, PyType>,
    ) -> Option<(Bound<'py, PyAny>, usize)> {
        let at = at.cast_exact::<PyInt>().ok()?.extract().ok()?;
        json::read(text, at, of)
    }

    /// A value as JSON. Nothing where that is for the module `json` to tell. The texts are ASCII.
    #[pyfunction]
    #[pyo3(signature = (value, ascii, between_items, behind_keys, indent, sort, nan))]
    fn write_json<'py>(
        value: &Bound<'py, PyAny>,
        ascii: bool,
        between_items: &str,
        behind_keys: &str,
        indent: Option<&str>,
        sort: bool,
        nan: bool,
    ) -> Option<Bound<'py, PyAny>> {
        let style = Style {
            ascii,
            between_items: between_items.as_bytes(),
            behind_keys: behind_keys.as_bytes(),
            indent: indent.map(str::as_bytes),
            sorted: sort,
            nan,
        };
        json::write(value, &style)
    }

    /// Makes the keys of a class's objects their attributes, as its `__getattr__` does.
    #[pyfunction]
    fn keys_as_attributes(of: &Bound<'_, PyType>) {
        crate::attributes::from_keys(of);
    }

    /// Says what the objects of values are.
    #[pyfunction]
    fn use_objects(of: Bound<'_, PyType>) {
        OBJECTS.with(|objects| objects.set(of.unbind()).ok());
    }

    /// Calls a function that compiles code which runs with the globals as its locals.
    #[pyfunction]
    #[pyo3(signature = (compile, *given))]
    fn at_top<'py>(
        compile: &Bound<'py, PyAny>,
        given: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::globals::compiled(|| compile.call1(given))
    }

    /// Keeps what is compiled at the top from now on, as one script.
    #[pyfunction]
    fn begin_reading() {
        crate::written::begin();
    }

    /// Forgets what was noted: the script names nothing that was granted.
    #[pyfunction]
    fn end_reading() {
        crate::written::end();
    }

    /// The names that the script calls something of, and does not bind itself; the empty one where
    /// it imports that. None where it calls nothing that may be a tool.
    #[pyfunction]
    fn roots_read() -> Vec<String> {
        crate::written::roots()
    }

    /// What is wrong with the calls of the script that was read. Of each root: its name, the server
    /// unless it is all of them, and whether it is a bridge's.
    #[pyfunction]
    fn judge(
        roots: Vec<(String, Option<String>, bool)>,
        held: &Bound<'_, PyDict>,
    ) -> Vec<crate::written::Mistake> {
        crate::written::judge(roots, held)
    }

    /// Why there are no files; none if there are.
    #[pyfunction]
    fn files_granted() -> Option<String> {
        host::files::granted()
    }

    /// What the host said last of a file, and the system's number does not say.
    #[pyfunction]
    fn file_advice() -> Option<String> {
        let advice = crate::system::last_problem()?.advice;
        (!advice.is_empty()).then_some(advice)
    }

    /// Whether files are open.
    #[pyfunction]
    fn files_open() -> bool {
        crate::system::any_open()
    }

    /// Starts a call.
    #[pyfunction]
    #[pyo3(signature = (tool, arguments, whole=false))]
    fn start(tool: u32, arguments: &str, whole: bool) -> PyResult<u32> {
        crate::calls::start(tool, arguments, whole).map_err(unknown)
    }

    /// Waits for calls.
    #[pyfunction]
    #[pyo3(signature = (timeout))]
    fn wait(py: Python<'_>, timeout: Option<u64>) -> Vec<Completion<'_>> {
        completions(py, crate::calls::wait(timeout))
    }

    /// Cancels a call.
    #[pyfunction]
    fn cancel(call: u32) {
        crate::calls::cancel(call);
    }
}
