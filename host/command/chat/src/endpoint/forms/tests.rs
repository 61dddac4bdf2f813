use serde_json::json;

use super::*;
use crate::conversation::{Message, ToolCall, ToolOutput};
use crate::endpoint::{Reply, ToolDefinition, Usage};

fn conversation() -> Vec<Message> {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        tool: "execute_code".to_owned(),
        arguments: arguments.to_owned(),
    };
    let result = |call: &str| ToolOutput {
        call: call.to_owned(),
        text: "3".to_owned(),
        is_error: call == "b",
    };
    vec![
        Message::User {
            text: "count".to_owned(),
        },
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a", r#"{"code":"return 3"}"#), call("b", "{broken")],
            opaque: vec![
                json!({ "type": "reasoning", "encrypted_content": "x" }),
                json!({ "type": "reasoning", "id": "kept there" }),
            ],
        },
        Message::Results {
            results: vec![result("a"), result("b")],
        },
        Message::User {
            text: "again".to_owned(),
        },
    ]
}

#[test]
fn each_form_has_the_whole_conversation() {
    let (messages, tool) = (
        conversation(),
        ToolDefinition {
            name: "execute_code".to_owned(),
            description: "Runs.".to_owned(),
            schema: json!({ "type": "object" }).as_object().cloned().unwrap(),
        },
    );
    let request = Request {
        instructions: "be short",
        messages: &messages,
        tools: &[tool],
        wants_reasoning: true,
    };
    let body = Form::ChatCompletions.body("m", &request);
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "tool", "user"]
    );
    let calls = &body["messages"][2]["tool_calls"];
    assert_eq!(calls[0]["function"]["arguments"], r#"{"code":"return 3"}"#);
    assert_eq!(
        calls[1]["function"]["arguments"], "{}",
        "servers refuse what is not JSON"
    );
    assert_eq!(body["tools"][0]["function"]["name"], "execute_code");

    let body = Form::Responses.body("m", &request);
    let kinds: Vec<_> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["type"].as_str().unwrap_or("message"))
        .collect();
    let expected = [
        "message",
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
        "message",
    ];
    assert_eq!(
        kinds, expected,
        "reasoning that the endpoint does not keep is left out"
    );
    let without = Request {
        wants_reasoning: false,
        ..request
    };
    let without = Form::Responses.body("m", &without);
    assert!(!without.to_string().contains("reasoning"), "{without}");
    assert_eq!(
        (&body["store"], &body["include"][0]),
        (&json!(false), &json!("reasoning.encrypted_content"))
    );

    let body = Form::Anthropic.body("m", &request);
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"], "roles alternate");
    let last = body["messages"][2]["content"].as_array().unwrap();
    assert_eq!(
        (&last[0]["tool_use_id"], &last[1]["is_error"]),
        (&json!("a"), &json!(true))
    );
    assert_eq!(
        (&last[2]["text"], &last[2]["cache_control"]["type"]),
        (&json!("again"), &json!("ephemeral"))
    );
    assert!(body["max_tokens"].is_u64());
}

#[test]
fn calls_without_ids_get_some() {
    let mut reply = ReplyBuilder::default();
    reply.call(0, None, Some("execute_code"));
    reply.arguments(0, "{}");
    reply.all_arguments(0, "{\"again\": 1}");
    let reply = reply.finish();
    assert_eq!(
        (
            reply.calls[0].id.as_str(),
            reply.calls[0].arguments.as_str()
        ),
        ("call_0", "{}")
    );
}

/// The answer that these events are, and whether it is whole.
fn read(form: Form, events: &[Value]) -> (Reply, bool) {
    let (mut reply, reader) = (ReplyBuilder::default(), Reader::new(form, None));
    for event in events {
        let data = match event {
            Value::String(data) => data.clone(),
            event => event.to_string(),
        };
        reader.read(&data, &mut reply).unwrap();
    }
    let is_whole = reply.is_whole;
    (reply.finish(), is_whole)
}

#[test]
fn several_calls_may_have_the_same_index() {
    let chunk = |call: Value| json!({ "choices": [{ "delta": { "tool_calls": [call] } }] });
    let call = |id: Option<&str>, name: &str, arguments: &str| {
        let function = json!({ "name": name, "arguments": arguments });
        chunk(json!({ "index": 0, "id": id, "function": function }))
    };
    let calls = |events: &[Value]| {
        let (reply, _) = read(Form::ChatCompletions, events);
        let calls = reply.calls.into_iter();
        let calls: Vec<_> = calls
            .map(|call| format!("{} {} {}", call.id, call.tool, call.arguments))
            .collect();
        calls
    };
    // Another id is another call.
    let two = [
        call(Some("x"), "first", r#"{"a":1}"#),
        call(Some("y"), "second", r#"{"b":"#),
        chunk(json!({ "index": 0, "function": { "arguments": "2}" } })),
    ];
    assert_eq!(calls(&two), [r#"x first {"a":1}"#, r#"y second {"b":2}"#]);
    // So is a name after whole arguments.
    let two = [call(None, "first", "{}"), call(None, "second", "{}")];
    assert_eq!(calls(&two), ["call_0 first {}", "call_1 second {}"]);
    // The same id in each piece is one call, and so is a name in each piece.
    let one = [
        call(Some("x"), "first", r#"{"a""#),
        call(Some("x"), "first", ":1}"),
    ];
    assert_eq!(calls(&one), [r#"x first {"a":1}"#]);
    let one = [call(None, "first", r#"{"a""#), call(None, "first", ":1}")];
    assert_eq!(calls(&one), [r#"call_0 first {"a":1}"#]);
    // One id of two calls would mix up their results.
    let function = json!({ "name": "second", "arguments": "{}" });
    let same = chunk(json!({ "index": 1, "id": "x", "function": function }));
    let two = [call(Some("x"), "first", "{}"), same];
    assert_eq!(calls(&two), ["x first {}", "call_1 second {}"]);
}

#[test]
fn the_end_of_the_events_is_not_the_end_of_each_answer() {
    let text = json!({ "choices": [{ "delta": { "content": "hi" } }] });
    let done = Value::from("[DONE]");
    let (reply, is_whole) = read(Form::ChatCompletions, &[text, done.clone()]);
    assert_eq!((&*reply.text, is_whole), ("hi", true));
    assert!(!read(Form::ChatCompletions, std::slice::from_ref(&done)).1);
    let text = json!({ "type": "response.output_text.delta", "delta": "hi" });
    assert!(!read(Form::Responses, &[text, done.clone()]).1);
    let delta = json!({ "type": "text_delta", "text": "hi" });
    let text = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    assert!(!read(Form::Anthropic, &[text, done]).1);
}

#[test]
fn what_the_cache_has_and_gets_is_counted_in_each_form() {
    let usage = |form, events: &[Value]| read(form, events).0.usage.unwrap();
    let details = json!({ "cached_tokens": 400 });
    let openai = json!({ "choices": [], "usage": {
        "prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": details,
    } });
    let responses = json!({ "type": "response.completed", "response": { "usage": {
        "input_tokens": 1000, "output_tokens": 50, "input_tokens_details": details,
    } } });
    let expected = Usage {
        input: 1000,
        cached: 400,
        written: 0,
        output: 50,
        estimated: false,
    };
    assert_eq!(usage(Form::ChatCompletions, &[openai]), expected);
    assert_eq!(usage(Form::Responses, &[responses]), expected);
    // Anthropic counts what is read from the cache and written to it beside the rest.
    let start = json!({ "type": "message_start", "message": { "usage": {
        "input_tokens": 500, "cache_read_input_tokens": 400,
        "cache_creation_input_tokens": 100, "output_tokens": 1,
    } } });
    let expected = Usage {
        written: 100,
        ..expected
    };
    let end = |usage: Value| json!({ "type": "message_delta", "delta": {}, "usage": usage });
    for last in [
        json!({ "output_tokens": 50 }),
        // A report without the cache's numbers does not take them back.
        json!({ "input_tokens": 500, "output_tokens": 50 }),
        json!({ "input_tokens": 500, "cache_read_input_tokens": 400,
            "cache_creation_input_tokens": 100, "output_tokens": 50 }),
    ] {
        assert_eq!(
            usage(Form::Anthropic, &[start.clone(), end(last)]),
            expected
        );
    }
}
