//! What `docs/guides/apis.md` and `api-pages.md` show: a configuration, a document and a script in
//! each language.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use serde_json::{Value, json};

use crate::documents::{Block, blocks_of};
use crate::outbound::Server;

/// What a guide shows: its blocks, and its configuration and document in a workplace.
fn guide(guide: &str, document: &str, server: &Server) -> (Vec<Block>, Workplace) {
    let blocks = blocks_of(&repository().join("docs/guides").join(guide));
    let workplace = Workplace::default();
    let config = documented(&blocks, "toml")
        .replace("https://api.example.com", &server.origin)
        .replace("${PETS_KEY:-}", "hunter2-key");
    workplace.file("ampoule.toml", config);
    workplace.file(document, documented(&blocks, "yaml"));
    (blocks, workplace)
}

fn documented(blocks: &[Block], language: &str) -> String {
    let block = blocks.iter().find(|block| block.language == language);
    let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
    block.text.clone()
}

/// Runs what a guide shows, in both languages, with its document in a file of this name.
async fn run(name: &str, document: &str, server: &Server, expected: &Value) {
    let (blocks, workplace) = guide(name, document, server);
    for language in ["ts", "py"] {
        let name = format!("script.{language}");
        workplace.file(&name, documented(&blocks, language));
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
            "/v1/customers?limit=2" => super::json(
                "200 OK",
                &json!({ "names": ["Ada", "Bob"], "cursor": "c2" }),
            ),
            "/v1/customers?limit=2&cursor=c2" => {
                super::json("200 OK", &json!({ "names": ["Cem"] }))
            }
            other => panic!("{other}"),
        }
    })
    .await;
    let expected = json!([[10, 20], ["Ada", "Bob", "Cem"]]);
    run("api-pages.md", "shop.yaml", &server, &expected).await;
    assert_eq!(server.got.lock().unwrap().len(), 8);
}

/// What a script gets that walks pages in another way than they go, in both languages.
#[tokio::test]
async fn pages_that_can_not_be_walked_say_why() {
    let server = Server::answering(|_| {
        super::json("200 OK", &json!({ "names": ["Ada"], "cursor": "same" }))
    })
    .await;
    let workplace = guide("api-pages.md", "shop.yaml", &server).1;
    let typescript = |call: &str| {
        format!("import {{ pages }} from \"ampoule/pages\";\nfor await (const page of {call}) {{}}")
    };
    let python = |call: &str| {
        format!("from ampoule.pages import pages\nasync for page in {call}:\n    pass")
    };
    for (script, why) in [
        (
            ("wrong.ts", typescript("pages(shop.listCustomers)")),
            "pages does not find the next page",
        ),
        (
            (
                "wrong.ts",
                typescript("pages(shop.listCustomers, {}, (page) => ({ cursor: page.cursor }))"),
            ),
            "pages would make the same call again",
        ),
        (
            ("wrong.ts", typescript("pages({ limit: 2 })")),
            "pages takes a tool",
        ),
        (
            ("wrong.py", python("pages(shop.list_customers)")),
            "pages does not find the next page",
        ),
        (
            (
                "wrong.py",
                python("pages(shop.list_customers, lambda page, given: {'cursor': page.cursor})"),
            ),
            "pages would make the same call again",
        ),
        (("wrong.py", python("pages(None)")), "pages takes a tool"),
    ] {
        let (name, text) = script;
        workplace.file(name, &text);
        let ran = workplace.run(&["run", name]).await;
        assert_eq!(ran.code, Some(1), "{text}\n{ran:?}");
        assert!(ran.stderr.contains(why), "{why}\n{ran:?}");
    }
    // A script that leaves asks for no more pages.
    let before = server.got.lock().unwrap().len();
    let leaves = "import { pages } from \"ampoule/pages\";
for await (const page of pages(shop.listCustomers, {}, () => ({ cursor: \"x\" }))) return page.names;";
    workplace.file("leaves.ts", leaves);
    let ran = workplace.run(&["run", "leaves.ts"]).await;
    assert_eq!(ran.json(), json!(["Ada"]), "{ran:?}");
    assert_eq!(server.got.lock().unwrap().len(), before + 1);
}

/// A page with two orders, of which one is late, and this header `Link`.
fn page(number: u64, link: &str) -> String {
    let body =
        json!([{ "id": 10 * number, "late": true }, { "id": 10 * number + 1, "late": false }]);
    let page = super::json("200 OK", &body);
    page.replacen("\r\n", &format!("\r\nlink: {link}\r\n"), 1)
}
