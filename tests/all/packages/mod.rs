//! Packages that the operator added: of pure Python, and in `npm` those of npm.

mod builds;
mod cli;
mod embedders;
mod hostile;
mod imports;
mod killed;
mod lasting;
mod npm;
mod real;
mod wheel;

use std::path::Path;

use ampoule::{Error, Outcome, Package, PackageFolder, Runtime, RuntimeBuilder, Script};
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::Value;

pub(crate) use npm::changed as changed_tarball;
pub(crate) use wheel::Wheel;

/// A runtime with these packages; the folder has their wheels.
fn with(folder: &Path, wheels: &[Wheel]) -> RuntimeBuilder {
    let (folder, packages) = kept(folder, wheels);
    runtime_builder()
        .binding(test_tools())
        .python_packages(folder, packages)
}

/// The folder of wheels in this one, with these wheels.
pub(crate) fn kept(folder: &Path, wheels: &[Wheel]) -> (PackageFolder, Vec<Package>) {
    let folder = PackageFolder::new(folder.join("packages"));
    let packages = wheels.iter().map(|wheel| wheel.kept(&folder)).collect();
    (folder, packages)
}

/// Runs a script in Python.
async fn run(runtime: &Runtime, source: &str) -> Result<Outcome, Error> {
    runtime.isolate(Script::python(source)).run().await
}

/// What it returns.
async fn value(runtime: &Runtime, source: &str) -> Value {
    let outcome = run(runtime, source).await.expect("it runs");
    outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.ending))
}

/// A package with a submodule that is imported late, data, a namespace, and something random.
pub(crate) fn greeting() -> Wheel {
    Wheel::new("greeting")
        .file(
            "greeting/__init__.py",
            "import random\nfrom .words import HELLO\nloads = []\nloads.append(1)\nchance = random.Random()\n\
             def greet(name):\n    return f'{HELLO}, {name}'\n\
             def broken():\n    raise ValueError('inside')\n\
             def spin():\n    while True: pass\n",
        )
        .file("greeting/words.py", "HELLO = 'Hello'\n")
        .file("greeting/late.py", "VALUE = 42\n")
        .file("greeting/data/words.txt", "one two\n")
        .file("shared/part/__init__.py", "NAME = 'part'\n")
        .file("greeting_tool.py", "def tool():\n    return 'tool'\n")
}
