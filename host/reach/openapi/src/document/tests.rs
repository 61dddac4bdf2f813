use serde_json::json;

use super::*;

const PETS: &str = r##"{
  "openapi": "3.0.3",
  "paths": { "/pets/{id}": { "get": { "summary": "One" } } },
  "components": { "schemas": { "Pet": { "type": "object", "properties": { "name": { "type": "string" } } } } }
}"##;

#[test]
fn parts_are_found_by_pointers() {
    let documents = Documents::of(PETS);
    assert_eq!(documents.version(), Version::OpenApi30);
    for (pointer, value) in [
        ("/openapi", json!("3.0.3")),
        ("/paths/~1pets~1{id}/get", json!({ "summary": "One" })),
        ("/paths/~1pets~1{id}/get/summary", json!("One")),
        (
            "/components/schemas/Pet/properties/name",
            json!({ "type": "string" }),
        ),
    ] {
        assert_eq!(documents.at(0, pointer), Some(value), "{pointer}");
    }
    for nothing in [
        "/nothing",
        "/components/schemas/Cat",
        "/openapi/x",
        "/paths/x/get",
        "x",
    ] {
        assert_eq!(documents.at(0, nothing), None, "{nothing}");
    }
    assert_eq!(documents.names(0, "/paths"), ["/pets/{id}"]);
    assert_eq!(
        documents.names(0, "/components/schemas/Pet/properties"),
        ["name"]
    );
    let target = documents.target(0, "#/paths/~1pets~1%7Bid%7D/get");
    assert_eq!(target, Some((0, "/paths/~1pets~1{id}/get".to_owned())));
    assert_eq!(documents.target(0, "other.json#/a"), None);
}

#[test]
fn references_in_a_circle_lead_nowhere() {
    let text = r##"{"openapi":"3.1.0","a":{"$ref":"#/b"},"b":{"$ref":"#/a"},"c":{"$ref":"#/d"},"d":{"x":1}}"##;
    let documents = Documents::of(text);
    assert_eq!(documents.meant(0, &json!({ "$ref": "#/a" })), None);
    let reference = json!({ "$ref": "#/c" });
    let (_, meant) = documents.meant(0, &reference).unwrap();
    assert_eq!(*meant, json!({ "x": 1 }));
}

#[test]
fn what_is_no_document_is_told() {
    let source = Source::File("x.json".into());
    let read = |text: &str| {
        let json = load::json(text.to_owned(), &source)?;
        Documents::new(vec![File::new(source.clone(), json)?]).map(|_| ())
    };
    for (text, why) in [
        (
            "{}",
            "it is not an OpenAPI document: it has neither `openapi` nor `swagger`",
        ),
        ("[]", "it is not an object"),
        ("", "it is empty"),
        (
            r#"{"swagger":"1.2"}"#,
            "it is written in Swagger 1.2, which Ampoule can't read",
        ),
        (
            r#"{"openapi":"4.0"}"#,
            "it is written in OpenAPI 4.0, which Ampoule can't read",
        ),
        ("a: [", "it is not valid YAML at line 2, column 1"),
    ] {
        assert_eq!(read(text).unwrap_err(), why, "{text}");
    }
    let why = read(r#"{"openapi": }"#).unwrap_err();
    assert!(
        why.starts_with("it is not valid JSON: expected value at line 1"),
        "{why}"
    );
    assert_eq!(read("swagger: 2.0\n"), Ok(()));
}

#[test]
fn yaml_is_read_as_json() {
    let text = "
openapi: 3.1.0
# A comment.
base: &base {a: 1, b: [yes, 'yes', true, ~, 1.50, 0x1F, .5, 1e3, 2024-01-01, 012]}
merged:
  <<: *base
  a: 2
again: *base
200: text
long: |
  one
  two
quoted: \"a\\tb\"
";
    let json: Value = serde_json::from_str(&yaml::json(text).unwrap()).unwrap();
    let list = json!([
        "yes",
        "yes",
        true,
        null,
        1.5,
        31,
        0.5,
        1e3,
        "2024-01-01",
        12
    ]);
    assert_eq!(json["base"], json!({ "a": 1, "b": list }));
    assert_eq!(json["merged"], json!({ "a": 2, "b": list }));
    assert_eq!(json["again"], json["base"]);
    assert_eq!(
        (&json["200"], &json["long"]),
        (&json!("text"), &json!("one\ntwo\n"))
    );
    assert_eq!(json["quoted"], "a\tb");
}

#[test]
fn yaml_that_grows_without_end_is_not_read() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = level - 1;
        let aliases = vec![format!("*a{before}"); 10].join(", ");
        bomb += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    let why = yaml::json(&bomb).unwrap_err();
    assert!(why.starts_with("its aliases repeat too much"), "{why}");
    // Anchors around anchors hold the same again and again.
    let long = "x".repeat(1 << 20);
    let open: String = (0..90).map(|level| format!("&a{level} [")).collect();
    let why = yaml::json(&format!("{open}{long}{}", "]".repeat(90))).unwrap_err();
    assert!(why.starts_with("its anchors hold too much"), "{why}");
    let deep = "[".repeat(200);
    assert!(
        yaml::json(&deep)
            .unwrap_err()
            .starts_with("it is nested too deep")
    );
}

#[test]
fn a_document_may_consist_of_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("secret.yaml", "a: hunter2\n");
    write(
        "here/api.yaml",
        "openapi: 3.1.0\npaths:\n  /pets: {$ref: 'paths/pets.yaml'}\nx: {$ref: '../secret.yaml#/a'}\ny: {$ref: missing.yaml}\n",
    );
    write(
        "here/paths/pets.yaml",
        "get: {responses: {'200': {$ref: '../parts.json#/ok'}}}\n",
    );
    write("here/parts.json", r#"{"ok": {"description": "fine"}}"#);
    let mut reader = Reader::new(Source::File(folder.path().join("here/api.yaml")));
    assert!(matches!(reader.go_on(), Ok(NextDocument::Nothing)));
    let (documents, problems) = reader.done().unwrap();
    // Neither what is not there, nor what is not beside the document or below, though it is there.
    assert_eq!(problems.len(), 2, "{problems:?}");
    let is_outside = |it: &&String| it.contains("secret.yaml, which is outside");
    assert_eq!(
        problems.iter().filter(is_outside).count(),
        1,
        "{problems:?}"
    );
    assert_eq!(documents.target(0, "../secret.yaml#/a"), None);
    let pets = documents.at(0, "/paths/~1pets").unwrap();
    let (file, pets) = documents.meant(0, &pets).unwrap();
    let (_, ok) = documents
        .meant(file, &pets["get"]["responses"]["200"])
        .unwrap();
    assert_eq!(ok["description"], "fine");
}

#[test]
fn references_of_a_document_at_an_address_stay_there() {
    let at = |text: &str| Source::Address(text.parse().unwrap());
    let from = at("https://example.com/v1/api.yaml");
    assert_eq!(
        beside(&from, "parts.yaml"),
        Some(at("https://example.com/v1/parts.yaml"))
    );
    assert_eq!(
        beside(&from, "/x.yaml"),
        Some(at("https://example.com/x.yaml"))
    );
    assert_eq!(beside(&from, "https://other.example/x.yaml"), None);
    assert_eq!(beside(&from, "file:///etc/passwd"), None);
}

#[test]
fn parts_that_refer_to_large_parts_end() {
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
    let documents = Documents::of(&format!("{{\"openapi\": \"3.1.0\", \"x\": {large}}}"));
    documents.room.store(3 << 20, Ordering::Relaxed);
    let read = (0..10).filter(|_| documents.at(0, "/x").is_some()).count();
    assert!(documents.is_exhausted() && read == 2, "{read}");
    documents.make_room();
    assert!(documents.at(0, "/x").is_some());
    let many: Vec<String> = (0..=(1 << 20)).map(|it| format!("\"{it}\":0")).collect();
    let many = format!("{{\"openapi\":\"3.1.0\",{}}}", many.join(","));
    let why = File::new(Source::File("api.json".into()), many)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(why, "it has more than 1048576 parts");
}
