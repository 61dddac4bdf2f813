//! Ways around a policy: what it can't see, and what is not there yet.

use std::time::Instant;

use super::*;
use crate::Effect;

fn named(name: &str, schema: Value) -> Tool {
    serde_json::from_value(json!({"name": name, "inputSchema": schema})).unwrap()
}

fn policies(text: &str, tools: &[Tool]) -> Policies {
    let sources = Sources {
        files: vec![file(text)],
        ..Sources::default()
    };
    let servers = [Server {
        name: "s",
        says_it_is: None,
        tools: Some(tools),
    }];
    Policies::new(&sources, &servers).unwrap_or_else(|problems| panic!("{problems}"))
}

const NO_ACME: &str = r#"forbid(principal, action in Action::"s", resource)
    when { context.arguments has owner && context.arguments.owner == "acme" };"#;

#[test]
fn an_argument_that_policies_cannot_see_is_not_taken_for_absent() {
    let text = json!({"type": "string"});
    let object =
        |owner: &Value| json!({"type": "object", "properties": {"owner": owner, "x": text}});
    let tools = [
        named("typed", object(&text)),
        named("several", object(&json!({"type": ["string", "integer"]}))),
        named("any", object(&json!({}))),
        named(
            "unnamed",
            json!({"type": "object", "properties": {"x": text}}),
        ),
        named("nothing", json!({"type": "object"})),
        named(
            "anything",
            json!({"type": "object", "additionalProperties": true}),
        ),
    ];
    let policies = policies(NO_ACME, &tools);
    for tool in &tools {
        let call = |arguments: &str| {
            let call = format!("s.{} {arguments}", tool.name);
            told(&decide(&policies, &alice(), &call))
        };
        let acme = call(r#"{"owner": "acme"}"#);
        assert!(acme.starts_with("deny"), "{}: {acme}", tool.name);
        for without in ["{}", r#"{"x": "y"}"#, r#"{"owner": null}"#] {
            assert_eq!(call(without), "allow by default", "{}", tool.name);
        }
    }
    assert_eq!(
        told(&decide(&policies, &alice(), r#"s.any {"owner": "acme"}"#)),
        "deny by a.cedar:1:1: a policy could not be judged: the argument `owner` can't be seen by policies: its schema allows any value"
    );
}

#[test]
fn an_object_is_compared_with_all_that_is_in_it() {
    let only =
        json!({"type": "object", "properties": {"only": {"type": "string"}}, "required": ["only"]});
    let tools = [named(
        "t",
        json!({"type": "object", "properties": {"one": only, "all": {"type": "array", "items": only}}}),
    )];
    let text = r#"permit(principal, action == Action::"s.t", resource)
        when { context.arguments has one && context.arguments.one == {only: "a"} };
        permit(principal, action == Action::"s.t", resource)
        when { context.arguments has all && [{only: "a"}].containsAll(context.arguments.all) };"#;
    let policies = policies(text, &tools);
    for (arguments, expected) in [
        (r#"{"one": {"only": "a"}}"#, Effect::Allow),
        (r#"{"one": {"only": "a", "more": 1}}"#, Effect::Deny),
        (r#"{"all": [{"only": "a"}]}"#, Effect::Allow),
        (
            r#"{"all": [{"only": "a"}, {"only": "a", "more": 1}]}"#,
            Effect::Deny,
        ),
    ] {
        let decision = decide(&policies, &alice(), &format!("s.t {arguments}"));
        assert_eq!(decision.effect, expected, "{arguments}");
    }
}

#[test]
fn what_refuses_labels_holds_before_its_tools_are_known() {
    for rules in [
        "[labels.refuses]\n\"crm.send\" = \"secret\"\n[labels.gives]\n\"github.*\" = \"secret\"",
        "[labels.refuses]\n\"github.send_*\" = \"secret\"\n[labels.gives]\n\"github.*\" = \"secret\"",
    ] {
        let policies = of_config(rules).unwrap();
        assert!(!policies.are_none());
        for call in ["crm.send", "github.send_it"] {
            let decision = decide_labelled(&policies, &alice(), call, &["secret"]);
            assert_eq!(decision.effect, Effect::Deny, "{call}");
        }
        let known = decide(
            &policies,
            &alice(),
            r#"github.get_issue {"owner": "a", "number": 1}"#,
        );
        assert_eq!(known.effect, Effect::Allow);
    }
}

#[test]
fn a_comment_ends_where_cedar_ends_it() {
    for text in [
        "// nobody\rforbid(principal, action, resource);",
        "// nobody\r\nforbid(principal, action, resource);",
        "// nobody\rforbid(principal, action, resource);\n// or\rpermit(principal, action, resource);",
    ] {
        let policies = of_file(text).unwrap();
        let decision = decide(&policies, &alice(), r#"mail.read {"id": "x"}"#);
        assert_eq!(decision.effect, Effect::Deny, "{text:?}");
    }
}

#[test]
fn many_conditions_nest_no_deeper_than_many_operators() {
    let tools = [named("t", json!({"type": "object"}))];
    let text = format!(
        "forbid(principal, action, resource) {};",
        "when{true}".repeat(20_000)
    );
    let sources = Sources {
        files: vec![file(&text)],
        ..Sources::default()
    };
    let servers = [Server {
        name: "s",
        says_it_is: None,
        tools: Some(&tools),
    }];
    let told = problems(Policies::new(&sources, &servers));
    assert!(told[0].contains("operators"), "{told:?}");
    // As many as there may be are decided on a small stack.
    let text = format!(
        "forbid(principal, action, resource) {};",
        "when{true}".repeat(990)
    );
    let policies = policies(&text, &tools);
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let decided = small.spawn(move || decide(&policies, &alice(), "s.t").effect);
    assert_eq!(decided.unwrap().join().unwrap(), Effect::Deny);
}

#[test]
fn an_action_of_another_namespace_is_none_of_ours() {
    for text in [
        r#"permit(principal, action == Other::Action::"mail.read", resource);"#,
        r#"permit(principal, action in [Other::Action::"mail.read"], resource);"#,
        r#"permit(principal, action, resource) when { action == Other::Action::"mail.read" };"#,
    ] {
        let told = problems(of_file(text));
        let is_told = |told: &String| told.contains("Other::Action");
        assert!(told.iter().any(is_told), "{told:?}");
    }
}

#[test]
fn wide_objects_without_members_cost_little() {
    let properties: serde_json::Map<String, Value> = (0..1_900)
        .map(|number| (format!("p{number}"), json!({"type": "string"})))
        .collect();
    let items = json!({"type": "object", "properties": properties});
    let tools = [named(
        "t",
        json!({"type": "object", "properties": {"list": {"type": "array", "items": items}}}),
    )];
    let text = r#"forbid(principal, action == Action::"s.t", resource)
        when { context.arguments has list && context.arguments.list.isEmpty() };"#;
    let policies = policies(text, &tools);
    let arguments = json!({"list": vec![json!({}); 45_000]});
    let began = Instant::now();
    policies.decide(&Request {
        caller: &alice(),
        act: call("s", "t", &arguments),
        labels: &RunLabels::new(),
    });
    assert!(began.elapsed().as_secs() < 3, "{:?}", began.elapsed());
}

#[test]
fn odd_names_of_arguments_do_not_spoil_the_schema() {
    let properties = json!({
        "": {"type": "string"}, "__cedar": {"type": "string"}, "__entity": {"type": "string"},
        "__extn": {"type": "object", "properties": {"fn": {"type": "string"}, "arg": {"type": "string"}}},
        "type": {"type": "string"}, "\u{0}": {"type": "string"}, "__cedar::a": {"type": "string"},
        "__expr": {"type": "string"}, "owner": {"type": "string"},
    });
    let names = ["__cedar", "__cedar::a", "Action::x", "\u{0}", "t"];
    let tools = names.map(|name| named(name, json!({"type": "object", "properties": properties})));
    let policies = policies(NO_ACME, &tools);
    for name in names {
        let call = format!(r#"s.{name} {{"owner": "acme"}}"#);
        assert_eq!(decide(&policies, &alice(), &call).effect, Effect::Deny);
    }
}

#[test]
fn decimals_and_integers_keep_their_values() {
    let tools = [named(
        "t",
        json!({"type": "object", "properties": {"cost": {"type": "number"}, "n": {"type": "integer"}}}),
    )];
    let text = r#"forbid(principal, action == Action::"s.t", resource)
        when { context.arguments has cost && context.arguments.cost.greaterThan(decimal("10.0")) };
        forbid(principal, action == Action::"s.t", resource)
        when { context.arguments has n && context.arguments.n > 10 };"#;
    let policies = policies(text, &tools);
    for (arguments, expected) in [
        (r#"{"cost": 10}"#, Effect::Allow),
        (r#"{"cost": 10.0000}"#, Effect::Allow),
        (r#"{"cost": -0.0}"#, Effect::Allow),
        (r#"{"cost": 1e1}"#, Effect::Allow),
        (r#"{"cost": 10.00001}"#, Effect::Deny),
        (r#"{"cost": 1e300}"#, Effect::Deny),
        (r#"{"cost": 18446744073709551615}"#, Effect::Deny),
        (r#"{"cost": 922337203685475.9}"#, Effect::Deny),
        (r#"{"n": 10.0}"#, Effect::Allow),
        (r#"{"n": 18446744073709551615}"#, Effect::Deny),
        (r#"{"n": 36893488147419103233}"#, Effect::Deny),
        (r#"{"n": 1e19}"#, Effect::Deny),
        (r#"{"n": "1"}"#, Effect::Deny),
    ] {
        let decision = decide(&policies, &alice(), &format!("s.t {arguments}"));
        assert_eq!(decision.effect, expected, "{arguments}");
    }
}
