//! OpenAI's responses: `POST /v1/responses`.

use serde_json::{Value, json};

use super::{EventResult, object};
use crate::conversation::Message;
use crate::endpoint::inquiry::{Request, ToolDefinition};
use crate::endpoint::reply::{ReplyBuilder, Stop, Usage};

pub(super) fn body(model: &str, request: &Request<'_>) -> Value {
    let mut input = Vec::new();
    for message in request.messages {
        match message {
            Message::User { text } => input.push(json!({ "role": "user", "content": text })),
            Message::Assistant { text, calls, opaque } => {
                // Reasoning belongs to what follows it.
                let is_wanted = request.wants_reasoning && !(text.is_empty() && calls.is_empty());
                let reasoning = opaque.iter().filter(|item| is_wanted && is_readable(item));
                input.extend(reasoning.cloned());
                if !text.is_empty() {
                    input.push(json!({ "role": "assistant", "content": text }));
                }
                input.extend(calls.iter().map(|call| {
                    let arguments = Value::Object(object(&call.arguments)).to_string();
                    json!({ "type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments })
                }));
            }
            Message::Results { results } => input.extend(results.iter().map(|result| {
                json!({ "type": "function_call_output", "call_id": result.call, "output": result.text })
            })),
        }
    }
    let mut body = json!({
        "model": model,
        "instructions": request.instructions,
        "input": input,
        "stream": true,
        // Nothing is kept there; reasoning comes back encrypted, for models that have any.
        "store": false,
    });
    if request.wants_reasoning {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    body
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": false,
    })
}

pub(super) fn read(event: &Value, reply: &mut ReplyBuilder) -> EventResult {
    let place = event["output_index"].as_u64().unwrap_or_default();
    let delta = event["delta"].as_str().unwrap_or_default();
    match event["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => reply.text(delta),
        "response.function_call_arguments.delta" => reply.arguments(place, delta),
        "response.output_item.added" => begin(&event["item"], place, reply),
        "response.output_item.done" => {
            let item = &event["item"];
            begin(item, place, reply);
            match item["type"].as_str() {
                Some("function_call") => {
                    let arguments = item["arguments"].as_str().unwrap_or_default();
                    reply.all_arguments(place, arguments);
                }
                Some("reasoning") => reply.opaque.push(item.clone()),
                _ => {}
            }
        }
        "response.completed" => end(&event["response"], Stop::Finished, reply),
        "response.incomplete" => {
            let reason = &event["response"]["incomplete_details"]["reason"];
            let stop = match reason.as_str() {
                Some("content_filter") => Stop::Refused,
                _ => Stop::Length,
            };
            end(&event["response"], stop, reply);
        }
        "response.failed" => return Err(event["response"]["error"].clone()),
        "error" => {
            let error = match event["error"].is_object() {
                true => &event["error"],
                false => event,
            };
            return Err(error.clone());
        }
        _ => {}
    }
    Ok(())
}

/// Whether the endpoint can read an item that it gave and did not keep.
fn is_readable(item: &Value) -> bool {
    item["type"] == "reasoning" && item["encrypted_content"].is_string()
}

fn begin(item: &Value, place: u64, reply: &mut ReplyBuilder) {
    if item["type"] == "function_call" {
        let id = item["call_id"].as_str().or(item["id"].as_str());
        reply.call(place, id, item["name"].as_str());
    }
}

fn end(response: &Value, stop: Stop, reply: &mut ReplyBuilder) {
    let usage = &response["usage"];
    if let Some(input) = usage["input_tokens"].as_u64() {
        let cached = usage["input_tokens_details"]["cached_tokens"].as_u64();
        reply.count(Usage {
            input,
            cached: cached.unwrap_or_default(),
            output: usage["output_tokens"].as_u64().unwrap_or_default(),
            ..Usage::default()
        });
    }
    reply.stop = Some(stop);
    reply.is_whole = true;
}
