//! Streams of endpoints that are unlike those of the companies: where they end, how they number calls,
//! and what is counted of them.

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::model::{ModelReply, ModelServer, StreamEnd, script};
use serde_json::{Value, json};

use super::{arguments, chat, events, first};

fn stream(events: &[Value], end: StreamEnd) -> ModelReply {
    let data = |event: &Value| match event {
        Value::String(data) => data.clone(),
        event => event.to_string(),
    };
    ModelReply::Events(events.iter().map(data).collect(), end)
}

fn chunk(delta: Value, reason: Option<&str>) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
}

fn says(text: &str) -> ModelReply {
    ModelReply::Says(text.to_owned())
}

/// The events of a chat with these answers.
async fn talk(replies: Vec<ModelReply>, form: &str, more: &[&str]) -> (Vec<Value>, ModelServer) {
    let (workplace, model) = (Workplace::default(), ModelServer::playing(replies).await);
    let mut arguments = vec!["-p", "hello", "--json"];
    arguments.extend(more);
    let ran = chat(&workplace, &model, form, &arguments).await;
    (events(&ran), model)
}

#[tokio::test]
async fn an_answer_ends_where_its_events_do_though_the_connection_stays() {
    let answer = [
        chunk(json!({ "content": "whole" }), None),
        chunk(json!({}), Some("stop")),
        "[DONE]".into(),
    ];
    let (events, model) = talk(vec![stream(&answer, StreamEnd::Silent)], "openai", &[]).await;
    let end = first(&events, "end");
    assert_eq!(
        (&end["ending"], &end["text"]),
        (&json!("answered"), &json!("whole"))
    );
    assert_eq!(model.requests().await.len(), 1);
}

#[tokio::test]
async fn a_whole_answer_is_taken_though_the_connection_breaks_after_it() {
    let answer = [
        chunk(json!({ "content": "whole" }), None),
        chunk(json!({}), Some("stop")),
    ];
    let (events, model) = talk(vec![stream(&answer, StreamEnd::Broken)], "openai", &[]).await;
    assert_eq!(first(&events, "end")["text"], "whole");
    assert_eq!(model.requests().await.len(), 1);
    // Without a reason for its end, it is not whole.
    let (events, model) = talk(
        vec![stream(&answer[..1], StreamEnd::Broken), says("again")],
        "openai",
        &[],
    )
    .await;
    assert_eq!(first(&events, "end")["text"], "again");
    assert_eq!(model.requests().await.len(), 2);
}

#[tokio::test]
async fn an_answer_that_is_cut_ends_with_an_exit_code_of_its_own() {
    let openai = [
        chunk(json!({ "content": "half of" }), None),
        chunk(json!({}), Some("length")),
        "[DONE]".into(),
    ];
    let responses = [
        json!({ "type": "response.output_text.delta", "output_index": 0, "delta": "half of" }),
        json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": "max_output_tokens" } } }),
    ];
    let delta = json!({ "type": "text_delta", "text": "half of" });
    let anthropic = [
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } }),
        json!({ "type": "message_stop" }),
    ];
    for (form, answer) in [
        ("openai", &openai[..]),
        ("responses", &responses[..]),
        ("anthropic", &anthropic[..]),
    ] {
        let reply = stream(answer, StreamEnd::Closed);
        let (workplace, model) = (Workplace::default(), ModelServer::playing([reply]).await);
        let ran = chat(&workplace, &model, form, &["-p", "hello"]).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(3), "half of\n"),
            "{form}: {ran:?}"
        );
        assert!(ran.stderr.contains("the answer is cut"), "{form}: {ran:?}");
        let ran = chat(&workplace, &model, form, &["-p", "hello", "--json"]).await;
        assert_eq!(ran.code, Some(3), "{form}: {ran:?}");
        assert_eq!(first(&events(&ran), "end")["ending"], "cut", "{form}");
    }
}

#[tokio::test]
async fn a_call_that_is_cut_before_its_arguments_is_not_made() {
    let function = json!({ "name": "execute_code", "arguments": "" });
    let answer = [
        chunk(
            json!({ "tool_calls": [{ "index": 0, "id": "a", "function": function }] }),
            None,
        ),
        chunk(json!({}), Some("length")),
    ];
    let (events, model) = talk(
        vec![stream(&answer, StreamEnd::Closed), says("shorter")],
        "openai",
        &[],
    )
    .await;
    assert!(
        events.iter().all(|event| event["type"] != "call"),
        "{events:?}"
    );
    let told = model.requests().await[1].last_text();
    assert!(told.contains("the call was cut"), "{told}");
}

#[tokio::test]
async fn calls_with_the_same_index_are_all_made() {
    let call = |id: &str, code: &str| {
        let (name, arguments) = script(code, "typescript");
        let function = json!({ "name": name, "arguments": arguments });
        chunk(
            json!({ "tool_calls": [{ "index": 0, "id": id, "function": function }] }),
            None,
        )
    };
    let answer = [
        call("a", "return 'first'"),
        call("b", "return 'second'"),
        chunk(json!({}), Some("tool_calls")),
        "[DONE]".into(),
    ];
    let (events, _) = talk(
        vec![stream(&answer, StreamEnd::Closed), says("both")],
        "openai",
        &[],
    )
    .await;
    let results = events.iter().filter(|event| event["type"] == "result");
    let results: Vec<_> = results
        .map(|result| {
            (
                result["call"].as_str().unwrap(),
                result["text"].as_str().unwrap(),
            )
        })
        .collect();
    let [("a", first), ("b", second)] = results[..] else {
        panic!("{results:?}");
    };
    assert!(
        first.contains("first") && second.contains("second"),
        "{results:?}"
    );
}

#[tokio::test]
async fn requests_that_are_sent_again_count() {
    let fails = || {
        ModelReply::Status(
            503,
            vec![("Retry-After".to_owned(), "0".to_owned())],
            String::new(),
        )
    };
    let (events, _) = talk(vec![fails(), fails(), says("at last")], "openai", &[]).await;
    let end = first(&events, "end");
    assert_eq!(
        (&end["steps"], &end["text"]),
        (&json!(3), &json!("at last"))
    );
    // No more requests are sent than the bound allows.
    let (events, model) = talk(
        vec![fails(), fails(), says("late")],
        "openai",
        &["--steps", "2"],
    )
    .await;
    assert_eq!(model.requests().await.len(), 2);
    let end = first(&events, "end");
    assert_eq!(
        (&end["ending"], &end["steps"]),
        (&json!("failed"), &json!(2))
    );
}

#[tokio::test]
async fn the_tokens_of_an_answer_that_breaks_off_count() {
    for form in ["openai", "anthropic"] {
        let broken = ModelReply::Breaks("x".repeat(4000));
        let (events, _) = talk(vec![broken, says("whole")], form, &[]).await;
        let usage = &first(&events, "end")["usage"];
        let (input, output) = (
            usage["input"].as_u64().unwrap(),
            usage["output"].as_u64().unwrap(),
        );
        assert!(input > 1000, "{form}: {usage}");
        assert_eq!(output, 1000 + 50, "{form}: {usage}");
        assert_eq!(usage["estimated"], true, "{form}");
    }
}

#[tokio::test]
async fn a_model_without_reasoning_is_not_asked_for_it_again() {
    let refusal =
        r#"{"error": {"message": "Encrypted content is not supported with this model."}}"#;
    let replies = vec![
        ModelReply::Status(400, Vec::new(), refusal.to_owned()),
        ModelReply::Calls(String::new(), vec![script("return 1", "typescript")]),
        says("1"),
    ];
    let (events, model) = talk(replies, "responses", &[]).await;
    assert_eq!(first(&events, "end")["steps"], 3);
    let requests = model.requests().await;
    let wants = |place: usize| requests[place].body.to_string().contains("encrypted");
    assert_eq!([0, 1, 2].map(wants), [true, false, false]);
    // The same words in another failure say nothing of reasoning.
    let failing = ModelReply::Status(
        500,
        vec![("Retry-After".to_owned(), "0".to_owned())],
        refusal.to_owned(),
    );
    let (_, model) = talk(vec![failing, says("hi")], "responses", &[]).await;
    let requests = model.requests().await;
    assert!(requests[1].body.to_string().contains("encrypted"));
}

#[tokio::test]
async fn no_proxy_gets_what_is_for_this_machine() {
    let model = ModelServer::playing([says("direct")]).await;
    let (workplace, address) = (Workplace::default(), model.address("openai"));
    let mut command = workplace.command(binary(), &arguments(&address, &["-p", "hello"]));
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:1");
    }
    command
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .env("AMPOULE_MODEL_KEY", "key");
    let ran = ended(command).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "direct\n"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn what_a_task_costs_is_right_in_each_form() {
    let prices = "{ input = '1', cached = '0.5', cache-write = '2', output = '2' }";
    // 400 of 1000 tokens are from the cache, and 50 are written; Anthropic writes 100 to its cache.
    for (form, cost) in [
        ("openai", 0.0009),
        ("responses", 0.0009),
        ("anthropic", 0.001),
    ] {
        let forever = ModelReply::Calls(String::new(), vec![script("return 1", "typescript")]);
        let (workplace, model) = (Workplace::default(), ModelServer::playing([forever]).await);
        workplace.file("ampoule.toml", format!("[chat]\nprices = {prices}\n"));
        let more = ["-p", "hello", "--json", "--cost", "0.0015"];
        let ran = chat(&workplace, &model, form, &more).await;
        assert_eq!(ran.code, Some(3), "{form}: {ran:?}");
        let events = events(&ran);
        let end = first(&events, "end");
        assert_eq!(
            (&end["bound"], &end["steps"]),
            (&json!("cost"), &json!(2)),
            "{form}"
        );
        let spent = end["cost"].as_f64().unwrap();
        assert!((spent - 2.0 * cost).abs() < 1e-9, "{form}: {spent}");
    }
}
