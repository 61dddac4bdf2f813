//! `ampoule serve` as others' clients see it, on pipes and over HTTP: the official ones for Python
//! and TypeScript, of both lines, and FastMCP's; over HTTP, MCP's inspector, too.

use std::fs;
use std::path::PathBuf;

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};

use super::asks::{configured, everything};
use super::serving::Serving;

/// A client, by the script in `tests/servers` that drives it.
struct Client {
    program: PathBuf,
    arguments: Vec<String>,
    /// Whether it knows tasks as 2025-11-25 has them.
    knows_tasks: bool,
}

impl Client {
    /// One of npm's, which is in one of two lines.
    fn typescript(test: &str, line: &str) -> Option<Self> {
        let packages = prepared(test, "AMPOULE_TEST_NODE")?;
        let script = repository().join("tests/servers/client.mjs");
        let arguments = [script.display(), packages.display()].map(|path| path.to_string());
        Some(Self {
            program: "node".into(),
            arguments: arguments.into_iter().chain([line.to_owned()]).collect(),
            knows_tasks: line == "first",
        })
    }

    /// One of PyPI's.
    fn python(test: &str, environment: &str, client: &str) -> Option<Self> {
        let environments = prepared(test, "AMPOULE_TEST_PYTHON")?;
        let script = repository().join("tests/servers/clients.py");
        Some(Self {
            program: environments.join(environment).join("bin/python"),
            arguments: vec![script.display().to_string(), client.to_owned()],
            knows_tasks: false,
        })
    }

    /// What it sees of the server at an address, or of the program.
    async fn sees(&self, workplace: &Workplace, at: &str, mode: &str) -> Value {
        let mut command = workplace.command(&self.program, &[]);
        command.args(&self.arguments).args([at, mode]);
        let ran = ended(command).await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let complains = ran.stderr.contains("Session termination failed");
        assert!(!complains, "{}", ran.stderr);
        ran.json()
    }

    /// Has it see both, where it speaks a version of the protocol in this mode of its.
    async fn is_served(&self, test: &str, mode: &str, version: Option<&str>) {
        let Some(workplace) = with_servers(test) else {
            return;
        };
        let program = binary().display().to_string();
        let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
        for at in [&program, &server.at] {
            let saw = self.sees(&workplace, at, mode).await;
            assert_eq!(saw["version"].as_str(), version, "{at}");
            check(&saw);
            let task = match self.knows_tasks {
                true => json!(["taskCreated", "taskStatus", "result", "waited"]),
                false => Value::Null,
            };
            assert_eq!(saw["task"], task, "{at}");
        }
        let (code, said) = server.stopped().await;
        assert_eq!(code, Some(0), "{said}");
    }
}

/// A folder whose configuration has the built-in server, and one that asks.
fn with_servers(test: &str) -> Option<Workplace> {
    let workplace = configured(&everything(test)?);
    let file = workplace.path().join("ampoule.toml");
    let config = fs::read_to_string(&file).expect("the configuration");
    let (demo, args) = (binary(), "args = [\"demo-server\"]");
    let config = format!("{config}[servers.demo]\ncommand = {demo:?}\n{args}\n");
    fs::write(file, config).expect("a configuration");
    Some(workplace)
}

/// Looks at what a client saw of a list, calls, an error, progress, a request that it gave up, 50
/// calls at once, and of what a server asked during calls.
fn check(saw: &Value) {
    let text = |part: &str| {
        saw[part]
            .as_str()
            .unwrap_or_else(|| panic!("{part}: {saw}"))
    };
    assert_eq!(saw["tools"], json!(["execute_code", "search_tools"]));
    assert_eq!(text("returns"), "true");
    assert_eq!(saw["throws"]["isError"], true, "{saw}");
    let threw = saw["throws"]["text"].as_str().expect("a text");
    assert!(threw.contains("TypeError: not today"), "{saw}");
    assert_eq!(text("waited"), "waited");
    let progress = saw["progress"].as_array().expect("a list");
    assert!((1..=3).contains(&progress.len()), "{progress:?}");
    assert_eq!(text("settled"), "true", "a run goes on that was given up");
    let many: Vec<String> = (0..50).map(|number| number.to_string()).collect();
    assert_eq!(saw["many"], json!(many));
    let asks = "everything asks: Please provide inputs for the following fields:";
    assert_eq!(saw["asked"], json!([asks]));
    for (part, says) in [
        ("form", "Ada"),
        ("sampled", "sampled there"),
        ("declined", "declined"),
    ] {
        assert!(text(part).contains(says), "{part}: {saw}");
    }
}

#[tokio::test]
async fn the_official_typescript_client_1() {
    let test = "the_official_typescript_client_1";
    if let Some(client) = Client::typescript(test, "first") {
        client.is_served(test, "only", None).await;
    }
}

#[tokio::test]
async fn the_official_typescript_client_2() {
    let test = "the_official_typescript_client_2";
    if let Some(client) = Client::typescript(test, "second") {
        client.is_served(test, "legacy", Some("2025-11-25")).await;
        client.is_served(test, "auto", Some("2026-07-28")).await;
    }
}

#[tokio::test]
async fn the_official_python_client_1() {
    let test = "the_official_python_client_1";
    if let Some(client) = Client::python(test, "venv-1", "official-1") {
        client.is_served(test, "only", Some("2025-11-25")).await;
    }
}

#[tokio::test]
async fn the_official_python_client_2() {
    let test = "the_official_python_client_2";
    if let Some(client) = Client::python(test, "venv", "official") {
        client.is_served(test, "legacy", Some("2025-11-25")).await;
        client.is_served(test, "auto", Some("2026-07-28")).await;
    }
}

#[tokio::test]
async fn fastmcps_client_3() {
    let test = "fastmcps_client_3";
    if let Some(client) = Client::python(test, "venv-1", "fastmcp") {
        client.is_served(test, "only", Some("2025-11-25")).await;
    }
}

#[tokio::test]
async fn fastmcps_client_4() {
    let test = "fastmcps_client_4";
    if let Some(client) = Client::python(test, "venv", "fastmcp") {
        client.is_served(test, "legacy", Some("2025-11-25")).await;
        client.is_served(test, "auto", Some("2026-07-28")).await;
    }
}

/// What MCP's inspector ends with where a tool says that it failed.
const IS_ERROR: i32 = 5;

/// MCP's inspector, as its command line is used in scripts.
struct Inspector<'a> {
    workplace: &'a Workplace,
    modules: PathBuf,
    at: &'a str,
    era: &'a str,
}

impl Inspector<'_> {
    async fn run(&self, method: &str, arguments: &[&str]) -> Ran {
        let launcher = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
        // It needs a newer one than what may be installed.
        let node = self.modules.join("node/bin/node");
        let mut command = self.workplace.command(node, &[]);
        self.workplace.at_home(&mut command);
        command
            .arg(self.modules.join(launcher))
            .args(["--cli", self.at, "--transport", "http"])
            .args(["--protocol-era", self.era, "--format", "json"])
            .args(["--method", method])
            .args(arguments);
        ended(command).await
    }

    /// Has code run.
    async fn execute(&self, code: &str, arguments: &[&str]) -> Ran {
        let code = json!({ "code": code }).to_string();
        let tool = ["--tool-name", "execute_code", "--tool-args-json", &code];
        self.run("tools/call", &[&tool, arguments].concat()).await
    }
}

fn went_well(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

#[tokio::test]
async fn mcps_inspector_over_http() {
    let Some(packages) = prepared("mcps_inspector_over_http", "AMPOULE_TEST_NODE") else {
        return;
    };
    let workplace = Workplace::default();
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    for era in ["legacy", "modern"] {
        let inspector = Inspector {
            workplace: &workplace,
            modules: packages.join("node_modules"),
            at: &server.at,
            era,
        };
        let listed = inspector.run("tools/list", &["--strict"]).await;
        let listed = went_well(&listed);
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["execute_code", "search_tools"], "{era}");

        let returned = inspector.execute("return 6 * 7", &[]).await;
        let returned = went_well(&returned);
        assert_eq!(returned["result"]["content"][0]["text"], "42", "{era}");
        let threw = inspector.execute("throw new TypeError('no')", &[]).await;
        assert_eq!(threw.code, Some(IS_ERROR), "{era}: {threw:?}");
        let said = threw.json()["result"]["content"][0]["text"].to_string();
        assert!(said.contains("TypeError: no"), "{era}: {said}");

        let at_once = ["--load", "--load-concurrency", "50"];
        let at_once = [&at_once[..], &["--load-requests", "50"]].concat();
        let many = inspector.execute("return 1", &at_once).await;
        let many = went_well(&many);
        assert_eq!(many["result"]["ok"], 50, "{era}: {many}");
    }
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
}
