//! What `docs/guides/http-requests.md` shows of requests, as one configuration and a script in each language.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::json;

use super::Server;
use crate::documents::{Block, blocks_of};

/// The documented block in a language, with this server in place of the one that is spoken of.
fn documented(blocks: &[Block], language: &str, server: &Server) -> String {
    let block = blocks.iter().find(|block| block.language == language);
    let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
    let text = block
        .text
        .replace("https://api.example.com", &server.origin);
    text.replace("private = false", "private = true")
}

#[tokio::test]
async fn what_is_documented_works_as_it_stands() {
    let blocks = blocks_of(&repository().join("docs/guides/http-requests.md"));
    let body = json!({ "items": [{ "name": "a lamp" }, { "name": "a desk" }] });
    let server = Server::answering(move |_| super::found(&body)).await;
    let workplace = Workplace::default();
    let config = workplace.file("ampoule.toml", documented(&blocks, "toml", &server));
    let config = config.to_str().expect("a path");
    for language in ["ts", "py"] {
        let script = documented(&blocks, language, &server);
        let script = workplace.file(&format!("items.{language}"), script);
        let script = script.to_str().expect("a path");
        let ran = workplace.run(&["run", "--config", config, script]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.json(), json!(["a lamp", "a desk"]), "{ran:?}");
    }
    let source = "await fetch('$/v1/items/7', { method: 'DELETE' })".replace('$', &server.origin);
    let refused = workplace
        .run(&["run", "--config", config, "-e", &source])
        .await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let text = documented(&blocks, "text", &server);
    let text = text.trim().strip_prefix("TypeError: ").expect("an error");
    assert!(refused.stderr.contains(text), "{refused:?}");
    let got = server.got.lock().unwrap();
    assert_eq!(got.len(), 2, "{got:?}");
    let asked = |got: &String| got.starts_with("GET /v1/items?limit=2 HTTP/1.1\r\n");
    assert!(got.iter().all(asked), "{got:?}");
}
