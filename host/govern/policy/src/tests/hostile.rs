//! Input that is made to break something.

use std::fmt::Write;
use std::time::Instant;

use super::*;
use crate::Effect;

fn servers<'t>(tools: &'t [Tool]) -> [Server<'t>; 1] {
    [Server {
        name: "s",
        says_it_is: None,
        tools: Some(tools),
    }]
}

fn sources(text: &str) -> Sources {
    Sources {
        files: vec![file(text)],
        ..Sources::default()
    }
}

#[test]
fn names_of_tools_are_never_read_as_policies_or_types() {
    let names = [
        "x\", resource); permit(principal, action, resource); //",
        "new\nline",
        "quo\"te",
        "back\\slash",
        "*",
        "get_*",
        "%2A",
        "a.b.c",
        "",
        "Action::\"s.x\"",
        "\u{202e}gnp",
        "destructive",
        "model",
    ];
    let odd = json!({"a\"b": {"type": "string"}, "c\nd": {"type": "integer"}, "type": {"type": "boolean"}});
    let tools: Vec<Tool> = names
        .iter()
        .map(|name| tool(name, odd.clone(), json!({})))
        .collect();
    let text = r#"forbid(principal, action == Action::"s.quo\"te", resource) when { context.arguments["a\"b"] == "x" };
        forbid(principal, action == Action::"s.%2A", resource);
        forbid(principal, action in Action::"s.a.*", resource);"#;
    let policies = Policies::new(&sources(text), &servers(&tools)).unwrap();
    let arguments = json!({"a\"b": "x", "c\nd": 1, "type": true});
    for name in names {
        let request = Request {
            caller: &Caller::new("a\"b\n"),
            act: call("s", name, &arguments),
            labels: &labels(&["l\"\n"]),
        };
        let expected = match name {
            "quo\"te" | "*" | "a.b.c" => Effect::Deny,
            _ => Effect::Allow,
        };
        assert_eq!(decided(&policies, &request).effect, expected, "{name:?}");
    }
    // A role that names such a tool means it, and no other.
    let role = crate::Role {
        tools: vec![format!("s.{}", names[0])],
        ..crate::Role::default()
    };
    let roles = crate::Roles([("r".to_owned(), role)].into());
    let policies = Policies::new(
        &Sources {
            roles,
            ..Sources::default()
        },
        &servers(&tools),
    )
    .unwrap();
    for name in names {
        let expected = name == names[0];
        assert_eq!(policies.may_ever(&alice(), "s", name), expected, "{name:?}");
    }
}

#[test]
fn servers_may_be_called_as_groups_are() {
    let tools = [tool("t", json!({}), json!({"readOnlyHint": true}))];
    let server = |name| Server {
        name,
        says_it_is: None,
        tools: Some(&tools),
    };
    let names = ["destructive", "model", "read-only", "User"];
    let policies = Policies::new(
        &sources(r#"forbid(principal, action in [Action::"destructive", Action::"model.*", Action::"User"], resource);"#),
        &names.map(server),
    )
    .unwrap();
    let effects = names.map(|name| {
        let request = Request {
            caller: &alice(),
            act: call(name, "t", &Value::Null),
            labels: &RunLabels::new(),
        };
        decided(&policies, &request).effect
    });
    assert_eq!(
        effects,
        [Effect::Allow, Effect::Deny, Effect::Allow, Effect::Deny]
    );
    for twice in [
        vec![server("a"), server("a")],
        vec![server("a.b")],
        vec![server("*")],
    ] {
        assert!(Policies::new(&sources(""), &twice).is_err());
    }
}

#[test]
fn schemas_without_end_have_an_end() {
    // Each definition has the next one twice: 2^40 shapes.
    let mut definitions = serde_json::Map::new();
    for number in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
        definitions.insert(
            format!("d{number}"),
            json!({"type": "object", "properties": {"a": next, "b": next}}),
        );
    }
    definitions.insert("d40".into(), json!({"type": "string"}));
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "object", "properties": {"in": deep}});
    }
    let schema = json!({"type": "object", "properties": {"wide": {"$ref": "#/$defs/d0"}, "deep": deep}, "$defs": definitions});
    let tools = [serde_json::from_value(json!({"name": "t", "inputSchema": schema})).unwrap()];
    let began = Instant::now();
    let told = problems(Policies::new(
        &sources(&format!(
            "forbid(principal, action == Action::\"s.t\", resource) when {{ context.arguments has deep{} }};",
            ".in".repeat(40)
        )),
        &servers(&tools),
    ));
    assert!(!told.is_empty());
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_large_file_is_read_or_refused_in_time() {
    let one = "forbid(principal == User::\"u\", action == Action::\"s.t\", resource) when { context.arguments.owner == \"x\" };\n";
    let tools = [tool("t", json!({"owner": {"type": "string"}}), json!({}))];
    let large = one.repeat((1 << 20) / one.len());
    let began = Instant::now();
    let policies = Policies::new(&sources(&large), &servers(&tools)).unwrap();
    assert!(policies.rules.len() > 9_000);
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    // All wrong: a hundred are told.
    let wrong = large.replace("owner", "ownr");
    let began = Instant::now();
    let told = problems(Policies::new(&sources(&wrong), &servers(&tools)));
    assert_eq!(told.len(), 101);
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    for text in [
        "(".repeat(1 << 20),
        "\"".repeat(1 << 20),
        "@a".repeat(1 << 19),
        "\0".repeat(1 << 20),
        "permit".repeat(1 << 17),
    ] {
        let began = Instant::now();
        assert!(!problems(Policies::new(&sources(&text), &servers(&tools))).is_empty());
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }
}

#[test]
fn what_nests_as_deep_as_it_may_is_decided() {
    let tools = [tool("t", json!({"n": {"type": "integer"}}), json!({}))];
    let brackets = format!(
        "{}context.arguments.n == 1{}",
        "(".repeat(60),
        ")".repeat(60)
    );
    let chain = format!(
        "context.arguments.n == 1{}",
        " && context.arguments.n == 1".repeat(150)
    );
    let mut choice = String::new();
    for number in 2..120 {
        write!(
            choice,
            "if context.arguments.n == {number} then false else "
        )
        .unwrap();
    }
    let choice = format!("{choice}context.arguments.n == 1");
    for condition in [brackets, chain, choice] {
        let text = format!(
            "forbid(principal, action == Action::\"s.t\", resource) when {{ {condition} }};"
        );
        let policies = Policies::new(&sources(&text), &servers(&tools))
            .unwrap_or_else(|problems| panic!("{problems}"));
        for (n, expected) in [(1, Effect::Deny), (0, Effect::Allow)] {
            let arguments = json!({ "n": n });
            let request = Request {
                caller: &alice(),
                act: call("s", "t", &arguments),
                labels: &RunLabels::new(),
            };
            assert_eq!(decided(&policies, &request).effect, expected);
        }
    }
}

#[test]
fn large_arguments_cost_what_they_are_long_and_no_more_than_a_bound() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let tools = [tool(
        "t",
        json!({"list": list, "text": {"type": "string"}, "unread": list}),
        json!({}),
    )];
    let text = r#"forbid(principal, action == Action::"s.t", resource) when { context.arguments.list.contains("x") || context.arguments.text like "*a*b*c*d*" };"#;
    let policies = Policies::new(&sources(text), &servers(&tools)).unwrap();
    let decide = |list: usize, text: usize, unread: usize| {
        let items = |count: usize| {
            (0..count)
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
        };
        let arguments =
            json!({"list": items(list), "text": "abc".repeat(text / 3), "unread": items(unread)});
        let began = Instant::now();
        let request = Request {
            caller: &alice(),
            act: call("s", "t", &arguments),
            labels: &RunLabels::new(),
        };
        (policies.decide(&request), began.elapsed())
    };
    assert_eq!(decide(40_000, 1 << 20, 1_000_000).0.effect, Effect::Allow);
    for (list, text) in [(60_000, 0), (0, 5 << 20)] {
        let (decision, took) = decide(list, text, 0);
        assert_eq!(decision.effect, Effect::Deny);
        assert!(
            decision
                .reason
                .unwrap()
                .contains("is too large for policies to read")
        );
        assert!(took.as_secs() < 5, "{took:?}");
    }
    // Of what nobody reads, nothing is touched.
    let (small, large) = (decide(10, 10, 10).1, decide(10, 10, 1_000_000).1);
    assert!(
        large < small * 50 + std::time::Duration::from_millis(5),
        "{small:?} {large:?}"
    );
}
