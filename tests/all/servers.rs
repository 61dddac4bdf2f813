//! Scripts that call MCP servers which others wrote, and the demo server, all as processes.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{CallEnd, Grant, Outcome, Runtime, Script};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A runtime with one server.
fn runtime(name: &str, command: ServerCommand) -> Runtime {
    let options = UpstreamOptions {
        start_timeout: Duration::from_secs(60),
        ..UpstreamOptions::default()
    };
    Runtime::builder()
        .binding(Upstream::stdio(name, command, options))
        .build()
        .expect("a runtime")
}

async fn run(runtime: &Runtime, script: Script) -> Outcome {
    let isolate = runtime.isolate(script).grant(Grant::all());
    isolate.run().await.expect("no host fault")
}

/// The value that a script returns.
async fn value(runtime: &Runtime, script: Script) -> Value {
    let outcome = run(runtime, script).await;
    outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}\n{}", outcome.output))
}

/// One of npm's servers.
fn npm(test: &str, package: &str) -> Option<ServerCommand> {
    let folder = prepared(test, "AMPOULE_TEST_NODE")?;
    let file = folder
        .join("node_modules/@modelcontextprotocol")
        .join(package)
        .join("dist/index.js");
    Some(ServerCommand::new("node").args([text(&file)]))
}

fn text(path: &Path) -> String {
    path.to_str().expect("a path in UTF-8").to_owned()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn files_of_the_file_system_server() {
    let Some(command) = npm("files_of_the_file_system_server", "server-filesystem") else {
        return;
    };
    let folder = folder();
    let root = folder.path().canonicalize().expect("its real path");
    let runtime = runtime("files", command.args([text(&root)]));
    let source = r#"
        const at = (name: string) => `${env.root}/${name}`;
        await files.createDirectory({ path: at("notes") });
        const names = ["one", "two", "three"];
        await Promise.all(names.map((name) => files.writeFile({ path: at(`notes/${name}.txt`), content: `This is ${name}.\n` })));
        const read = await Promise.all(names.map((name) => files.readTextFile({ path: at(`notes/${name}.txt`) })));
        const listed = await files.listDirectory({ path: at("notes") });
        const errors = [];
        for (const path of [at("absent.txt"), "/etc/hostname"]) {
            try { await files.readTextFile({ path }) } catch (error) { errors.push([error instanceof ToolError, error.server, error.tool, error.message]) }
        }
        return { read: read.map((file) => file.content), listed: listed.content.split("\n").sort(), errors };"#;
    let value = value(
        &runtime,
        Script::typescript(source).env("root", text(&root)),
    )
    .await;
    assert_eq!(
        value["read"],
        json!(["This is one.\n", "This is two.\n", "This is three.\n"])
    );
    assert_eq!(
        value["listed"],
        json!(["[FILE] one.txt", "[FILE] three.txt", "[FILE] two.txt"])
    );
    assert_eq!(
        std::fs::read_to_string(root.join("notes/two.txt")).expect("the server wrote it"),
        "This is two.\n"
    );
    for (error, wanted) in [(0, "ENOENT"), (1, "Access denied")] {
        let error = &value["errors"][error];
        assert_eq!(error[0], true, "{error}");
        assert_eq!(
            (&error[1], &error[2]),
            (&json!("files"), &json!("read_text_file"))
        );
        assert!(
            error[3].as_str().is_some_and(|text| text.contains(wanted)),
            "{error}"
        );
    }
    runtime.close().await;
}

#[tokio::test]
async fn everything_of_the_everything_server() {
    let Some(command) = npm("everything_of_the_everything_server", "server-everything") else {
        return;
    };
    let runtime = runtime("everything", command);
    let source = r#"
        const weather = await everything.getStructuredContent({ location: "Chicago" });
        const image = await everything.getTinyImage();
        const sums = await Promise.all(Array.from({ length: 50 }, (_, n) => everything.getSum({ a: n, b: 1000 })));
        let refused = null;
        try { await everything.getStructuredContent({ location: "Atlantis" }) } catch (error) { refused = error.message }
        return {
            echo: await everything.echo({ message: "grüße 🌍" }),
            weather: Object.fromEntries(Object.entries(weather).map(([key, value]) => [key, typeof value])),
            image: image.filter((block) => block.type === "image").map((block) => [block.mimeType, atob(block.data).slice(1, 4)]),
            sums, refused,
            long: await everything.triggerLongRunningOperation({ duration: 0.4, steps: 4 }),
        };"#;
    let outcome = run(&runtime, Script::typescript(source)).await;
    let value: Value = outcome.value().expect("a value");
    assert_eq!(value["echo"], "Echo: grüße 🌍");
    assert_eq!(
        value["weather"],
        json!({"temperature": "number", "conditions": "string", "humidity": "number"})
    );
    assert_eq!(value["image"], json!([["image/png", "PNG"]]));
    let sums: Vec<String> = (0..50)
        .map(|n| format!("The sum of {n} and 1000 is {}.", n + 1000))
        .collect();
    assert_eq!(value["sums"], json!(sums));
    // It is held against the schema before it leaves.
    let refused = value["refused"].as_str().expect("a message");
    assert!(
        refused.contains("location") && refused.contains("Chicago"),
        "{refused}"
    );
    assert_eq!(
        value["long"],
        "Long running operation completed. Duration: 0.4 seconds, Steps: 4."
    );
    let ends = outcome.usage.calls.iter().map(|call| call.end);
    assert_eq!(
        ends.filter(|end| *end == CallEnd::Returned).count(),
        54,
        "{:?}",
        outcome.usage.calls
    );
    runtime.close().await;
}

#[tokio::test]
async fn a_long_call_is_given_up_and_the_server_answers_on() {
    let Some(command) = npm(
        "a_long_call_is_given_up_and_the_server_answers_on",
        "server-everything",
    ) else {
        return;
    };
    let runtime = runtime("everything", command);
    let source = r#"
        await everything.echo({ message: "started" });
        const signal = AbortSignal.timeout(100);
        try { await everything.triggerLongRunningOperation({ duration: 60, steps: 600 }, { signal }) } catch (error) { console.log(error.name) }
        return await everything.echo({ message: "still there" })"#;
    let started = Instant::now();
    let outcome = run(&runtime, Script::typescript(source)).await;
    assert_eq!(
        outcome.value::<String>().expect("a value"),
        "Echo: still there"
    );
    assert_eq!(outcome.output.to_string(), "TimeoutError\n");
    assert!(started.elapsed() < Duration::from_secs(50));
    runtime.close().await;
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let ran = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git");
    assert!(ran.status.success(), "{ran:?}");
}

#[tokio::test]
async fn a_repository_of_the_git_server() {
    let Some(python) = prepared("a_repository_of_the_git_server", "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let folder = folder();
    git(
        folder.path(),
        &["init", "--quiet", "--initial-branch", "trunk"],
    );
    std::fs::write(folder.path().join("first.txt"), "first\n").expect("a file");
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "--quiet", "--message", "Begin"]);
    std::fs::write(folder.path().join("second.txt"), "second\n").expect("a file");

    let command = ServerCommand::new(python.join("venv/bin/python"))
        .args(["-m", "mcp_server_git"])
        .env("GIT_AUTHOR_NAME", "Grace")
        .env("GIT_AUTHOR_EMAIL", "grace@example.org")
        .env("GIT_COMMITTER_NAME", "Grace")
        .env("GIT_COMMITTER_EMAIL", "grace@example.org");
    let runtime = runtime("git", command);
    let source = r#"
        const repo_path = env.repository;
        const status = await git.gitStatus({ repo_path });
        await git.gitAdd({ repo_path, files: ["second.txt"] });
        await git.gitCommit({ repo_path, message: "Go on" });
        const log = await git.git_log({ repo_path });
        let failed = null;
        try { await git.gitStatus({ repo_path: repo_path + "/absent" }) } catch (error) { failed = [error.name, error.tool] }
        return {
            status, failed,
            messages: [...log.matchAll(/^Message: (.*)$/gm)].map((match) => match[1]),
            authors: [...log.matchAll(/^Author: (.*)$/gm)].map((match) => match[1]),
        };"#;
    let script = Script::typescript(source).env("repository", text(folder.path()));
    let value = value(&runtime, script).await;
    let status = value["status"].as_str().expect("a text");
    assert!(
        status.contains("On branch trunk") && status.contains("second.txt"),
        "{status}"
    );
    assert_eq!(value["messages"], json!(["Go on", "Begin"]));
    assert_eq!(value["authors"], json!(["Grace", "Ada"]));
    assert_eq!(value["failed"], json!(["ToolError", "git_status"]));
    runtime.close().await;
}

/// How many processes have this in their environment.
fn processes(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("environ")).ok())
        .filter(|environment| {
            environment
                .windows(mark.len())
                .any(|part| part == mark.as_bytes())
        })
        .count()
}

#[tokio::test]
async fn the_quarterly_report_of_the_demo_server() {
    let source = std::fs::read_to_string(repository().join("examples/quarterly-report.ts"))
        .expect("the example");
    // A wrapper script with a child of its own, as `npx` is one.
    let folder = folder();
    let mark = text(folder.path());
    let command = ServerCommand::new("sh")
        .args(["-c", "sleep 600 & \"$0\" demo-server", &text(&binary())])
        .env("AMPOULE_TEST_MARK", mark.as_str());
    let runtime = runtime("demo", command);
    assert_eq!(processes(&mark), 0, "it was started before it was needed");

    let outcome = run(&runtime, Script::typescript(source)).await;
    let value: Value = outcome.value().expect("a value");
    assert_eq!(
        (
            &value["quarter"],
            &value["orders"],
            &value["revenueEurCents"],
            &value["overdueAccounts"]
        ),
        (
            &json!("2026-Q3"),
            &json!(570),
            &json!(251_620_802),
            &json!(9)
        )
    );
    let tickets = value["tickets"].as_array().expect("a list");
    assert_eq!(tickets.len(), 9);
    let opened = outcome
        .usage
        .calls
        .iter()
        .filter(|call| &*call.tool == "create_ticket");
    assert_eq!(opened.count(), 9, "{:?}", outcome.usage.calls);

    // The server was kept: it knows the tickets that the first run opened.
    let source = "return (await Promise.all(env.tickets.map(async (id) => (await demo.listTickets({ limit: 100 })).items.some((ticket) => ticket.id === id)))).every(Boolean)";
    let known = run(
        &runtime,
        Script::typescript(source).env("tickets", value["tickets"].clone()),
    )
    .await;
    assert!(known.value::<bool>().expect("a value"));

    assert!(processes(&mark) >= 3, "{} processes", processes(&mark));
    runtime.close().await;
    // They were killed; the kernel takes its time to clear them away.
    let deadline = Instant::now() + Duration::from_secs(10);
    while processes(&mark) > 0 {
        assert!(Instant::now() < deadline, "processes are left");
        tokio::task::yield_now().await;
    }
    let closed = run(&runtime, Script::typescript("await demo.getBusiness({})")).await;
    assert!(closed.value::<Value>().is_err(), "it was started again");
}
