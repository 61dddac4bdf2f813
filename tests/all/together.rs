//! Servers that others wrote, all in one configuration: over pipes, by streamable HTTP and by HTTP
//! with SSE, in JavaScript and in Python.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ampoule_tests::command::Workplace;
use ampoule_tests::prepared;
use serde_json::{Value, json};

/// A server that listens, for as long as this is held.
struct Listening {
    process: Child,
    port: u16,
}

impl Listening {
    /// Starts a command that listens where the variable `PORT` says, and waits until it does.
    fn start(mut command: Command) -> Self {
        let port = free_port();
        let process = command
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let listening = Self { process, port };
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            assert!(Instant::now() < until, "nothing listens: {command:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
        listening
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// What is started for a configuration, and the place with that.
struct Together {
    workplace: Workplace,
    _listening: Vec<Listening>,
    page: String,
}

impl Together {
    fn of(node: &Path, python: &Path) -> Self {
        let workplace = Workplace::default();
        let root = workplace.path().canonicalize().expect("its real path");
        workplace.file("data/note.txt", "Birch & Bolt\n");
        let npm = |name: &str, file: &str| {
            let package = node.join("node_modules/@modelcontextprotocol").join(name);
            json!(package.join("dist").join(file)).to_string()
        };
        let everything = |file: &str| {
            let mut command = Command::new("node");
            let package = "node_modules/@modelcontextprotocol/server-everything/dist";
            command.arg(node.join(package).join("index.js")).arg(file);
            Listening::start(command)
        };
        let [streamable, sse] = ["streamableHttp", "sse"].map(everything);
        workplace.file(
            "www/page.html",
            "<h1>Opening hours</h1><p>Nine to five.</p>",
        );
        let mut pages = Command::new("python3");
        pages.args(["-c", "import http.server, os; http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), http.server.SimpleHTTPRequestHandler).serve_forever()"]);
        pages.current_dir(root.join("www"));
        let pages = Listening::start(pages);
        let page = format!("http://127.0.0.1:{}/page.html", pages.port);
        let python = |environment: &str| json!(python.join(environment).join("bin/python"));
        let repository = root.join("repository");
        std::fs::create_dir(&repository).expect("a folder");
        let made = Command::new("git")
            .args(["init", "--quiet", "--initial-branch", "trunk"])
            .current_dir(&repository)
            .status();
        assert!(made.expect("git").success());
        let config = format!(
            r#"
[servers.stdio]
command = "node"
args = [{everything}]
[servers.http]
url = "http://127.0.0.1:{http}/mcp"
[servers.sse]
url = "http://127.0.0.1:{sse}/sse"
transport = "sse"
[servers.files]
command = "node"
args = [{files}, {data}]
[servers.memory]
command = "node"
args = [{memory}]
env = {{ MEMORY_FILE_PATH = {memory_file} }}
[servers.thinking]
command = "node"
args = [{thinking}]
[servers.git]
command = {python}
args = ["-m", "mcp_server_git"]
[servers.time]
command = {python}
args = ["-m", "mcp_server_time"]
[servers.fetch]
command = {python}
args = ["-m", "mcp_server_fetch", "--ignore-robots-txt", "--allow-private-ips"]
[servers.sqlite]
command = {python_1}
args = ["-c", "import mcp_server_sqlite; mcp_server_sqlite.main()", "--db-path", {database}]
"#,
            everything = npm("server-everything", "index.js"),
            http = streamable.port,
            sse = sse.port,
            files = npm("server-filesystem", "index.js"),
            data = json!(root.join("data")),
            memory = npm("server-memory", "index.js"),
            memory_file = json!(root.join("memory.jsonl")),
            thinking = npm("server-sequential-thinking", "index.js"),
            python = python("venv"),
            python_1 = python("venv-1"),
            database = json!(root.join("all.db")),
        );
        workplace.file("ampoule.toml", config);
        Self {
            workplace,
            _listening: vec![streamable, sse, pages],
            page,
        }
    }

    /// The value of a script that begins with `given`.
    async fn value(
        &self,
        file: &str,
        given: impl Fn(&Value, &Value) -> String,
        script: &str,
    ) -> Value {
        let root = self.workplace.path().canonicalize().expect("its real path");
        let given = given(&json!(root), &json!(self.page));
        self.workplace.file(file, format!("{given}\n{script}"));
        let ran = self
            .workplace
            .run(&["run", file, "--timeout", "2m", "--json"])
            .await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()["value"].clone()
    }
}

const TYPESCRIPT: &str = r#"
const [one, two, three] = await Promise.all([
    tools.stdio.getSum({ a: 1, b: 2 }), tools.http.getSum({ a: 3, b: 4 }), tools.sse.getSum({ a: 5, b: 6 }),
]);
const note = await tools.files.readTextFile({ path: `${env.root}/data/note.txt` });
await tools.memory.createEntities({ entities: [{ name: "shop", entityType: "place", observations: [note.content.trim()] }] });
const known = await tools.memory.openNodes({ names: ["shop"] });
const thought = await tools.thinking.sequentialthinking({ thought: "Enough.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false });
const status = await tools.git.gitStatus({ repo_path: `${env.root}/repository` });
const time = await tools.time.convertTime({ source_timezone: "UTC", time: "12:00", target_timezone: "Asia/Tokyo" });
const page = await tools.fetch.fetch({ url: env.page });
await tools.sqlite.createTable({ query: "CREATE TABLE hours (said TEXT)" });
await tools.sqlite.writeQuery({ query: "INSERT INTO hours VALUES ('nine to five')" });
const hours = await tools.sqlite.readQuery({ query: "SELECT said FROM hours" });
return {
    sums: [one, two, three],
    known: known.entities[0].observations,
    thought: (thought.thoughtHistoryLength ?? JSON.parse(thought).thoughtHistoryLength),
    trunk: status.includes("trunk"),
    tokyo: (time.time_difference ?? JSON.parse(time).time_difference),
    page: page.includes("Nine to five"),
    hours: String(JSON.stringify(hours)).includes("nine to five"),
};
"#;

const PYTHON: &str = r#"
import asyncio

sums = await asyncio.gather(
    tools.stdio.get_sum(a=1, b=2), tools.http.get_sum(a=3, b=4), tools.sse.get_sum(a=5, b=6)
)
note = await tools.files.read_text_file(path=f"{root}/data/note.txt")
known = await tools.memory.open_nodes(names=["shop"])
text = await tools.fetch.fetch(url=page)
hours = await tools.sqlite.read_query(query="SELECT said FROM hours")
return {
    "sums": sums,
    "note": note["content"].strip(),
    "known": known["entities"][0]["observations"],
    "page": "Nine to five" in text,
    "hours": "nine to five" in str(hours),
}
"#;

#[tokio::test]
async fn ten_servers_of_others_work_in_one_configuration() {
    let test = "ten_servers_of_others_work_in_one_configuration";
    let (Some(node), Some(python)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
    ) else {
        return;
    };
    let together = Together::of(&node, &python);
    let sums = json!([
        "The sum of 1 and 2 is 3.",
        "The sum of 3 and 4 is 7.",
        "The sum of 5 and 6 is 11."
    ]);
    assert_eq!(
        together
            .value(
                "all.ts",
                |root, page| format!("const env = {{ root: {root}, page: {page} }};"),
                TYPESCRIPT
            )
            .await,
        json!({
            "sums": sums,
            "known": ["Birch & Bolt"],
            "thought": 1,
            "trunk": true,
            "tokyo": "+9.0h",
            "page": true,
            "hours": true,
        })
    );
    assert_eq!(
        together
            .value(
                "all.py",
                |root, page| format!("root, page = {root}, {page}"),
                PYTHON
            )
            .await,
        json!({
            "sums": sums,
            "note": "Birch & Bolt",
            "known": ["Birch & Bolt"],
            "page": true,
            "hours": true,
        })
    );
    let looked = together.workplace.run(&["doctor", "--json"]).await;
    let document = looked.json();
    assert_eq!(looked.code, Some(0), "{looked:?}");
    let servers = document["servers"].as_array().expect("a list");
    let states: Vec<_> = servers
        .iter()
        .map(|server| (&server["server"], &server["state"], &server["transport"]))
        .collect();
    assert_eq!(states.len(), 10, "{document:#}");
    for (server, state, transport) in states {
        let is_remote = *server == "http" || *server == "sse";
        let expected = if is_remote { "http" } else { "stdio" };
        assert_eq!(
            (state, transport),
            (&json!("ready"), &json!(expected)),
            "{server}"
        );
    }
}
