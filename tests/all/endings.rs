//! No server outlives Ampoule, however it ends: the hard case is one that is still starting and
//! does not care that its standard input was closed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Served, Workplace, ended};
use serde_json::json;
use tokio::process::Command;

/// A workplace whose server notes its process id and never says anything.
fn deaf_server(start_timeout: &str) -> Workplace {
    let workplace = Workplace::default();
    let config = format!(
        "[servers.deaf]\ncommand = 'sh'\nargs = ['-c', 'echo $$ >> pids; exec sleep 600']\nstart-timeout = '{start_timeout}'\n"
    );
    workplace.file("ampoule.toml", config);
    workplace
}

/// A script that needs the server.
const CALL: &str = "await tools.deaf.hear({})";

fn processes(workplace: &Workplace) -> Vec<PathBuf> {
    let pids = std::fs::read_to_string(workplace.path().join("pids")).unwrap_or_default();
    pids.lines()
        .map(|pid| Path::new("/proc").join(pid))
        .collect()
}

async fn started(workplace: &Workplace) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while processes(workplace).is_empty() {
        assert!(Instant::now() < deadline, "the server is not started");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The server was started, and is gone.
fn none_is_left(workplace: &Workplace) {
    let processes = processes(workplace);
    assert!(!processes.is_empty(), "the server was never started");
    let left: Vec<_> = processes
        .iter()
        .filter(|process| process.exists())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Runs a command until the server is started, and then sends it a signal.
async fn signalled(workplace: &Workplace, arguments: &[&str], signal: &str) -> Ran {
    let child = workplace
        .command(binary(), arguments)
        .spawn()
        .expect("a process");
    started(workplace).await;
    let pid = child.id().expect("it runs").to_string();
    let mut kill = Command::new("kill");
    kill.args([signal, &pid]);
    assert_eq!(ended(kill).await.code, Some(0));
    let output = child.wait_with_output().await.expect("its output");
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_by_a_signal() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let workplace = deaf_server("60s");
        let ran = signalled(&workplace, &["run", "-e", CALL], signal).await;
        assert_eq!(ran.code, Some(code), "{ran:?}");
        none_is_left(&workplace);
    }
}

#[tokio::test]
async fn a_listing_that_is_stopped_by_a_signal() {
    let workplace = deaf_server("60s");
    let ran = signalled(&workplace, &["tools"], "-INT").await;
    assert_eq!(ran.code, Some(130), "{ran:?}");
    none_is_left(&workplace);
}

#[tokio::test]
async fn a_run_that_hits_its_wall_time() {
    let workplace = deaf_server("60s");
    let ran = workplace
        .run(&["run", "--timeout", "500ms", "-e", CALL])
        .await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    none_is_left(&workplace);
}

#[tokio::test]
async fn a_server_that_does_not_start_in_time() {
    let workplace = deaf_server("300ms");
    let ran = workplace.run(&["tools"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("did not answer within"), "{ran:?}");
    none_is_left(&workplace);
}

#[tokio::test]
async fn a_client_that_leaves_while_a_server_starts() {
    let workplace = deaf_server("60s");
    let mut served = Served::greeted(&workplace, &[]).await;
    let call = json!({"name": "execute_code", "arguments": {"code": CALL}});
    served
        .send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}))
        .await;
    started(&workplace).await;
    let left = Instant::now();
    assert_eq!(served.close().await, Some(0));
    // The run would last until its wall time, and has ended with its client.
    assert!(left.elapsed() < Duration::from_secs(30), "{left:?}");
    none_is_left(&workplace);
}
