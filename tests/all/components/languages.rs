//! Components that other languages' toolchains make, as `docs/guides/components.md` says: what they have
//! of a program's surroundings.

use std::path::PathBuf;

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::prepared;
use serde_json::{Value, json};

const PYTHON: &str = r#"
import json, os, random, secrets, socket, sys, time, uuid

import wit_world


def refused(ask):
    try:
        ask()
    except OSError as error:
        return type(error).__name__
    return "given"


class WitWorld(wit_world.WitWorld):
    async def run(self, arguments: str) -> str:
        print("said")
        print("warned", file=sys.stderr)
        if json.loads(arguments).get("fails"):
            raise ValueError("it was to fail")
        sockets = [
            lambda: socket.socket(),
            lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            lambda: socket.getaddrinfo(b"localhost", 80),
            lambda: open("/etc/hostname"),
        ]
        return json.dumps({
            "drawn": [random.random(), str(uuid.uuid4()), secrets.token_hex(8), os.urandom(8).hex()],
            "time": time.time(),
            "waited": time.sleep(0.01),
            "sockets": [refused(ask) for ask in sockets],
            "input": sys.stdin.read(),
            "environment": dict(os.environ),
        })
"#;

const JAVASCRIPT: &str = r#"
import "./ampoule.js";

export function run(args) {
  console.log("said", { a: 1 });
  console.error("warned");
  if (JSON.parse(args).fails) throw new Error("it was to fail");
  return JSON.stringify({ drawn: [Math.random(), Math.random()], time: Date.now() / 1000 });
}
"#;

/// Runs the component in a workplace, and gives the outcome as `--json` prints it.
async fn outcome(workplace: &Workplace, arguments: Value) -> Value {
    let arguments = arguments.to_string();
    let ran = workplace
        .run(&[
            "run",
            "program.wasm",
            "--json",
            "--quiet",
            "--arguments",
            &arguments,
        ])
        .await;
    ran.json()
}

/// Makes `program.wasm` by a language's tool, in a workplace with the packages of `ampoule
/// generate`.
async fn built(
    files: &[(&str, &str)],
    generate: &[&str],
    tool: PathBuf,
    arguments: &[&str],
) -> Workplace {
    let workplace = Workplace::default();
    for (name, text) in files {
        workplace.file(name, text);
    }
    let mut generated = vec![
        "tools",
        "generate",
        "--lang",
        "wit",
        "--out",
        ".",
        "--servers",
        "demo.get_business",
    ];
    generated.extend(generate);
    let ran = workplace.run(&generated).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = ended(workplace.command(tool, arguments)).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workplace
}

/// Two runs have drawn nothing that is the same, and know what time it is.
fn assert_own_world(one: &Value, other: &Value) {
    for run in [one, other] {
        assert_eq!(run["ending"], "returned", "{run}");
        assert!(run["value"]["time"].as_f64() > Some(1.7e9), "{run}");
    }
    let drawn = |run: &Value| run["value"]["drawn"].as_array().cloned().expect("a list");
    for (one, other) in drawn(one).iter().zip(&drawn(other)) {
        assert_ne!(one, other);
    }
    assert!(drawn(one).len() >= 2);
}

fn lines(outcome: &Value) -> String {
    outcome["output"].to_string()
}

#[tokio::test]
async fn a_component_in_python_has_output_time_and_entropy_and_no_network() {
    let test = "a_component_in_python_has_output_time_and_entropy_and_no_network";
    let Some(python) = prepared(test, "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let tool = python.join("venv/bin/componentize-py");
    let build = [
        "-d",
        "wit",
        "-w",
        "program",
        "componentize",
        "app",
        "-o",
        "program.wasm",
    ];
    let workplace = built(&[("app.py", PYTHON)], &[], tool, &build).await;
    let first = outcome(&workplace, json!({})).await;
    assert_own_world(&first, &outcome(&workplace, json!({})).await);
    assert!(
        lines(&first).contains("said") && lines(&first).contains("warned"),
        "{first}"
    );
    let refused = json!([
        "PermissionError",
        "PermissionError",
        "gaierror",
        "FileNotFoundError"
    ]);
    assert_eq!(first["value"]["sockets"], refused);
    assert_eq!(
        (&first["value"]["input"], &first["value"]["environment"]),
        (&json!(""), &json!({}))
    );

    let failed = outcome(&workplace, json!({"fails": true})).await;
    assert_eq!(failed["ending"], "trapped", "{failed}");
    for said in [
        "said",
        "Traceback (most recent call last)",
        "app.py",
        "ValueError: it was to fail",
    ] {
        assert!(lines(&failed).contains(said), "{said}: {failed}");
    }
}

#[tokio::test]
async fn a_component_in_javascript_has_output_time_and_entropy() {
    let test = "a_component_in_javascript_has_output_time_and_entropy";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let module = ampoule_tests::repository().join("guests/examples/javascript/ampoule.js");
    let module = std::fs::read_to_string(module).expect("the module");
    let tool = node.join("node_modules/.bin/componentize-qjs");
    let build = [
        "--wit",
        "wit",
        "--world",
        "program",
        "--sync",
        "--js",
        "app.js",
        "-o",
        "program.wasm",
    ];
    let files = [("app.js", JAVASCRIPT), ("ampoule.js", &*module)];
    let workplace = built(&files, &["--sync"], tool, &build).await;
    let first = outcome(&workplace, json!({})).await;
    assert_own_world(&first, &outcome(&workplace, json!({})).await);
    assert!(
        lines(&first).contains(r#"said {\"a\":1}"#) && lines(&first).contains("warned"),
        "{first}"
    );

    let failed = outcome(&workplace, json!({"fails": true})).await;
    assert_eq!(
        (&failed["ending"], &failed["error"]["message"]),
        (&json!("threw"), &json!("it was to fail")),
        "{failed}"
    );
    assert!(lines(&failed).contains("said"), "{failed}");
}
