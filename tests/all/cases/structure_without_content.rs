//! Results, and entries of lists, that lack what the protocol says they have.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::with_server;

fn workplace() -> Workplace {
    let answers = json!({
        "none": {"structuredContent": {"ok": 1}},
        "nulls": {"content": null, "structuredContent": {"ok": 1}, "isError": null},
        "empty": {"content": [], "structuredContent": {"ok": 1}},
        "one": {"content": {"type": "text", "text": "single"}},
        "text": {"content": "just text"},
        "nothing": {},
        "unknown": {"content": [{"type": "hologram", "data": "x"}, {"type": "text", "text": "beside it"}]},
        "failed": {"isError": true, "structuredContent": {"error": "quota used up"}},
    });
    let names = answers.as_object().expect("an object").keys();
    let tools: Vec<Value> = names
        .map(|name| json!({"name": name, "inputSchema": {"type": "object", "properties": {}}}))
        .collect();
    with_server("", &json!({ "tools": tools, "answers": answers }))
}

const NAMES: &str = "['none', 'nulls', 'empty', 'one', 'text', 'nothing', 'unknown', 'failed']";

#[tokio::test]
async fn a_result_without_content_is_what_it_has() {
    let workplace = workplace();
    let typescript = format!(
        "const out: any = {{}};\nfor (const name of {NAMES}) {{\n  try {{ out[name] = (await (tools.t as any)[name]({{}})) ?? null }} catch (e: any) {{ out[name] = [e.name, e.kind, e.message] }}\n}}\nreturn out;"
    );
    let python = format!(
        "out = {{}}\nfor name in {NAMES}:\n    try:\n        out[name] = await tools.t[name]()\n    except ToolError as e:\n        out[name] = [type(e).__name__, e.kind, str(e)]\nreturn out"
    );
    for (language, code) in [("typescript", typescript), ("python", python)] {
        let ran = workplace
            .run(&["run", "--quiet", "--language", language, "-e", &code])
            .await;
        let out = ran.json();
        for name in ["none", "nulls", "empty"] {
            assert_eq!(out[name], json!({"ok": 1}), "{language} {name}: {out}");
        }
        assert_eq!(out["one"], "single", "{language}: {out}");
        assert_eq!(out["text"], "just text", "{language}: {out}");
        assert!(
            out["nothing"].is_null() || out["nothing"] == "",
            "{language}: {out}"
        );
        let unknown = out["unknown"].to_string();
        assert!(
            unknown.contains("hologram") && unknown.contains("beside it"),
            "{language}: {out}"
        );
        assert_eq!(out["failed"][0], "ToolError", "{language}: {out}");
        assert_eq!(out["failed"][1], "failed", "{language}: {out}");
        let message = out["failed"][2].as_str().unwrap_or_default();
        assert!(message.contains("quota used up"), "{language}: {out}");
    }
}

#[tokio::test]
async fn a_call_of_a_tool_that_was_left_out_of_the_list_says_why() {
    let listed = json!({ "tools": [
        {"name": "no_schema"},
        {"name": "sound", "inputSchema": {"type": "object"}},
    ]});
    let workplace = with_server("", &listed);
    let why = "a tool of the server `t` can't be called: tool `no_schema` has no input schema";
    for (language, code) in [
        ("typescript", "await tools.t.noSchema({})"),
        ("python", "await tools.t.no_schema()"),
    ] {
        let run = ["run", "--quiet", "--language", language, "-e", code];
        let ran = workplace.run(&run).await;
        assert!(ran.stderr.contains(why), "{language}: {ran:?}");
        // A grant that leaves the tool out does not speak of it.
        let narrow = [&run[..], &["--tools", "t.sound"]].concat();
        let ran = workplace.run(&narrow).await;
        assert!(
            !ran.stderr.contains("can't be called"),
            "{language}: {ran:?}"
        );
        assert!(ran.stderr.contains("has no tool"), "{language}: {ran:?}");
    }
}
