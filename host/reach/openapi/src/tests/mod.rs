//! An API as a binding.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ampoule_tools::Binding;

use crate::{ApiServer, HttpApi, Source};

/// A document with these operations.
fn document(operations: &[&str]) -> String {
    let paths = operations.iter();
    let paths = paths.map(|name| format!("  /{name}: {{get: {{operationId: {name}}}}}\n"));
    format!("openapi: 3.1.0\npaths:\n{}", paths.collect::<String>())
}

fn api(document: &Path) -> HttpApi {
    let server = ApiServer {
        base_url: Some("https://example.com".to_owned()),
        ..ApiServer::new(Source::File(document.to_owned()))
    };
    HttpApi::new("api", server).unwrap()
}

async fn names(api: &HttpApi) -> Vec<String> {
    let tools = api.tools().await.unwrap();
    tools.iter().map(|tool| tool.name.clone()).collect()
}

/// A file that was written is read again, and one that can't be read leaves the tools as they were.
#[tokio::test]
async fn a_document_that_changed_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.yaml");
    fs::write(&path, document(&["one"])).unwrap();
    let api = api(&path);
    assert_eq!(names(&api).await, ["one"]);
    let before = api.known_tools().unwrap();
    let later = async || tokio::time::sleep(Duration::from_millis(1100)).await;
    // What did not change stays what it is, so nobody makes an index of it again.
    later().await;
    api.refresh().await.unwrap();
    assert!(std::ptr::eq(&*api.known_tools().unwrap(), &*before));
    later().await;
    fs::write(&path, document(&["one", "another"])).unwrap();
    api.refresh().await.unwrap();
    assert_eq!(names(&api).await, ["one", "another"]);
    later().await;
    fs::write(&path, "paths: [").unwrap();
    let why = api.refresh().await.unwrap_err().message;
    assert!(why.contains("can't be used: it is not valid YAML"), "{why}");
    assert_eq!(names(&api).await, ["one", "another"]);
    assert_eq!(api.status().state, "ready");
    // It is not looked at again at once.
    api.refresh().await.unwrap();
    later().await;
    fs::remove_file(&path).unwrap();
    assert!(api.refresh().await.is_err());
    fs::write(&path, document(&["last"])).unwrap();
    later().await;
    api.refresh().await.unwrap();
    assert_eq!(names(&api).await, ["last"]);
}

/// A document that can't be read at the start is tried again.
#[tokio::test]
async fn a_document_that_was_not_there_is_read_once_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.yaml");
    let api = api(&path);
    assert_eq!(api.standing(), Some("not-started"));
    let why = api.tools().await.unwrap_err().message;
    assert!(why.contains("it can't be read: "), "{why}");
    assert_eq!(api.standing(), Some("failed"));
    assert_eq!(api.trouble().as_deref(), Some(&*why));
    fs::write(&path, document(&["one"])).unwrap();
    // Not at once: many calls would read again and again.
    assert_eq!(api.tools().await.unwrap_err().message, why);
    tokio::time::sleep(Duration::from_millis(2100)).await;
    assert_eq!(names(&api).await, ["one"]);
    assert_eq!((api.standing(), api.trouble()), (Some("ready"), None));
}

/// How long it takes until the tools of so many operations are known, and until one of them is
/// declared.
async fn times(operations: usize) -> (Duration, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.json");
    let paths = (0..operations).map(|number| {
        format!(
            r##""/things/{number}/{{id}}": {{"get": {{"operationId": "getThing{number}", "parameters": [{{"name": "id", "in": "path", "required": true, "schema": {{"type": "string"}}}}], "responses": {{"200": {{"description": "x", "content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/Thing{}"}}}}}}}}}}}}}}"##,
            number % 100
        )
    });
    let schemas = (0..100).map(|number| {
        format!(
            r##""Thing{number}": {{"type": "object", "properties": {{"name": {{"type": "string"}}, "next": {{"$ref": "#/components/schemas/Thing{}"}}}}}}"##,
            (number + 1) % 100
        )
    });
    let text = format!(
        r#"{{"openapi": "3.1.0", "paths": {{{}}}, "components": {{"schemas": {{{}}}}}}}"#,
        paths.collect::<Vec<_>>().join(","),
        schemas.collect::<Vec<_>>().join(",")
    );
    fs::write(&path, text).unwrap();
    let api = api(&path);
    let begun = Instant::now();
    let tools = api.tools().await.unwrap();
    let read = begun.elapsed();
    assert_eq!(tools.len(), operations);
    let begun = Instant::now();
    let tool = &tools[operations / 2];
    let schemas = (tool.input_schema.parse(), tool.output_schema.as_ref());
    assert!(schemas.0["properties"].get("id").is_some());
    assert!(schemas.1.unwrap().parse()["$defs"].get("Thing0").is_some());
    (read, begun.elapsed())
}

/// The time to read a document grows with its operations and no faster; that of one declaration
/// does not grow.
#[tokio::test]
async fn large_documents_take_time_by_their_length_alone() {
    let (_, small) = times(10).await;
    let (read, _) = times(1_000).await;
    let (large, declared) = times(17_000).await;
    let most = Duration::from_secs(1) + 4 * 17 * read;
    assert!(
        large < most,
        "{large:?} for 17,000 operations, {read:?} for 1,000"
    );
    let most = Duration::from_millis(200) + 10 * small;
    assert!(declared < most, "{declared:?} of 17,000, {small:?} of 10");
}
