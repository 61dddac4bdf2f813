//! OpenAI's chat completions: `POST /v1/chat/completions`.

use serde_json::{Value, json};

use super::{EventResult, object};
use crate::conversation::Message;
use crate::endpoint::inquiry::{Request, ToolDefinition};
use crate::endpoint::reply::{ReplyBuilder, Stop, Usage};

pub(super) fn body(model: &str, request: &Request<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": request.instructions })];
    for message in request.messages {
        match message {
            Message::User { text } => messages.push(json!({ "role": "user", "content": text })),
            Message::Assistant { text, calls, .. } => {
                let mut said = json!({ "role": "assistant" });
                if !text.is_empty() || calls.is_empty() {
                    said["content"] = text.as_str().into();
                }
                if !calls.is_empty() {
                    let calls = calls.iter().map(|call| {
                        // Some servers refuse a conversation in which these are not JSON.
                        let arguments = Value::Object(object(&call.arguments)).to_string();
                        let function = json!({ "name": call.tool, "arguments": arguments });
                        json!({ "id": call.id, "type": "function", "function": function })
                    });
                    said["tool_calls"] = calls.collect();
                }
                messages.push(said);
            }
            Message::Results { results } => messages.extend(results.iter().map(|result| {
                json!({ "role": "tool", "tool_call_id": result.call, "content": result.text })
            })),
        }
    }
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    body
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
    })
}

pub(super) fn read(event: &Value, reply: &mut ReplyBuilder) -> EventResult {
    match &event["error"] {
        Value::Null => {}
        Value::String(message) => return Err(json!({ "message": message })),
        error => return Err(error.clone()),
    }
    let usage = &event["usage"];
    if let Some(input) = usage["prompt_tokens"].as_u64() {
        let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
        reply.count(Usage {
            input,
            cached: cached.unwrap_or_default(),
            output: usage["completion_tokens"].as_u64().unwrap_or_default(),
            ..Usage::default()
        });
    }
    let choice = &event["choices"][0];
    let delta = &choice["delta"];
    for name in ["content", "refusal"] {
        reply.text(delta[name].as_str().unwrap_or_default());
    }
    for (place, call) in delta["tool_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let place = call["index"].as_u64().unwrap_or(place as u64);
        let function = &call["function"];
        reply.call(place, call["id"].as_str(), function["name"].as_str());
        // Some servers give the arguments as an object.
        match &function["arguments"] {
            Value::Object(arguments) => reply.all_arguments(place, &json!(arguments).to_string()),
            arguments => reply.arguments(place, arguments.as_str().unwrap_or_default()),
        }
    }
    if let Some(reason) = choice["finish_reason"].as_str() {
        reply.is_whole = true;
        reply.stop = Some(match reason {
            "length" => Stop::Length,
            "content_filter" => Stop::Refused,
            _ => Stop::Finished,
        });
    }
    Ok(())
}
