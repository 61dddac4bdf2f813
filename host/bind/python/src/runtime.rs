//! A runtime.

use std::sync::Arc;

use ampoule_foreign::{Fault, GrantOptions, Grants, Layer, RunOptions, RuntimeOptions, option};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::fault;
use crate::layers;
use crate::mailbox::{Mailbox, Message};
use crate::run::Run;
use crate::tools::{self, Tools};

/// A runtime, usually one in a process.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Runtime {
    runtime: ampoule_foreign::Runtime,
}

/// What a run is made of, in the order in which Python gives it: the code, or one call as JSON, or the id of a run to undo, or to
/// resume; its language and name, the grant as
/// JSON, the limits as JSON, `env` and `strings` as JSON, the session, whether that is kept always, the
/// principal, the groups that it is in, whether it leaves a record, how it is checked, after how long it is parked, its label, and whether
/// its outcome is kept.
type Options<'a> = (
    (String, Option<&'a str>, Option<String>, Option<String>),
    Option<String>,
    Option<String>,
    Option<&'a str>,
    Option<&'a str>,
    (Option<&'a str>, Option<&'a str>),
    Option<String>,
    bool,
    Option<String>,
    Vec<String>,
    bool,
    (&'a str, Option<&'a str>, Option<String>, bool),
);

/// What of Python's a run calls: its tools, each server's with its functions, and its layers, each
/// whether it is async and what is called.
type Callables = (Vec<(Py<Tools>, Py<PyTuple>)>, Vec<(bool, Py<PyAny>)>);

fn of_run(
    py: Python<'_>,
    (tools, layers): Callables,
    context: &Py<PyAny>,
    mailbox: Option<&Arc<Py<Mailbox>>>,
) -> (Vec<ampoule_foreign::Tools>, Vec<Layer>) {
    (
        tools::of_run(py, tools, context, mailbox),
        layers::of_run(py, layers, context, mailbox),
    )
}

/// What is granted of the runtime's servers: the grant as JSON, the principal, the groups that it is in.
type GrantArguments<'a> = (Option<&'a str>, Option<String>, Vec<String>);

fn options(given: Options<'_>) -> Result<RunOptions, Fault> {
    let (
        (code, call, undo, resume),
        language,
        name,
        grant,
        limits,
        (env, strings),
        session,
        keep_always,
        principal,
        groups,
        record,
        (check, park_after, label, keep_outcome),
    ) = given;
    Ok(RunOptions {
        code,
        call: read("call", call)?,
        undo,
        resume,
        label,
        keep_outcome,
        park_after: read("park_after", park_after)?,
        language,
        name,
        grant: read("grant", grant)?,
        limits: read("limits", limits)?.unwrap_or_default(),
        env: read("env", env)?.unwrap_or_default(),
        strings: read("strings", strings)?.unwrap_or_default(),
        check: option("check", check)?,
        session,
        keep_always,
        principal,
        groups,
        record,
    })
}

fn read<'a, T: serde::Deserialize<'a>>(
    name: &str,
    text: Option<&'a str>,
) -> Result<Option<T>, Fault> {
    text.map(|text| option(name, text)).transpose()
}

#[pymethods]
impl Runtime {
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Self> {
        let made =
            py.detach(|| ampoule_foreign::Runtime::new(&RuntimeOptions::from_json(options)?));
        match made {
            Ok(runtime) => Ok(Self { runtime }),
            Err(fault) => Err(fault::raised(py, &fault)),
        }
    }

    /// Whether runs can be parked: there is a folder for them.
    #[getter]
    fn parks(&self) -> bool {
        self.runtime.parks()
    }

    /// Runs a script to its end, and gives its outcome.
    fn run(
        &self,
        py: Python<'_>,
        given: Options<'_>,
        called: Callables,
        context: Py<PyAny>,
        mailbox: Option<Py<Mailbox>>,
    ) -> PyResult<String> {
        let raised = |fault: Fault| fault::raised(py, &fault);
        let options = options(given).map_err(raised)?;
        let (tools, layers) = of_run(py, called, &context, mailbox.map(Arc::new).as_ref());
        let mut interrupt = None;
        let outcome = py.detach(|| {
            self.runtime.run_here(options, &tools, &layers, || {
                let checked = Python::attach(|py| py.check_signals());
                interrupt = checked.err();
                interrupt.is_none()
            })
        });
        match interrupt {
            Some(interrupt) => Err(interrupt),
            None => outcome.map_err(raised),
        }
    }

    /// Starts a script, and sends its outcome to a mailbox.
    fn start(
        &self,
        py: Python<'_>,
        given: Options<'_>,
        called: Callables,
        context: Py<PyAny>,
        told: (Py<Mailbox>, Py<PyAny>),
    ) -> PyResult<Run> {
        let (mailbox, told) = told;
        let raised = |fault: Fault| fault::raised(py, &fault);
        let options = options(given).map_err(raised)?;
        let mailbox = Arc::new(mailbox);
        let (tools, layers) = of_run(py, called, &context, Some(&mailbox));
        let loops = Arc::clone(&mailbox);
        let ended = move |outcome| mailbox.get().put(Message::Ended(told, outcome));
        let run = py.detach(|| {
            let start = || self.runtime.start(options, &tools, &layers, ended);
            loops.get().step(start)
        });
        Ok(Run {
            run: run.map_err(raised)?,
            tokio: self.runtime.handle().clone(),
        })
    }

    /// Declarations of tools in a language of scripts, of these and of what is granted.
    fn declarations(
        &self,
        py: Python<'_>,
        language: &str,
        granted: GrantArguments<'_>,
        tools: Vec<(Py<Tools>, Py<PyTuple>)>,
    ) -> PyResult<String> {
        let raised = |fault: Fault| fault::raised(py, &fault);
        let (grant, principal, groups) = granted;
        let grant: Option<Grants> = read("grant", grant).map_err(raised)?;
        let granted = grant.map(|grant| GrantOptions {
            grant,
            principal,
            groups,
        });
        let tools: Vec<_> = tools
            .iter()
            .map(|(tools, _)| tools.get().offered())
            .collect();
        let declared = py.detach(|| self.runtime.declarations(language, granted, &tools));
        declared.map_err(raised)
    }

    /// The parked runs of a principal, or of nobody in particular, as JSON.
    fn parked(&self, py: Python<'_>, principal: Option<String>) -> PyResult<String> {
        let found = py.detach(|| self.runtime.parked(principal));
        found.map_err(|fault| fault::raised(py, &fault))
    }

    /// Removes a parked run.
    fn remove_parked(&self, py: Python<'_>, run: &str, principal: Option<String>) -> PyResult<()> {
        let removed = py.detach(|| self.runtime.remove_parked(run, principal));
        removed.map_err(|fault| fault::raised(py, &fault))
    }

    /// Ends all runs, and waits for them.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.runtime.close());
    }
}
