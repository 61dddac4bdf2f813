//! Programs that embed Ampoule by its packages for Node, Python and C, each with the `ampoule.toml` of
//! the folder that it runs in.

use std::path::PathBuf;

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{prepared, repository};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::bindings_c::C;

/// A package, and how a program of it is run.
pub(crate) enum Embedder {
    /// The folder of Ampoule for Node.
    Node(PathBuf),
    /// The folder of Ampoule for Python.
    Python(PathBuf),
    /// A program that takes the options of the runtime and of the run.
    C {
        program: PathBuf,
        /// The folder that it is in is removed with this.
        _place: C,
    },
}

impl Embedder {
    pub(crate) fn node(test: &str) -> Option<Self> {
        prepared(test, "AMPOULE_TEST_BINDINGS_NODE").map(Self::Node)
    }

    pub(crate) fn python(test: &str) -> Option<Self> {
        prepared(test, "AMPOULE_TEST_BINDINGS_PYTHON").map(Self::Python)
    }

    pub(crate) async fn c(test: &str) -> Option<Self> {
        let place = C::of(test, "gcc")?;
        let source = repository().join("host/bind/c/tests/configured.c");
        let program = place.compiled(&source, &["-std=c11"]).await;
        Some(Self::C {
            program,
            _place: place,
        })
    }

    /// A program that makes a runtime of the workplace's `ampoule.toml`, and prints what the code
    /// returns in a run with these options.
    fn command(&self, workplace: &Workplace, code: &str, options: &Value) -> Command {
        let config = json!(workplace.path().join("ampoule.toml"));
        let mut command = match self {
            Self::Node(folder) => {
                let program = format!(
                    "import {{ Runtime }} from 'ampoule'
                    const runtime = new Runtime({{ config: {config} }})
                    const outcome = await runtime.run({}, {options})
                    console.log(JSON.stringify(outcome))
                    await runtime.close()",
                    json!(code)
                );
                let arguments = ["--input-type=module", "-e", &program];
                let mut command = workplace.command("node", &arguments);
                command.current_dir(folder.join("ampoule/test"));
                command
            }
            Self::Python(folder) => {
                let program = format!(
                    "import json, pyampoule\n\
                    with pyampoule.Runtime(config={config}) as runtime:\n    \
                    outcome = runtime.run({}, **{options})\n    \
                    print(json.dumps({{'value': outcome.result()}}))",
                    json!(code)
                );
                let python = folder.join("venv/bin/python");
                let mut command = workplace.command(python, &["-c", &program]);
                command.env("PYTHONPATH", folder.join("site"));
                command
            }
            Self::C { program, .. } => {
                let runtime = json!({ "config": config }).to_string();
                let mut run = options.clone();
                run["code"] = json!(code);
                workplace.command(program, &[&runtime, &run.to_string()])
            }
        };
        workplace.at_home(&mut command);
        command
    }

    /// What the code returns.
    pub(crate) async fn returned(
        &self,
        workplace: &Workplace,
        code: &str,
        options: &Value,
    ) -> Value {
        let ran = ended(self.command(workplace, code, options)).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let mut outcome = ran.json();
        assert!(!outcome["value"].is_null(), "{outcome}");
        outcome["value"].take()
    }
}
