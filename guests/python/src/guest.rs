//! The component's export, and its initialisation before the snapshot.
#![expect(
    clippy::result_large_err,
    reason = "the type of a run's end is the interface's"
)]

use std::cell::{Cell, OnceCell};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::bindings;
use crate::bindings::exports::ampoule::guest::script::{
    Content, Guest, Location, Module, Program, Thrown,
};
use crate::host::Level;
use crate::library::Library;
use crate::{host, interpreter, stillness, system};

/// The function that runs a program: its module, and its name.
const RUN: (&str, &str) = ("ampoule_guest", "run");
/// The module that tries it.
const WARM: &str = "ampoule_guest.warm";

thread_local! {
    static RUN_PROGRAM: OnceCell<Py<PyAny>> = const { OnceCell::new() };
}

struct CPython;

impl Guest for CPython {
    fn run(program: Program) -> Result<Option<String>, Thrown> {
        host::start();
        let ended =
            Python::attach(|py| run(py, program).unwrap_or_else(|error| Err(failed(py, &error))));
        system::finish();
        ended
    }
}

bindings::export!(CPython with_types_in bindings);

/// What the Python half tells of a run's end.
#[derive(FromPyObject)]
enum End {
    Ok(
        #[expect(dead_code, reason = "the kind of end, which the length tells")] String,
        Option<String>,
    ),
    Thrown(
        #[expect(dead_code, reason = "the kind of end, which the length tells")] String,
        String,
        String,
        Option<(String, u32, u32, String)>,
        String,
        Vec<String>,
    ),
}

fn run(py: Python<'_>, program: Program) -> PyResult<Result<Option<String>, Thrown>> {
    let modules = PyList::empty(py);
    for Module { name, content } in program.modules {
        let (kind, content) = match content {
            Content::Source(text) => ("source", PyString::new(py, &text).into_any()),
            Content::Text(text) => ("text", PyString::new(py, &text).into_any()),
            Content::Json(text) => ("json", PyString::new(py, &text).into_any()),
            Content::Bytes(bytes) => ("bytes", PyBytes::new(py, &bytes).into_any()),
        };
        modules.append((name, kind, content))?;
    }
    let ended = RUN_PROGRAM.with(|run| {
        let run = run.get().expect("the snapshot holds the Python half");
        run.call1(py, (program.name, program.source, modules, program.env))
    })?;
    Ok(match ended.extract(py)? {
        End::Ok(_, value) => Ok(value),
        End::Thrown(_, name, message, location, stack, causes) => Err(Thrown {
            name,
            message,
            location: location.map(|(module, line, column, text)| Location {
                module,
                line,
                column,
                text,
            }),
            stack,
            causes,
        }),
    })
}

/// The Python half itself failed, which only a script that changed it can bring about.
fn failed(py: Python<'_>, error: &PyErr) -> Thrown {
    let name = error.get_type(py).name().map(|name| name.to_string());
    Thrown {
        name: name.unwrap_or_else(|_| "Exception".into()),
        message: error.value(py).to_string(),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}

/// Starts CPython with the library that [`library_memory`] was filled with. Called once, when the guest is built, and gone from the component.
#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    let library = LIBRARY.take();
    // Where in this crate's sources it was is nothing to a script's author.
    std::panic::set_hook(Box::new(|panic| {
        let why = panic.payload_as_str().unwrap_or("it panicked");
        host::write(Level::Error, &format!("The interpreter failed: {why}"));
    }));
    interpreter::start(Library::read(library));
    Python::attach(|py| {
        let run = (|| py.import(RUN.0)?.getattr(RUN.1))();
        let run = run.unwrap_or_else(|error| {
            error.print(py);
            panic!("the Python half can't be imported");
        });
        if let Err(error) = warm_up(py) {
            error.print(py);
            panic!("the Python half can't be tried");
        }
        RUN_PROGRAM.with(|kept| kept.set(run.unbind()).expect("initialised once"));
        stillness::settle();
    });
}

/// Tries scripts. What they change in memory is to lie together, behind everything else.
fn warm_up(py: Python<'_>) -> PyResult<()> {
    let warm = py.import(WARM)?;
    let callers = warm.call_method0("callers")?;
    stillness::fill_holes();
    warm.call_method1("up", (callers,))?;
    Ok(())
}

thread_local! {
    static LIBRARY: Cell<&'static [u8]> = const { Cell::new(&[]) };
}

/// Makes room for the library, which the builder writes there before [`initialize`].
#[unsafe(export_name = "build:library-memory")]
extern "C" fn library_memory(bytes: usize) -> *mut u8 {
    let memory = Vec::leak(vec![0; bytes]);
    let start = memory.as_mut_ptr();
    LIBRARY.set(memory);
    start
}
