//! `ampoule serve` where it may have two hundred files, connections and pipes open, and no more.

use std::fmt::Write;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::serving::{Serving, client, script, text};

const PATIENCE: Duration = Duration::from_secs(120);

const DESCRIPTORS: usize = 200;

/// More than there are descriptors for, at three pipes each.
const SERVERS: usize = 80;

const SAID: &str = "too many files, connections and servers are open at once; allow more (`ulimit -n`), or try again when fewer are in use";

/// A folder with that many servers.
fn servers(count: usize) -> Workplace {
    let workplace = Workplace::default();
    let tools = json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] });
    let tools = workplace.file("tools.json", tools.to_string());
    let program = env!("CARGO_BIN_EXE_listed-server");
    let mut configuration = String::new();
    for n in 0..count {
        let entry = format!("[servers.s{n}]\ncommand = {program:?}\nargs = [{tools:?}]\n");
        configuration.write_str(&entry).expect("memory");
    }
    workplace.file("ampoule.toml", configuration);
    workplace
}

/// A shell's script that runs `ampoule` with what it is given.
fn limited() -> String {
    format!(
        "ulimit -n {DESCRIPTORS} && exec {} \"$@\"",
        binary().display()
    )
}

fn execute(id: u64, code: &str) -> Value {
    let arguments = json!({ "code": code, "language": "javascript", "timeout_seconds": 100 });
    let call = json!({ "name": "execute_code", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })
}

fn returned(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"))
}

#[tokio::test]
async fn more_servers_than_there_are_descriptors_for_say_so_and_work_later() {
    let workplace = servers(SERVERS);
    let limited = limited();
    let command = workplace.command("sh", &["-c", &limited, "sh", "serve"]);
    let mut served = Served::of(command);
    served.greet().await;
    let all = format!(
        "const calls = Array.from({{ length: {SERVERS} }}, (_, n) => tools[`s${{n}}`].echo({{}}));
        const came = await Promise.allSettled(calls);
        return came.map((one) => one.reason?.message ?? 'answered')"
    );
    let came = returned(&served.ask(execute(1, &all)).await);
    let came: Vec<String> = serde_json::from_value(came).expect("texts");
    let failed: Vec<_> = came.iter().filter(|came| *came != "answered").collect();
    assert!(came.len() - failed.len() > DESCRIPTORS / 8, "{came:?}");
    let are_named = failed.iter().all(|said| said.starts_with("MCP server `s"));
    assert!(
        are_named && failed.iter().any(|said| said.contains(SAID)),
        "{failed:?}"
    );
    // A language that was not used yet has to be loaded.
    let python = json!({ "code": "1 + 1", "language": "python", "timeout_seconds": 100 });
    let python = json!({ "name": "execute_code", "arguments": python });
    let python = json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": python });
    assert_eq!(returned(&served.ask(python).await), 2);
    // Work that needs no descriptor continues, and the rest does once some are free.
    assert_eq!(returned(&served.ask(execute(2, "return 1")).await), 1);
    for child in served.children() {
        kill_process(child, Signal::KILL).expect("it is there");
    }
    let failed = came.iter().position(|came| came != "answered");
    let last = failed.expect("one");
    let later = format!(
        "for (;;) {{
            try {{ await tools.s{last}.echo({{}}); return 'answered' }}
            catch (error) {{ if (!/open at once|again in/.test(error.message)) throw error }}
            await new Promise((go) => setTimeout(go, 200));
        }}"
    );
    let answer = served.ask(execute(3, &later)).await;
    assert_eq!(
        answer["result"]["content"][0]["text"], "answered",
        "{answer}"
    );
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn more_connections_than_there_are_descriptors_for_wait_and_the_server_goes_on() {
    let workplace = servers(1);
    let limited = limited();
    let mut command = workplace.command("sh", &["-c", &limited, "sh", "serve", "--http", "0"]);
    workplace.at_home(&mut command);
    let serving = Serving::of(command.spawn().expect("a server")).await;
    let client = client();
    let run = async |code: &str| text(script(&client, &serving.at, code)).await;
    // This connection is kept.
    assert_eq!(run("return 1").await, "1");
    let address = serving.at.strip_prefix("http://").expect("an address");
    let address = address.strip_suffix("/mcp").expect("a path");
    let mut connections = Vec::new();
    for _ in 0..DESCRIPTORS + 50 {
        connections.push(TcpStream::connect(address).await.expect("a connection"));
    }
    let process = serving.process.id().expect("it runs");
    let full = async {
        let open = format!("/proc/{process}/fd");
        while std::fs::read_dir(&open).expect("it runs").count() < DESCRIPTORS {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, full).await.expect("all in use");
    assert_eq!(run("return 2").await, "2");
    let said = run("return await tools.s0.echo({}).catch((error) => error.message)").await;
    assert!(said.contains(SAID), "{said}");
    drop(connections);
    let answered = async {
        let call = "return await tools.s0.echo({}).then(() => 'answered', () => 'not yet')";
        while run(call).await != "answered" {
            sleep(Duration::from_millis(200)).await;
        }
    };
    timeout(PATIENCE, answered).await.expect("a server");
    let (code, said) = serving.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("a connection can't be accepted"), "{said}");
}
