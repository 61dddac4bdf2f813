//! The crate that `ampoule tools generate --lang rust` writes: it compiles for every server, and what
//! people change in it stays.

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::repository;
use serde_json::{Value, json};

const LISTED_SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

/// A workplace with one server that has the tools of a list, and a crate for it in `guest`.
async fn generated(server: &str, tools: &Value) -> Workplace {
    let workplace = Workplace::default();
    let list = workplace.file("tools.json", tools.to_string());
    let config = format!(
        "[servers.{server}]\ncommand = {}\nargs = [{}]\n",
        json!(LISTED_SERVER),
        json!(list)
    );
    workplace.file("ampoule.toml", config);
    let ran = workplace
        .run(&["tools", "generate", "--lang", "rust", "--out", "guest"])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workplace
}

/// What the compiler says of a crate. It need not build for WebAssembly for that.
pub(crate) async fn complaints(workplace: &Workplace) -> String {
    complaints_with(workplace, &[]).await
}

/// The same, where these variables are set.
pub(crate) async fn complaints_with(workplace: &Workplace, variables: &[(&str, &str)]) -> String {
    let mut cargo = workplace.command(
        "cargo",
        &["check", "--quiet", "--manifest-path", "guest/Cargo.toml"],
    );
    cargo
        .env("CARGO_TARGET_DIR", checked_in())
        .envs(variables.iter().copied())
        .env_remove("RUSTFLAGS");
    let output = cargo.output().await.expect("cargo runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.success(), !said.contains("error"), "{said}");
    said
}

/// Where what the crates depend on is built, once for all tests.
pub(crate) fn checked_in() -> PathBuf {
    repository().join("target/test-guests/checked")
}

fn program(workplace: &Workplace) -> String {
    std::fs::read_to_string(workplace.path().join("guest/src/lib.rs")).expect("the program")
}

/// The body of the program.
fn body(workplace: &Workplace) -> String {
    let program = program(workplace);
    let (_, body) = program
        .split_once("-> Result<String, String> {\n")
        .expect("the function");
    body.to_owned()
}

#[tokio::test]
async fn the_crate_of_every_real_server_compiles_without_warnings() {
    let corpora = repository().join("tests/corpora/tools");
    let mut checked = 0;
    for corpus in std::fs::read_dir(corpora).expect("the corpora").flatten() {
        let path = corpus.path();
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let tools = std::fs::read(&path).expect("a corpus");
        let tools = serde_json::from_slice(&tools).expect("JSON");
        let workplace = generated(&name, &tools).await;
        assert_eq!(
            complaints(&workplace).await,
            "",
            "{name}\n{}",
            program(&workplace)
        );
        let formatted = workplace.command(
            "rustfmt",
            &["--check", "--edition", "2024", "guest/src/lib.rs"],
        );
        let ran = ended(formatted).await;
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stdout);
        checked += 1;
    }
    assert!(checked >= 10);
}

#[tokio::test]
async fn arguments_that_a_tool_requires_are_written_as_its_schema_says() {
    let tools = json!({"tools": [{
        "name": "search",
        "inputSchema": {
            "type": "object",
            "required": ["text", "kind", "limits", "where", "any", "pair", "scores", "flag", "nested"],
            "properties": {
                "text": {"type": "string", "examples": ["a \"quoted\" \n text"]},
                "kind": {"enum": ["Not A Word", "other"]},
                "limits": {"type": "array", "items": {"type": "integer", "minimum": 5}},
                "where": {"anyOf": [{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "default": 7}}}, {"type": "string"}]},
                "any": {},
                "pair": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string", "default": "b"}], "items": false, "minItems": 2},
                "scores": {"type": "object", "additionalProperties": {"type": "number"}, "default": {"a": 0.5}},
                "flag": {"type": ["boolean", "null"]},
                "nested": {"type": "object", "required": ["type"], "properties": {"type": {"const": "x"}, "self": {"type": "string"}}},
                "left out": {"type": "string"},
            },
        },
    }]});
    let workplace = generated("odd", &tools).await;
    assert_eq!(complaints(&workplace).await, "", "{}", program(&workplace));
    let body = body(&workplace);
    for written in [
        r#"text: "a \"quoted\" \n text".to_owned(),"#,
        "kind: odd::SearchArgsKind::NotAWord,",
        "limits: vec![5],",
        "id: 7,",
        r#"pair: (1.0, "b".to_owned()),"#,
        r#"scores: vec![("a".to_owned(), 0.5)],"#,
        "flag: Some(false),",
        "left_out: None,",
    ] {
        assert!(body.contains(written), "{written}\n{body}");
    }
}

#[tokio::test]
async fn a_tool_that_reads_is_called_rather_than_one_that_writes() {
    let tool = |name: &str, required: &[&str], hints: Value| {
        let properties: Value = required
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "string"})))
            .collect();
        json!({"name": name, "annotations": hints, "inputSchema": {"type": "object", "required": required, "properties": properties}})
    };
    let destroys = tool("reset", &[], json!({"destructiveHint": true}));
    let writes = tool("add", &[], json!({}));
    let named = tool("get-by-id", &["id"], json!({}));
    let said = tool("peek", &["id", "place"], json!({"readOnlyHint": true}));
    let mut tools = vec![destroys, writes, named, said];
    for called in ["peek", "get_by_id", "add", "reset"] {
        let workplace = generated("some", &json!({ "tools": tools })).await;
        assert!(
            body(&workplace).contains(&format!("some::{called}(")),
            "{}",
            program(&workplace)
        );
        tools.pop();
    }
    let workplace = generated("some", &json!({"tools": []})).await;
    assert!(
        body(&workplace).contains("Ok(arguments)"),
        "{}",
        program(&workplace)
    );
    assert_eq!(complaints(&workplace).await, "", "{}", program(&workplace));
}

#[tokio::test]
async fn what_people_change_stays() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let workplace = generated("some", &json!({"tools": [tool("get-one")]})).await;
    let generate = async |tools: &[&str]| {
        let tools: Vec<_> = tools.iter().map(|name| tool(name)).collect();
        workplace.file("tools.json", json!({ "tools": tools }).to_string());
        let ran = workplace
            .run(&["tools", "generate", "--lang", "rust", "--out", "guest"])
            .await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    assert_eq!(
        generate(&["get-one"]).await,
        "guest: 0 changed, 8 unchanged, 0 removed\n"
    );
    // As long as nobody has changed it, the program is kept up with the tools.
    assert_eq!(
        generate(&["get-two"]).await,
        "guest: 2 changed, 6 unchanged, 0 removed\n"
    );
    assert!(body(&workplace).contains("some::get_two()"));
    let mine = workplace.file("guest/src/lib.rs", "// mine\n");
    let said = generate(&["get-three"]).await;
    assert_eq!(
        said,
        "guest: 1 changed, 6 unchanged, 0 removed, 1 left as you changed them\n"
    );
    assert_eq!(
        std::fs::read_to_string(mine).expect("it is there"),
        "// mine\n"
    );
    assert!(Path::new(&workplace.path().join("guest/wit/deps/mcp-some/tools.wit")).exists());
}

#[tokio::test]
async fn names_that_are_keywords_of_rust_compile() {
    let word = json!({"type": "object", "title": "self", "properties": {
        "gen": {"enum": ["self", "gen", "type"]},
        "self": {"$ref": "#/$defs/Self"},
        "union": {"oneOf": [
            {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "self"}, "a": {"type": "string"}}},
            {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "gen"}, "b": {"type": "string"}}},
        ]},
    }, "$defs": {"Self": {"type": "object", "properties": {"type": {"type": "string"}}}}});
    let tool = |name: &str| json!({"name": name, "inputSchema": word, "outputSchema": word});
    let listed = ["gen", "self", "Self", "type", "client"].map(tool);
    let tools = json!({ "tools": listed });
    for server in ["type", "gen", "self", "client"] {
        let workplace = generated(server, &tools).await;
        assert_eq!(complaints(&workplace).await, "", "{server}");
    }
}
