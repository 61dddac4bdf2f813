//! Servers that are processes: their start, their crashes, and their end with everything that they
//! started.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_tools::Binding;

use crate::testing::{call, failure};
use crate::{ServerCommand, Upstream, UpstreamOptions, UpstreamState};

/// Reads a request's id from `$line`, and answers with a result.
const ANSWER: &str = r#"
id() { id=${line#*\"id\":}; id=${id%%[,\}]*}; }
answer() { id; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { id; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}"; }
"#;

/// A server as a shell script that does something for each request.
fn server(on_call: &str) -> ServerCommand {
    let script = format!(
        r#"{ANSWER}
        while read -r line; do case "$line" in
            *server/discover*) refuse;;
            *'"initialize"'*) answer '{{"protocolVersion":"2025-06-18","capabilities":{{}},"serverInfo":{{"name":"sh","version":"1"}}}}';;
            *tools/list*) answer '{{"tools":[]}}';;
            *tools/call*) {on_call};;
        esac; done"#
    );
    ServerCommand::new("sh").args(["-c", &script])
}

fn upstream(command: ServerCommand) -> Arc<Upstream> {
    Arc::new(Upstream::stdio(
        "shell",
        command,
        UpstreamOptions::default(),
    ))
}

/// Waits until a process that the host started is gone: neither alive nor a zombie.
async fn gone(pid: &str) {
    wait(pid, |stat| stat.is_none()).await;
}

/// Waits until a process that a server started is dead. Who buries it is not the host's business.
async fn dead(pid: &str) {
    wait(pid, |stat| stat.is_none_or(|stat| stat.contains(") Z "))).await;
}

async fn wait(pid: &str, ended: impl Fn(Option<&str>) -> bool) {
    let start = Instant::now();
    while !ended(
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .ok()
            .as_deref(),
    ) {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "process {pid} is alive"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Calls a tool that answers with text.
async fn text(upstream: &Arc<Upstream>) -> String {
    let result = call(upstream, "text").await.unwrap().unwrap();
    serde_json::from_str(result.structured_content.unwrap().get()).unwrap()
}

#[tokio::test]
async fn a_server_runs_in_its_folder_with_its_environment_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let command = server(
        r#"answer "{\"structuredContent\":\"$$ $GREETING $CARGO_MANIFEST_DIR $(pwd -P)\"}""#,
    );
    let upstream = upstream(command.env("GREETING", "hello").current_dir(folder.path()));
    let first = text(&upstream).await;
    let (pid, rest) = first.split_once(' ').unwrap();
    assert_eq!(
        rest,
        format!("hello  {}", folder.path().canonicalize().unwrap().display())
    );
    assert_eq!(text(&upstream).await, first, "the server was started twice");
    upstream.stop().await;
    gone(pid).await;
    let message = failure(call(&upstream, "text").await.unwrap());
    assert_eq!(message, "MCP server `shell` was stopped");
}

#[tokio::test]
async fn first_users_share_one_start() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("starts");
    let script = server("answer '{}'").args[1].clone();
    let command = ServerCommand::new("sh")
        .args(["-c", &format!("echo x >> \"$LOG\"; {script}")])
        .env("LOG", log.to_str().unwrap());
    let upstream = upstream(command);
    let calls: Vec<_> = (0..20).map(|_| call(&upstream, "x")).collect();
    upstream.tools().await.unwrap();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(std::fs::read_to_string(log).unwrap(), "x\n");
}

#[tokio::test]
async fn a_start_goes_on_when_who_asked_for_it_has_left() {
    let upstream = upstream(server(r#"answer "{\"structuredContent\":\"$$\"}""#));
    let first = call(&upstream, "x");
    while upstream.inner.supervisor.current().is_none() && !first.is_finished() {
        tokio::task::yield_now().await;
    }
    first.abort();
    text(&upstream).await;
}

#[tokio::test]
async fn what_a_server_started_ends_with_it() {
    let upstream = upstream(server(
        r#"sleep 1000 & answer "{\"structuredContent\":\"$$ $!\"}""#,
    ));
    let pids = text(&upstream).await;
    drop(upstream);
    let (server, grandchild) = pids.split_once(' ').unwrap();
    gone(server).await;
    dead(grandchild).await;
}

#[tokio::test]
async fn a_server_that_ignores_eof_and_sigterm_is_killed() {
    let on_call =
        r#"trap '' TERM; answer "{\"structuredContent\":\"$$\"}"; while :; do sleep 1; done"#;
    let upstream = upstream(server(on_call));
    let pid = text(&upstream).await;
    let start = Instant::now();
    upstream.stop().await;
    gone(&pid).await;
    assert!(
        start.elapsed() > Duration::from_secs(3),
        "no grace was given"
    );
}

#[test]
fn the_end_of_the_runtime_ends_servers() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let upstream = upstream(server(
        r#"sleep 1000 & answer "{\"structuredContent\":\"$$ $!\"}""#,
    ));
    let pids = runtime.block_on(text(&upstream));
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (server, grandchild) = pids.split_once(' ').unwrap();
        gone(server).await;
        dead(grandchild).await;
    });
}

#[tokio::test]
async fn a_crash_ends_the_calls_under_way_and_the_next_call_starts_the_server_again() {
    let on_call = r#"case "$line" in *crash*) echo "writing …" >&2; echo "disk full; key is $KEY" >&2; exit 3;; *) answer '{}';; esac"#;
    let upstream = upstream(server(on_call).env("KEY", "s3cret-s3cret\nand more"));
    let message = failure(call(&upstream, "crash").await.unwrap());
    // What came before it is the operator's alone.
    let expected = "MCP server `shell` ended (exit status: 3) while the call was under way; the next call starts it again. \
                    Its last words on stderr: [redacted] (more in the log under ";
    assert!(message.starts_with(expected), "{message}");
    call(&upstream, "fine").await.unwrap().unwrap();
}

#[tokio::test]
async fn a_server_that_ends_at_once_is_explained_and_not_hammered() {
    let upstream = upstream(ServerCommand::new("sh").args([
        "-c",
        "for i in $(seq 100); do echo line $i; done >&2; exit 9",
    ]));
    let message = failure(call(&upstream, "x").await.unwrap());
    let expected = "MCP server `shell` ended (exit status: 9) while it was starting. Its last words on stderr: line 100 (more in the log under ";
    assert!(message.starts_with(expected), "{message}");
    let again = upstream.tools().await.unwrap_err().message;
    assert!(
        again.starts_with(expected) && !again.contains("times in a row"),
        "the second attempt comes at once: {again}"
    );
    // Short pauses are waited for.
    let refused = loop {
        let message = failure(call(&upstream, "x").await.unwrap());
        if message.contains("times in a row") {
            break message;
        }
        assert!(message.starts_with(expected), "{message}");
    };
    let last = refused.lines().last().unwrap();
    assert!(
        last.starts_with("It failed ") && last.contains(" and is not tried again for "),
        "{last}"
    );
    let status = upstream.status();
    let UpstreamState::Waiting { until } = status.state else {
        panic!("{status:?}");
    };
    let left = until.duration_since(std::time::SystemTime::now()).unwrap();
    assert!(left < Duration::from_secs(60), "{left:?}");
    assert!(status.why.unwrap().starts_with(expected));
    assert_eq!(upstream.trouble().unwrap().lines().count(), 2);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let cases = [
        (
            ServerCommand::new("no-such-command-here"),
            "there is no command `no-such-command-here` in PATH",
        ),
        (
            ServerCommand::new("/no/such/file"),
            "there is no file /no/such/file",
        ),
        (
            ServerCommand::new("sh").current_dir("/no/such/folder"),
            "its working folder /no/such/folder does not exist",
        ),
        (
            ServerCommand::new("/"),
            "/: Permission denied (os error 13)",
        ),
    ];
    for (command, expected) in cases {
        let message = failure(call(&upstream(command), "x").await.unwrap());
        assert_eq!(
            message,
            format!("MCP server `shell` can't be started: {expected}")
        );
    }
}

/// How many tasks, open files and child processes there are.
fn held() -> [usize; 3] {
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let children = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let children = children.filter_map(|task| {
        let children = std::fs::read_to_string(task.path().join("children")).ok()?;
        Some(children.split_whitespace().count())
    });
    let tasks = tokio::runtime::Handle::current().metrics();
    [tasks.num_alive_tasks(), files, children.sum()]
}

#[tokio::test]
async fn forty_crashes_leave_nothing_behind() {
    let on_call = r#"case "$line" in *crash*) exit 3;; *) answer '{}';; esac"#;
    let upstream = upstream(server(on_call));
    let mut before = None;
    for crash in 0..=40 {
        upstream.inner.supervisor.forgive();
        call(&upstream, "fine").await.unwrap().unwrap();
        upstream.tools().await.unwrap();
        if crash == 1 {
            before = Some(settled(None).await);
        }
        if crash < 40 {
            let message = failure(call(&upstream, "crash").await.unwrap());
            assert!(message.contains("exit status: 3"), "{message}");
        }
    }
    let before = before.unwrap();
    assert_eq!(before[2], 1, "the server itself");
    settled(Some(before)).await;
    assert_eq!(upstream.state(), UpstreamState::Ready);
}

/// What is held once what had ended is gone: no more than before, or else in a state in which it
/// stays.
async fn settled(before: Option<[usize; 3]>) -> [usize; 3] {
    let start = Instant::now();
    let (mut last, mut same) = (held(), 0);
    loop {
        match before {
            Some(before) if last.iter().zip(before).all(|(now, then)| *now <= then) => {
                return last;
            }
            Some(before) => assert!(
                start.elapsed() < Duration::from_secs(30),
                "{last:?} after {before:?}"
            ),
            None if same > 200 => return last,
            None => {}
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        let now = held();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
}

#[tokio::test]
async fn a_server_that_nobody_uses_is_stopped_and_started_again_when_its_process_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("lock");
    // It takes what only one can have, and gives it back late.
    let script = server(r#"answer "{\"structuredContent\":\"$$\"}""#).args[1].clone();
    let script = format!("mkdir \"$LOCK\" || exit 7; {script}; sleep 0.3; rmdir \"$LOCK\"");
    let command = ServerCommand::new("sh")
        .args(["-c", &script])
        .env("LOCK", lock.to_str().unwrap());
    let options = UpstreamOptions {
        idle_timeout: Some(Duration::from_millis(100)),
        ..Default::default()
    };
    let upstream = Arc::new(Upstream::stdio("shell", command, options));
    let first = text(&upstream).await;
    while upstream.state() != UpstreamState::NotStarted {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let why = upstream.status().why;
    assert_eq!(
        why.as_deref(),
        Some("MCP server `shell` was stopped, since nobody used it for 100ms")
    );
    let second = text(&upstream).await;
    assert_ne!(first, second);
    gone(&first).await;
}
