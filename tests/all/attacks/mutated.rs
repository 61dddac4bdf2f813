//! Requests of which bytes were changed, left out and repeated.

use std::time::Duration;

use ampoule::Grant;
use ampoule_mutated::Random;
use ampoule_server::{ClientComponents, Server};
use ampoule_tests::runtime;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::time::timeout;

use super::server::initialize;

/// Longer than an answer takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is sent, mutated, behind an id that stays readable.
const SENT: [&str; 8] = [
    r#""method":"ping"}"#,
    r#""method":"tools/list","params":{"cursor":null}}"#,
    r#""method":"prompts/list","params":{"_meta":{"progressToken":1}}}"#,
    r#""method":"tools/call","params":{"name":"search_tools","arguments":{"query":"add \u00e9\ud83d\ude00","limit":2}}}"#,
    r#""method":"tools/call","params":{"name":"execute_code","arguments":{"code":"return 1","language":"javascript","timeout_seconds":1}}}"#,
    r#""method":"tools/call","params":{"arguments":{"a":[[[{"b":[1.5e3,-2,true,null]}]]]},"name":"none"}}"#,
    r#""method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#""params":{"code":"\"]}\\"},"method":"server/discover"}"#,
];

/// Changes a few bytes: another byte, one removed or repeated, a part left out, the end cut off.
fn mutate(line: &mut Vec<u8>, random: &mut Random) {
    const TELLING: &[u8] = b"\"\\{}[],:0-eu \x00\x7f\xff\xc3\xed\xf0dn";
    for _ in 0..random.below(4) {
        if line.is_empty() {
            return;
        }
        let at = random.below(line.len());
        match random.below(5) {
            0 => line[at] = TELLING[random.below(TELLING.len())],
            1 => drop(line.remove(at)),
            2 => line.insert(at, TELLING[random.below(TELLING.len())]),
            3 => drop(line.drain(at..line.len().min(at + 8))),
            _ => line.truncate(at),
        }
    }
    line.retain(|&byte| byte != b'\n');
}

/// A request whose id alone is sure.
fn mutated(id: usize, random: &mut Random) -> Vec<u8> {
    let mut rest = SENT[random.below(SENT.len())].as_bytes().to_vec();
    mutate(&mut rest, random);
    [format!(r#"{{"jsonrpc":"2.0","id":{id},"#).as_bytes(), &rest].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_many_mutated_requests_gets_exactly_one_answer() {
    const REQUESTS: usize = 20_000;
    let server = Server::new(
        runtime().clone(),
        Grant::all(),
        &ClientComponents::default(),
    )
    .expect("a server");
    let (client, host) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(host);
    let serving = tokio::spawn(server.serve(read, write));
    let (read, mut write) = tokio::io::split(client);
    let mut random = Random::new(1);
    let sent: Vec<Vec<u8>> = (0..REQUESTS).map(|id| mutated(id, &mut random)).collect();
    let lines = sent.clone();
    let sending = tokio::spawn(async move {
        let first = initialize().to_string().into_bytes();
        for line in [first].into_iter().chain(lines) {
            write
                .write_all(&[&line, &b"\n"[..]].concat())
                .await
                .expect("it reads");
        }
        write
    });
    let mut answers = vec![0; REQUESTS];
    let mut lines = BufReader::new(read).lines();
    for _ in 0..=REQUESTS {
        let Ok(line) = timeout(PATIENCE, lines.next_line()).await else {
            break;
        };
        let line = line.expect("text").expect("an answer");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert!(
            answer["result"].is_object() != answer["error"].is_object(),
            "{line}"
        );
        match answer["id"].as_u64() {
            Some(id) => answers[usize::try_from(id).expect("an id")] += 1,
            None => assert_eq!(answer["id"], "first", "{line}"),
        }
    }
    let wrong = answers
        .iter()
        .zip(&sent)
        .filter(|&(&answers, _)| answers != 1);
    let wrong: Vec<_> = wrong
        .map(|(answers, line)| format!("{answers}: {}", line.escape_ascii()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut write = sending.await.expect("all is sent");
    write.shutdown().await.expect("it is there");
    assert_eq!(lines.next_line().await.expect("text"), None);
    serving
        .await
        .expect("it does not panic")
        .expect("it ends as it must");
}
