//! Servers that print to the stream that carries messages, and those that lose a request's id.

use std::time::{Duration, Instant};

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

/// A server for each of these, by its name.
fn workplace(servers: &[(&str, Value)]) -> Workplace {
    let workplace = Workplace::default();
    let mut config = String::new();
    for (name, more) in servers {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let mut listed = json!({"tools": [{"name": "a", "inputSchema": schema}]});
        for (key, value) in more.as_object().expect("an object") {
            listed[key] = value.clone();
        }
        workplace.file(&format!("{name}.json"), listed.to_string());
        config += &format!(
            "[servers.{name}]\ncommand = '{}'\nargs = ['{name}.json']\nstart-timeout = '40s'\n",
            env!("CARGO_BIN_EXE_listed-server")
        );
    }
    workplace.file("ampoule.toml", config);
    workplace
}

fn noisy() -> Value {
    let banner = (0..30).map(|line| format!("  tool {line} \u{1f680}\r"));
    let first = ["\u{feff}============".to_owned()].into_iter();
    let odd = ["null", "[]", "\"text\"", "42", "[DEBUG] {"].map(str::to_owned);
    json!({
        "start": first.chain(banner).chain(odd).collect::<Vec<_>>(),
        "noise": [
            r#"{"level":"info","msg":"call","id":1,"time":1736071200}"#,
            r#"{"level":"info","id":2,"result":{"content":[{"type":"text","text":"not mine"}]}}"#,
            r#"{"level":"info","id":3,"result":{"content":[{"type":"text","text":"not mine"}]}}"#,
            r#"{"level":"info","id":4,"result":{"content":[{"type":"text","text":"not mine"}]}}"#,
            r#"{"id":5,"error":{"code":1,"message":"not mine"}}"#,
            r#"{"id":6,"method":"GET"}"#,
            "Content-Length: 5",
        ],
    })
}

#[tokio::test]
async fn what_a_server_prints_is_not_an_answer_and_is_told_once() {
    let workplace = workplace(&[("t", noisy())]);
    let code = "return await Promise.all([1, 2, 3].map(async (n) => (await tools.t.a({ n })).n))";
    let ran = workplace.run(&["run", "-e", code]).await;
    assert_eq!(ran.json(), json!([1, 2, 3]), "{ran:?}");
    assert_eq!(ran.stderr.matches("============").count(), 1, "{ran:?}");
    assert!(!ran.stderr.contains("not mine"), "{ran:?}");

    let looked = workplace.run(&["doctor", "--json"]).await;
    let doctor = looked.json();
    let server = &doctor["servers"][0];
    assert_eq!(server["state"], "ready", "{looked:?}");
    let skipped = server["skipped"].as_str().expect("a sentence");
    assert!(
        skipped.starts_with("It writes to its stdout what is not a message"),
        "{skipped}"
    );
    assert!(
        skipped.contains("====") && skipped.contains("more lines"),
        "{skipped}"
    );
    let told = workplace
        .run(&["doctor"])
        .await
        .stdout
        .replace("\n    ", " ");
    assert!(
        told.contains("The server should write it to stderr."),
        "{told}"
    );
}

#[tokio::test]
async fn an_id_that_is_lost_is_named_within_seconds() {
    let lost = ["zero", "none", "text", "float"];
    let servers = lost.map(|ids| (ids, json!({ "ids": ids })));
    let workplace = workplace(&servers);
    for right in ["text", "float"] {
        let code = format!("return (await tools.{right}.a({{ n: 1 }})).n");
        let ran = workplace.run(&["run", "--quiet", "-e", &code]).await;
        assert_eq!(ran.stdout.trim(), "1", "{right}: {ran:?}");
    }
    for (wrong, said) in [
        (
            "zero",
            "answered with the id 0, where the request has the id ",
        ),
        (
            "none",
            "answered without an id, where the request has the id ",
        ),
    ] {
        let code = format!("return await tools.{wrong}.a({{ n: 1 }})");
        let began = Instant::now();
        let ran = workplace.run(&["run", "--quiet", "-e", &code]).await;
        let told = format!("{}{}", ran.stdout, ran.stderr).replace("\n  ", " ");
        assert!(told.contains(said), "{wrong}: {told}");
        assert_ne!(ran.code, Some(0), "{wrong}: {told}");
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{wrong}: {:?}",
            began.elapsed()
        );
    }
    let doctor = workplace
        .run(&["doctor"])
        .await
        .stdout
        .replace("\n    ", " ");
    assert!(
        doctor.contains("answered with the id 0, where the request has the id "),
        "{doctor}"
    );
}
