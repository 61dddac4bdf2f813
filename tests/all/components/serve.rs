//! `execute_code` with language `wasm`.

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::components::component;
use serde_json::{Value, json};

fn echo() -> Vec<u8> {
    component("(call $return (i32.const 0) (local.get $at) (local.get $length))")
}

/// Standard base64.
fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

struct Client {
    served: Served,
    requests: u32,
}

impl Client {
    async fn new(workplace: &Workplace) -> Self {
        Self {
            served: Served::greeted(workplace, &[]).await,
            requests: 0,
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.served.send(request).await;
        loop {
            let message = self.served.next().await.expect("an answer");
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// The text that `execute_code` answers, and whether it is an error.
    async fn execute(&mut self, arguments: Value) -> (String, bool) {
        let answer = self
            .request(
                "tools/call",
                json!({"name": "execute_code", "arguments": arguments}),
            )
            .await;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        (text.to_owned(), answer["isError"] == true)
    }

    /// `execute_code`, as clients see it.
    async fn definition(&mut self) -> Value {
        let listed = self.request("tools/list", json!({})).await;
        listed["tools"][0].clone()
    }
}

#[tokio::test]
async fn components_are_run_only_where_the_operator_allows_it() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "");
    let mut client = Client::new(&workplace).await;
    let definition = client.definition().await.to_string();
    assert!(
        !definition.contains("wasm") && !definition.contains("arguments"),
        "{definition}"
    );
    let sent = json!({"language": "wasm", "code": base64(&echo())});
    let (text, is_error) = client.execute(sent).await;
    assert!(
        is_error && text.contains("the operator allows none"),
        "{text}"
    );
}

#[tokio::test]
async fn components_that_clients_send() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[components]\nsent = true");
    let mut client = Client::new(&workplace).await;
    let definition = client.definition().await;
    let schema = &definition["inputSchema"];
    assert!(schema["properties"]["arguments"].is_object(), "{schema}");
    assert!(
        schema
            .to_string()
            .contains(r#""javascript","python","wasm""#),
        "{schema}"
    );
    assert!(
        definition["description"].to_string().contains("in base64"),
        "{definition}"
    );
    let sent = json!({"language": "wasm", "code": base64(&echo()), "arguments": {"a": [1, null]}});
    assert_eq!(
        client.execute(sent).await,
        (r#"{"a":[1,null]}"#.to_owned(), false)
    );
    for (code, said) in [
        ("AGFzbQ0AAQA*", "not base64"),
        ("echo.wasm", "not a component in base64"),
        (&*base64(b"\0asm\x01\0\0\0"), "wasm-tools component new"),
    ] {
        let (text, is_error) = client
            .execute(json!({"language": "wasm", "code": code}))
            .await;
        assert!(is_error && text.contains(said), "{text}");
    }
    let script = json!({"code": "return 1", "arguments": {}});
    let (text, is_error) = client.execute(script).await;
    assert!(
        is_error && text.contains("`arguments` are for components"),
        "{text}"
    );
}

#[tokio::test]
async fn components_in_the_operators_folder() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[components]\nfolder = 'programs'");
    workplace.file("programs/inside/echo.wasm", echo());
    workplace.file("outside.wasm", echo());
    std::os::unix::fs::symlink(
        "../outside.wasm",
        workplace.path().join("programs/link.wasm"),
    )
    .unwrap();
    let mut client = Client::new(&workplace).await;
    let run = json!({"language": "wasm", "code": "inside/echo.wasm"});
    assert_eq!(client.execute(run).await, ("{}".to_owned(), false));
    let outside = workplace.path().join("outside.wasm");
    for code in [
        "../outside.wasm",
        "link.wasm",
        "absent.wasm",
        outside.to_str().unwrap(),
    ] {
        let (text, is_error) = client
            .execute(json!({"language": "wasm", "code": code}))
            .await;
        assert!(
            is_error && text.contains("can't be read in the operator's folder"),
            "{text}"
        );
    }
    let (text, _) = client
        .execute(json!({"language": "wasm", "code": "inside"}))
        .await;
    assert!(text.contains("is not a file"), "{text}");
    let sent = json!({"language": "wasm", "code": base64(&echo())});
    let (text, is_error) = client.execute(sent).await;
    assert!(is_error && text.contains("not sent ones"), "{text}");
}
