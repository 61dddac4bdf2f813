//! What `docs/guides/apis.md` shows: a configuration, a document and a script in each language.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::json;

use crate::documents::blocks_of;
use crate::outbound::Server;

#[tokio::test]
async fn what_is_documented_works_as_it_stands() {
    let blocks = blocks_of(&repository().join("docs/guides/apis.md"));
    let documented = |language: &str, place: usize| {
        let mut of_language = blocks.iter().filter(|block| block.language == language);
        let block = of_language.nth(place);
        let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
        block.text.clone()
    };
    let server = Server::answering(|request| {
        assert!(request.contains("x-api-key: hunter2-key\r\n"), "{request}");
        let line = request.lines().next().unwrap_or_default();
        match line.split(' ').nth(1).unwrap_or_default() {
            "/v1/pets?tags=old&tags=kind" => {
                super::json("200 OK", &json!([{ "id": 1, "name": "Ada" }]))
            }
            "/v1/orders" => page(1, r#"</v1/orders?page=2&after=x%3D1>; rel="next""#),
            "/v1/orders?page=2&after=x%3D1" => page(2, r#"</v1/orders>; rel="first""#),
            _ => super::json("404 Not Found", &json!({ "message": "no such pet" })),
        }
    })
    .await;
    let workplace = Workplace::default();
    let config = documented("toml", 0)
        .replace("https://api.example.com", &server.origin)
        .replace("${PETS_KEY:-}", "hunter2-key");
    workplace.file("ampoule.toml", config);
    workplace.file("pets.yaml", documented("yaml", 0));
    for language in ["ts", "py"] {
        let name = format!("pets.{language}");
        workplace.file(&name, documented(language, 0));
        let ran = workplace.run(&["run", &name]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let expected = json!([["Ada"], 404, { "message": "no such pet" }]);
        assert_eq!(ran.json(), expected, "{ran:?}");
    }
    for language in ["ts", "py"] {
        let name = format!("orders.{language}");
        workplace.file(&name, documented(language, 1));
        let ran = workplace.run(&["run", &name]).await;
        assert_eq!(
            (ran.code, ran.json()),
            (Some(0), json!([10, 20])),
            "{ran:?}"
        );
    }
    let got = server.got.lock().unwrap().clone();
    assert_eq!(got.len(), 8, "{got:?}");
    assert!(got[1].starts_with("DELETE /v1/pets/404 "), "{got:?}");
}

/// A page with two orders, of which one is late, and this header `Link`.
fn page(number: u64, link: &str) -> String {
    let body =
        json!([{ "id": 10 * number, "late": true }, { "id": 10 * number + 1, "late": false }]);
    let page = super::json("200 OK", &body);
    page.replacen("\r\n", &format!("\r\nlink: {link}\r\n"), 1)
}
