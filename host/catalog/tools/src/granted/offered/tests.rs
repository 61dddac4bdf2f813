use ampoule_projection::{Detail, Idiom, Tool};
use serde_json::json;

use super::*;
use crate::testing::Stub;
use crate::{Binding, Catalog, Grant};

fn tool(name: &str, parameter: &str) -> Tool {
    let properties = match parameter {
        "" => json!({}),
        parameter => json!({ parameter: { "type": "string" } }),
    };
    let schema = json!({ "type": "object", "properties": properties });
    serde_json::from_value(json!({ "name": name, "inputSchema": schema })).unwrap()
}

/// Two servers that offer the same, one that offers something else, and one that offers nothing.
fn granted(grant: &str) -> GrantedTools {
    let servers = [
        ("files", &["$read", "$resources"][..]),
        ("my-notes", &["$read", "$resources"]),
        ("prompts", &["$prompts"]),
        ("plain", &[]),
    ];
    let bindings = servers.map(|(name, offered)| {
        let stub = Stub::new(name, [tool("get_it", "id")]);
        let parameter = |name: &str| if name == "$read" { "uri" } else { "" };
        let offered = offered.iter().map(|name| tool(name, parameter(name)));
        stub.offer(offered.collect::<Arc<[Tool]>>());
        Arc::new(stub) as Arc<dyn Binding>
    });
    let catalog = Catalog::new(bindings.into()).unwrap();
    GrantedTools::new(catalog, grant.parse().unwrap()).unwrap()
}

#[tokio::test]
async fn searches_say_what_the_servers_of_their_hits_offer_besides() {
    let cases = [
        // Nothing was looked for, or found.
        (
            ("*", "", None),
            &[
                "files, myNotes also have: $read(uri), $resources()",
                "prompts also has: $prompts()",
            ][..],
        ),
        (
            ("*", "xyzzy", Some("prompts")),
            &["prompts also has: $prompts()"],
        ),
        (
            ("*", "get", Some("files")),
            &["files also has: $read(uri), $resources()"],
        ),
        (("*", "get", Some("plain")), &[]),
        // They are granted by their own names.
        (
            ("files.get_it, files.$read", "get", None),
            &["files also has: $read(uri)"],
        ),
        (("files.get_it", "get", None), &[]),
    ];
    for ((grant, query, server), expected) in cases {
        let searched = granted(grant).search(query, 10, server).await.unwrap();
        assert_eq!(searched.offered, expected, "{grant} {query} {server:?}");
    }
    let in_python = granted("my-notes").named_as(Idiom::Python);
    let searched = in_python.search("get", 10, None).await.unwrap();
    let expected = ["my_notes also has: _read(uri), _resources()"];
    assert_eq!(searched.offered, expected);
}

#[tokio::test]
async fn a_similar_name_is_suggested() {
    for (idiom, written, meant) in [
        (Idiom::TypeScript, "$resource", "`$resources`"),
        (Idiom::TypeScript, "resources", "`$resources`"),
        (Idiom::Python, "_reads", "`_read`"),
    ] {
        let granted = granted("*").named_as(idiom);
        let unknown = granted.resolve_on("files", written).await.err().unwrap();
        let said = unknown.message;
        assert!(said.contains(&format!("did you mean {meant}")), "{said}");
    }
}

#[tokio::test]
async fn a_tool_of_the_very_same_name_goes_first() {
    for (idiom, name, left) in [
        (Idiom::TypeScript, "$read", "$resources"),
        (Idiom::Python, "_read", "_resources"),
    ] {
        let stub = Stub::new("files", [tool(name, "path")]);
        stub.offer([tool("$read", "uri"), tool("$resources", "")]);
        let catalog = Catalog::new([Arc::new(stub) as Arc<dyn Binding>].into()).unwrap();
        let granted = GrantedTools::new(catalog, Grant::all()).unwrap();
        let granted = granted.named_as(idiom);
        let offered = granted.offered_by(granted.server("files").unwrap());
        let offered: Vec<_> = offered.iter().map(ResolvedTool::identifier).collect();
        assert_eq!(offered, [left], "{idiom:?}");
        let found = granted.resolve_on("files", name).await.unwrap();
        assert_eq!(found.parameters(), ["path"], "{idiom:?}");
    }
}

#[tokio::test]
async fn they_are_declared_with_the_tools() {
    let granted = granted("files");
    let server = granted.server("files").unwrap();
    let mut tools = granted.tools_of(server).await.unwrap();
    tools.extend(granted.offered_by(server));
    let text = ResolvedTool::declare_all(&tools, Detail::Full);
    for function in ["getIt(args", "$read(args", "$resources()"] {
        assert!(text.contains(&format!("  function {function}")), "{text}");
    }
    let text = ResolvedTool::python_module(&tools);
    for function in ["get_it", "_read", "_resources"] {
        assert!(text.contains(&format!("\ndef {function}(")), "{text}");
    }
}
