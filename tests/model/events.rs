//! What a model says, as the events of each form.

use serde_json::{Value, json};

/// The events without those that end an answer.
pub(super) fn beginning(mut events: Vec<Value>) -> Vec<Value> {
    let is_text = |event: &Value| {
        let text = [
            &event["choices"][0]["delta"]["content"],
            &event["delta"],
            &event["delta"]["text"],
        ];
        text.into_iter().any(Value::is_string)
    };
    let last = events.iter().rposition(is_text).map_or(0, |last| last + 1);
    events.truncate(last);
    events
}

/// The events of an answer, in the form of the path.
pub(super) fn answer(path: &str, text: &str, calls: &[(String, String)]) -> Vec<Value> {
    match path {
        path if path.ends_with("/chat/completions") => chat_completions(text, calls),
        path if path.ends_with("/responses") => responses(text, calls),
        _ => anthropic(text, calls),
    }
}

/// A text in pieces of a few characters.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(5)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn chat_completions(text: &str, calls: &[(String, String)]) -> Vec<Value> {
    let chunk = |delta: Value, reason: Value| json!({ "id": "c", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let mut events = vec![chunk(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    )];
    events.extend(
        pieces(text)
            .iter()
            .map(|piece| chunk(json!({ "content": piece }), Value::Null)),
    );
    for (place, (tool, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{place}_{}", arguments.len());
        let begin = json!({ "index": place, "id": id, "type": "function", "function": { "name": tool, "arguments": "" } });
        events.push(chunk(json!({ "tool_calls": [begin] }), Value::Null));
        events.extend(pieces(arguments).iter().map(|piece| {
            let more = json!({ "index": place, "function": { "arguments": piece } });
            chunk(json!({ "tool_calls": [more] }), Value::Null)
        }));
    }
    let reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    events.push(chunk(json!({}), json!(reason)));
    events.push(json!({
        "choices": [],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 400 } },
    }));
    events
}

fn responses(text: &str, calls: &[(String, String)]) -> Vec<Value> {
    let mut events = vec![json!({ "type": "response.created", "response": { "id": "r" } })];
    let reasoning =
        json!({ "type": "reasoning", "id": "rs", "encrypted_content": "sealed", "summary": [] });
    events
        .push(json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }));
    events.extend(pieces(text).iter().map(
        |piece| json!({ "type": "response.output_text.delta", "output_index": 1, "delta": piece }),
    ));
    for (place, (tool, arguments)) in calls.iter().enumerate() {
        let place = place + 2;
        let id = format!("call_{place}_{}", arguments.len());
        let item = json!({ "type": "function_call", "id": "fc", "call_id": id, "name": tool, "arguments": "" });
        events.push(
            json!({ "type": "response.output_item.added", "output_index": place, "item": item }),
        );
        events.extend(pieces(arguments).iter().map(|piece| {
            json!({ "type": "response.function_call_arguments.delta", "output_index": place, "delta": piece })
        }));
        let item = json!({ "type": "function_call", "id": "fc", "call_id": id, "name": tool, "arguments": arguments });
        events.push(
            json!({ "type": "response.output_item.done", "output_index": place, "item": item }),
        );
    }
    events.push(json!({ "type": "response.completed", "response": { "usage": { "input_tokens": 1000, "output_tokens": 50, "input_tokens_details": { "cached_tokens": 400 } } } }));
    events
}

fn anthropic(text: &str, calls: &[(String, String)]) -> Vec<Value> {
    let usage = json!({ "input_tokens": 500, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 100, "output_tokens": 1 });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "usage": usage } }),
        json!({ "type": "ping" }),
    ];
    if !text.is_empty() {
        let block = json!({ "type": "text", "text": "" });
        events.push(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
        events.extend(pieces(text).iter().map(|piece| {
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": piece } })
        }));
        events.push(json!({ "type": "content_block_stop", "index": 0 }));
    }
    for (place, (tool, arguments)) in calls.iter().enumerate() {
        let index = place + 1;
        let id = format!("toolu_{place}_{}", arguments.len());
        let block = json!({ "type": "tool_use", "id": id, "name": tool, "input": {} });
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.extend(pieces(arguments).iter().map(|piece| {
            json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": piece } })
        }));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let reason = if calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 50 } }));
    events.push(json!({ "type": "message_stop" }));
    events
}
