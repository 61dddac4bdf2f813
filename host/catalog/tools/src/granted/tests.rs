//! Which searches wait for servers that are just being started, and for how long.

use std::sync::Arc;
use std::time::Duration;

use ampoule_effort::Effort;
use ampoule_projection::{Detail, Tool};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::outcome::{CallOutcome, Form};
use crate::testing::Stub;
use crate::{
    Binding, BindingError, CallContext, CallError, Catalog, Functions, Grant, GrantedTools, Layers,
    ToolResult,
};

/// A server that is starting, beside one that is there.
fn starting() -> (Stub, GrantedTools) {
    let npm = Stub::starting("npm");
    let there = Functions::new("there").tool("greet", "Greets.", async |_: Value| {
        Ok::<_, String>("hello")
    });
    let bindings: Vec<Arc<dyn Binding>> = vec![Arc::new(npm.clone()), Arc::new(there)];
    let catalog = Catalog::new(bindings).expect("distinct names");
    let granted = GrantedTools::new(catalog, Grant::all()).expect("no server is named");
    (npm, granted)
}

fn tools() -> [Tool; 1] {
    let tool = json!({ "name": "fetch_it", "inputSchema": { "required": ["url"] } });
    [serde_json::from_value(tool).expect("a tool")]
}

const STILL: &str =
    "MCP server `npm` is still starting; search for its tools later, or call them by name now";

#[tokio::test(start_paused = true)]
async fn what_is_asked_about_all_servers_is_answered_after_three_seconds_with_what_is_known() {
    let (npm, granted) = starting();
    let begun = Instant::now();
    let searched = granted.search("", 10, None).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
    assert_eq!(searched.hits.len(), 1);
    assert_eq!(searched.problems, [STILL]);

    let begun = Instant::now();
    let listed = granted.tools_of(granted.server("npm").unwrap()).await;
    assert_eq!(listed.err().unwrap().message, STILL);
    assert_eq!(begun.elapsed(), Duration::from_secs(3));

    let begun = Instant::now();
    let unknown = granted.resolve("fetch_it").await.err().unwrap();
    assert_eq!(
        unknown.message,
        format!("unknown tool `fetch_it`. Some tools could not be listed:\n{STILL}")
    );
    assert_eq!(
        granted.resolve("greet").await.unwrap().qualified_name(),
        "there.greet"
    );
    assert_eq!(
        begun.elapsed(),
        Duration::from_secs(6),
        "three seconds for each"
    );

    npm.list(tools());
    let begun = Instant::now();
    let searched = granted.search("", 10, None).await.unwrap();
    assert_eq!((searched.hits.len(), searched.problems.len()), (2, 0));
    assert!(granted.resolve("fetch_it").await.is_ok());
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_its_server_and_so_does_a_patient_caller() {
    for name in ["npm.fetch_it", "mcp__npm__fetch_it"] {
        let (npm, granted) = starting();
        let resolving = tokio::spawn({
            let granted = granted.clone();
            async move {
                granted
                    .resolve(name)
                    .await
                    .map(|tool| tool.qualified_name())
            }
        });
        let waiting = tokio::spawn(async move {
            let searched = granted.waiting().search("", 10, None).await;
            searched.unwrap().hits.len()
        });
        tokio::time::sleep(Duration::from_secs(300)).await;
        assert!(!resolving.is_finished() && !waiting.is_finished());
        npm.list(tools());
        assert_eq!(resolving.await.unwrap().unwrap(), "npm.fetchIt");
        assert_eq!(waiting.await.unwrap(), 2);
    }
}

#[tokio::test]
async fn a_tool_of_a_server_that_cannot_start_fails_as_calls_do() {
    let (npm, granted) = starting();
    npm.fail("MCP server `npm` can't be started: no `npx`");
    let tool = granted.resolve("npm.fetch_it").await.unwrap();
    let described = async || {
        tool.clone()
            .listed()
            .await
            .map(|tool| tool.declare(Detail::Full))
    };
    assert_eq!(
        described().await.unwrap_err(),
        "MCP server `npm` can't be started: no `npx`"
    );
    let called = async |arguments: &str| {
        let effort = Effort::default();
        let context = CallContext::without_a_run("npm", "run", 1000);
        let call = tool.call(
            arguments.to_owned(),
            Form::Script,
            context,
            Layers::default(),
            effort,
        );
        match call.await.expect("nothing breaks it off") {
            CallOutcome::Failure(failure) => failure.message,
            CallOutcome::Value(value) => value,
            CallOutcome::TooLarge { .. } => panic!("a large answer"),
        }
    };
    assert_eq!(
        called("{}").await,
        "MCP server `npm` can't be started: no `npx`"
    );
    // It is tried again, and may be there by then; its schema holds as ever.
    npm.list(tools());
    assert!(called("{}").await.contains("url"), "{}", called("{}").await);
    npm.answer(ToolResult {
        content: vec![json!({ "type": "text", "text": "called" })],
        ..ToolResult::default()
    });
    assert_eq!(called(r#"{"url":1}"#).await, r#""called""#);
    assert_eq!(
        npm.take_calls(),
        [("fetch_it".to_owned(), json!({ "url": 1 }))]
    );
    assert!(described().await.unwrap().contains("url"));
    npm.list([]);
    assert!(called("{}").await.contains("has no tool `fetch_it`"));
    assert!(described().await.unwrap_err().contains("has no tool"));

    npm.fail("it does not start");
    let unknown = granted.resolve_on("npm", "toJSON").await.err().unwrap();
    assert_eq!(unknown.message, "it does not start");
}

#[tokio::test]
async fn a_search_says_of_tools_that_are_known_that_they_can_not_be_called_now() {
    let (npm, granted) = starting();
    npm.list(tools());
    let searched = granted.search("", 10, None).await.unwrap();
    assert_eq!((searched.hits.len(), searched.notes.len()), (2, 0));
    let why = "MCP server `npm` needs a sign-in: run `ampoule auth login npm`";
    npm.trouble(why);
    for query in ["", "fetch"] {
        let searched = granted.search(query, 10, None).await.unwrap();
        assert!(!searched.hits.is_empty(), "{query}");
        assert_eq!(searched.notes, [why], "{query}");
    }
    let searched = granted.search("", 10, Some("there")).await.unwrap();
    assert!(searched.notes.is_empty());
}

/// A binding whose list lacks a tool, with the reason.
struct Incomplete(Stub);

impl Binding for Incomplete {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&self.0)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.0.tools()
    }

    fn problems(&self) -> Arc<[String]> {
        vec!["tool `no_schema` has no input schema: it is missing".to_owned()].into()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.call(tool, arguments, context)
    }
}

#[tokio::test]
async fn a_tool_that_a_list_leaves_out_is_named_with_the_reason() {
    let catalog = Catalog::new(vec![Arc::new(Incomplete(Stub::new("t", tools())))]).unwrap();
    for (grant, said) in [
        ("*", "can't be called: tool `no_schema` has no input schema"),
        ("t.to*", "has no tool `noSchema`"),
    ] {
        let granted = GrantedTools::new(catalog.clone(), grant.parse().unwrap()).unwrap();
        let unknown = granted.resolve_on("t", "noSchema").await.err().unwrap();
        assert!(
            unknown.message.contains(said),
            "{grant}: {}",
            unknown.message
        );
    }
}
