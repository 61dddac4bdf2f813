//! What an operator is answered.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use tokio::net::{UnixListener, UnixStream};

use super::*;
use crate::operator::{client, socket};

/// A server that answers operators, in a folder of its own.
fn overseen() -> (Serving, tempfile::TempDir, PathBuf) {
    let (serving, place) = (Serving::new(), tempfile::tempdir().unwrap());
    let folder = place.path().join("ampoule");
    let (server, at) = (serving.server.clone(), folder.clone());
    tokio::spawn(async move { server.answer_operators(&at, None).await });
    (serving, place, folder)
}

async fn connected(folder: &Path) -> UnixStream {
    loop {
        let mut running = socket::running(folder).await.unwrap();
        match running.pop() {
            Some(server) => {
                assert_eq!(server.pid, std::process::id());
                return server.stream;
            }
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

async fn lines(folder: &Path, question: &str) -> Lines<BufReader<UnixStream>> {
    let mut stream = connected(folder).await;
    let asked = format!("{question}\n");
    stream.write_all(asked.as_bytes()).await.unwrap();
    BufReader::new(stream).lines()
}

async fn answer(folder: &Path, question: &Value) -> Vec<Value> {
    let (mut lines, mut answer) = (lines(folder, &question.to_string()).await, Vec::new());
    while let Some(line) = lines.next_line().await.unwrap() {
        answer.push(serde_json::from_str(&line).unwrap());
    }
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_shown_followed_and_cancelled() {
    let (serving, _place, folder) = overseen();
    assert_eq!(answer(&folder, &json!("list")).await, [] as [Value; 0]);
    let mut client = serving.client();
    let code = "console.log('begun'); progress(0.5, 'half'); await tools.test.wait()";
    let call = json!({ "name": "execute_code", "arguments": { "code": code } });
    let request = client.send("tools/call", call).await;
    serving.calls(1).await;
    // It may have called before it is seen.
    let mut list = Vec::new();
    while list.is_empty() {
        list = answer(&folder, &json!("list")).await;
    }
    let [run] = &list[..] else {
        panic!("{list:?}");
    };
    assert_eq!(
        (
            &run["client"],
            &run["state"],
            &run["calls"],
            &run["language"]
        ),
        (
            &json!("tester"),
            &json!("running"),
            &json!(1),
            &json!("typescript")
        )
    );
    let shown = answer(&folder, &json!({ "show": run["run"] })).await;
    assert_eq!(
        (&shown[0]["code"], &shown[0]["printed"]),
        (&json!(code), &json!("begun\n"))
    );
    let mut followed = lines(&folder, &json!({ "follow": run["run"] }).to_string()).await;
    let mut events = Vec::new();
    let mut cancelled = false;
    while let Some(line) = followed.next_line().await.unwrap() {
        let event: Value = serde_json::from_str(&line).unwrap();
        if event["event"] == "call-started" && !std::mem::replace(&mut cancelled, true) {
            assert_eq!(
                answer(&folder, &json!({ "cancel": run["run"] }))
                    .await
                    .len(),
                1
            );
        }
        events.push(event);
    }
    let kinds: Vec<_> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    for kind in ["output", "progress", "call-started"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["outcome"]["ending"]),
        (&json!("ended"), &json!("cancelled"))
    );
    let (ended, _) = client.answer(request).await;
    assert!(
        text(&ended["result"]).contains("the run was cancelled"),
        "{ended}"
    );
    serving.is_idle().await;
    let gone = answer(&folder, &json!({ "show": run["run"] })).await;
    assert_eq!(gone[0]["error"], "unknown run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_kept_is_listed_with_how_it_ended() {
    let (serving, _place, folder) = overseen();
    let mut client = serving.client();
    let code = "await tools.test.wait(); return 42";
    let first = client.execute(json!({ "code": code, "wait": 0 })).await;
    serving.calls(1).await;
    let mut followed = lines(&folder, &json!({ "follow": id_in(&first) }).to_string()).await;
    serving.let_go.notify_one();
    client.execute(json!({ "run": id_in(&first) })).await;
    let mut last = Value::Null;
    while let Some(line) = followed.next_line().await.unwrap() {
        last = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(
        (&last["outcome"]["ending"], &last["outcome"]["said"]),
        (&json!("returned"), &json!("42"))
    );
    let list = answer(&folder, &json!("list")).await;
    assert_eq!(list[0]["state"], "returned", "{list:?}");
    assert!(
        list[0]["fuel"].as_u64().is_some_and(|fuel| fuel > 0),
        "{list:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_is_shown_with_its_calls() {
    let (serving, _place, folder) = overseen();
    let mut client = serving.client();
    let code = "await tools.test.wait({ for: 'it' }); throw new Error('x')";
    let begun = client.execute(json!({ "code": code, "wait": 0 })).await;
    serving.calls(1).await;
    serving.let_go.notify_one();
    client.execute(json!({ "run": id_in(&begun) })).await;
    let shown = answer(&folder, &json!({ "show": id_in(&begun) })).await;
    let log = &shown[0]["ended"]["callLog"];
    assert_eq!(log["calls"][0]["result"], "done", "{shown:?}");
    let text = log["text"].as_str().unwrap_or_default();
    assert!(
        text.ends_with("- test.wait({\"for\":\"it\"}): done"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_has_used_is_seen_while_it_is_under_way() {
    let (serving, _place, folder) = overseen();
    let mut client = serving.client();
    // One that waits for a tool, and one that only computes.
    for code in ["await tools.test.wait()", "for (;;);"] {
        let arguments = json!({ "code": code, "language": "javascript", "wait": 0 });
        let begun = client.execute(arguments).await;
        let id = id_in(&begun);
        let shown = || async { answer(&folder, &json!({ "show": id })).await[0].clone() };
        let uses_fuel = async {
            loop {
                let run = shown().await;
                assert_eq!(run["state"], "running", "{run}");
                if run["fuel"].as_u64().is_some_and(|fuel| fuel > 0) {
                    return run;
                }
            }
        };
        let run = tokio::time::timeout(PATIENCE, uses_fuel).await;
        let run = run.expect("fuel to be used");
        let memory = run["memoryBytes"].as_u64().unwrap();
        assert!(memory > 1 << 16, "{run}");
        client.execute(json!({ "run": id, "cancel": true })).await;
        let ended = shown().await;
        assert!(ended["fuel"].as_u64() >= run["fuel"].as_u64(), "{ended}");
        assert_eq!(ended["fuel"], ended["ended"]["fuel"], "{ended}");
        assert_eq!(ended["memoryBytes"], ended["ended"]["memoryBytes"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_a_run_whose_client_vanishes_is_told_its_end() {
    let (serving, _place, folder) = overseen();
    let mut client = serving.client();
    let call =
        json!({ "name": "execute_code", "arguments": { "code": "await tools.test.wait()" } });
    client.send("tools/call", call).await;
    serving.calls(1).await;
    let list = answer(&folder, &json!("list")).await;
    let mut followed = lines(&folder, &json!({ "follow": list[0]["run"] }).to_string()).await;
    // Something of it is there before the client goes.
    let mut last = followed
        .next_line()
        .await
        .unwrap()
        .map_or(Value::Null, Value::from);
    drop(client);
    while let Some(line) = followed.next_line().await.unwrap() {
        last = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(last["outcome"]["said"], "its client went away", "{last}");
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_is_its_users_alone_and_odd_questions_are_answered() {
    let (_serving, place, folder) = overseen();
    let odd = answer(&folder, &json!({ "drop": "everything" })).await;
    assert_eq!(odd[0]["error"], "this server does not know the request");
    let mut endless = lines(&folder, &"x".repeat(1 << 16)).await;
    assert!(endless.next_line().await.is_ok_and(|line| line.is_some()));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = folder.join(format!("{}.sock", std::process::id()));
    assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
    // Those of servers that were killed are gone as soon as somebody looks.
    let stale = folder.join("1.sock");
    drop(UnixListener::bind(&stale).unwrap());
    connected(&folder).await;
    assert!(!stale.exists());
    let nowhere = place.path().join("nowhere");
    assert!(socket::running(&nowhere).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_person_is_shown_so() {
    let (people, place) = (
        people::People::new(Vec::new()),
        tempfile::tempdir().unwrap(),
    );
    let folder = place.path().join("ampoule");
    let (server, at) = (people.server.clone(), folder.clone());
    tokio::spawn(async move { server.answer_operators(&at, None).await });
    let mut client = Client::of(&people.server);
    let code = json!({ "code": people::SENDS, "wait": 0 });
    client.execute(code).await;
    people.question().await;
    // The person's channel may have the question a moment before the list says so.
    let deadline = Instant::now() + Duration::from_secs(30);
    let shown = loop {
        let list = answer(&folder, &json!("list")).await;
        let [run] = &list[..] else {
            panic!("{list:?}");
        };
        assert_eq!(run["state"], json!("running"));
        if !run["asks"].is_null() || Instant::now() > deadline {
            break run["asks"].clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(shown, json!("mail.send"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_hides_no_other() {
    let (serving, _place, folder) = overseen();
    let mut client = serving.client();
    let code = "await tools.test.wait()";
    let begun = client.execute(json!({ "code": code, "wait": 0 })).await;
    serving.calls(1).await;
    connected(&folder).await;
    let _hangs = UnixListener::bind(folder.join("1.sock")).unwrap();
    let servers = async || {
        let servers = socket::running(&folder).await.unwrap();
        let pids: Vec<_> = servers.iter().map(|server| server.pid).collect();
        assert_eq!(pids, [1, std::process::id()]);
        servers
    };
    let listed = tokio::time::timeout(PATIENCE, client::rows(servers().await)).await;
    let listed = listed.expect("the other answers");
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["pid"], std::process::id());
    let id = id_in(&begun);
    let asked = client::ask("show", &id, servers().await);
    let shown = tokio::time::timeout(PATIENCE, asked).await;
    assert_eq!(shown.expect("the other answers").unwrap()["code"], code);
    // A console asks other processes alone.
    let elsewhere = socket::running_elsewhere(&folder).await.unwrap();
    let pids: Vec<_> = elsewhere.iter().map(|server| server.pid).collect();
    assert_eq!(pids, [1]);
}
