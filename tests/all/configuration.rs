//! `ampoule.toml`, as the command line finds and heeds it.

use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace, ended};
use serde_json::json;

/// A configuration with one server, which is the demo server by another name.
fn configuration(name: &str) -> String {
    format!(
        "[servers.{name}]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    )
}

#[tokio::test]
async fn the_configuration_is_looked_for_where_it_says() {
    let workplace = Workplace::default();
    let servers = [
        "run",
        "-e",
        "return (await tools.$servers()).map((server) => server.name)",
    ];
    assert_eq!(workplace.run(&servers).await.json(), json!(["demo"]));
    workplace.file("config/ampoule/ampoule.toml", configuration("user"));
    assert_eq!(workplace.run(&servers).await.json(), json!(["user"]));
    workplace.file("ampoule.toml", configuration("here"));
    let here = workplace.run(&servers).await;
    assert_eq!(here.json(), json!(["here"]));
    let said = "using the servers of ampoule.toml in this folder";
    assert!(here.stderr.contains(said), "{here:?}");
    workplace.file("other/mine.toml", configuration("chosen"));
    let chosen: Vec<&str> = servers
        .iter()
        .copied()
        .chain(["--config", "other/mine.toml"])
        .collect();
    let ran = workplace.run(&chosen).await;
    assert_eq!(ran.json(), json!(["chosen"]));
    assert!(!ran.stderr.contains(said), "{ran:?}");
    let name = [
        "run",
        "-e",
        "return (await tools.here.getBusiness({})).name",
    ];
    assert_eq!(workplace.run(&name).await.stdout, "Birch & Bolt\n");
    // Every command takes it, before or behind its own arguments.
    let listed = workplace
        .run(&["tools", "--config", "other/mine.toml", "search", "orders"])
        .await;
    assert!(listed.stdout.starts_with("chosen."), "{listed:?}");
}

#[tokio::test]
async fn a_broken_configuration_is_named_with_file_line_and_key() {
    let workplace = Workplace::default();
    for (content, message) in [
        (
            "[server.git]\ncommand = 'git'",
            "broken.toml:1:2: unknown key `server`; did you mean `servers`?",
        ),
        (
            "[limits]\n\nwall-time = 'soon'",
            "broken.toml:3:13: limits.wall-time: this is not a duration",
        ),
        ("[servers.git", "broken.toml:1:"),
    ] {
        workplace.file("broken.toml", content);
        for command in [&["run", "-e", "1"][..], &["tools"], &["serve"]] {
            let arguments: Vec<&str> = command
                .iter()
                .copied()
                .chain(["--config", "broken.toml"])
                .collect();
            let ran = workplace.run(&arguments).await;
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert_eq!(ran.stdout, "");
        }
    }
}

#[tokio::test]
async fn limits_and_ceilings_are_taken_from_the_configuration() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[limits]\nwall-time = '100ms'\n[ceilings]\nwall-time = '1s'",
    );
    let hang = "await new Promise((done) => setTimeout(done, 300)); return 1";
    let ran = workplace.run(&["run", "-e", hang]).await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ran = workplace
        .run(&["run", "--timeout", "900ms", "-e", hang])
        .await;
    assert_eq!(ran.json(), 1);
    let ran = workplace.run(&["run", "--timeout", "2s", "-e", hang]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("above the ceiling of 1000 ms"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn a_ceiling_that_can_not_be_kept_is_named() {
    let workplace = Workplace::default();
    let run = |content: &str| {
        workplace.file("ampoule.toml", content);
        let mut command = workplace.command(binary(), &["run", "-e", "return 1"]);
        command.env("XDG_CACHE_HOME", workplace.path().join("cache"));
        ended(command)
    };
    assert_eq!(run("").await.json(), 1);
    let code = || {
        let folder = std::fs::read_dir(workplace.path().join("cache/ampoule/code"));
        let mut files: Vec<_> = folder
            .expect("the cache")
            .map(|file| file.expect("a file").path())
            .collect();
        files.sort();
        files
    };
    let kept = code();
    assert_eq!(kept.len(), 1);
    for (content, message) in [
        (
            "[ceilings]\nmemory = '1MiB'",
            "ceilings.memory is 1048576 bytes; the guest alone takes ",
        ),
        (
            "[ceilings]\ntable-elements = 10",
            "ceilings.table-elements is 10 elements; the guest alone takes ",
        ),
        (
            "[ceilings]\nstack = '8MiB'",
            "ceilings.stack is 8388608 bytes; the engine's own stack has room for 262144",
        ),
        (
            "slot-wait = '18446744073709551615'",
            "ampoule.toml:1:13: slot-wait: this is longer than a year",
        ),
        (
            "[limits]\nwall-time = '20min'",
            "limits.wall-time: 1200000 ms is above the ceiling of 600000 ms; raise `ceilings.wall-time` too",
        ),
    ] {
        let ran = run(content).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(message), "{content}: {}", ran.stderr);
    }
    assert_eq!(code(), kept, "sound code is kept");
}

#[tokio::test]
async fn isolates_and_the_wait_for_one_are_configured() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "isolates = 1\nslot-wait = '10ms'");
    assert_eq!(workplace.run(&["run", "-e", "return 1"]).await.json(), 1);
    let mut served = Served::greeted(&workplace, &[]).await;
    let call = |id: u32, code: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": code}}});
    // The first keeps the only place for a second.
    let slow = "const end = Date.now() + 1000; while (Date.now() < end); return 1";
    served.send(call(1, slow)).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    served.send(call(2, "return 2")).await;
    let told = loop {
        let message = served.next().await.expect("an answer");
        if message["id"] == 2 {
            break message.to_string();
        }
    };
    assert!(
        told.contains("all isolates were in use for 0.01 s"),
        "{told}"
    );
}

#[tokio::test]
async fn a_server_that_can_not_be_started_is_an_error_of_the_call() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.absent]\ncommand = 'ampoule-no-such-program'",
    );
    let script = "try { await tools.absent.anything({}) } catch (error) { return error.message }";
    let message = workplace.run(&["run", "-e", script]).await.stdout;
    let missing = "there is no command `ampoule-no-such-program` in PATH";
    assert!(message.contains(missing), "{message}");
    // It is tried once for each of these, and told of once.
    for arguments in [&["tools"][..], &["tools", "search", "anything"]] {
        let listed = workplace.run(arguments).await;
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert_eq!(listed.stderr.matches(missing).count(), 1, "{listed:?}");
    }
    for arguments in [
        &["tools", "show", "absent"][..],
        &["tools", "show", "absent.tool"],
    ] {
        let listed = workplace.run(arguments).await;
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert!(listed.stderr.contains(missing), "{listed:?}");
    }
}
