//! Folders that tests need, and the making of them.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result};

use super::{bindings, cpython, part, servers, there_or_skipped};

/// A folder that some tests need.
pub(super) struct Preparation {
    what: &'static str,
    /// The variable that tests know the folder by.
    variable: &'static str,
    make: fn() -> Result<PathBuf>,
}

/// Folders, by the variables that tests know them by.
pub(super) type Folders = Vec<(&'static str, PathBuf)>;

/// What the quick tests need.
pub(super) const QUICK: [Preparation; 5] = [
    Preparation {
        what: "npm's packages",
        variable: "AMPOULE_TEST_NODE",
        make: servers::node,
    },
    Preparation {
        what: "PyPI's packages",
        variable: "AMPOULE_TEST_PYTHON",
        make: servers::python,
    },
    Preparation {
        what: "packages for scripts",
        variable: "AMPOULE_TEST_PACKAGES",
        make: servers::packages,
    },
    Preparation {
        what: "packages of npm for scripts",
        variable: "AMPOULE_TEST_NPM_PACKAGES",
        make: servers::npm_packages,
    },
    Preparation {
        what: "the model",
        variable: "AMPOULE_TEST_MODEL",
        make: model,
    },
];

/// What the tests that take long need besides.
pub(super) const DEEP: [Preparation; 7] = [
    Preparation {
        what: "CPython's own tests, fetched",
        variable: "AMPOULE_TEST_CPYTHON",
        make: cpython::prepare,
    },
    Preparation {
        what: "Ampoule for Python, built",
        variable: "AMPOULE_TEST_BINDINGS_PYTHON",
        make: bindings::python,
    },
    Preparation {
        what: "Ampoule's wheel, made and installed",
        variable: "AMPOULE_TEST_BINDINGS_WHEEL",
        make: bindings::wheel,
    },
    Preparation {
        what: "Ampoule for Node, built",
        variable: "AMPOULE_TEST_BINDINGS_NODE",
        make: bindings::node,
    },
    Preparation {
        what: "Node's frameworks for agents",
        variable: "AMPOULE_TEST_DRIVERS_NODE",
        make: bindings::drivers_node,
    },
    Preparation {
        what: "Python's frameworks for agents",
        variable: "AMPOULE_TEST_DRIVERS_PYTHON",
        make: bindings::drivers_python,
    },
    Preparation {
        what: "documents of APIs",
        variable: "AMPOULE_TEST_APIS",
        make: servers::apis,
    },
];

/// The folder of the model.
fn model() -> Result<PathBuf> {
    let file = crate::model::make()?;
    let folder = file.parent().context("the model is in a folder")?;
    Ok(folder.to_owned())
}

/// Does something while folders are prepared, all at once: most of them wait for a network. Gives
/// what it gave, and the folders that could be prepared.
pub(super) fn meanwhile<T>(
    needs: &[Preparation],
    act: impl FnOnce() -> Result<T>,
) -> Result<(T, Folders)> {
    thread::scope(|scope| {
        let making: Vec<_> = needs
            .iter()
            .map(|need| {
                scope.spawn(move || there_or_skipped(need.what, part(need.what, need.make)))
            })
            .collect();
        let given = act()?;
        let mut folders = Folders::new();
        for (need, made) in needs.iter().zip(making) {
            let made = made.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            folders.extend(made.map(|folder| (need.variable, folder)));
        }
        Ok((given, folders))
    })
}
