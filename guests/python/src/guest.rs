//! The component's exports, and its initialisation before the snapshot.

use std::cell::{Cell, OnceCell, RefCell};

use pyo3::prelude::*;
use pyo3::types::iterator::PySendResult;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString};

use crate::bindings;
use crate::bindings::exports::ampoule::guest::script::{
    Completion, Content, Guest, Location, Module, Program, Progress, Thrown,
};
use crate::bindings::exports::ampoule::guest::session::{Guest as Lasting, Kept, Left};
use crate::host::Level;
use crate::library::Library;
use crate::native::completions;
use crate::{
    calls, globals, host, instead, interpreter, json, lasting_tools, objects, stillness, system,
    written,
};

/// The function that begins a program: its module, and its name. It gives a generator, which yields
/// how long it waits, is sent calls that have ended, and returns the end.
const BEGIN: (&str, &str) = ("ampoule_guest", "run");
/// The functions that begin and end a run of a session, of the same module.
const LASTING: (&str, &str) = ("begin", "leave");
/// The module that tries it.
const WARM: &str = "ampoule_guest.warm";

thread_local! {
    static BEGIN_PROGRAM: OnceCell<Py<PyAny>> = const { OnceCell::new() };
    /// The program that runs.
    static PROGRAM: RefCell<Option<Py<PyIterator>>> = const { RefCell::new(None) };
    static LASTING_FUNCTIONS: OnceCell<(Py<PyAny>, Py<PyAny>)> = const { OnceCell::new() };
}

struct CPython;

impl Guest for CPython {
    fn start(program: Program) -> Progress {
        host::start();
        progress(|py| {
            let program = begin(py, program)?;
            PROGRAM.set(Some(program.clone().unbind()));
            step(&program, &py.None().into_bound(py))
        })
    }

    fn step(ended: Vec<Completion>) -> Progress {
        progress(|py| {
            let program = PROGRAM.with_borrow(|program| {
                let program = program.as_ref();
                let program = program.expect("the host steps a program that waits");
                program.bind(py).clone()
            });
            let ended = completions(py, ended).into_pyobject(py)?;
            step(&program, &ended)
        })
    }
}

impl Lasting for CPython {
    fn begin(name: String, back: u32) {
        lasting_tools::begin();
        in_lasting(|py, (begin, _)| begin.call1(py, (name, back)));
    }

    fn leave() -> Left {
        let left = in_lasting(|py, (_, leave)| leave.call0(py)?.extract::<Told>(py));
        PROGRAM.take();
        calls::end();
        Python::attach(|_| written::end());
        system::close_all();
        host::end();
        let (names, more, forks, rewind) = left;
        let kept = |(name, kind, size)| Kept { name, kind, size };
        Left {
            names: names.into_iter().map(kept).collect(),
            more,
            forks,
            rewind,
        }
    }
}

/// What the Python half tells of what a script leaves.
type Told = (
    Vec<(String, String, Option<u32>)>,
    u32,
    Vec<String>,
    Option<u32>,
);

/// Calls one of the functions of sessions. They fail only where scripts changed the interpreter's
/// own objects: then there is no session to go on with, and this traps.
fn in_lasting<T>(call: impl FnOnce(Python<'_>, &(Py<PyAny>, Py<PyAny>)) -> PyResult<T>) -> T {
    Python::attach(|py| {
        LASTING_FUNCTIONS.with(|functions| {
            let functions = functions.get().expect("the snapshot holds the Python half");
            call(py, functions).unwrap_or_else(|error| panic!("the session can't go on: {error}"))
        })
    })
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

fn progress(go_on: impl FnOnce(Python<'_>) -> PyResult<Progress>) -> Progress {
    let progress = Python::attach(|py| {
        go_on(py).unwrap_or_else(|error| Progress::Ended(Err(failed(py, &error))))
    });
    if matches!(progress, Progress::Ended(_)) {
        system::finish();
    }
    progress
}

fn begin(py: Python<'_>, program: Program) -> PyResult<Bound<'_, PyIterator>> {
    let Program {
        name,
        source,
        modules,
        env,
        strings,
        checking,
        ..
    } = program;
    let given = PyList::empty(py);
    for Module { name, content } in modules {
        let (kind, content) = match content {
            Content::Source(text) => ("source", PyString::new(py, &text).into_any()),
            Content::Text(text) => ("text", PyString::new(py, &text).into_any()),
            Content::Json(text) => ("json", PyString::new(py, &text).into_any()),
            Content::Bytes(bytes) => ("bytes", PyBytes::new(py, &bytes).into_any()),
        };
        given.append((name, kind, content))?;
    }
    let steps = BEGIN_PROGRAM.with(|begin| {
        let begin = begin.get().expect("the snapshot holds the Python half");
        begin.call1(py, (name, source, given, env, checking as u8, strings))
    })?;
    Ok(steps.into_bound(py).cast_into()?)
}

/// Runs it until it waits.
fn step(program: &Bound<'_, PyIterator>, sent: &Bound<'_, PyAny>) -> PyResult<Progress> {
    Ok(match program.send(sent)? {
        PySendResult::Next(timeout) => Progress::Waits(timeout.extract()?),
        PySendResult::Return(end) => Progress::Ended(ended(&end)?),
    })
}

fn ended(end: &Bound<'_, PyAny>) -> PyResult<Result<Option<String>, Thrown>> {
    Ok(match end.extract()? {
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

/// Starts CPython with the library that [`library_memory`] was filled with. Called once, when the
/// guest is built, and gone from the component.
#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    let library = LIBRARY.take();
    // Where in this crate's sources it was is nothing to a script's author.
    std::panic::set_hook(Box::new(|panic| {
        let why = panic.payload_as_str().unwrap_or("it panicked");
        host::write(Level::Error, &format!("The interpreter failed: {why}"));
    }));
    objects::check();
    objects::install();
    instead::learn_categories();
    interpreter::start(Library::read(library));
    Python::attach(|py| {
        json::check(py);
        globals::check(py);
        written::check(py);
        let begin = (|| py.import(BEGIN.0)?.getattr(BEGIN.1))();
        let begin = begin.unwrap_or_else(|error| {
            error.print(py);
            panic!("the Python half can't be imported");
        });
        if let Err(error) = warm_up(py) {
            error.print(py);
            panic!("the Python half can't be tried");
        }
        BEGIN_PROGRAM.with(|kept| kept.set(begin.unbind()).expect("initialised once"));
        let lasting = (|| {
            let half = py.import(BEGIN.0)?;
            PyResult::Ok((half.getattr(LASTING.0)?, half.getattr(LASTING.1)?))
        })();
        let (begin, leave) = lasting.expect("the Python half was imported");
        LASTING_FUNCTIONS.with(|kept| {
            let functions = (begin.unbind(), leave.unbind());
            kept.set(functions).expect("initialised once");
        });
        stillness::settle();
    });
}

/// Tries scripts. What they change in memory is to lie together, behind everything else.
fn warm_up(py: Python<'_>) -> PyResult<()> {
    let warm = py.import(WARM)?;
    let callers = warm.call_method0("callers")?;
    stillness::fill_holes();
    warm.call_method1("gather", (callers,))?;
    // Before code is run often enough to be made for what it meets: that of constants which are not
    // immortal counts who uses them.
    stillness::make_immortal();
    warm.call_method0("up")?;
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
