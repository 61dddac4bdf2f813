//! Servers without a list, and tools in it that are not as they should be.

use ampoule_tools::Binding;
use serde_json::json;

use super::{listed, listing, names, tool};
use crate::UpstreamOptions;
use crate::testing::upstream;

#[tokio::test(start_paused = true)]
async fn one_bad_tool_does_not_hide_the_others() {
    let odd = json!({ "name": "odd", "title": 7, "description": null, "inputSchema": {}, "outputSchema": true, "annotations": { "readOnlyHint": true, "title": "Odd", "idempotentHint": "yes" }, "icons": 1 });
    let (upstream, _, _, tools) =
        listed(json!([tool("a"), { "name": "b" }, { "inputSchema": {} }, null, odd, tool("a"), tool(""), { "name": "c", "inputSchema": true }])).await;
    assert_eq!(names(&tools), ["a", "odd"]);
    assert_eq!(tools[1].title.as_deref(), Some("Odd"));
    assert_eq!(tools[1].output_schema, Some(json!(true).into()));
    assert_eq!(
        (
            tools[1].annotations.read_only,
            tools[1].annotations.idempotent
        ),
        (Some(true), None)
    );
    let expected = [
        "tool `b` has no input schema: it is missing",
        "a tool's name is missing",
        "an entry is missing instead of a tool",
        "tool `odd`: its title is a number",
        "tool `a` is listed twice; the first one is used",
        "a tool's name has 0 bytes",
        "tool `c` has no input schema: it is a boolean",
    ];
    assert_eq!(upstream.problems().to_vec(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_be_read_as_it_is_stays_callable_and_spoils_no_other() {
    let nested = |levels: usize| {
        format!(
            r#"{}{{}}{}"#,
            r#"{"type":"object","properties":{"a":"#.repeat(levels),
            "}}".repeat(levels)
        )
    };
    let bomb = format!("[{}0]", "[0],".repeat(300_000));
    let tools = [
        r#"{"name":"good","inputSchema":{"type":"object"}}"#.to_owned(),
        r#"{"name":"cut","description":"an emoji \ud83d","inputSchema":{}}"#.to_owned(),
        format!(r#"{{"name":"deep\n","inputSchema":{}}}"#, nested(70)),
        format!(
            r#"{{"name":"deeper","inputSchema":{{}},"outputSchema":{}}}"#,
            nested(5000)
        ),
        format!(r#"{{"name":"wide","inputSchema":{{"enum":{bomb}}}}}"#),
        format!(r#"{{"name":"other","inputSchema":{{"default":1e999}},"annotations":{bomb}}}"#),
        format!(r#"{{"name":{bomb},"inputSchema":{{}}}}"#),
        bomb.clone(),
        r#"{"name":"last","inputSchema":{"type":"object"}}"#.to_owned(),
    ];
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.raw(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{}],"other":{bomb}}}}}"#,
        request["id"],
        tools.join(",")
    ))
    .await;
    let tools = asking.await.unwrap();
    assert_eq!(
        names(&tools),
        ["good", "cut", "deep\n", "deeper", "wide", "other", "last"]
    );
    assert_eq!(tools[1].description.as_deref(), Some("an emoji \u{fffd}"));
    for index in [2, 4, 5] {
        assert_eq!(
            json!(tools[index].input_schema),
            json!({ "type": "object" })
        );
    }
    assert_eq!(tools[3].output_schema, Some(json!(true).into()));
    let expected = [
        r"tool `deep\n`: its input schema is nested deeper than 119 levels; any value is accepted instead",
        "tool `deeper`: its output schema is nested deeper than 119 levels; any value is accepted instead",
        "tool `wide`: its input schema is too large; any value is accepted instead",
        "tool `other`: its input schema can't be read (number out of range at line 1 column 16); any value is accepted instead",
        "a tool's name is an array",
        "an entry is an array instead of a tool",
    ];
    assert_eq!(upstream.problems().to_vec(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_no_error_and_one_without_a_list_is() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.refuse(&request, -32601).await;
    assert!(asking.await.unwrap().is_empty());

    let (upstream, mut fakes) = crate::testing::upstream(UpstreamOptions::default());
    let server = async {
        let mut fake = fakes.session().await;
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": {} })).await;
        fake
    };
    let (tools, _fake) = tokio::join!(upstream.tools(), server);
    assert_eq!(
        tools.unwrap_err().message,
        "MCP server `fake` answers tools/list without a list of tools"
    );
}
