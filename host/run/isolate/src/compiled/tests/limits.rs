//! What a typed call may take, and what is said of it.

use ampoule_limits::{Limit, LimitError, Limits};
use ampoule_projection::Tool;
use ampoule_projection_tests::tool;
use ampoule_tools::ToolResult;
use serde_json::json;
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::{Host, forwarder, package, try_call};
use crate::usage::CallEnd;

/// A tool that takes a text and numbers, and gives numbers.
fn tools() -> Vec<Tool> {
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let input = json!({"type": "object", "properties": {"text": {"type": "string", "maxLength": 100}, "numbers": numbers, "ratio": {"type": "number"}}});
    let output =
        json!({"type": "object", "properties": {"numbers": numbers}, "required": ["numbers"]});
    vec![tool("count", input, Some(output))]
}

/// Arguments of that tool.
fn arguments(text: &str, numbers: i64, ratio: f64) -> Vec<Val> {
    let some = |value| Val::Option(Some(Box::new(value)));
    let numbers = (0..numbers).map(Val::S64).collect();
    vec![Val::Record(vec![
        ("text".into(), some(Val::String(text.into()))),
        ("numbers".into(), some(Val::List(numbers))),
        ("ratio".into(), some(Val::Float64(ratio))),
    ])]
}

/// How a call ended: with a value, with an error that the component sees, or by ending the run.
#[derive(Debug)]
enum Called {
    Value,
    Error(String),
    Ended(wasmtime::Error),
}

/// A component, and a server that answers with so many numbers.
struct Fixture {
    store: wasmtime::Store<super::RunState>,
    instance: wasmtime::component::Instance,
    host: Host,
}

impl Fixture {
    async fn new(limits: Limits) -> Self {
        let host = Host::new("numbers", tools());
        let component = forwarder::component(&package("numbers", &tools()));
        let (store, instance) = host.instance(&component, limits).await;
        let fixture = Self {
            store,
            instance,
            host,
        };
        fixture.answer(3);
        fixture
    }

    fn answer(&self, numbers: usize) {
        let answer = json!({"numbers": vec![7; numbers]}).to_string();
        self.answer_json(&answer);
    }

    fn answer_json(&self, answer: &str) {
        self.host.server.answer(ToolResult {
            structured_content: Some(RawValue::from_string(answer.into()).unwrap()),
            ..ToolResult::default()
        });
    }

    async fn call(&mut self, arguments: &[Val]) -> Called {
        let called = try_call(
            &mut self.store,
            &self.instance,
            "mcp:numbers/numbers",
            "count",
            arguments,
        );
        match called.await {
            Ok(Ok(_)) => Called::Value,
            Ok(Err(error)) => match error.as_deref() {
                Some(Val::Record(fields)) => match &**fields {
                    [(_, Val::Enum(kind)), (_, Val::String(message)), ..] => {
                        Called::Error(format!("{kind}: {message}"))
                    }
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            },
            Err(error) => Called::Ended(error),
        }
    }

    /// The limit that a call ends at.
    async fn limit(&mut self, arguments: &[Val]) -> Limit {
        match self.call(arguments).await {
            Called::Ended(error) => error.downcast_ref::<LimitError>().expect("a limit").limit,
            other => panic!("{other:?}"),
        }
    }

    /// What a component learns of a call that fails.
    async fn error(&mut self, arguments: &[Val]) -> String {
        match self.call(arguments).await {
            Called::Error(message) => message,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn calls_are_counted_and_limited() {
    let limits = Limits {
        calls: 3,
        ..Limits::default()
    };
    let mut fixture = Fixture::new(limits).await;
    for _ in 0..3 {
        assert!(matches!(
            fixture.call(&arguments("a", 2, 0.5)).await,
            Called::Value
        ));
    }
    assert_eq!(fixture.limit(&arguments("a", 2, 0.5)).await, Limit::Calls);
    // As values, two numbers, a text and a record with three names take more than their JSON.
    let held = fixture.store.data().held.peak();
    assert!(held > 6 * size_of::<Val>() as u64, "{held}");
    let usage = fixture.store.data_mut().calls.take_usage();
    assert_eq!(usage.len(), 3);
    assert_eq!((&*usage[0].server, &*usage[0].tool), ("numbers", "count"));
    assert_eq!(usage[0].end, CallEnd::Returned);
    let sent = r#"{"text":"a","numbers":[0,1],"ratio":0.5}"#;
    assert_eq!(usage[0].argument_bytes, sent.len() as u64);
    assert_eq!(usage[0].result_bytes, r#"{"numbers":[7,7,7]}"#.len() as u64);
}

#[tokio::test]
async fn what_crosses_the_boundary_is_limited() {
    let limits = Limits {
        argument_bytes: 1000,
        result_bytes: 1_000_000,
        host_bytes: 2_000_000,
        ..Limits::default()
    };
    let many = arguments("a", 1000, 0.5);
    let mut fixture = Fixture::new(limits).await;
    assert_eq!(fixture.limit(&many).await, Limit::ArgumentBytes);
    let few = arguments("a", 1, 0.5);
    let mut fixture = Fixture::new(limits).await;
    fixture.answer(600_000);
    assert_eq!(fixture.limit(&few).await, Limit::ResultBytes);
    // As values, the numbers take more than their text, and more than is allowed.
    let mut fixture = Fixture::new(limits).await;
    fixture.answer(400_000);
    assert_eq!(fixture.limit(&few).await, Limit::HostBytes);
    // So do those that a component sends, before they are any text.
    let mut fixture = Fixture::new(limits).await;
    let Called::Ended(error) = fixture.call(&arguments("a", 200_000, 0.5)).await else {
        panic!()
    };
    assert!(crate::run::shows_too_much(&error), "{error:?}");
    assert!(fixture.host.server.take_calls().is_empty());
}

#[tokio::test]
async fn what_can_not_be_sent_or_taken_is_an_error_with_its_place() {
    let mut fixture = Fixture::new(Limits::default()).await;
    let told = fixture.error(&arguments("a", 1, f64::NAN)).await;
    assert_eq!(
        told,
        "arguments: the arguments can't be sent: args.ratio: JSON has no number for NaN"
    );
    let told = fixture.error(&arguments(&"a".repeat(101), 1, 0.5)).await;
    assert!(told.contains("text"), "{told}");
    let usage = fixture.store.data_mut().calls.take_usage();
    assert!(
        usage.len() == 2 && usage.iter().all(|call| call.end == CallEnd::Failed),
        "{usage:?}"
    );
    assert!(fixture.host.server.take_calls().is_empty());
    fixture.answer_json(r#"{"numbers": [1, "2"]}"#);
    let told = fixture.error(&arguments("a", 1, 0.5)).await;
    assert_eq!(
        told,
        "protocol: the tool's result does not match its declaration: result.numbers[1]: invalid type: string \"2\", expected an integer"
    );
    let failed = ToolResult::failed("no such thing");
    fixture.host.server.answer(failed);
    assert_eq!(
        fixture.error(&arguments("a", 1, 0.5)).await,
        "failed: no such thing"
    );
}
