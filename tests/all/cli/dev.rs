//! `ampoule dev`: a server's tools at each save.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::terminal::Terminal;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use super::terminal::CTRL_C;

const SERVER: &str = include_str!("../../servers/edited.py");

/// Longer than a start takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The source of a server with these tools.
fn source(tools: &Value) -> String {
    let source = SERVER.replace("[]", &tools.to_string());
    assert_ne!(source, SERVER, "the source has no place for tools");
    source
}

/// A tool that says all that there is to say.
fn add_note() -> Value {
    json!({
        "name": "add_note",
        "description": "Adds a note.",
        "inputSchema": {
            "type": "object",
            "properties": { "text": { "type": "string", "description": "What it says." } },
            "required": ["text"],
        },
        "outputSchema": { "type": "object", "properties": { "id": { "type": "string" } } },
        "annotations": { "readOnlyHint": false, "destructiveHint": false },
    })
}

/// The command, and the events that it writes.
struct Dev {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Dev {
    fn start(workplace: &Workplace, arguments: &[&str]) -> Self {
        let mut command = workplace.command(binary(), &["dev", "--json"]);
        command.args(arguments).stderr(Stdio::null());
        let mut child = command.spawn().expect("a process");
        let stdout = child.stdout.take().expect("its output");
        Self {
            child,
            lines: BufReader::new(stdout).lines(),
        }
    }

    /// The next event of a type, and the lines that the server printed before it.
    async fn next(&mut self, of_type: &str) -> (Value, Vec<String>) {
        let mut printed = Vec::new();
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.expect("an event").expect("text").expect("an event");
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if event["type"] == "stderr" {
                let line = event["line"].as_str().expect("a line");
                printed.push(line.to_owned());
                continue;
            }
            assert_eq!(event["type"], of_type, "{event}");
            return (event, printed);
        }
    }

    async fn interrupted(mut self) -> Option<i32> {
        let id = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(id.expect("its id"), Signal::INT).expect("it runs");
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.expect("it ends").expect("a status").code()
    }
}

/// The process that a server says that it is.
fn process_of(printed: &[String]) -> String {
    let ready = printed
        .iter()
        .find_map(|line| line.strip_prefix("ready as "));
    ready.expect("it says so").to_owned()
}

#[tokio::test]
async fn each_save_is_a_start_and_a_report() {
    let workplace = Workplace::default();
    workplace.file("server.py", source(&json!([add_note()])));
    let call = ["--call", "add_note", r#"{"text": "milk"}"#];
    let arguments = [&call[..], &["--", "python3", "server.py"]].concat();
    let mut dev = Dev::start(&workplace, &arguments);

    let (first, printed) = dev.next("report").await;
    let before = process_of(&printed);
    let server = &first["server"];
    assert_eq!(first["number"], 1, "{first}");
    assert_eq!(first["saved"], json!([]), "{first}");
    assert_eq!(server["program"], "notes", "{first}");
    assert_eq!(server["version"], "1.2.0", "{first}");
    assert_eq!(server["about"], "Keeps notes.", "{first}");
    assert_eq!(server["remarks"], json!([]), "{first}");
    let tool = &server["tools"][0];
    assert_eq!(
        tool["signature"],
        "server.addNote({ text: string }): { id?: string } // Adds a note"
    );
    assert_eq!(
        tool["sample"],
        r#"await tools.server.addNote({ text: "text" })"#
    );
    assert_eq!(tool["remarks"], json!([]), "{first}");
    assert!(tool["tokens"].as_u64() > Some(20), "{first}");
    assert_eq!(tool["tokens"], server["tokens"]["directly"], "{first}");
    assert_eq!(
        server["calls"][0]["value"],
        json!({ "text": "milk" }),
        "{first}"
    );

    let mut changed = add_note();
    changed["inputSchema"]["properties"]["tags"] = json!({ "type": "array", "items": {} });
    let added = json!({ "name": "drop notes", "inputSchema": { "type": "object" } });
    workplace.file("server.py", source(&json!([changed, added])));
    let (second, printed) = dev.next("report").await;
    assert_ne!(process_of(&printed), before);
    assert_eq!(second["saved"], json!(["server.py"]), "{second}");
    let difference = &second["difference"];
    assert_eq!(difference["added"], json!(["drop notes"]), "{second}");
    assert_eq!(
        difference["changed"],
        json!([{ "tool": "add_note", "changes": ["a new argument `tags`, optional"] }])
    );
    let remarks = second["server"]["tools"].to_string();
    for said in [
        "`tags` has no `description`",
        "`tags[]` may be anything",
        "the tool has no `description`",
    ] {
        assert!(remarks.contains(said), "{said}: {second}");
    }

    workplace.file("server.py", "import there_is_none\n");
    let (third, printed) = dev.next("report").await;
    assert_eq!(third["server"], Value::Null, "{third}");
    let error = third["error"].as_str().expect("an error");
    assert!(error.contains("No module named 'there_is_none'"), "{third}");
    // What it says at a second start is not shown again.
    let traces = printed.iter().filter(|line| line.starts_with("Traceback"));
    assert_eq!(traces.count(), 1, "{printed:?}");

    workplace.file("server.py", source(&json!([add_note()])));
    let (fourth, printed) = dev.next("report").await;
    let process = process_of(&printed);
    assert_eq!(fourth["number"], 4, "{fourth}");
    assert_eq!(
        fourth["difference"]["removed"],
        json!(["drop notes"]),
        "{fourth}"
    );
    assert_eq!(dev.interrupted().await, Some(0));
    let process = Path::new("/proc").join(process);
    assert!(!process.exists(), "the server outlives the command");
}

#[tokio::test]
async fn a_server_that_ends_is_told_of_and_the_next_save_starts_it() {
    let workplace = Workplace::default();
    workplace.file("server.py", source(&json!([add_note()])));
    workplace.file("lib/texts.md", "one");
    let arguments = ["--watch", "lib", "--", "python3", "server.py"];
    let mut dev = Dev::start(&workplace, &arguments);
    dev.next("report").await;
    workplace.file("end", "");
    let (ended, printed) = dev.next("ended").await;
    assert_eq!(printed, ["told to end"], "{ended}");
    assert!(ended["error"].to_string().contains("ended"), "{ended}");
    std::fs::remove_file(workplace.path().join("end")).expect("it is there");
    workplace.file("lib/texts.md", "two");
    let (report, _) = dev.next("report").await;
    assert_eq!(report["saved"], json!(["lib/texts.md"]), "{report}");
    assert_eq!(report["server"]["version"], "1.2.0", "{report}");
    assert_eq!(dev.interrupted().await, Some(0));
}

async fn once(workplace: &Workplace, arguments: &[&str]) -> Ran {
    let arguments = [
        &["dev", "--once"],
        arguments,
        &["--", "python3", "server.py"],
    ]
    .concat();
    workplace.run(&arguments).await
}

#[tokio::test]
async fn one_report_has_an_exit_code() {
    let workplace = Workplace::default();
    workplace.file("server.py", source(&json!([add_note()])));
    let sound = once(&workplace, &[]).await;
    assert_eq!(sound.code, Some(0), "{sound:?}");
    for said in [
        "notes 1.2.0: 1 tool in ",
        "In every conversation the tools take ",
        "server.addNote({ text: string }): { id?: string } // Adds a note",
        "try `await tools.server.addNote({ text: \"text\" })`",
    ] {
        assert!(sound.stdout.contains(said), "{said}: {}", sound.stdout);
    }
    assert!(sound.stderr.contains("server | ready as "), "{sound:?}");

    let failed = once(&workplace, &["--call", "add_note", "{}"]).await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("add_note({}): "), "{failed:?}");
    assert!(failed.stdout.contains("failed: ToolError"), "{failed:?}");

    let mut silent = add_note();
    let members = silent.as_object_mut().expect("an object");
    members.remove("description");
    workplace.file("server.py", source(&json!([silent])));
    let warned = once(&workplace, &[]).await;
    assert_eq!(warned.code, Some(1), "{warned:?}");
    let said = "  warning: the tool has no `description`";
    assert!(warned.stdout.contains(said), "{warned:?}");

    workplace.file("server.py", "raise SystemExit('no key')\n");
    let gone = once(&workplace, &[]).await;
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert!(
        gone.stdout.starts_with("failed: MCP server `server` "),
        "{gone:?}"
    );
    assert!(gone.stdout.contains("no key"), "{gone:?}");
    assert!(!gone.stdout.contains("more in the log"), "{gone:?}");
}

#[tokio::test]
async fn tools_are_shown_in_each_language() {
    let workplace = Workplace::default();
    let mut tool = add_note();
    tool["inputSchema"]["properties"]["due"] = json!({
        "type": "string", "format": "date", "description": "When.",
    });
    tool["inputSchema"]["required"] = json!(["text", "due"]);
    workplace.file("server.py", source(&json!([tool])));
    let python = once(&workplace, &["--language", "python"]).await;
    assert_eq!(python.code, Some(0), "{python:?}");
    for said in [
        "server.add_note(*, text: str, due: str) -> { id?: str } # Adds a note",
        "try `await tools.server.add_note(text=\"text\", due=\"2026-01-31\")`",
    ] {
        assert!(python.stdout.contains(said), "{said}: {}", python.stdout);
    }
    let wit = once(&workplace, &["--language", "wit"]).await;
    let said = "add-note: async func(args: add-note-args) -> result<";
    assert!(wit.stdout.contains(said), "{}", wit.stdout);
    let types = once(&workplace, &["--types"]).await;
    for said in ["declare namespace tools.server", "What it says"] {
        assert!(types.stdout.contains(said), "{said}: {}", types.stdout);
    }
}

#[tokio::test]
async fn a_server_over_http_may_be_late() {
    let workplace = Workplace::default();
    let file = workplace.file("server.py", source(&json!([add_note()])));
    let port = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = port.local_addr().expect("an address");
    drop(port);
    let url = format!("http://{address}/mcp");
    let mut dev = Dev::start(&workplace, &["--once", &url]);
    let mut server = workplace.command("python3", &[file.to_str().expect("a path")]);
    server.env("PORT", address.port().to_string());
    let _server = server.spawn().expect("python3");
    let (report, _) = dev.next("report").await;
    assert_eq!(report["server"]["program"], "notes", "{report}");
    let ended = dev.child.wait().await.expect("a status");
    assert_eq!(ended.code(), Some(0));
}

#[tokio::test]
async fn a_terminal_shows_reports_until_ctrl_c() {
    let workplace = Workplace::default();
    workplace.file("server.py", source(&json!([add_note()])));
    let arguments = ["dev", "--", "python3", "server.py"];
    let mut terminal = Terminal::start(&workplace, 100, &[], &binary(), &arguments);
    terminal.shows("server | ready as ").await;
    terminal.shows("Ctrl-C ends").await;
    let other = json!({ "name": "list_notes", "inputSchema": { "type": "object" } });
    workplace.file("server.py", source(&json!([add_note(), other])));
    terminal.shows("saved: server.py").await;
    terminal.shows("+ list_notes").await;
    terminal.types(CTRL_C).await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
}

/// The command applies no rules, so it makes no calls where there are some.
#[tokio::test]
async fn a_configuration_with_rules_for_calls_has_no_calls_here() {
    let workplace = Workplace::default();
    let call = [
        "dev",
        "notes",
        "--once",
        "--call",
        "add_note",
        r#"{"text": "milk"}"#,
    ];
    let server = "[servers.notes]\ncommand = 'python3'\nargs = ['server.py']\n";
    workplace.file("server.py", source(&json!([add_note()])));
    workplace.file("ampoule.toml", server);
    let made = workplace.run(&call).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(
        made.stdout.contains("await tools.notes.addNote"),
        "{made:?}"
    );
    for rules in [
        "tools = { deny = ['x'] }\n",
        "[approvals]\nask = 'destructive'\n",
    ] {
        workplace.file("ampoule.toml", format!("{server}{rules}"));
        let refused = workplace.run(&call).await;
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("rules for calls"), "{refused:?}");
    }
}

#[tokio::test]
async fn wrong_usage_says_what_to_write() {
    let workplace = Workplace::default();
    let cases: [(&[&str], &str); 6] = [
        (&["dev"], "<NAME|URL>"),
        (&["dev", "nmae"], "unknown server `nmae`"),
        (&["dev", "demo", "--", "python3"], "cannot be used with"),
        (&["dev", "demo", "--call", "x"], "--call <TOOL> <JSON>"),
        (
            &["dev", "demo", "--call", "x", "[1]"],
            "--call x: the text must be",
        ),
        (&["dev", "demo", "--watch", "gone"], "--watch gone: "),
    ];
    for (arguments, message) in cases {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(ran.stderr.contains(message), "{arguments:?}: {ran:?}");
    }
}
