//! Drivers for frameworks of agents: each example runs with the real framework and a model that follows a
//! script.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};

/// Longer than any of them takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// The examples, by the ends of their files' names.
fn examples(end: &str) -> Vec<PathBuf> {
    let folder = repository().join("examples/frameworks");
    let files = fs::read_dir(folder).expect("examples");
    let files = files.map(|file| file.expect("a file").path());
    let mut examples: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|is| is == end))
        .collect();
    examples.sort();
    examples
}

fn name(example: &Path) -> String {
    let name = example.file_stem().expect("a file has a name");
    name.to_string_lossy().into_owned()
}

/// Runs an example to its end, which it says itself.
async fn passes(program: &Path, example: &Path, packages: Option<&Path>) {
    let workplace = Workplace::default();
    let example = example.to_str().expect("plain names");
    let mut command = workplace.command(program, &[example]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(packages) = packages {
        command.env("PYTHONPATH", packages);
    }
    let ended = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = ended.expect("it ends").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example}: {said}\n{complained}");
    assert!(said.contains(": ok"), "{example}: {said}\n{complained}");
}

#[tokio::test]
async fn examples_for_node_run() {
    let Some(folder) = prepared(
        "drivers::examples_for_node_run",
        "AMPOULE_TEST_DRIVERS_NODE",
    ) else {
        return;
    };
    let examples = examples("mjs");
    assert!(!examples.is_empty());
    for example in examples {
        let there = folder
            .join("examples")
            .join(example.file_name().expect("a name"));
        passes(Path::new("node"), &there, None).await;
    }
}

#[tokio::test]
async fn examples_for_python_run() {
    let Some(folder) = prepared(
        "drivers::examples_for_python_run",
        "AMPOULE_TEST_DRIVERS_PYTHON",
    ) else {
        return;
    };
    let examples = examples("py");
    assert!(!examples.is_empty());
    for example in examples {
        // Its packages do not fit those of the others.
        let venv = match name(&example).as_str() {
            "crewai_tool" => "venv-crewai",
            _ => "venv",
        };
        let python = folder.join(venv).join("bin/python");
        passes(&python, &example, Some(&folder.join("site"))).await;
    }
}

/// Checks files of Python as somebody has them who uses the package with types.
async fn are_typed(folder: &Path, files: &[&str]) {
    let workplace = Workplace::default();
    let python = folder.join("venv/bin/python");
    let mut arguments = vec!["-m", "mypy", "--strict", "--cache-dir", "/dev/null"];
    arguments.extend(files);
    let mut command = workplace.command(python, &arguments);
    command.current_dir(repository().join("host/bind/python/python"));
    let ended = tokio::time::timeout(PATIENCE * 4, command.output()).await;
    let output = ended.expect("it ends").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

#[tokio::test]
async fn the_adapters_for_python_are_typed() {
    let test = "drivers::the_adapters_for_python_are_typed";
    let Some(folder) = prepared(test, "AMPOULE_TEST_DRIVERS_PYTHON") else {
        return;
    };
    let others = ["--exclude", "adapters/crewai\\.py$", "pyampoule"];
    are_typed(&folder, &others).await;
    // Its packages are elsewhere, and the file says which of its types are read.
    let settings = repository().join("tests/servers/mypy-crewai.ini");
    let crewai = folder.join("venv-crewai/bin/python");
    let arguments = [
        "--config-file",
        settings.to_str().expect("plain names"),
        "--python-executable",
        crewai.to_str().expect("plain names"),
        "pyampoule/adapters/crewai.py",
    ];
    are_typed(&folder, &arguments).await;
}

#[test]
fn the_page_names_every_example() {
    let page = fs::read_to_string(repository().join("docs/guides/frameworks.md")).expect("it");
    for example in [examples("mjs"), examples("py")].concat() {
        let file = example.file_name().expect("a name").to_string_lossy();
        assert!(
            page.contains(&*file),
            "{file} is not in docs/guides/frameworks.md"
        );
    }
}

/// What is installed of each framework on the page, and by which file in `tests/servers`.
const PACKAGES: [(&str, &str, &str); 17] = [
    ("Vercel AI SDK", "drivers-node/package.json", "ai"),
    (
        "pydantic-ai",
        "requirements-drivers.txt",
        "pydantic-ai-slim",
    ),
    ("LangGraph", "requirements-drivers.txt", "langgraph"),
    ("LangChain", "requirements-drivers.txt", "langchain"),
    (
        "LangGraph in JavaScript",
        "drivers-node/package.json",
        "@langchain/langgraph",
    ),
    ("Mastra", "drivers-node/package.json", "@mastra/core"),
    ("TanStack AI", "drivers-node/package.json", "@tanstack/ai"),
    (
        "Cloudflare codemode",
        "bindings-node/package.json",
        "@cloudflare/codemode",
    ),
    (
        "OpenAI Agents SDK",
        "requirements-drivers.txt",
        "openai-agents",
    ),
    ("Google ADK", "requirements-drivers.txt", "google-adk"),
    (
        "Microsoft Agent Framework",
        "requirements-drivers.txt",
        "agent-framework-core",
    ),
    ("smolagents", "requirements-drivers.txt", "smolagents"),
    ("LlamaIndex", "requirements-drivers.txt", "llama-index-core"),
    ("CrewAI", "requirements-drivers-crewai.txt", "crewai"),
    ("FastMCP", "requirements-drivers.txt", "fastmcp"),
    ("Anthropic SDK", "requirements-drivers.txt", "anthropic"),
    ("none", "", ""),
];

/// The version of a package that a file of `tests/servers` asks for.
fn version(file: &str, package: &str) -> String {
    let text = fs::read_to_string(repository().join("tests/servers").join(file)).expect(file);
    if file.ends_with(".json") {
        let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let version = manifest["dependencies"][package].as_str();
        return version.expect(package).to_owned();
    }
    let mut lines = text.lines().filter_map(|line| line.split_once("=="));
    let line = lines.find(|(name, _)| *name == package);
    line.expect(package).1.to_owned()
}

/// The page names the versions that the examples run with, and no framework without one.
#[test]
fn the_page_has_the_versions_that_are_tested() {
    let page = fs::read_to_string(repository().join("docs/guides/frameworks.md")).expect("it");
    let table = page.lines().skip_while(|line| !line.contains("| driver |"));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let frameworks: Vec<_> = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split(',').map(str::trim))
        .collect();
    let tested = PACKAGES.map(|(framework, file, package)| match package {
        "" => framework.to_owned(),
        _ => format!("{framework} {}", version(file, package)),
    });
    let mut named: Vec<_> = frameworks.iter().map(|name| (*name).to_owned()).collect();
    let mut tested = tested.to_vec();
    named.sort();
    tested.sort();
    assert_eq!(named, tested);
}

/// Each line of the page's code is one of an example.
#[test]
fn the_page_shows_what_the_examples_do() {
    let page = fs::read_to_string(repository().join("docs/guides/frameworks.md")).expect("it");
    let files = [examples("mjs"), examples("py")].concat();
    let code = files
        .iter()
        .map(|file| fs::read_to_string(file).expect("an example"));
    let code: Vec<_> = code.collect();
    let known = |line: &str| {
        let mut lines = code.iter().flat_map(|file| file.lines());
        lines.any(|known| known.trim() == line)
    };
    let (mut shown, mut is_code) = (0, false);
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            is_code = matches!(language, "js" | "python");
        } else if is_code && !line.trim().is_empty() {
            assert!(known(line.trim()), "no example has this line: {line}");
            shown += 1;
        }
    }
    assert!(shown > 5, "{shown} lines");
}
