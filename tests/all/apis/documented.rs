//! What `docs/guides/apis.md` and `api-pages.md` show: a configuration, a document and a script in
//! each language.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::{Value, json};

use crate::documents::blocks_of;
use crate::outbound::Server;

/// Runs what a guide shows, in both languages, with its document in a file of this name.
async fn run(guide: &str, document: &str, server: &Server, expected: &Value) {
    let blocks = blocks_of(&repository().join("docs/guides").join(guide));
    let documented = |language: &str| {
        let block = blocks.iter().find(|block| block.language == language);
        let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
        block.text.clone()
    };
    let workplace = Workplace::default();
    let config = documented("toml")
        .replace("https://api.example.com", &server.origin)
        .replace("${PETS_KEY:-}", "hunter2-key");
    workplace.file("ampoule.toml", config);
    workplace.file(document, documented("yaml"));
    for language in ["ts", "py"] {
        let name = format!("script.{language}");
        workplace.file(&name, documented(language));
        let ran = workplace.run(&["run", &name]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.json(), *expected, "{ran:?}");
    }
}

#[tokio::test]
async fn what_is_documented_works_as_it_stands() {
    let server = Server::answering(|request| {
        assert!(request.contains("x-api-key: hunter2-key\r\n"), "{request}");
        match request.starts_with("GET /v1/pets?tags=old&tags=kind ") {
            true => super::json("200 OK", &json!([{ "id": 1, "name": "Ada" }])),
            false => super::json("404 Not Found", &json!({ "message": "no such pet" })),
        }
    })
    .await;
    let expected = json!([["Ada"], 404, { "message": "no such pet" }]);
    run("apis.md", "pets.yaml", &server, &expected).await;
    let got = server.got.lock().unwrap().clone();
    assert_eq!(got.len(), 4, "{got:?}");
    assert!(got[1].starts_with("DELETE /v1/pets/404 "), "{got:?}");
}

#[tokio::test]
async fn pages_are_walked_as_documented() {
    let server = Server::answering(|request| {
        let line = request.lines().next().unwrap_or_default();
        match line.split(' ').nth(1).unwrap_or_default() {
            "/v1/orders" => page(1, r#"</v1/orders?page=2&after=x%3D1>; rel="next""#),
            "/v1/orders?page=2&after=x%3D1" => page(2, r#"</v1/orders>; rel="first""#),
            other => panic!("{other}"),
        }
    })
    .await;
    run("api-pages.md", "shop.yaml", &server, &json!([10, 20])).await;
    assert_eq!(server.got.lock().unwrap().len(), 4);
}

/// A page with two orders, of which one is late, and this header `Link`.
fn page(number: u64, link: &str) -> String {
    let body =
        json!([{ "id": 10 * number, "late": true }, { "id": 10 * number + 1, "late": false }]);
    let page = super::json("200 OK", &body);
    page.replacen("\r\n", &format!("\r\nlink: {link}\r\n"), 1)
}
