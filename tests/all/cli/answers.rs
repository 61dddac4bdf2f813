//! What tools answer, as scripts get it from a server of its own, and what scripts return, as it is
//! shown.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

/// A server as FastMCP makes them of functions: other values than objects are wrapped, and the
/// schema says so. It also has a tool that gives a picture, and one that gives several texts.
fn fastmcp() -> Workplace {
    let tool = |name: &str, output: Option<Value>| json!({"name": name, "inputSchema": {"type": "object", "properties": {}}, "outputSchema": output});
    let wrapped = |result: Value, definitions: Value| {
        Some(
            json!({"type": "object", "properties": {"result": result}, "required": ["result"], "$defs": definitions, "x-fastmcp-wrap-result": true}),
        )
    };
    let answer = |result: Value| json!({"content": [{"type": "text", "text": result.to_string()}], "structuredContent": {"result": result}, "isError": false, "_meta": {"fastmcp": {"wrap_result": true}}});
    let folder = json!({"Folder": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let listed = json!({
        "tools": [
            tool("count", wrapped(json!({"type": "integer"}), json!({}))),
            tool("folders", wrapped(json!({"type": "array", "items": {"$ref": "#/$defs/Folder"}}), folder)),
            tool("off-the-record", wrapped(json!({"type": "integer"}), json!({}))),
            tool("rows", None),
            tool("picture", None),
        ],
        "answers": {
            "count": answer(json!(3)),
            "folders": answer(json!([{"name": "a"}, {"name": "b"}])),
            "off-the-record": {"content": [], "structuredContent": {"result": 3, "beside": 4}},
            "rows": {"content": [text("{\"n\": 1}"), text("{\"n\": 2}")]},
            "picture": {"content": [{"type": "image", "data": "AAAA".repeat(4096), "mimeType": "image/png"}]},
        },
    });
    let workplace = Workplace::default();
    workplace.file("listed.json", listed.to_string());
    let config = format!(
        "[servers.fast]\ncommand = '{}'\nargs = ['listed.json']\n",
        env!("CARGO_BIN_EXE_listed-server")
    );
    workplace.file("ampoule.toml", config);
    workplace
}

#[tokio::test]
async fn what_fastmcp_wraps_is_the_value_in_each_language_and_its_declarations() {
    let workplace = fastmcp();
    let javascript = "const { fast } = tools; return [await fast.count() + 1, (await fast.folders())[1].name, await fast['off-the-record'](), (await fast.rows())[1].n]";
    let python = "fast = tools.fast\n[await fast.count() + 1, (await fast.folders())[1].name, await fast.off_the_record(), (await fast.rows())[1].n]";
    for (language, code) in [("javascript", javascript), ("python", python)] {
        let ran = workplace
            .run(&["run", "--language", language, "-e", code])
            .await;
        assert_eq!(
            ran.json(),
            json!([4, "b", {"result": 3, "beside": 4}, 2]),
            "{ran:?}"
        );
    }
    for (format, count, folders) in [
        (
            "ts",
            "function count(): Promise<number>",
            "function folders(): Promise<{ name: string }[]>",
        ),
        (
            "py",
            "def count(args: dict[str, Json] = ..., /) -> Call[int]",
            "def folders(args: dict[str, Json] = ..., /) -> Call[list[Folder]]",
        ),
        (
            "wit",
            "count: async func() -> result<s64, tool-error>",
            "folders: async func() -> result<list<folder>, tool-error>",
        ),
    ] {
        let shown = workplace
            .run(&["tools", "show", "fast", "--format", format])
            .await;
        assert!(
            shown.stdout.contains(count) && shown.stdout.contains(folders),
            "{shown:?}"
        );
    }
}

#[tokio::test]
async fn a_text_is_shown_as_it_is_and_a_picture_as_what_it_is() {
    let workplace = fastmcp();
    let picture = "return await tools.fast.picture()";
    for (code, expected) in [
        ("return 'id,name\\n1,\"x\"'", "id,name\n1,\"x\"\n"),
        ("return ''", "\"\"\n"),
        ("return ['a']", "[\n  \"a\"\n]\n"),
        (picture, "[image/png, 12 KiB]\n"),
        (
            "return ['see', ...await tools.fast.picture(), { n: 1 }]",
            "see\n[image/png, 12 KiB]\n{\"n\":1}\n",
        ),
    ] {
        let ran = workplace.run(&["run", "-e", code]).await;
        assert_eq!(ran.stdout, expected, "{ran:?}");
    }
    let whole = workplace
        .run(&["run", "--json", "-e", picture])
        .await
        .json();
    let data = whole["value"][0]["data"].as_str().expect("the picture");
    assert_eq!(data.len(), 16_384);
    let text = workplace
        .run(&["run", "--json", "-e", "return 'a'"])
        .await
        .json();
    assert_eq!(text["value"], "a");
}
