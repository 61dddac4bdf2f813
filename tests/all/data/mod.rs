//! The guest of Python with numpy and pandas: which scripts run in it, and what becomes of the others.
//!
//! To choose a guest, it doesn't matter what is in it. So most tests have the usual guest of Python in
//! the place of that one, as a file that says that it has numpy and pandas. `real` and `scripts` have
//! the real one.

mod cli;
mod embedders;
mod lasting;
mod real;
mod scripts;
mod suites;

use std::path::{Path, PathBuf};

use ampoule::{
    DataGuest, Ending, GuestKind, Keep, Limits, Module, Outcome, RecordOptions, Runtime,
    RuntimeBuilder, Script, SessionLimits, SkillOptions,
};
use ampoule_guests::PYTHON;
use ampoule_guests::file::{About, pack};
use ampoule_tests::runtime_builder;
use tempfile::TempDir;

use crate::packages::{greeting, kept};

/// The usual guest of Python as the file of the other one.
pub(crate) fn stand_in() -> Vec<u8> {
    let pages = PYTHON.pages().into_iter();
    let lines = pages.map(|pages| format!("{}-{}\n", pages.start, pages.end - 1));
    let about = About {
        modules: ["numpy", "pandas"].map(str::to_owned).to_vec(),
        packages: [("numpy", "2.5.5"), ("pandas", "3.1.1")]
            .map(|(name, version)| (name.to_owned(), version.to_owned()))
            .into(),
        pages: lines.collect(),
    };
    pack(PYTHON.bytes(), &about).expect("a file")
}

/// A folder for what a runtime keeps, and the guest's file in it.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        std::fs::write(place.file(), stand_in()).expect("a file");
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join(DataGuest::FILE)
    }

    fn guest(&self) -> DataGuest {
        DataGuest::open(&self.file()).expect("a guest")
    }

    /// A runtime without the guest, which keeps sessions and records.
    fn without(&self) -> RuntimeBuilder {
        let mut options = RecordOptions::default();
        options.keep = Keep::All;
        runtime_builder()
            .sessions(self.path().join("sessions"), SessionLimits::default())
            .records(self.path().join("records"), options)
    }

    fn runtime(&self) -> Runtime {
        let builder = self.without().python_data(self.guest());
        builder.build().expect("a runtime")
    }
}

/// The hash of the guest that a run had, as its record has it.
fn guest_of(runtime: &Runtime, outcome: &Outcome) -> String {
    let id = outcome.record.expect("a record").to_string();
    let record = runtime.records(None).expect("records").record(&id);
    record.expect("the record").head.build.guest
}

/// The hash of the guest that a script runs in.
async fn guest_for(runtime: &Runtime, script: Script) -> String {
    let outcome = runtime.isolate(script).run().await.expect("it runs");
    guest_of(runtime, &outcome)
}

/// The message of the error that a run ended with.
fn error_of(outcome: &Outcome) -> &str {
    match &outcome.ending {
        Ending::Threw(thrown) => &thrown.message,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn scripts_that_name_numpy_or_pandas_run_in_the_guest_that_has_them_and_others_do_not() {
    let place = Place::new();
    let runtime = place.runtime();
    assert!(
        runtime
            .guest_kinds()
            .any(|kind| kind == GuestKind::PythonData)
    );
    let usual = guest_for(&runtime, Script::python("return 1")).await;
    let data = guest_for(&runtime, Script::python("import pandas as pd")).await;
    assert_ne!(usual, data);
    for (source, expected) in [
        ("from numpy.linalg import inv", &data),
        ("return 1  # pandas", &data),
        ("x = __import__('numpy')", &data),
        ("geopandas = 1\nnumpy_like = 2\nreturn geopandas", &usual),
        ("import json\nreturn json.dumps([1])", &usual),
    ] {
        let guest = guest_for(&runtime, Script::python(source)).await;
        assert_eq!(&guest, expected, "{source}");
    }
    // A module of the program's counts, and a text beside it does not.
    let module = Script::python("import table").module(
        "table.py",
        Module::Source("def rows():\n    import pandas\n".to_owned()),
    );
    assert_eq!(guest_for(&runtime, module).await, data);
    let text = Script::python("return 1").module("notes.txt", Module::Text("pandas".to_owned()));
    assert_eq!(guest_for(&runtime, text).await, usual);
    let other = guest_for(&runtime, Script::javascript("return 'pandas'")).await;
    assert!(other != usual && other != data);
}

#[tokio::test]
async fn a_skill_that_names_pandas_brings_its_guest() {
    let place = Place::new();
    let builder = place.without().python_data(place.guest());
    let skills = place.path().join("skills");
    let runtime = builder
        .skills(skills, SkillOptions::default())
        .build()
        .expect("a runtime");
    let usual = guest_for(&runtime, Script::python("return 1")).await;
    let save = |name: &str, body: &str| {
        let code = format!("def rows():\n    {body}\n    return 1\n");
        Script::python(format!(
            "return await skills.save({{'name': '{name}', 'description': 'Gives rows.', 'code': {code:?}}})"
        ))
    };
    for (name, body) in [("plain", "pass"), ("tables", "import pandas")] {
        let isolate = runtime
            .isolate(save(name, body))
            .grant(ampoule::Grant::all());
        let saved = isolate.run().await.expect("it runs");
        assert!(
            matches!(saved.ending, Ending::Returned(_)),
            "{}",
            saved.ending
        );
    }
    let import = |name: &str| Script::python(format!("from skills import {name}\nreturn 1"));
    assert_eq!(guest_for(&runtime, import("plain")).await, usual);
    assert_ne!(guest_for(&runtime, import("tables")).await, usual);
}

#[tokio::test]
async fn without_the_guest_the_error_says_how_the_operator_adds_it() {
    let place = Place::new();
    let runtime = place.without().build().expect("a runtime");
    assert!(
        runtime
            .guest_kinds()
            .all(|kind| kind != GuestKind::PythonData)
    );
    for (source, is_told) in [
        ("import pandas as pd", true),
        ("import numpy.linalg", true),
        ("import matplotlib", false),
        ("import pandas2", false),
    ] {
        let outcome = runtime.isolate(Script::python(source)).run().await.unwrap();
        let message = error_of(&outcome);
        let says =
            "If numpy and pandas are needed, the operator can add them: `ampoule doctor` says how.";
        assert_eq!(message.ends_with(says), is_told, "{source}: {message}");
    }
    let refused = runtime
        .warm(GuestKind::PythonData)
        .await
        .expect_err("there is none");
    assert!(refused.is_config(), "{refused}");
}

#[tokio::test]
async fn a_script_that_hides_what_it_imports_is_told_to_name_it() {
    let place = Place::new();
    let runtime = place.runtime();
    let source = "return __import__('pan' + 'das')";
    let outcome = runtime.isolate(Script::python(source)).run().await.unwrap();
    let says = "There is no module `pandas` in this run: only a script that names it has it. Write `import pandas` in the script.";
    assert_eq!(error_of(&outcome), says);
}

#[tokio::test]
async fn packages_of_the_operator_are_in_both_guests() {
    let place = Place::new();
    let (folder, packages) = kept(place.path(), &[greeting()]);
    let builder = place.without().python_data(place.guest());
    let builder = builder.python_packages(folder, packages);
    let runtime = builder.build().expect("a runtime");
    let mut guests = Vec::new();
    for named in ["", "  # pandas"] {
        let source = format!("import greeting{named}\nreturn greeting.greet('Ada')");
        let outcome = runtime.isolate(Script::python(source)).run().await.unwrap();
        assert_eq!(outcome.value::<String>().unwrap(), "Hello, Ada");
        guests.push(guest_of(&runtime, &outcome));
    }
    assert_ne!(guests[0], guests[1]);
    let bare = place.runtime();
    guests.push(guest_for(&bare, Script::python("return 1  # pandas")).await);
    assert_ne!(guests[1], guests[2]);
    let [package] = runtime.packages(GuestKind::PythonData) else {
        panic!("one package");
    };
    assert_eq!(package.name(), "greeting");
}

#[tokio::test]
async fn a_limit_that_has_no_room_for_the_guest_says_what_it_takes() {
    let place = Place::new();
    let runtime = place.runtime();
    let limits = Limits {
        memory_bytes: 8 << 20,
        ..Limits::default()
    };
    let isolate = runtime
        .isolate(Script::python("import pandas"))
        .limits(limits)
        .unwrap();
    let refused = isolate.run().await.expect_err("no room").to_string();
    assert!(
        refused.contains("the limit `memory` is 8388608 bytes"),
        "{refused}"
    );
    assert!(
        refused.contains("before a script begins; allow at least that"),
        "{refused}"
    );
}
