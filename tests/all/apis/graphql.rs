//! GraphQL APIs: a shop of the reference implementation, and GitHub's schema.

#![expect(clippy::print_stderr, reason = "figures")]

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ampoule::Binding;
use ampoule_graphql::{GraphqlApi, GraphqlServer, Source};
use ampoule_projection::{Idiom, Interface, signature};
use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::memory;
use crate::documents::blocks_of;

const SHOP: &str = include_str!("shop.graphql");

/// The reference implementation, as `tests/servers/graphql.mjs` runs it.
struct Shop {
    address: String,
    got: Arc<Mutex<Vec<String>>>,
    _process: Child,
}

impl Shop {
    async fn open(test: &str, schema: &str, manner: &str) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let apis = prepared(test, "AMPOULE_TEST_APIS")?;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("shop.graphql");
        std::fs::write(&file, schema).expect("a file");
        let mut process = Command::new(node.join("node_modules/.bin/node"))
            .arg(repository().join("tests/servers/graphql.mjs"))
            .arg(apis)
            .arg(&file)
            .arg(manner)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("Node");
        let mut lines = BufReader::new(process.stdout.take().expect("output")).lines();
        let address = lines.next_line().await.expect("output").expect("a line");
        let got = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&got);
        tokio::spawn(async move {
            let _folder = folder;
            while let Ok(Some(line)) = lines.next_line().await {
                kept.lock().unwrap().push(line);
            }
        });
        Some(Self {
            address,
            got,
            _process: process,
        })
    }

    fn got(&self) -> Vec<String> {
        self.got.lock().unwrap().clone()
    }

    fn configured(&self, more: &str) -> Workplace {
        let workplace = Workplace::default();
        workplace.file("schema.graphql", SHOP);
        let address = &self.address;
        let entry = match more.contains("base-url") {
            true => "graphql = \"schema.graphql\"".to_owned(),
            false => format!("graphql = \"{address}\""),
        };
        let more = more.replace("ADDRESS", address);
        let entry = format!(
            "[servers.shop]\n{entry}\ncredentials = {{ bearer = \"hunter2-token\" }}\n{more}\n"
        );
        workplace.file("ampoule.toml", entry);
        workplace
    }
}

async fn value(workplace: &Workplace, script: &str) -> Value {
    let ran = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    ran.json()
}

const ASKED: &str = "return [await shop.product({ id: 1 }), await shop.products({ filter: { not: null, color: 'BLUE' } }), await shop.find({ text: 'a' })]";

fn found() -> Value {
    let ball = json!({ "id": "1", "name": "Ball", "color": "RED", "price": 3.5, "tags": ["round"], "maker": { "name": "Ada", "since": 1999 } });
    let kite = json!({ "id": "2", "name": "Kite", "color": "BLUE", "price": 7, "tags": [] });
    json!([
        ball,
        { "total": 1, "nodes": [kite] },
        [
            { "__typename": "Product", "id": "1", "color": "RED", "price": 3.5, "tags": ["round"] },
            { "__typename": "Maker", "name": "Ada", "since": 1999 }
        ]
    ])
}

#[tokio::test]
async fn an_api_says_its_schema_or_a_file_has_it() {
    let test = "an_api_says_its_schema_or_a_file_has_it";
    for (manner, more) in [
        ("open", ""),
        ("old", ""),
        ("closed", "base-url = \"ADDRESS\""),
    ] {
        let Some(shop) = Shop::open(test, SHOP, manner).await else {
            return;
        };
        let workplace = shop.configured(more);
        let mut value = value(&workplace, ASKED).await;
        // The name is of the maker's type: those of products are another one.
        if let Some(first) = value.pointer_mut("/2/0").and_then(Value::as_object_mut) {
            first.remove("name");
        }
        assert_eq!(value, found(), "{manner}");
        let expected = "query product($id: ID!) { product(id: $id) { id name color price tags maker { name since } } }";
        assert_eq!(shop.got()[0], expected);
    }
    let shop = Shop::open(test, SHOP, "closed").await.expect("a shop");
    let doctor = shop.configured("").run(&["doctor", "shop"]).await;
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    let words = doctor.stdout.split_whitespace();
    let told = words.collect::<Vec<_>>().join(" ");
    let why = "save the schema in a file, name that file as `graphql`, and the API's address as `base-url`";
    assert!(told.contains(why), "{told}");
    // Its own address may have the schema, too.
    let workplace = Workplace::default();
    let origin = shop.address.trim_end_matches("/graphql");
    let entry = format!(
        "[servers.shop]\ngraphql = \"{origin}/schema.graphql\"\nbase-url = \"{}\"\nheaders = {{ Authorization = \"Bearer hunter2-token\" }}\n",
        shop.address
    );
    workplace.file("ampoule.toml", entry);
    let script = "return [(await shop.product({ id: '2', select: 'name' })).name]";
    assert_eq!(value(&workplace, script).await, json!(["Kite"]));
}

#[tokio::test]
async fn scripts_select_in_both_languages() {
    let test = "scripts_select_in_both_languages";
    let Some(shop) = Shop::open(test, SHOP, "open").await else {
        return;
    };
    let workplace = shop.configured("");
    let expected = json!([
        "Ada",
        "arguments",
        true,
        "failed",
        "no price, [redacted]",
        "Vase"
    ]);
    let script = "const it = await shop.product({ id: '1', select: '{ by: maker { name } }' });
let wrong;
try { await shop.products({ select: 'nodes { nme }' }) } catch (error) { wrong = error }
try { await shop.broken({}) } catch (error) {
  return [it.by.name, wrong.kind, wrong.message.includes('did you mean `name`?'), error.kind, error.data.errors[0].message, error.data.data.broken.name]
}";
    assert_eq!(value(&workplace, script).await, expected);
    let script = "it = await shop.product(id='1', select='{ by: maker { name } }')
try:
    await shop.products(select='nodes { nme }')
except ToolError as error:
    wrong = error
try:
    await shop.broken()
except ToolError as error:
    result = [it['by']['name'], wrong.kind, 'did you mean `name`?' in str(wrong), error.kind, error.data['errors'][0]['message'], error.data['data']['broken']['name']]
result";
    workplace.file("shop.py", script);
    let ran = workplace.run(&["run", "-q", "shop.py"]).await;
    assert_eq!((ran.code, ran.json()), (Some(0), expected), "{ran:?}");
    // What is wrong was not sent.
    assert_eq!(shop.got().len(), 4, "{:?}", shop.got());
    let workplace = shop.configured("");
    let config = std::fs::read_to_string(workplace.path().join("ampoule.toml")).expect("a file");
    workplace.file(
        "ampoule.toml",
        config.replace("hunter2-token", "hunter2-other"),
    );
    let doctor = workplace.run(&["doctor", "shop"]).await;
    let words = doctor.stdout.split_whitespace();
    let told = words.collect::<Vec<_>>().join(" ");
    assert!(told.contains("HTTP status 401 Unauthorized"), "{doctor:?}");
}

#[tokio::test]
async fn queries_and_mutations_are_tools() {
    let test = "queries_and_mutations_are_tools";
    let Some(shop) = Shop::open(test, SHOP, "open").await else {
        return;
    };
    let workplace = shop.configured("");
    let listed = workplace.run(&["tools"]).await;
    assert_eq!(listed.stdout.lines().count(), 6, "{listed:?}");
    let found = workplace
        .run(&["tools", "search", "--limit", "1", "remove", "a", "product"])
        .await;
    assert!(found.stdout.starts_with("shop.removeProduct"), "{found:?}");
    let shown = workplace.run(&["tools", "show", "shop.products"]).await;
    for part in ["first?: ", "filter?: Filter", "select?: string", "total: "] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let doctor = workplace.run(&["doctor", "shop"]).await;
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    assert!(doctor.stdout.contains("graphql, 6 tools"), "{doctor:?}");
    let servers = workplace.run(&["servers"]).await;
    assert!(
        servers
            .stdout
            .contains("shop: a GraphQL API, ready to connect"),
        "{servers:?}"
    );
    let script = "return [(await shop.rename({ id: '1', input: { name: 'Top' } })).name, await shop.removeProduct({ id: '2' })]";
    assert_eq!(value(&workplace, script).await, json!(["Top", true]));
    // One of the fields is given, says the schema.
    let script = "await tools.shop.rename({ id: '1', input: { name: 'A', color: 'RED' } })";
    let ran = workplace
        .run(&["run", "-q", "--no-check", "-e", script])
        .await;
    assert!(
        ran.code == Some(1) && ran.stderr.contains("input"),
        "{ran:?}"
    );
    assert_eq!(shop.got().len(), 2, "{:?}", shop.got());
}

#[tokio::test]
async fn documents_are_governed_by_what_they_do() {
    let test = "documents_are_governed_by_what_they_do";
    let Some(shop) = Shop::open(test, SHOP, "open").await else {
        return;
    };
    // There are none unless they are asked for.
    let workplace = shop.configured("");
    let listed = workplace.run(&["tools"]).await;
    assert!(!listed.stdout.contains("graphql_"), "{listed:?}");
    let workplace = shop.configured("documents = true");
    let script = "return [(await shop.graphqlQuery({ document: 'query ($id: ID!) { product(id: $id) { name } }', variables: { id: '1' } })).product.name]";
    assert_eq!(value(&workplace, script).await, json!(["Ball"]));
    let mutation = "mutation { removeProduct(id: 1) }";
    let script = format!("return (await shop.graphqlMutation({{ document: '{mutation}' }}))");
    assert_eq!(
        value(&workplace, &script).await,
        json!({ "removeProduct": true })
    );
    let sent = shop.got().len();
    // Nothing that changes something passes for a query.
    let script = format!("await tools.shop.graphqlQuery({{ document: '{mutation}' }})");
    let ran = workplace.run(&["run", "-q", "-e", &script]).await;
    let why = "it has a mutation, and `graphql_query` takes queries alone";
    assert!(ran.code == Some(1) && ran.stderr.contains(why), "{ran:?}");
    let readers =
        shop.configured("documents = true\n[roles.all]\ntools = ['shop']\nread-only = true");
    let listed = readers.run(&["tools"]).await;
    assert_eq!(listed.stdout.lines().count(), 5, "{listed:?}");
    assert!(!listed.stdout.contains("graphqlMutation"), "{listed:?}");
    for (asked, call) in [
        (
            "shop.removeProduct",
            "removeProduct({ id: '2' })".to_owned(),
        ),
        (
            "shop.graphql_mutation",
            format!("graphqlMutation({{ document: '{mutation}' }})"),
        ),
    ] {
        let workplace =
            shop.configured(&format!("documents = true\n[approvals]\nask = ['{asked}']"));
        let script = format!("await tools.shop.{call}");
        let ran = workplace.run(&["run", "-q", "-e", &script]).await;
        let told = format!("a person must allow calls of {asked}");
        assert!(ran.code == Some(1) && ran.stderr.contains(&told), "{ran:?}");
    }
    assert_eq!(shop.got().len(), sent);
}

/// A policy that forbids what destroys forbids documents with mutations.
#[tokio::test]
async fn policies_see_documents_with_mutations_as_destructive() {
    let test = "policies_see_documents_with_mutations_as_destructive";
    let Some(shop) = Shop::open(test, SHOP, "open").await else {
        return;
    };
    let workplace = shop.configured("documents = true\ntools.hints.destructive = false");
    let listed = workplace.run(&["tools"]).await;
    assert_eq!(listed.stdout.lines().count(), 5, "{listed:?}");
    assert!(!listed.stdout.contains("removeProduct"), "{listed:?}");
    assert!(!listed.stdout.contains("graphqlMutation"), "{listed:?}");
}

#[tokio::test]
async fn what_is_documented_of_graphql_works_as_it_stands() {
    let test = "what_is_documented_of_graphql_works_as_it_stands";
    let blocks = blocks_of(&repository().join("docs/guides/graphql.md"));
    let documented = |language: &str, part: &str| {
        let mut blocks = blocks.iter();
        let block = blocks.find(|it| it.language == language && it.text.contains(part));
        let block = block.unwrap_or_else(|| panic!("nothing is shown in {language}"));
        block.text.clone()
    };
    let schema = documented("graphql", "type Query");
    let Some(shop) = Shop::open(test, &schema, "open").await else {
        return;
    };
    for config in ["graphql = \"https:", "graphql = \"schema.graphql"] {
        let workplace = Workplace::default();
        let config = documented("toml", config)
            .replace("https://shop.example.com/graphql", &shop.address)
            .replace("${SHOP_TOKEN:-}", "hunter2-token");
        workplace.file("ampoule.toml", config);
        workplace.file("schema.graphql", &schema);
        for language in ["ts", "py"] {
            let name = format!("shop.{language}");
            workplace.file(&name, documented(language, "shop."));
            let ran = workplace.run(&["run", &name]).await;
            assert_eq!(ran.code, Some(0), "{ran:?}");
            assert_eq!(ran.json(), json!(["Ball", "Ada", "arguments"]), "{ran:?}");
        }
    }
}

/// GitHub's schema: each operation is a tool and has a signature in both languages; what is selected
/// by default is valid, within a bound.
#[tokio::test]
async fn all_operations_of_githubs_schema_are_declared() {
    let test = "all_operations_of_githubs_schema_are_declared";
    let Some(apis) = prepared(test, "AMPOULE_TEST_APIS") else {
        return;
    };
    let path = apis.join("node_modules/@octokit/graphql-schema/schema.graphql");
    let server = GraphqlServer {
        schema: Some(Source::File(path)),
        ..GraphqlServer::new("http://127.0.0.1:1/graphql")
    };
    let (begun, before) = (Instant::now(), memory());
    let api = GraphqlApi::new("github", server).expect("an API");
    let tools = api.tools().await.expect("tools");
    let (read, more) = (begun.elapsed(), memory().saturating_sub(before));
    assert!(tools.len() > 250, "{}", tools.len());
    let begun = Instant::now();
    let (mut longest, mut largest) = (0, 0);
    for tool in &*tools {
        let interface = Interface::of([tool]);
        for idiom in [Idiom::TypeScript, Idiom::Python] {
            let text = signature::of("call", &interface.functions[0], &interface, idiom);
            assert!(text.starts_with("call"), "{}: {text}", tool.name);
        }
        largest = largest.max(tool.input_schema.bytes());
        longest = longest.max(tool.output_schema.as_ref().map_or(0, |it| it.bytes()));
    }
    eprintln!(
        "{} operations of GitHub's schema read in {} ms with {more} MiB more, declared in {} ms; the longest schemas have {} and {} KiB",
        tools.len(),
        read.as_millis(),
        begun.elapsed().as_millis(),
        largest >> 10,
        longest >> 10
    );
    assert!(read.as_secs() < 20 && more < 200, "{read:?}, {more} MiB");
    assert!(longest < 256 << 10, "{longest} bytes");
    // Nobody is there, so what is valid is not reached, and nothing else is said.
    for tool in &*tools {
        let mut arguments = serde_json::Map::new();
        for name in tool.input_schema.parse()["required"]
            .as_array()
            .into_iter()
            .flatten()
        {
            arguments.insert(name.as_str().unwrap_or_default().to_owned(), json!("x"));
        }
        let context = ampoule::CallContext::without_a_run("github", &tool.name, 1 << 20);
        let error = api.call(&tool.name, arguments, context).await.unwrap_err();
        let kind = error.kind();
        assert_eq!(
            kind,
            ampoule::FailureKind::NotReached,
            "{}: {error}",
            tool.name
        );
    }
}
