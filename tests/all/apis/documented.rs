//! What `docs/guides/apis.md` shows: a configuration, a document and a script in each language.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::json;

use crate::documents::blocks_of;
use crate::outbound::Server;

#[tokio::test]
async fn what_is_documented_works_as_it_stands() {
    let blocks = blocks_of(&repository().join("docs/guides/apis.md"));
    let documented = |language: &str| {
        let block = blocks.iter().find(|block| block.language == language);
        let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
        block.text.clone()
    };
    let server = Server::answering(|request| {
        assert!(request.contains("x-api-key: hunter2-key\r\n"), "{request}");
        match request.starts_with("GET /v1/pets?tags=old&tags=kind ") {
            true => super::json("200 OK", &json!([{ "id": 1, "name": "Ada" }])),
            false => super::json("404 Not Found", &json!({ "message": "no such pet" })),
        }
    })
    .await;
    let workplace = Workplace::default();
    let config = documented("toml")
        .replace("https://api.example.com", &server.origin)
        .replace("${PETS_KEY:-}", "hunter2-key");
    workplace.file("ampoule.toml", config);
    workplace.file("pets.yaml", documented("yaml"));
    for language in ["ts", "py"] {
        let name = format!("pets.{language}");
        workplace.file(&name, documented(language));
        let ran = workplace.run(&["run", &name]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let expected = json!([["Ada"], 404, { "message": "no such pet" }]);
        assert_eq!(ran.json(), expected, "{ran:?}");
    }
    let got = server.got.lock().unwrap().clone();
    assert_eq!(got.len(), 4, "{got:?}");
    assert!(got[1].starts_with("DELETE /v1/pets/404 "), "{got:?}");
}
