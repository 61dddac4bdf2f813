//! Documents and schemas at an address, which are kept for when the address can't be reached.

use std::sync::{Arc, Mutex};

use ampoule_tests::command::{Ran, Workplace};
use serde_json::{Value, json};

use crate::outbound::Server;

/// How the server goes on.
#[derive(Clone)]
struct State {
    /// What it has, and the version of that.
    document: String,
    version: u32,
    /// What comes instead, if anything does.
    instead: Option<String>,
}

/// A server of a document, or of a GraphQL API that says its schema.
struct Described {
    server: Server,
    state: Arc<Mutex<State>>,
    workplace: Workplace,
}

const AWAY: &str =
    "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

impl Described {
    async fn new(document: &Value) -> Self {
        let state = Arc::new(Mutex::new(State {
            document: document.to_string(),
            version: 1,
            instead: None,
        }));
        let shared = Arc::clone(&state);
        let server = Server::answering(move |request| {
            let state = shared.lock().unwrap().clone();
            if let Some(instead) = state.instead {
                return instead;
            }
            let tag = format!("\"v{}\"", state.version);
            if request.contains(&format!("if-none-match: {tag}\r\n")) {
                return format!(
                    "HTTP/1.1 304 Not Modified\r\netag: {tag}\r\nconnection: close\r\n\r\n"
                );
            }
            let answer = super::response("200 OK", "application/json", &state.document);
            answer.replacen("\r\n", &format!("\r\netag: {tag}\r\n"), 1)
        });
        Self {
            server: server.await,
            state,
            // Another server may have had this port before.
            workplace: Workplace::without_compiled_code(),
        }
    }

    /// Has the server go on like this.
    fn goes_on(&self, instead: Option<&str>) {
        self.state.lock().unwrap().instead = instead.map(str::to_owned);
    }

    fn changes(&self, document: &Value) {
        let mut state = self.state.lock().unwrap();
        (state.document, state.version) = (document.to_string(), state.version + 1);
    }

    fn configured(&self, entry: &str) {
        let entry = entry.replace("ORIGIN", &self.server.origin);
        self.workplace
            .file("ampoule.toml", format!("[servers.pets]\n{entry}\n"));
    }

    /// The names of its tools, or what is said instead.
    async fn tools(&self) -> Result<Vec<String>, Ran> {
        let ran = self.workplace.run_at_home(&["tools", "ls", "--json"]).await;
        let listed: Option<Value> = serde_json::from_str(&ran.stdout).ok();
        let tools = listed.as_ref().and_then(|it| it["tools"].as_array());
        match tools.filter(|tools| !tools.is_empty()) {
            Some(tools) => {
                let names = tools.iter().map(|tool| tool["name"].as_str());
                Ok(names.flatten().map(str::to_owned).collect())
            }
            None => Err(ran),
        }
    }

    /// The last request.
    fn last(&self) -> String {
        let got = self.server.got.lock().unwrap();
        got.last().expect("a request").clone()
    }
}

fn document(operation: &str) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Pets", "version": "1" },
        "paths": { "/pets": { "get": { "operationId": operation, "responses": { "200": {
            "description": "ok", "content": { "application/json": {} } } } } } },
    })
}

const DOCUMENT: &str = "openapi = 'ORIGIN/openapi.json'\nbase-url = 'ORIGIN'";

#[tokio::test]
async fn a_document_that_can_not_be_reached_is_the_one_of_before() {
    let pets = Described::new(&document("list_pets")).await;
    pets.configured(DOCUMENT);
    let listed = |names: &[&str]| {
        names
            .iter()
            .map(|it| format!("pets.{it}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(pets.tools().await.expect("tools"), listed(&["listPets"]));
    assert!(!pets.last().contains("if-none-match"), "{}", pets.last());
    // It is asked for each time, and sent where it is another one.
    assert_eq!(pets.tools().await.expect("tools"), listed(&["listPets"]));
    assert!(
        pets.last().contains("if-none-match: \"v1\"\r\n"),
        "{}",
        pets.last()
    );
    pets.changes(&document("all_pets"));
    assert_eq!(pets.tools().await.expect("tools"), listed(&["allPets"]));
    // A page that is not a document replaces no kept document.
    pets.goes_on(Some(&super::json("200 OK", &json!("hello"))));
    let refused = pets.tools().await.expect_err("no tools");
    assert!(refused.stderr.contains("can't be used"), "{refused:?}");

    pets.goes_on(Some(AWAY));
    assert_eq!(pets.tools().await.expect("tools"), listed(&["allPets"]));
    let ran = pets.workplace.run_at_home(&["tools", "ls"]).await;
    assert!(ran.stdout.contains("allPets"), "{ran:?}");
    let said = "the document may be out of date: it can't be read: HTTP status 503 Service Unavailable; what was downloaded at ";
    assert!(ran.stderr.contains(said), "{ran:?}");
    let looked = pets.workplace.run_at_home(&["doctor", "--json"]).await;
    let problems = looked.json()["servers"][0]["problems"].take();
    let problem = problems[0].as_str().unwrap_or_default();
    assert!(problem.starts_with(said), "{looked:?}");
    assert_eq!(looked.code, Some(0), "{looked:?}");

    // What others were told, with other secrets, is theirs.
    pets.configured(&format!("{DOCUMENT}\nheaders = {{ x-key = 'hunter2' }}"));
    pets.tools().await.expect_err("no tools");
    pets.configured(DOCUMENT);
    pets.goes_on(Some(&super::response("404 Not Found", "text/plain", "")));
    let gone = pets.tools().await.expect_err("no tools");
    assert!(gone.stderr.contains("404"), "{gone:?}");
}

#[tokio::test]
async fn a_document_is_not_kept_where_its_server_says_so() {
    let pets = Described::new(&document("list_pets")).await;
    pets.configured(DOCUMENT);
    let answer = super::json("200 OK", &document("list_pets"));
    let answer = answer.replacen("\r\n", "\r\ncache-control: private, no-store\r\n", 1);
    pets.goes_on(Some(&answer));
    assert_eq!(pets.tools().await.expect("tools"), ["pets.listPets"]);
    pets.goes_on(Some(AWAY));
    pets.tools().await.expect_err("no tools");
}

/// The schema of an API with one query.
fn schema() -> Value {
    let text = json!({ "kind": "SCALAR", "name": "String", "ofType": null });
    let query = json!({
        "name": "pet", "description": null, "args": [], "type": text,
        "isDeprecated": false, "deprecationReason": null,
    });
    let scalar = |name: &str| json!({ "kind": "SCALAR", "name": name, "description": null });
    let object = json!({
        "kind": "OBJECT", "name": "Query", "description": null, "fields": [query],
        "inputFields": null, "interfaces": [], "enumValues": null, "possibleTypes": null,
    });
    json!({ "data": { "__schema": {
        "queryType": { "name": "Query" }, "mutationType": null, "subscriptionType": null,
        "types": [object, scalar("String"), scalar("Boolean")], "directives": [],
    } } })
}

#[tokio::test]
async fn a_schema_that_an_api_does_not_say_for_now_is_the_one_of_before() {
    let pets = Described::new(&schema()).await;
    pets.configured("graphql = 'ORIGIN/graphql'\ncredentials = { bearer = 'hunter2' }");
    assert_eq!(pets.tools().await.expect("tools"), ["pets.pet"]);
    pets.goes_on(Some(AWAY));
    assert_eq!(pets.tools().await.expect("tools"), ["pets.pet"]);
    let looked = pets
        .workplace
        .run_at_home(&["doctor", "--json"])
        .await
        .json();
    let problem = looked["servers"][0]["problems"][0].as_str();
    let said = "the schema may be out of date: it does not give its schema: ";
    assert!(problem.is_some_and(|it| it.starts_with(said)), "{looked}");
    // What others were told, with other secrets, is theirs.
    pets.configured("graphql = 'ORIGIN/graphql'\ncredentials = { bearer = 'hunter3' }");
    pets.tools().await.expect_err("no tools");
}
