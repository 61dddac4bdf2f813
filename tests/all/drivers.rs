//! Drivers for frameworks of agents: each example runs with the real framework and a model that follows a
//! script.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use serde_json::Value;

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
async fn is_typed(folder: &Path, venv: &str, files: &[&str]) {
    let workplace = Workplace::default();
    let python = folder.join(venv).join("bin/python");
    let mut arguments = vec!["-m", "mypy", "--strict", "--cache-dir", "/dev/null"];
    arguments.extend(files);
    let mut command = workplace.command(python, &arguments);
    command.current_dir(repository().join("host/bind/python/python"));
    let ended = tokio::time::timeout(PATIENCE * 2, command.output()).await;
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
    // CrewAI's own types take mypy many minutes.
    let others = ["--exclude", "adapters/crewai\\.py$", "pyampoule"];
    is_typed(&folder, "venv", &others).await;
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

/// The frameworks of the page, and the packages that the tests install for them.
const FRAMEWORKS: [(&str, &str); 16] = [
    ("Vercel AI SDK", "ai"),
    ("pydantic-ai", "pydantic-ai-slim"),
    ("LangGraph", "langgraph"),
    ("LangChain", "langchain"),
    ("LangGraph in JavaScript", "@langchain/langgraph"),
    ("Mastra", "@mastra/core"),
    ("TanStack AI", "@tanstack/ai"),
    ("Cloudflare codemode", "@cloudflare/codemode"),
    ("OpenAI Agents SDK", "openai-agents"),
    ("Google ADK", "google-adk"),
    ("Microsoft Agent Framework", "agent-framework-core"),
    ("smolagents", "smolagents"),
    ("LlamaIndex", "llama-index-core"),
    ("CrewAI", "crewai"),
    ("FastMCP", "fastmcp"),
    ("Anthropic SDK", "anthropic"),
];

/// The packages that the tests of drivers install, each with its version.
fn installed() -> BTreeMap<String, String> {
    let servers = repository().join("tests/servers");
    let read = |name: &str| fs::read_to_string(servers.join(name)).expect("a list of packages");
    let mut found = BTreeMap::new();
    for list in [
        "requirements-drivers.txt",
        "requirements-drivers-crewai.txt",
    ] {
        let text = read(list);
        let lines = text.lines().filter_map(|line| line.split_once("=="));
        found.extend(lines.map(|(name, version)| (name.to_owned(), version.to_owned())));
    }
    for list in ["bindings-node/package.json", "drivers-node/package.json"] {
        let list: Value = serde_json::from_str(&read(list)).expect("JSON");
        let packages = list["dependencies"].as_object().expect("packages");
        let packages = packages.iter().filter_map(|(name, version)| {
            let version = version.as_str()?;
            Some((name.clone(), version.to_owned()))
        });
        found.extend(packages);
    }
    found
}

#[test]
fn the_versions_of_the_page_are_those_that_the_tests_install() {
    let page = fs::read_to_string(repository().join("docs/guides/frameworks.md")).expect("it");
    let table = page.lines().skip_while(|line| !line.starts_with("| ---"));
    let rows = table.skip(1).take_while(|line| line.starts_with('|'));
    let (installed, mut seen) = (installed(), 0);
    for row in rows {
        let cell = row.split('|').nth(1).expect("a cell").trim();
        for named in cell.split(", ").filter(|named| *named != "none") {
            let (name, version) = named.rsplit_once(' ').expect("a name and a version");
            let package = FRAMEWORKS.iter().find(|(framework, _)| *framework == name);
            let (_, package) = package.unwrap_or_else(|| panic!("which package is {name}?"));
            let of = installed.get(*package).map(String::as_str);
            assert_eq!(of, Some(version), "{name}");
            seen += 1;
        }
    }
    assert_eq!(seen, FRAMEWORKS.len(), "the page names each framework once");
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
