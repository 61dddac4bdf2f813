//! Arguments on their way to a tool, and results on their way back: names, nulls and numbers, in
//! both languages.

use std::future::ready;
use std::sync::Arc;

use ampoule::{Binding, Ending, Grant, Limits, Outcome, Script};
use ampoule_tests::binding::{Stub, returned, tool};
use ampoule_tests::{runtime, verdict};
use futures::FutureExt;
use serde_json::{Value, json};

/// Runs a script beside a server whose one tool gives its arguments back, or a text.
async fn ran(schema: &Value, answer: Option<&'static str>, script: Script) -> Outcome {
    let echo = Stub::new("e", [tool("echo", schema.clone())]).answering(move |_, arguments| {
        let arguments = || Value::Object(arguments).to_string();
        ready(returned(answer.map_or_else(arguments, str::to_owned))).boxed()
    });
    let isolate = runtime().isolate(script).grant(Grant::all()).binding(echo);
    let isolate = isolate.limits(Limits::default()).expect("limits");
    isolate.run().await.expect("an outcome")
}

/// What a program in each language gives, as it is written.
async fn given(schema: &Value, javascript: &str, python: &str) -> [String; 2] {
    let scripts = [Script::javascript(javascript), Script::python(python)];
    let mut given = Vec::new();
    for script in scripts {
        let outcome = ran(schema, None, script).await;
        given.push(match outcome.ending {
            Ending::Returned(Some(value)) => value.get().to_owned(),
            other => other.to_string(),
        });
    }
    given.try_into().expect("two")
}

#[tokio::test]
async fn names_that_differ_in_case_alone_are_the_schemas() {
    let open = json!({ "type": "object", "properties": { "max_count": { "type": "integer" }, "pageSize": { "type": "integer" } } });
    let mut closed = open.clone();
    closed["additionalProperties"] = json!(false);
    for schema in [&open, &closed] {
        let expected = r#"{"max_count":1,"pageSize":2}"#;
        let both = given(
            schema,
            "return await e.echo({ maxCount: 1, page_size: 2 })",
            "await e.echo(maxCount=1, page_size=2)",
        )
        .await;
        assert_eq!(both, [expected, expected]);
        let wrong = given(
            schema,
            "return await e.echo({ maxCount: 'x' })",
            "await e.echo(maxCount='x')",
        )
        .await;
        for text in wrong {
            assert!(
                text.contains("`max_count` must be an integer, not \"x\""),
                "{text}"
            );
        }
    }
    // An unknown parameter stays, whatever it is near to.
    let expected = r#"{"max_count":1,"MaxCount":2,"max_cont":3}"#;
    let both = given(
        &open,
        "return await e.echo({ max_count: 1, MaxCount: 2, max_cont: 3 })",
        "await e.echo(max_count=1, MaxCount=2, max_cont=3)",
    )
    .await;
    assert_eq!(both, [expected, expected]);
}

#[tokio::test]
async fn null_goes_where_the_types_have_it() {
    let schema = json!({ "type": "object", "properties": {
        "api": { "type": "string", "nullable": true },
        "absent": { "type": "string", "default": null },
        "plain": { "type": "string" },
    } });
    let expected = r#"{"api":null}"#;
    let both = given(
        &schema,
        "return await e.echo({ api: null, absent: null })",
        "await e.echo(api=None, absent=None)",
    )
    .await;
    assert_eq!(both, [expected, expected]);
    let both = given(
        &schema,
        "return await e.echo({ plain: null })",
        "await e.echo(plain=None)",
    )
    .await;
    for text in both {
        assert!(
            text.contains("`plain` must be a string, not null"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn integers_reach_a_tool_exactly_or_not_at_all() {
    let any = json!({ "type": "object" });
    let python = |source: &str| ran(&any, None, Script::python(source));
    for digits in ["-9223372036854775808", "18446744073709551615"] {
        let outcome = python(&format!("await e.echo(id={digits})")).await;
        assert_eq!(outcome.ending.to_string(), format!("{{\"id\":{digits}}}"));
    }
    let outcome = python("await e.echo(rows=[{'id': 10**30}])").await;
    assert_eq!(verdict(&outcome), "threw:ToolError");
    let said = outcome.ending.to_string();
    assert!(
        said.contains("`rows[0].id` is 1000000000000000000000000000000, an integer beyond 64 bits"),
        "{said}"
    );
    let outcome = python("await e.echo(id=float(10**30), text=str(10**30))").await;
    assert_eq!(
        outcome.ending.to_string(),
        r#"{"id":1e+30,"text":"1000000000000000000000000000000"}"#
    );
    // JavaScript's numbers are floats; their digits say no more than they hold.
    let javascript = Script::javascript(
        "return (await e.echo({ a: 2 ** 64, b: 1e30, c: -(2 ** 70), d: 2 ** 53 })).a === 2 ** 64",
    );
    let outcome = ran(&any, None, javascript).await;
    assert_eq!(outcome.ending.to_string(), "true");
}

#[tokio::test]
async fn floats_reach_a_tool_as_they_are() {
    let numbers = "[6.013470016991623e-154,0.1,5e-324,1.7976931348623157e308]";
    let schema = json!({ "type": "object", "properties": { "numbers": { "type": "array", "items": { "type": "number" } } } });
    let both = given(
        &schema,
        &format!("return (await tools.e.echo({{ numbers: {numbers} }})).numbers.join()"),
        &format!("return ','.join(map(repr, (await tools.e.echo(numbers={numbers}))['numbers']))"),
    )
    .await;
    assert_eq!(
        both[0],
        r#""6.013470016991623e-154,0.1,5e-324,1.7976931348623157e+308""#
    );
    assert_eq!(both[0], both[1]);
}

#[tokio::test]
async fn integers_come_back_to_their_last_digit() {
    let any = json!({ "type": "object" });
    let answer = r#"{"id":1000000000000000000000000000001}"#;
    let source = "r = await e.echo()\n[r.id + 1, r]";
    let outcome = ran(&any, Some(answer), Script::python(source)).await;
    assert_eq!(
        outcome.ending.to_string(),
        r#"[1000000000000000000000000000002,{"id":1000000000000000000000000000001}]"#
    );
}

#[tokio::test]
async fn what_results_looked_like_is_shown_and_never_asked_for() {
    let schema = json!({ "type": "object" });
    let described = "return await tools.$describe('e.echo')";
    let echo = |answer: &'static str| {
        Stub::new("e", [tool("echo", schema.clone())])
            .answering(move |_, _| ready(returned(answer.to_owned())).boxed())
    };
    let said = async |answer, source: &str| {
        let isolate = runtime().isolate(Script::javascript(source));
        let isolate = isolate.grant(Grant::all()).binding(echo(answer));
        match isolate.run().await.expect("an outcome").ending {
            Ending::Returned(Some(value)) => value.get().to_owned(),
            other => other.to_string(),
        }
    };
    let answer = r#"{"items":[{"id":"secret"}],"total":1}"#;
    let before = said(answer, described).await;
    assert!(!before.contains("seen"), "{before}");
    let after = said(answer, &format!("await e.echo({{}}); {described}")).await;
    assert!(
        after.contains("// seen: { items: { id: string }[], total: number }"),
        "{after}"
    );
    assert!(!after.contains("secret"), "{after}");
    // Another answer than ever before is as good as any.
    let binding: Arc<dyn Binding> = Arc::new(echo("[1]"));
    binding.tools().await.expect("tools")[0].seen.learn(answer);
    let isolate = runtime().isolate(Script::javascript("return await e.echo({})"));
    let isolate = isolate.grant(Grant::all()).binding(binding);
    let outcome = isolate.run().await.expect("an outcome");
    assert!(
        matches!(&outcome.ending, Ending::Returned(Some(value)) if value.get() == "[1]"),
        "{outcome:?}"
    );
}
