//! The catalog seen through a grant, over bindings that count how often they are asked.
//!
//! - `linear`: how the time grows with names, tools, schemas and arguments
//! - `schemas`: large schemas

mod linear;
mod schemas;
mod toolkits;

use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_projection::{Hints, Idiom, Tool};
use serde_json::value::RawValue;
use serde_json::{Map, json};

use super::testing::Stub;
use super::*;

/// A catalog of bindings that have tools without arguments, or can't be started.
struct Counting {
    catalog: Catalog,
    stubs: Vec<Stub>,
}

impl Counting {
    fn new(bindings: &[(&str, Option<&[&str]>)]) -> Self {
        let stub = |&(name, tools): &(&str, Option<&[&str]>)| {
            let stub = Stub::starting(name);
            match tools {
                Some(names) => stub.list(names.iter().copied().map(tool).collect::<Vec<_>>()),
                None => stub.fail(format!("`{name}` does not start")),
            }
            stub
        };
        let stubs: Vec<_> = bindings.iter().map(stub).collect();
        let bindings = stubs.iter().cloned().map(|stub| Arc::new(stub) as _);
        let catalog = Catalog::new(bindings.collect()).expect("distinct names");
        Self { catalog, stubs }
    }

    fn granted(&self, grant: &str) -> GrantedTools {
        let grant = grant.parse().expect("a grant");
        GrantedTools::new(self.catalog.clone(), grant).expect("servers that are there")
    }

    /// How often each was asked since this was last called.
    fn asked(&self) -> Vec<usize> {
        self.stubs.iter().map(Stub::take_asked).collect()
    }
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema: Default::default(),
        output_schema: None,
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }
}

fn names(searched: &SearchResults) -> Vec<String> {
    let hits = searched.hits.iter();
    hits.map(ResolvedTool::qualified_name).collect()
}

#[tokio::test]
async fn a_search_asks_the_servers_that_it_is_about_and_each_once() {
    let counting = Counting::new(&[
        ("mail", Some(&["send", "list"])),
        ("files", Some(&["list"])),
        ("gone", None),
    ]);
    for query in ["", "list"] {
        let one = counting.granted("mail").search(query, 10, None).await;
        assert!(names(&one.unwrap()).contains(&"mail.list".to_owned()));
        assert_eq!(counting.asked(), [1, 0, 0], "{query:?}");

        let all = counting.granted("*");
        let of_one = all.search(query, 10, Some("files")).await.unwrap();
        assert_eq!(names(&of_one), ["files.list"]);
        assert_eq!(of_one.problems, [""; 0]);
        assert_eq!(counting.asked(), [0, 1, 0], "{query:?}");

        let of_all = all.search(query, 10, None).await.unwrap();
        assert_eq!(of_all.problems, ["`gone` does not start"]);
        assert_eq!(counting.asked(), [1, 1, 1], "{query:?}");
    }
}

#[tokio::test]
async fn what_nobody_pays_for_is_bounded_by_itself_and_not_all_together() {
    let counting = Counting::new(&[("mail", Some(&["send", "list"]))]);
    let granted = counting.granted("*");
    assert!(granted.effort().spend(u64::MAX).is_err());
    let found = granted.clone().search("send", 10, None).await.unwrap();
    assert_eq!(names(&found), ["mail.send"]);
    // A caller that has spent everything finds nothing more.
    let effort = Effort::of(0);
    let found = granted.paid_by(effort).search("send", 10, None).await;
    assert_eq!(names(&found.unwrap()), [""; 0]);
}

#[tokio::test]
async fn a_schema_too_large_to_be_checked_leaves_those_of_other_tools_checked() {
    let properties = |count: usize| (0..count).map(|index| (format!("n{index}"), json!({})));
    let wide = |count| Map::from_iter([("properties".to_owned(), properties(count).collect())]);
    let needing = json!({ "required": ["n0"] }).as_object().unwrap().clone();
    let schemas = [
        ("widest", wide(200_000)),
        ("wide", wide(30_000)),
        ("needing", needing),
    ];
    let tools = schemas.map(|(name, input_schema)| Tool {
        input_schema: input_schema.into(),
        ..tool(name)
    });
    let catalog = Catalog::new(vec![Arc::new(Stub::new("s", tools))]).unwrap();
    let granted = GrantedTools::new(catalog, Grant::all()).unwrap();
    let called = async |name| {
        let tool = granted.resolve_on("s", name).await.ok().unwrap();
        let effort = Effort::default();
        let context = CallContext::without_a_run("s", name, 1000);
        tool.call(
            "{}".into(),
            Form::Script,
            context,
            Layers::default(),
            effort,
        )
        .await
    };
    for name in ["widest", "wide"] {
        assert!(matches!(called(name).await, Ok(CallOutcome::Value(_))));
    }
    let Ok(CallOutcome::Failure(failure)) = called("needing").await else {
        panic!("it was not checked");
    };
    assert_eq!(failure.message, "`n0` is missing");
}

#[tokio::test]
async fn what_a_tool_wraps_comes_out_also_where_its_server_was_not_there_at_first() {
    let schema = json!({"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"], "x-fastmcp-wrap-result": true});
    let counts = Tool {
        output_schema: Some(schema.into()),
        ..tool("count")
    };
    let stub = Stub::starting("s");
    stub.answer(ToolResult {
        structured_content: Some(RawValue::from_string(r#"{"result": 3}"#.into()).unwrap()),
        ..ToolResult::default()
    });
    stub.fail("`s` does not start");
    let catalog = Catalog::new(vec![Arc::new(stub.clone())]).unwrap();
    let granted = GrantedTools::new(catalog, Grant::all()).unwrap();
    let found = async || granted.resolve_on("s", "count").await.ok().unwrap();
    let called = async |tool: ResolvedTool, form| {
        let context = CallContext::without_a_run("s", "count", 1000);
        let outcome = tool
            .call(
                "{}".into(),
                form,
                context,
                Layers::default(),
                Effort::default(),
            )
            .await;
        match outcome.unwrap() {
            CallOutcome::Value(json) => json,
            other => panic!("{other:?}"),
        }
    };
    let unlisted = found().await;
    assert!(unlisted.clone().listed().await.is_err());
    stub.list([counts]);
    assert_eq!(called(unlisted, Form::Script).await, "3");
    assert_eq!(called(found().await, Form::Script).await, "3");
    assert_eq!(called(found().await, Form::Typed).await, "3");
}

#[tokio::test]
async fn what_is_not_granted_does_not_show_in_what_is_found() {
    // As long as no tool has the word itself, it stands for those that begin with it.
    let counting = Counting::new(&[("office", Some(&["call_secretary", "read_secret"]))]);
    let granted = counting.granted("office.call_*");
    let found = granted.search("secret", 10, None).await.unwrap();
    assert_eq!(names(&found), ["office.callSecretary"]);
    let found = counting.granted("*").search("secret", 10, None).await;
    assert_eq!(names(&found.unwrap()), ["office.readSecret"]);
    assert!(granted.search("x", 10, Some("absent")).await.is_err());
}

#[tokio::test]
async fn what_can_not_be_seen_is_left_out_of_summaries() {
    let said = |description: &str| {
        let tool = Tool {
            description: Some(description.to_owned()),
            ..tool("send")
        };
        let mail = Arc::new(Stub::new("mail", [tool]));
        let catalog = Catalog::new(vec![mail]).expect("distinct names");
        let granted = GrantedTools::new(catalog, Grant::all()).expect("no server is named");
        let tools = granted.known_tools_of(granted.server("mail").expect("it is there"));
        tools.expect("they are known")[0].summary().description
    };
    assert_eq!(said(" Sends\n mail. And more.\n\nMuch more."), "Sends mail");
    assert_eq!(
        said("Se\u{1b}[31mnds\u{202e} it\u{e0041}.\u{9b}2J"),
        "Se[31mnds it.2J"
    );
    assert_eq!(said(&"ä".repeat(300)), "ä".repeat(200) + "…");
}

#[tokio::test]
async fn an_index_is_made_once_for_a_grant() {
    let counting = Counting::new(&[("mail", Some(&["send", "list"]))]);
    let index = async |grant: &str| {
        let parts = counting.granted(grant).parts(None).await.unwrap().0;
        counting.catalog.indexes().over(parts).await.unwrap()
    };
    let all = index("*").await;
    let some = index("mail.send").await;
    let again = index("mail").await;
    assert!(all.has_the_index_of(&again));
    assert!(!all.has_the_index_of(&some));
}

#[tokio::test]
async fn what_was_made_for_one_run_serves_the_next_that_brings_the_same_tools() {
    let catalog = Counting::new(&[("mail", Some(&["send"]))]).catalog;
    let tools: Arc<[Tool]> = Arc::new([tool("find"), tool("drop")]);
    let run = async |name: &str, tools: &Arc<[Tool]>| {
        let own: Arc<dyn Binding> = Arc::new(Stub::new(name, Arc::clone(tools)));
        let catalog = catalog.with(vec![own]).expect("distinct names");
        let granted = GrantedTools::new(catalog.clone(), Grant::all()).unwrap();
        let parts = granted.parts(None).await.unwrap().0;
        let listing = Arc::clone(&parts[1].listing);
        let indexed = catalog.indexes().over(parts).await.unwrap();
        let found = indexed.search("find", 1, &Effort::default()).unwrap();
        let server = Arc::downgrade(&found[0].0.server);
        (listing, indexed, server)
    };
    let (listing, first, server) = run("own", &tools).await;
    let (again, second, _) = run("own", &tools).await;
    assert!(Arc::ptr_eq(&listing, &again) && first.has_the_index_of(&second));
    // Under another name, other words find it; and another list is another one.
    let (renamed, other, _) = run("mine", &tools).await;
    assert!(Arc::ptr_eq(&listing, &renamed) && !first.has_the_index_of(&other));
    let (changed, ..) = run("own", &tools.to_vec().into()).await;
    assert!(!Arc::ptr_eq(&listing, &changed));
    // Nothing of the run itself is kept.
    drop(first);
    assert!(server.upgrade().is_none());
}

#[test]
fn patterns_that_grant_nothing_are_reported_where_the_tools_are_known() {
    let counting = Counting::new(&[
        ("mail", Some(&["send_message", "list"])),
        ("empty", Some(&[])),
        ("gone", None),
    ]);
    let idle = |grant: &str| {
        let idle = counting.granted(grant).idle_patterns().into_iter();
        idle.map(|idle| idle.near.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(
        idle("mail, mail.*, *, empty, gone.x, *.x, MAIL.SendMessage"),
        [""; 0]
    );
    assert_eq!(idle("mail.list, mail.send_mesage"), ["sendMessage"]);
    assert_eq!(idle("Mail.nothing_*"), [""]);
}

#[test]
fn a_grant_of_a_server_that_is_not_there_is_refused() {
    let counting = Counting::new(&[("mail", Some(&[])), ("files", None)]);
    let grant = "MAIL.x, fils".parse().expect("a grant");
    let refused = GrantedTools::new(counting.catalog, grant)
        .err()
        .expect("refused");
    assert_eq!(
        refused.message,
        "unknown server `fils` in a grant; did you mean `files`? Servers: mail, files"
    );
}

#[tokio::test]
async fn a_tool_is_named_as_the_scripts_language_has_it() {
    let office = Counting::new(&[("my-office", Some(&["sendMail", "get-item", "get item"]))]);
    let camel = office.granted("*");
    let snake = camel.clone().named_as(Idiom::Python);
    for (granted, name) in [
        (&camel, "my-office.sendMail"),
        (&snake, "my-office.send_mail"),
    ] {
        let found = granted.search("send", 10, None).await.unwrap();
        assert_eq!(names(&found), [name]);
        let all = granted.search("", 10, None).await.unwrap();
        assert_eq!(names(&all)[0], name);
        // Any way to write it means the tool.
        for written in ["my-office.sendMail", "my_office.send_mail", "sendMail"] {
            let tool = granted.resolve(written).await.unwrap();
            assert_eq!(tool.qualified_name(), name);
        }
    }
    // Two names that differ in punctuation alone have identifiers in each language that lead back
    // to them.
    for granted in [&camel, &snake] {
        for tool in granted.search("", 10, None).await.unwrap().hits {
            let again = granted.resolve_on("my-office", tool.identifier()).await;
            assert_eq!(again.unwrap().name(), tool.name());
        }
    }
    let unknown = |granted: &GrantedTools| {
        let granted = granted.clone();
        async move {
            let unknown = granted.resolve_on("my-office", "sendMial").await;
            unknown.err().expect("an unknown tool").message
        }
    };
    assert!(unknown(&camel).await.contains("did you mean `sendMail`?"));
    assert!(unknown(&snake).await.contains("did you mean `send_mail`?"));
}

#[tokio::test]
async fn a_part_of_a_long_list_says_how_to_search() {
    let tools: Vec<String> = (0..30).map(|index| format!("tool {index}")).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let many = Counting::new(&[("many", Some(&tools))]).granted("*");
    for (idiom, search) in [
        (Idiom::TypeScript, "tools.$search(query)"),
        (Idiom::Python, "tools.search(query)"),
    ] {
        let unknown = many.clone().named_as(idiom).resolve_on("many", "x").await;
        let message = unknown.err().expect("an unknown tool").message;
        let end = format!("and 10 more; search with {search}");
        assert!(message.ends_with(&end), "{message}");
    }
}

#[test]
fn a_result_is_the_same_after_it_was_written() {
    let results = [
        ToolResult::default(),
        ToolResult::failed("no"),
        ToolResult::returned(&()).unwrap(),
        ToolResult::returned(&json!({ "deep": [1.0] })).unwrap(),
    ];
    for result in results {
        let written = serde_json::to_string(&result).unwrap();
        let read: ToolResult = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        assert_eq!(
            read.structured_content.is_some(),
            result.structured_content.is_some()
        );
    }
}

#[tokio::test]
async fn what_one_principals_account_holds_is_learnt_by_nobody() {
    let counting = Counting::new(&[("notes", Some(&["list"]))]);
    let stub = &counting.stubs[0];
    let result = json!({ "structuredContent": { "salary": 1 } });
    stub.answer(serde_json::from_value(result).unwrap());
    let granted = counting.granted("*");
    let call = |account: Option<Account>| {
        let granted = &granted;
        async move {
            let found = granted.resolve_on("notes", "list").await.ok().unwrap();
            let context = CallContext::without_a_run("notes", "list", u64::MAX);
            if let Some(account) = account {
                context.uses(account);
            }
            let (arguments, layers) = ("{}".to_owned(), Layers::default());
            let called = found.call(arguments, Form::Script, context, layers, Effort::default());
            called.await.unwrap();
            found.seen()
        }
    };
    assert_eq!(call(Some(Account::Principal)).await, None);
    let seen = call(Some(Account::Shared)).await;
    assert!(seen.is_some_and(|seen| seen.contains("salary")));
}
