//! Scripts held against what `ampoule tools generate` writes, by the checkers that people use: what they
//! accept runs, and what they refuse would not.
//!
//! - `typescript`: scripts in TypeScript
//! - `offered`: what servers have besides tools
//! - `components`: the tutorial's programs, held against what their toolchains make of the packages

mod components;
mod offered;
mod typescript;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{prepared, repository};
use tokio::process::Command;

use crate::documents::blocks;

/// A folder with the tools of the demo server in a language, and the packages of a checker.
async fn generated(language: &str, node: &Path) -> Workplace {
    let workplace = Workplace::default();
    generate(&workplace, language, node).await;
    workplace
}

/// The same of a folder's configuration.
async fn generate(workplace: &Workplace, language: &str, node: &Path) {
    let generate = ["tools", "generate", "--lang", language, "--out", "."];
    let ran = workplace.run(&generate).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let packages = workplace.path().join("node_modules");
    std::os::unix::fs::symlink(node.join("node_modules"), packages).expect("a link");
}

/// A command with more arguments.
fn with(mut command: Command, arguments: &[impl AsRef<OsStr>]) -> Command {
    command.args(arguments);
    command
}

/// What the program says that `ampoule tools generate` writes for scripts with a `return` at their top.
async fn checked(workplace: &Workplace, scripts: &[impl AsRef<OsStr>]) -> Ran {
    ended(with(workplace.command("node", &["check.mjs"]), scripts)).await
}

/// Writes scripts, each into a file of its own, and gives the files' names. A checker that starts once for all of them
/// is done sooner by far than one that starts for each.
fn written<'a>(
    workplace: &Workplace,
    ending: &str,
    scripts: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let files = scripts.into_iter().enumerate().map(|(number, script)| {
        let file = format!("script_{number}.{ending}");
        workplace.file(&file, script);
        file
    });
    files.collect()
}

/// What TypeScript's compiler says of the whole folder.
async fn compiled(workplace: &Workplace, more: &[&str]) -> Ran {
    let tsc = workplace.path().join("node_modules/.bin/tsc");
    let mut arguments = vec!["-p", "."];
    arguments.extend(more);
    ended(workplace.command(tsc, &arguments)).await
}

/// Runs both of Python's checkers on files, and gives what each says.
async fn python_checkers(
    workplace: &Workplace,
    python: &Path,
    files: &[impl AsRef<OsStr>],
) -> [Ran; 2] {
    let config = "{ \"typeCheckingMode\": \"strict\", \"pythonVersion\": \"3.14\" }";
    workplace.file("pyrightconfig.json", config);
    let pyright = workplace.path().join("node_modules/.bin/pyright");
    let mypy = python.join("venv/bin/mypy");
    let strict = ["--strict", "--python-version", "3.13"];
    [
        ended(with(workplace.command(pyright, &[]), files)).await,
        ended(with(workplace.command(mypy, &strict), files)).await,
    ]
}

/// The lines of which a checker complains.
fn lines(said: &str, file: &str) -> BTreeSet<usize> {
    let place = format!("{file}:");
    let errors = said.lines().filter(|line| line.contains("error"));
    let lines = errors.filter_map(|line| {
        let (_, rest) = line.split_once(&place)?;
        rest.split(':').next()?.parse().ok()
    });
    lines.collect()
}

/// What is right in Python: calls by keywords, by one dict, answers by items and by attributes.
const IN_PYTHON: &str = "\
import asyncio
import tools
from mcp import runtime
from servers import demo
from servers.demo import get_business

async def main() -> object:
    page = await tools.demo.list_orders(status=[\"pending\"], limit=3, from_=\"2026-01-01\")
    same = await demo.list_orders({\"status\": [\"pending\"], \"limit\": 3, \"from\": \"2026-01-01\"})
    first = page[\"items\"][0]
    names = [first.id, first[\"id\"], first.lines[0].productId, first.get(\"reference\"), (await get_business()).name]
    both = await asyncio.gather(demo.get_business(), demo.list_products({}))
    waited = demo.list_products(category=\"desks\").result()
    found = tools.search(\"orders\", limit=3)[0].name
    called = await runtime.call_tool(\"demo\", \"get_business\")
    return [names, same.total, both[0].name, waited[\"total\"], found, called[\"name\"], runtime.discovered_servers()]
";

/// What is wrong in Python: each line but the first three.
const WRONG_IN_PYTHON: &str = "\
import tools

async def main() -> None:
    await tools.demo.list_orders(status=[\"pendin\"])
    await tools.demo.list_orders({\"limt\": 3})
    await tools.demo.list_orders(limt=3)
    await tools.demo.get_order()
    (await tools.demo.list_orders()).totl
    (await tools.demo.list_orders())[\"totl\"]
    await tools.demo.list_order()
    tools.demo.list_orders().total
    await tools.demo._read(\"x\")
";

#[tokio::test]
async fn python_is_checked_as_it_runs() {
    let test = "python_is_checked_as_it_runs";
    let (Some(node), Some(python)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let workplace = generated("python", &node).await;
    workplace.file("right.py", IN_PYTHON);
    for said in python_checkers(&workplace, &python, &["right.py"]).await {
        assert_eq!(said.code, Some(0), "{}", said.stdout);
    }
    let ran = workplace.run(&["run", "--quiet", "right.py"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workplace.file("wrong.py", WRONG_IN_PYTHON);
    let wanted: BTreeSet<usize> = (4..=WRONG_IN_PYTHON.lines().count()).collect();
    for said in python_checkers(&workplace, &python, &["wrong.py"]).await {
        assert_eq!(lines(&said.stdout, "wrong.py"), wanted, "{}", said.stdout);
    }
    // The stubs themselves, and what scripts have without an import, which pyright alone knows.
    let stubs = ["servers", "tools", "mcp", "__builtins__.pyi"];
    let mut mypy = workplace.command(python.join("venv/bin/mypy"), &["--strict"]);
    mypy.args(["--python-version", "3.13"]).args(stubs);
    let said = ended(mypy).await;
    assert_eq!(said.code, Some(0), "{}", said.stdout);
    let free = "async def main() -> object:\n    return [(await tools.demo.get_business()).name, (await mcp_demo.get_business()).name, env.x, ToolError]\n";
    workplace.file("free.py", free);
    let pyright = workplace.path().join("node_modules/.bin/pyright");
    let mut pyright = workplace.command(pyright, &["free.py"]);
    pyright.args(stubs);
    let said = ended(pyright).await;
    assert_eq!(said.code, Some(0), "{}", said.stdout);
}

/// Scripts of documents and examples in a language, each by its place.
fn documented(language: &str) -> Vec<(String, String)> {
    let others = ["typescript", "javascript", "js", "python"];
    let others = others.iter().flat_map(|language| blocks(language));
    // Programs that import `ampoule` are not scripts, and checked with the packages' own tests.
    let packages = "xtask/src/dist/files";
    let programs = [
        "docs/guides/frameworks.md:",
        "docs/guides/node.md:",
        "docs/guides/python.md:",
        "docs/start/node.md:",
        "docs/start/python.md:",
        "/README.md:",
        &format!("{packages}/npm.md:"),
        &format!("{packages}/pypi.md:"),
    ];
    let is_script = |place: &String| programs.iter().all(|program| !place.contains(program));
    let unseen: Vec<_> = others
        .map(|block| block.place())
        .filter(is_script)
        .collect();
    assert!(unseen.is_empty(), "ts or py is checked: {unseen:?}");
    let blocks = blocks(language).into_iter();
    let mut scripts: Vec<_> = blocks.map(|block| (block.place(), block.text)).collect();
    let examples = std::fs::read_dir(repository().join("examples")).expect("the examples");
    let files = examples.map(|file| file.expect("a file").path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == language));
    scripts.extend(files.map(|path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a script");
        (path.display().to_string(), text)
    }));
    assert!(!scripts.is_empty(), "{language}");
    scripts
}

/// As the guest runs a script: the body of a function.
fn as_function(script: &str) -> String {
    let body = script.lines().map(|line| format!("    {line}\n"));
    // What scripts have without an import, pyright alone knows.
    const SHOWN: &str = "def emit(*values: object) -> None:\n    return None\n\nasync def whole(tool: object, **arguments: object) -> dict[str, object]:\n    return {}\n\n";
    let shown = match script.contains("emit(") || script.contains("whole(") {
        true => SHOWN,
        false => "",
    };
    // What is imported and not used is an error.
    let import = match script.contains("tools") {
        true => "import tools\n\n",
        false => "",
    };
    format!(
        "{import}{shown}async def main() -> object:\n{}",
        body.collect::<String>()
    )
}

#[tokio::test]
async fn the_documents_scripts_are_accepted_by_three_checkers() {
    let test = "the_documents_scripts_are_accepted_by_three_checkers";
    let (Some(node), Some(python)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let workplace = generated("typescript", &node).await;
    let scripts = documented("ts");
    let files = written(
        &workplace,
        "ts",
        scripts.iter().map(|(_, script)| &**script),
    );
    let places: Vec<_> = files
        .iter()
        .zip(scripts.iter().map(|(place, _)| place))
        .collect();
    let said = checked(&workplace, &files).await;
    assert_eq!(
        said.code,
        Some(0),
        "{}
{places:#?}",
        said.stdout
    );
    let workplace = generated("python", &node).await;
    let scripts = documented("py");
    let functions: Vec<_> = scripts
        .iter()
        .map(|(_, script)| as_function(script))
        .collect();
    let files = written(&workplace, "py", functions.iter().map(String::as_str));
    let places: Vec<_> = files
        .iter()
        .zip(scripts.iter().map(|(place, _)| place))
        .collect();
    for said in python_checkers(&workplace, &python, &files).await {
        assert_eq!(
            said.code,
            Some(0),
            "{}
{places:#?}",
            said.stdout
        );
    }
}
