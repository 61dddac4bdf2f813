//! What the integration tests share: a runtime with test tools, scripts that run on it, and tests
//! that can't run.

pub mod binding;
pub mod command;
pub mod components;
pub mod lowered;
pub mod model;
pub mod terminal;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use ampoule::{Ending, Functions, Grant, Limits, Outcome, Runtime, RuntimeBuilder, Script, Thrown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One runtime for a test process.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        runtime_builder()
            .binding(test_tools())
            .binding(odd_names())
            .build()
            .expect("a runtime")
    });
    &RUNTIME
}

/// A runtime to be, whose guests were compiled in another process: some tests measure this one's
/// memory. `cargo xtask test` says that it had them compiled before it started any test.
///
/// # Panics
///
/// Where they can't be compiled.
pub fn runtime_builder() -> RuntimeBuilder {
    if std::env::var_os("AMPOULE_TEST_WARM").is_none() {
        let warm = Command::new(binary()).arg("warm").output();
        let warm = warm.expect("a process");
        assert!(warm.status.success(), "{warm:?}");
    }
    Runtime::builder()
}

/// Tools that do what tests need.
pub fn test_tools() -> Functions {
    #[derive(Deserialize, JsonSchema)]
    struct Echo {
        value: Value,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Add {
        a: f64,
        b: f64,
    }
    #[derive(Serialize, JsonSchema)]
    struct Sum {
        sum: f64,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Sleep {
        ms: u64,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Text {
        bytes: usize,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    Functions::new("test-tools")
        .described("Tools for tests.")
        .tool("echo", "Gives back what it gets.", async |echo: Echo| {
            Ok::<_, String>(echo.value)
        })
        .tool("add", "Adds two numbers.", async |add: Add| {
            Ok::<_, String>(Sum { sum: add.a + add.b })
        })
        .tool("sleep", "Answers after a while.", async |sleep: Sleep| {
            tokio::time::sleep(Duration::from_millis(sleep.ms)).await;
            Ok::<_, String>(sleep.ms)
        })
        .tool(
            "text",
            "Gives a text of that many bytes.",
            async |text: Text| Ok::<_, String>("x".repeat(text.bytes)),
        )
        .tool("fail", "Always fails.", async |_: Nothing| {
            Err::<(), _>("it always fails")
        })
        .tool("hang", "Never answers.", async |_: Nothing| {
            std::future::pending::<Result<(), String>>().await
        })
        .tool(
            "panic-at-once",
            "Panics inside the host before it waits for anything.",
            async |nothing: Nothing| {
                let Nothing {} = nothing;
                Err::<(), _>(String::from_utf8(vec![0xff]).expect("this panic is on purpose"))
            },
        )
        .tool(
            "panic",
            "Panics inside the host.",
            async |nothing: Nothing| {
                let Nothing {} = nothing;
                tokio::task::yield_now().await;
                Err::<(), _>(String::from_utf8(vec![0xff]).expect("this panic is on purpose"))
            },
        )
}

/// Tools whose names mean something to JavaScript.
pub fn odd_names() -> Functions {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}
    [
        "__proto__",
        "then",
        "constructor",
        "toString",
        "get-item",
        "get item",
        "valueOf",
        "1st",
        "",
    ]
    .into_iter()
    .fold(Functions::new("odd"), |functions, name| {
        functions.tool(name, "Gives its own name.", move |_: Nothing| async move {
            Ok::<_, String>(name)
        })
    })
}

/// Runs a script in TypeScript with all tools granted, under the default limits.
pub async fn run(source: &str) -> Outcome {
    run_limited(source, *runtime().limits()).await
}

/// The same, under these limits.
///
/// # Panics
///
/// On a host fault.
pub async fn run_limited(source: &str, limits: Limits) -> Outcome {
    run_script(Script::typescript(source), limits).await
}

/// Runs a script in any language, with all tools granted.
///
/// # Panics
///
/// On a host fault.
pub async fn run_script(script: Script, limits: Limits) -> Outcome {
    let isolate = runtime().isolate(script).grant(Grant::all());
    isolate
        .limits(limits)
        .expect("limits below the ceilings")
        .run()
        .await
        .expect("no host fault")
}

/// The value that a script in TypeScript returns, under the default limits.
///
/// # Panics
///
/// Where it ends otherwise; the message has what it printed.
pub async fn value(source: &str) -> Value {
    value_of(Script::typescript(source), *runtime().limits()).await
}

/// The value that a script in any language returns.
///
/// # Panics
///
/// Where it ends otherwise; the message has the script, and what it printed.
pub async fn value_of(script: Script, limits: Limits) -> Value {
    let shown = format!("{script:?}");
    let outcome = run_script(script, limits).await;
    match outcome.value() {
        Ok(value) => value,
        Err(error) => panic!("{error}\nscript: {shown}\noutput: {}", outcome.output),
    }
}

/// The error that a script throws.
///
/// # Panics
///
/// Where it ends otherwise.
pub async fn thrown(source: &str) -> Thrown {
    match run(source).await.ending {
        Ending::Threw(thrown) => thrown,
        other => panic!("it ended otherwise: {other}\nscript: {source}"),
    }
}

/// How a run ended, in a word: `returned`, `threw:TypeError`, `trapped`, `limit:fuel`.
pub fn verdict(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Returned(_) => "returned".to_owned(),
        Ending::Threw(thrown) => format!("threw:{}", thrown.name),
        Ending::Limit(hit) => format!("limit:{}", hit.limit),
        ended => ended.name().to_owned(),
    }
}

/// The folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is in the repository")
}

/// The `ampoule` binary beside this test's own.
///
/// # Panics
///
/// Where it was not built.
pub fn binary() -> PathBuf {
    let mut path = std::env::current_exe().expect("this test's path");
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.push("ampoule");
    assert!(
        path.exists(),
        "{} is not there: run `cargo build` first, or the tests by `cargo xtask test`",
        path.display()
    );
    path
}

/// Runs a test, by its full name, again in a process of its own, in whose memory no other test
/// takes part. True in that process, where the test continues.
///
/// # Panics
///
/// Where it fails there.
pub fn is_alone(test: &str) -> bool {
    const ALONE: &str = "AMPOULE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let this = std::env::current_exe().expect("this test's path");
    let ran = Command::new(this)
        .args(["--exact", test])
        .env(ALONE, "1")
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    false
}

/// Something of the machine that a test needs: a folder that `cargo xtask test` prepared, named by
/// an environment variable.
///
/// Where it is missing, the test can't run. It says so by name, is counted as skipped by `cargo
/// xtask test`, and fails in CI.
///
/// # Panics
///
/// In CI, where it is missing.
pub fn prepared(test: &str, variable: &str) -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.exists())
    {
        return Some(path);
    }
    cannot_run(
        test,
        &format!(
            "{variable} names no folder; `cargo xtask test` prepares it where there is what it needs"
        ),
    );
    None
}

/// One of the guests in `guests/examples`, built by `cargo xtask test`. Where it could not be, the
/// test can't run, as with [`prepared`].
///
/// # Panics
///
/// In CI, where it is missing.
pub fn example(test: &str, name: &str) -> Option<PathBuf> {
    let path = prepared(test, "AMPOULE_TEST_GUESTS")?.join(format!("{name}.wasm"));
    if path.exists() {
        return Some(path);
    }
    cannot_run(
        test,
        &format!("`cargo xtask test` could not build the guest {name}"),
    );
    None
}

/// A program that is installed on this machine. Where it is not, the test can't run, as with
/// [`prepared`].
///
/// # Panics
///
/// In CI, where it is missing.
pub fn installed(test: &str, program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // Servers are not where everybody looks.
    let folders = std::env::split_paths(&folders).chain(["/usr/sbin".into(), "/sbin".into()]);
    let found = folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file());
    if found.is_none() {
        cannot_run(test, &format!("`{program}` is not installed"));
    }
    found
}

fn cannot_run(test: &str, reason: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "{test} can't run: {reason}"
    );
    skipped(test, reason);
}

/// Leaves a note for `cargo xtask test`, which counts it: what the machine does not allow is not
/// tested.
///
/// # Panics
///
/// Where the note can't be left.
pub fn skipped(test: &str, reason: &str) {
    if let Some(folder) = std::env::var_os("AMPOULE_SKIPPED") {
        std::fs::write(Path::new(&folder).join(test), reason).expect("a note of what was skipped");
    }
}
