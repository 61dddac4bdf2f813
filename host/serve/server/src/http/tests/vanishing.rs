//! A client whose machine is gone, and said nothing. That is tried in a network of the test's own,
//! which is taken down.

use std::process::Command;

use super::*;

/// What says that this is the process which has such a network.
const INSIDE: &str = "AMPOULE_TEST_NETWORK";

fn network(up_or_down: &str) {
    let mut set = Command::new("ip");
    let set = set.args(["link", "set", "lo", up_or_down]).status();
    assert!(set.is_ok_and(|status| status.success()));
}

#[tokio::test(flavor = "multi_thread")]
async fn its_runs_end_though_nothing_is_heard_of_it() {
    const NAME: &str = "http::tests::vanishing::its_runs_end_though_nothing_is_heard_of_it";
    if std::env::var_os(INSIDE).is_some() {
        return vanish().await;
    }
    let possible = Command::new("unshare")
        .args(["-rn", "ip", "link", "set", "lo", "up"])
        .output();
    if !possible.is_ok_and(|tried| tried.status.success()) {
        return skipped(NAME, "the system gives no network of one's own");
    }
    let mut inside = Command::new("unshare");
    inside.arg("-rn").arg(std::env::current_exe().unwrap());
    inside
        .args(["--exact", NAME, "--nocapture"])
        .env(INSIDE, "1");
    let ran = tokio::task::spawn_blocking(move || inside.output()).await;
    let ran = ran.unwrap().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

fn skipped(test: &str, reason: &str) {
    if let Some(skipped) = std::env::var_os("AMPOULE_SKIPPED") {
        let note = std::path::Path::new(&skipped).join(test.replace("::", "-"));
        std::fs::write(note, reason).expect("a note of what was skipped");
    }
}

async fn vanish() {
    network("up");
    let mut options = Options::default();
    // Two runs: one gets progress again and again, which is not acknowledged; of the other
    // nothing is sent.
    options.patience.vanished = Duration::from_secs(3);
    options.resume_within = Duration::from_millis(50);
    let mut served = served(options).await;
    let session = served.session().await;
    let mut streams = Vec::new();
    for (number, meta) in [json!({}), json!({ "progressToken": 1 })]
        .into_iter()
        .enumerate()
    {
        let mut hangs = execute("await tools.test.hang({})");
        hangs["id"] = json!(number);
        hangs["params"]["_meta"] = meta;
        hangs["params"]["arguments"]["timeout_seconds"] = json!(600);
        let mut stream = served.connect().await;
        let asked = post(&[("mcp-session-id", &session)], &hangs.to_string());
        stream.write_all(asked.as_bytes()).await.unwrap();
        served.hang(number + 1).await;
        streams.push(stream);
    }
    network("down");
    // Not by its end: of that nothing gets through.
    served.hang(0).await;
}
