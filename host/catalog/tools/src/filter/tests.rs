use tokio::sync::watch;

use super::*;
use crate::{Abilities, Functions, ListVersions, Principal, Subscription};

fn chosen(choice: ToolFilter) -> FilteredBinding<Functions> {
    let done = async |_: Map<String, Value>| Ok::<_, String>(Value::Null);
    let functions = ["get_order", "getSecret", "delete_order", "list_orders"]
        .into_iter()
        .fold(Functions::new("my-shop"), |functions, name| {
            functions.tool(name, "", done)
        });
    FilteredBinding::new(functions, choice).unwrap()
}

fn shop(choice: ToolFilter) -> Vec<String> {
    let chosen = chosen(choice);
    let tools = chosen.tools().now_or_never().unwrap().unwrap();
    let again = chosen.tools().now_or_never().unwrap().unwrap();
    assert!(Arc::ptr_eq(&tools, &again), "the same list gives the same");
    tools.iter().map(|tool| tool.name.clone()).collect()
}

fn patterns(patterns: &[&str]) -> Vec<String> {
    patterns.iter().map(|&pattern| pattern.to_owned()).collect()
}

#[test]
fn what_is_not_chosen_is_not_there() {
    assert_eq!(shop(ToolFilter::default()).len(), 4);
    let choice = ToolFilter {
        allow: Some(patterns(&["get*", "list_orders"])),
        deny: patterns(&["get_secret"]),
        ..ToolFilter::default()
    };
    assert_eq!(shop(choice), ["get_order", "list_orders"]);
    let choice = ToolFilter {
        allow: Some(Vec::new()),
        ..ToolFilter::default()
    };
    assert!(shop(choice).is_empty(), "nothing is allowed");
    // These say nothing of themselves.
    let hints = Hints {
        destructive: Some(false),
        ..Hints::default()
    };
    let choice = ToolFilter {
        hints,
        ..ToolFilter::default()
    };
    assert!(shop(choice).is_empty());
}

fn without(server: &str, tools: &[&str], deny: &str) -> Vec<String> {
    let done = async |_: Map<String, Value>| Ok::<_, String>(Value::Null);
    let functions = tools
        .iter()
        .fold(Functions::new(server), |functions, name| {
            functions.tool(name, "", done)
        });
    let choice = ToolFilter {
        deny: patterns(&[deny]),
        ..ToolFilter::default()
    };
    let left = FilteredBinding::new(functions, choice).unwrap();
    let left = left.tools().now_or_never().unwrap().unwrap();
    left.iter().map(|tool| tool.name.clone()).collect()
}

#[test]
fn what_is_denied_is_not_there_whatever_the_server_is_called() {
    for server in ["shop", "shop.eu", "shop*", "*.", ""] {
        assert_eq!(without(server, &["drop", "get"], "drop"), ["get"]);
    }
}

#[test]
fn a_rule_that_may_mean_several_tools_denies_them_all() {
    let tools = ["get-x", "get_x", "other"];
    assert_eq!(without("shop", &tools, "getX"), ["other"]);
    assert_eq!(without("shop", &tools, "get-x"), ["get_x", "other"]);
}

/// Resources, which can be read.
struct Library;

impl Binding for Library {
    fn name(&self) -> &str {
        "library"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        std::future::ready(Ok(Arc::default())).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::default())
    }

    fn offered(&self) -> Arc<[Tool]> {
        let tool = |name| serde_json::json!({ "name": name, "inputSchema": {} });
        let tool = |name| serde_json::from_value(tool(name)).unwrap();
        ["$read", "$prompts"].map(tool).into()
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        std::future::ready(Ok(ToolResult::default())).boxed()
    }
}

/// Says something of all that is asked.
#[derive(Default)]
struct Talkative(Mutex<Vec<&'static str>>);

impl Binding for Talkative {
    fn name(&self) -> &str {
        "talkative"
    }

    fn description(&self) -> Option<String> {
        Some("description".to_owned())
    }

    fn says_it_is(&self) -> Option<String> {
        Some("says it is".to_owned())
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        std::future::ready(Ok(Arc::default())).boxed()
    }

    fn starting(&self) -> Option<String> {
        Some("starting".to_owned())
    }

    fn trouble(&self) -> Option<String> {
        Some("trouble".to_owned())
    }

    fn standing(&self) -> Option<&'static str> {
        Some("standing")
    }

    fn problems(&self) -> Arc<[String]> {
        ["problem".to_owned()].into()
    }

    fn secrets(&self) -> Vec<String> {
        vec!["secret".to_owned()]
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        self.0.lock().push("refresh");
        std::future::ready(Ok(())).boxed()
    }

    fn can_be_answered(&self, _: Abilities) {
        self.0.lock().push("can be answered");
    }

    fn list_changes(&self, _: Option<&Principal>) -> Option<watch::Receiver<ListVersions>> {
        self.0.lock().push("list changes");
        None
    }

    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        _: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        self.0.lock().push("subscribe");
        std::future::ready(Err(CallError::Refused(address.to_owned()))).boxed()
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        std::future::ready(Ok(ToolResult::default())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.0.lock().push("close");
        std::future::ready(()).boxed()
    }
}

#[test]
fn what_a_binding_before_another_does_not_say_is_what_the_other_says() {
    let inner = Arc::new(Talkative::default());
    let chosen = FilteredBinding::new(Arc::clone(&inner), ToolFilter::default()).unwrap();
    let binding: Arc<dyn Binding> = Arc::new(Arc::new(chosen));
    let text = |text: Option<String>| text.unwrap();
    assert_eq!(binding.name(), "talkative");
    assert_eq!(text(binding.description()), "description");
    assert_eq!(text(binding.says_it_is()), "says it is");
    assert_eq!(text(binding.starting()), "starting");
    assert_eq!(text(binding.trouble()), "trouble");
    assert_eq!(binding.standing(), Some("standing"));
    assert_eq!(*binding.problems(), ["problem".to_owned()]);
    assert_eq!(binding.secrets(), ["secret"]);
    assert!(binding.refresh().now_or_never().unwrap().is_ok());
    binding.can_be_answered(Abilities::default());
    assert!(binding.list_changes(None).is_none());
    let subscribed = binding.subscribe("a:b", None).now_or_never().unwrap();
    assert_eq!(subscribed.unwrap_err().to_string(), "a:b");
    binding.close().now_or_never().unwrap();
    let asked = [
        "refresh",
        "can be answered",
        "list changes",
        "subscribe",
        "close",
    ];
    assert_eq!(*inner.0.lock(), asked);
}

#[test]
fn what_is_offered_besides_tools_is_chosen_by_its_own_name() {
    let none: &[&str] = &[];
    let cases = [
        (None, none, &["$read", "$prompts"][..]),
        (None, &["read", "$prompts"], &["$read"]),
        (None, &["*"], &[]),
        (Some(&["get*"][..]), &[], &[]),
        (Some(&["$r*"]), &[], &["$read"]),
    ];
    for (allow, deny, there) in cases {
        let choice = ToolFilter {
            allow: allow.map(patterns),
            deny: patterns(deny),
            ..ToolFilter::default()
        };
        let chosen = FilteredBinding::new(Library, choice).unwrap();
        let offered = chosen.offered();
        let names: Vec<_> = offered.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, there, "{allow:?} {deny:?}");
        for name in ["$read", "$prompts"] {
            let context = CallContext::without_a_run("library", name, 1000);
            let called = chosen.call(name, Map::new(), context).now_or_never();
            assert_eq!(called.unwrap().is_ok(), there.contains(&name), "{name}");
        }
    }
}

#[test]
fn a_pattern_that_matches_no_tool_is_reported() {
    let choice = ToolFilter {
        allow: Some(patterns(&["get*", "list_order"])),
        deny: patterns(&["getSecret", "write_*"]),
        ..ToolFilter::default()
    };
    assert_eq!(
        *chosen(choice).problems(),
        [
            "`tools.allow` has `list_order`, which matches no tool of this server; did you mean `list_orders`?",
            "`tools.deny` has `write_*`, which matches no tool of this server",
        ]
    );
    assert!(chosen(ToolFilter::default()).problems().is_empty());
}

#[test]
fn what_a_tool_does_not_say_has_the_protocols_defaults() {
    let hints = |read_only, destructive| Hints {
        read_only,
        destructive,
        ..Hints::default()
    };
    let safe = hints(None, Some(false));
    for (said, is) in [
        (hints(None, None), false),
        (hints(None, Some(true)), false),
        (hints(None, Some(false)), true),
        (hints(Some(true), None), true),
        // A tool that only reads destroys nothing, whatever else it says.
        (hints(Some(true), Some(true)), true),
    ] {
        assert_eq!(says(said, safe), is, "{said:?}");
    }
    assert!(!says(hints(None, Some(false)), hints(Some(true), None)));
}
