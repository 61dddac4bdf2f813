//! Errors of tools that come with data: `isError` beside `structuredContent`. A script and a component
//! have the data, whoever reads an error that nobody caught sees it, and it passes what results pass.

use ampoule_projection::wit::VALUES;
use ampoule_tests::binding;
use ampoule_tests::command::{Ran, Served, Workplace};
use ampoule_tests::lowered::built_against;
use serde_json::{Value, json};

use super::with_server;

const TEXT: &str = "compile failed; the full result is in structuredContent";

fn data() -> Value {
    json!({
        "ok": false,
        "output_window_text": "main.src(121): error E12: unexpected ']'",
        "caret_row": 121,
    })
}

/// A server whose tool `build` promises an artifact, and fails with this data.
fn failing(data: &Value, config: &str) -> Workplace {
    let output = json!({
        "type": "object",
        "properties": {"artifact": {"type": "string"}},
        "required": ["artifact"],
        "additionalProperties": false,
    });
    let listed = json!({
        "tools": [{"name": "build", "inputSchema": {"type": "object"}, "outputSchema": output}],
        "answers": {"build": {
            "isError": true,
            "content": [{"type": "text", "text": TEXT}],
            "structuredContent": data,
        }},
    });
    with_server(config, &listed)
}

const TYPESCRIPT: &str = "try { return await tools.t.build({}); }
catch (e: any) {
  console.log(e);
  return { message: e.message, kind: e.kind, data: e.data, row: e.data.caret_row, shown: JSON.stringify(e), keys: Object.keys(e) };
}";

const PYTHON: &str = "try:
    return await tools.t.build()
except ToolError as e:
    return {'message': str(e), 'kind': e.kind, 'data': e.data, 'row': e.data.caret_row, 'shown': str(vars(e)), 'is': isinstance(e.data, dict)}";

/// The same without `try`.
const UNCAUGHT: [(&str, &str); 2] = [
    ("typescript", "await tools.t.build({})"),
    ("python", "await tools.t.build()"),
];

async fn run(workplace: &Workplace, language: &str, code: &str) -> Ran {
    let arguments = ["run", "--quiet", "--language", language, "-e", code];
    workplace.run(&arguments).await
}

#[tokio::test]
async fn a_script_has_the_data_of_an_error() {
    let workplace = failing(&data(), "");
    for (language, code) in [("typescript", TYPESCRIPT), ("python", PYTHON)] {
        let ran = workplace
            .run(&["run", "--json", "--language", language, "-e", code])
            .await
            .json();
        let caught = &ran["value"];
        assert_eq!(caught["message"], TEXT, "{language}: {ran}");
        assert_eq!(caught["kind"], "failed", "{language}");
        assert_eq!(caught["data"], data(), "{language}");
        assert_eq!(caught["row"], 121, "{language}");
        let shown = caught["shown"].to_string();
        assert!(shown.contains("E12") && shown.contains("121"), "{shown}");
        if language == "typescript" {
            let keys = json!(["kind", "server", "tool", "content", "data"]);
            assert_eq!(caught["keys"], keys);
            let printed = ran["output"].to_string();
            assert!(printed.contains("caret_row: 121"), "{printed}");
        } else {
            assert_eq!(caught["is"], true);
        }
    }
}

#[tokio::test]
async fn an_error_that_nobody_catches_shows_its_data() {
    let workplace = failing(&data(), "");
    let line = format!("The error's `data`: {}", data());
    let told = |text: &str| {
        assert!(text.contains(&format!("t.build: {TEXT}\n{line}")), "{text}");
        assert_eq!(text.matches("caret_row").count(), 1, "{text}");
        assert!(
            !text.contains("promise") && !text.contains("schema"),
            "{text}"
        );
    };
    let mut served = Served::greeted(&workplace, &[]).await;
    for (language, code) in UNCAUGHT {
        let ran = run(&workplace, language, code).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        told(&ran.stderr);
        let arguments = json!({"code": code, "language": language});
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "execute_code", "arguments": arguments},
        });
        let answer = served.ask(request).await["result"].take();
        assert_eq!(answer["isError"], true, "{answer}");
        told(answer["content"][0]["text"].as_str().unwrap_or_default());
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn long_data_is_cut_where_it_is_shown_and_whole_where_it_is_caught() {
    let long = json!({"row": 121, "log": "x".repeat(200_000)});
    let workplace = failing(&long, "");
    for (language, code) in UNCAUGHT {
        let ran = run(&workplace, language, code).await;
        assert!(ran.stderr.contains(TEXT), "{language}");
        assert!(ran.stderr.contains("`data`: {\"row\":121,"), "{language}");
        assert!(ran.stderr.contains("… (cut: 200"), "{language}");
        assert!(ran.stderr.len() < 4_000, "{language}: {}", ran.stderr.len());
    }
    let typescript = "try { await tools.t.build({}) } catch (e: any) { return e.data.log.length }";
    let python =
        "try:\n    await tools.t.build()\nexcept ToolError as e:\n    return len(e.data.log)";
    for (language, code) in [("typescript", typescript), ("python", python)] {
        let ran = run(&workplace, language, code).await;
        assert_eq!(ran.json(), 200_000, "{language}");
    }
}

#[tokio::test]
async fn data_has_the_limits_of_results() {
    let long = json!({"log": "x".repeat(200_000)});
    let workplace = failing(&long, "[limits]\nresult-bytes = '100KiB'");
    for (language, code) in [("typescript", TYPESCRIPT), ("python", PYTHON)] {
        let ran = workplace
            .run(&["run", "--json", "--language", language, "-e", code])
            .await
            .json();
        assert_eq!(ran["ending"], "limit", "{language}: {ran}");
        assert_eq!(ran["limit"], "result-bytes", "{language}: {ran}");
    }
}

#[tokio::test]
async fn a_record_has_the_data_of_an_error() {
    let workplace = failing(&data(), "");
    for (language, code) in [("typescript", TYPESCRIPT), ("python", PYTHON)] {
        let arguments = ["run", "--record", "--json", "--language", language, "-e"];
        let ran = workplace.run(&[&arguments[..], &[code]].concat()).await;
        let outcome = ran.json();
        let id = outcome["record"].as_str().expect("it left a record");
        // Nobody is asked again.
        workplace.file("listed.json", "{}");
        let replayed = workplace
            .run(&["runs", "replay", id, "--json"])
            .await
            .json();
        assert_eq!(replayed["same"], true, "{replayed}");
        assert_eq!(replayed["outcome"]["value"]["data"], data(), "{language}");
        let again = failing(&data(), "");
        let listed = std::fs::read(again.path().join("listed.json")).expect("a file");
        workplace.file("listed.json", listed);
    }
}

#[tokio::test]
async fn what_governs_results_governs_the_data_of_errors() {
    let told = json!({"row": 121, "customer": [{"email": "ada@example.com"}]});
    let redacted = failing(
        &told,
        "[roles.everybody]\ntools = ['t']\nredact = ['owner.email']",
    );
    let typescript =
        "try { await tools.t.build({}) } catch (e: any) { return [e.data, e.message] }";
    let python =
        "try:\n    await tools.t.build()\nexcept ToolError as e:\n    return [e.data, str(e)]";
    for (language, code) in [("typescript", typescript), ("python", python)] {
        let ran = run(&redacted, language, code).await;
        assert!(!ran.stdout.contains("ada@"), "{ran:?}");
        let data = json!({"row": 121, "customer": [{"email": "[redacted]"}]});
        assert_eq!(ran.json()[0], data, "{ran:?}");
    }
    let personal = failing(&told, "[privacy]\nmode = 'tokens'");
    for (language, code) in UNCAUGHT {
        // The message is all that there is of data that it says already.
        let ran = run(&redacted, language, code).await;
        assert!(!ran.stderr.contains("ada@"), "{ran:?}");
        assert_eq!(ran.stderr.matches("[redacted]").count(), 1, "{ran:?}");
        let ran = run(&personal, language, code).await;
        assert!(!ran.stderr.contains("ada@"), "{ran:?}");
        assert!(ran.stderr.contains("<email:1>"), "{ran:?}");
    }
}

/// `ampoule:guest/values` as it was before errors had data.
fn values_before_data() -> String {
    let (before, rest) = VALUES
        .split_once("        /// What the tool told of the failure besides")
        .expect("the field");
    let (_, after) = rest.split_once("data: option<json>,\n").expect("the field");
    format!("{before}{after}")
}

#[tokio::test]
async fn a_component_has_the_data_of_an_error_if_it_was_built_for_it() {
    let workplace = failing(&data(), "");
    let mut build = binding::tool("build", json!({"type": "object"}));
    let output = json!({
        "type": "object",
        "properties": {"artifact": {"type": "string"}},
        "required": ["artifact"],
        "additionalProperties": false,
    });
    build.output_schema = Some((&output).into());
    let before = values_before_data();
    for (values, field, expected) in [
        (VALUES, "data", data().to_string()),
        (VALUES, "message", TEXT.to_owned()),
        (&before, "message", TEXT.to_owned()),
    ] {
        let wasm = built_against(values, field, "t", &build, &json!({}));
        workplace.file("program.wasm", wasm.expect("arguments that fit"));
        let ran = workplace.run(&["run", "--json", "program.wasm"]).await;
        let outcome = ran.json();
        assert_eq!(outcome["ending"], "threw", "{field}: {ran:?}");
        assert_eq!(outcome["error"]["message"], expected, "{field}: {ran:?}");
    }
    // What has no data has none there.
    let listed = json!({
        "tools": [{"name": "build", "inputSchema": {"type": "object"}, "outputSchema": output}],
        "answers": {"build": {"isError": true, "content": [{"type": "text", "text": TEXT}]}},
    });
    workplace.file("listed.json", listed.to_string());
    let wasm = built_against(VALUES, "data", "t", &build, &json!({}));
    workplace.file("program.wasm", wasm.expect("arguments that fit"));
    let ran = workplace.run(&["run", "--json", "program.wasm"]).await;
    assert_eq!(ran.json()["error"]["message"], "", "{ran:?}");
}
