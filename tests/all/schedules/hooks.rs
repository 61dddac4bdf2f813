//! Messages to hooks.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ampoule_tests::binary;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, RequestBuilder, StatusCode};
use ring::hmac;
use serde_json::{Value, json};

use super::super::serving::{Serving, client};
use super::{row_with, serving, values, workplace};

const SECRET: &str = "a secret of some length";
const CONFIG: &str = "
[hooks.github]
secret = '${file:secret}'
headers = ['X-GitHub-Event']
script = 'got.js'
principal = 'hooks'
body = '1KiB'
per-minute = 4

[hooks.slack]
secret = '${file:secret}'
header = 'X-Slack-Signature'
prefix = 'v0='
signed = 'v0:{timestamp}:{body}'
timestamp-header = 'X-Slack-Request-Timestamp'
script = 'got.js'
per-minute = 6

[hooks.standard]
secret = '${file:secret}'
header = 'webhook-signature'
prefix = 'v1,'
encoding = 'base64'
signed = '{id}.{timestamp}.{body}'
timestamp-header = 'webhook-timestamp'
id-header = 'webhook-id'
script = 'got.js'
body = '8MiB'
";

fn tag(content: &str) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    hmac::sign(&key, content.as_bytes()).as_ref().to_vec()
}

fn in_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// A message, signed as GitHub signs.
fn from_github(client: &Client, at: &str, body: &str) -> RequestBuilder {
    client
        .post(at)
        .header("content-type", "application/json")
        .header("x-github-event", "issues")
        .header(
            "x-hub-signature-256",
            format!("sha256={}", in_hex(&tag(body))),
        )
        .body(body.to_owned())
}

/// A message that was signed at that time, as Slack signs.
fn from_slack(client: &Client, at: &str, body: &str, second: u64) -> RequestBuilder {
    let tag = tag(&format!("v0:{second}:{body}"));
    client
        .post(at)
        .header("x-slack-request-timestamp", second)
        .header("x-slack-signature", format!("v0={}", in_hex(&tag)))
        .body(body.to_owned())
}

/// A file of this name, in a folder or those in it.
fn found(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries.map(|entry| entry.path()).find_map(|path| {
        if path.file_name().is_some_and(|file| file == name) {
            return Some(path);
        }
        // Links lead out of the workplace.
        let is_folder = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        is_folder.then(|| found(&path, name)).flatten()
    })
}

async fn status(request: RequestBuilder) -> StatusCode {
    request.send().await.expect("an answer").status()
}

#[tokio::test]
async fn messages_with_a_right_signature_start_runs() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    workplace.file("got.js", "return [env.input, env.headers]");
    let server = serving(&workplace).await;
    let at = |hook: &str| server.at.replace("/mcp", &format!("/hooks/{hook}"));
    let (client, github) = (client(), at("github"));
    let body = r#"{"action":"opened","issue":{"number":7}}"#;

    let taken = from_github(&client, &github, body).send().await.unwrap();
    assert_eq!(taken.status(), StatusCode::ACCEPTED);
    let taken: Value = taken.json().await.unwrap();
    let row = row_with(&workplace, "github", |row| row["outcome"] == "returned").await;
    assert_eq!(row["run"], taken["run"]);
    assert_eq!(row["startedBy"], "/hooks/github");
    let input: Value = serde_json::from_str(body).unwrap();
    let expected = json!([input, { "x-github-event": "issues" }]);
    assert_eq!(values(&workplace).await, [expected]);

    // None of these starts a run.
    let unsigned = client.post(&github).body(body);
    assert_eq!(status(unsigned).await, StatusCode::UNAUTHORIZED);
    // Without a signature, the body is not even read.
    let unsigned = client.post(&github).body("x".repeat(2_000));
    assert_eq!(status(unsigned).await, StatusCode::UNAUTHORIZED);
    let other = from_github(&client, &github, body).body("{}");
    assert_eq!(status(other).await, StatusCode::UNAUTHORIZED);
    let base64 = STANDARD.encode(tag(body));
    let other = client.post(&github).body(body);
    let other = other.header("x-hub-signature-256", format!("sha256={base64}"));
    assert_eq!(status(other).await, StatusCode::UNAUTHORIZED);
    let long = "x".repeat(2_000);
    let long = from_github(&client, &github, &long);
    assert_eq!(status(long).await, StatusCode::PAYLOAD_TOO_LARGE);
    let broken = from_github(&client, &github, "{");
    assert_eq!(status(broken).await, StatusCode::BAD_REQUEST);
    let get = client.get(&github);
    assert_eq!(status(get).await, StatusCode::METHOD_NOT_ALLOWED);
    let unknown = from_github(&client, &at("gitlab"), body);
    assert_eq!(status(unknown).await, StatusCode::NOT_FOUND);
    let foreign = from_github(&client, &github, body).header("host", "elsewhere.example");
    assert_eq!(status(foreign).await, StatusCode::FORBIDDEN);
    assert_eq!(values(&workplace).await.len(), 1);

    // Of those with a right signature, so many start runs in a minute.
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(status(from_github(&client, &github, body)).await);
    }
    assert!(
        answers.contains(&StatusCode::TOO_MANY_REQUESTS),
        "{answers:?}"
    );
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains(SECRET), "{said}");
}

#[tokio::test]
async fn a_message_with_a_timestamp_is_taken_once_and_while_it_is_new() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    workplace.file("got.js", "return [env.input, env.headers]");
    let server = serving(&workplace).await;
    let at = server.at.replace("/mcp", "/hooks/slack");
    let (client, second) = (client(), now());
    let send = |second| from_slack(&client, &at, "token=1", second);
    assert_eq!(status(send(second)).await, StatusCode::ACCEPTED);
    assert_eq!(status(send(second)).await, StatusCode::CONFLICT);
    // Signed by the sender at another time, it is another message.
    assert_eq!(status(send(second - 1)).await, StatusCode::ACCEPTED);
    assert_eq!(status(send(second - 600)).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(send(second + 600)).await, StatusCode::UNAUTHORIZED);
    // A time that somebody else wrote into it is not what was signed.
    let moved = client
        .post(&at)
        .header("x-slack-request-timestamp", second + 1);
    let signature = in_hex(&tag(&format!("v0:{second}:token=1")));
    let moved = moved.header("x-slack-signature", format!("v0={signature}"));
    assert_eq!(
        status(moved.body("token=1")).await,
        StatusCode::UNAUTHORIZED
    );
    row_with(&workplace, "slack", |row| row["underWay"] == 0).await;
    assert_eq!(values(&workplace).await, vec![json!(["token=1", {}]); 2]);
    server.stopped().await;

    // Another process knows it, too.
    let server = serving(&workplace).await;
    let at = server.at.replace("/mcp", "/hooks/slack");
    let again = from_slack(&client, &at, "token=1", second);
    assert_eq!(status(again).await, StatusCode::CONFLICT);
    server.stopped().await;
}

#[tokio::test]
async fn a_message_whose_run_could_not_start_may_be_sent_again() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    let mut command = workplace.command(binary(), &["serve", "--http", "0"]);
    workplace.at_home(&mut command);
    command.env("AMPOULE_LOG", "info");
    let server = Serving::of(command.spawn().expect("a server")).await;
    let at = server.at.replace("/mcp", "/hooks/slack");
    let (client, second) = (client(), now());
    let send = || from_slack(&client, &at, "token=1", second);
    // The script is not there yet.
    for _ in 0..2 {
        assert_eq!(status(send()).await, StatusCode::INTERNAL_SERVER_ERROR);
    }
    workplace.file("got.js", "return env.input");
    assert_eq!(status(send()).await, StatusCode::ACCEPTED);
    assert_eq!(status(send()).await, StatusCode::CONFLICT);
    row_with(&workplace, "slack", |row| row["outcome"] == "returned").await;
    assert_eq!(values(&workplace).await, ["token=1"]);
    let (_, said) = server.stopped().await;
    // The log has the run's id from before its start.
    let starts = said.lines().find(|line| line.contains("a run starts"));
    assert!(starts.is_some_and(|line| line.contains("run=")), "{said}");
}

#[tokio::test]
async fn a_message_that_comes_again_uses_up_no_rate() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    workplace.file("got.js", "return env.input");
    let server = serving(&workplace).await;
    let at = server.at.replace("/mcp", "/hooks/slack");
    let (client, second) = (client(), now());
    let first = from_slack(&client, &at, "token=1", second);
    assert_eq!(status(first).await, StatusCode::ACCEPTED);
    for _ in 0..10 {
        let again = from_slack(&client, &at, "token=1", second);
        assert_eq!(status(again).await, StatusCode::CONFLICT);
    }
    let next = from_slack(&client, &at, "token=2", second);
    assert_eq!(status(next).await, StatusCode::ACCEPTED);
    server.stopped().await;
}

#[tokio::test]
async fn a_damaged_list_of_messages_stops_the_hook_until_somebody_removes_it() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    workplace.file("got.js", "return env.input");
    let server = serving(&workplace).await;
    let at = server.at.replace("/mcp", "/hooks/slack");
    let (client, second) = (client(), now());
    let send = |body: &str| from_slack(&client, &at, body, second);
    assert_eq!(status(send("token=1")).await, StatusCode::ACCEPTED);
    let file = found(workplace.path(), "slack.taken.json").expect("the list");
    let whole = std::fs::read(&file).expect("the list");
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("half of the list");
    for body in ["token=1", "token=2"] {
        assert_eq!(status(send(body)).await, StatusCode::INTERNAL_SERVER_ERROR);
    }
    std::fs::write(&file, &whole).expect("the list");
    assert_eq!(status(send("token=1")).await, StatusCode::CONFLICT);
    assert_eq!(status(send("token=2")).await, StatusCode::ACCEPTED);
    let (_, said) = server.stopped().await;
    assert!(said.contains("remove the file"), "{said}");
}

#[tokio::test]
async fn a_message_with_an_id_is_taken_once_however_often_it_is_signed() {
    let workplace = workplace(CONFIG);
    workplace.file("secret", SECRET);
    workplace.file("got.js", "return env.input.length");
    let server = serving(&workplace).await;
    let at = server.at.replace("/mcp", "/hooks/standard");
    let (client, second) = (client(), now());
    let send = |id: &str, body: &str, second: u64| {
        let tag = STANDARD.encode(tag(&format!("{id}.{second}.{body}")));
        client
            .post(&at)
            .header("webhook-id", id)
            .header("webhook-timestamp", second)
            .header("webhook-signature", format!("v1,{tag}"))
            .body(body.to_owned())
    };
    assert_eq!(
        status(send("msg_1", "x", second)).await,
        StatusCode::ACCEPTED
    );
    let again = send("msg_1", "x", second - 20);
    assert_eq!(status(again).await, StatusCode::CONFLICT);
    // A long one is checked on another thread.
    let long = "x".repeat(1 << 20);
    let first = send("msg_2", &long, second);
    assert_eq!(status(first).await, StatusCode::ACCEPTED);
    let wrong = send("msg_3", &long, second).body("y".repeat(1 << 20));
    assert_eq!(status(wrong).await, StatusCode::UNAUTHORIZED);
    row_with(&workplace, "standard", |row| row["underWay"] == 0).await;
    assert_eq!(values(&workplace).await, [1 << 20, 1]);
    server.stopped().await;
}
