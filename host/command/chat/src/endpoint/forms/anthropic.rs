//! Anthropic's messages: `POST /v1/messages`.

use serde_json::{Value, json};

use super::{EventResult, object};
use crate::conversation::Message;
use crate::endpoint::inquiry::{Request, ToolDefinition};
use crate::endpoint::reply::{ReplyBuilder, Stop, Usage};

/// How long an answer may be, which the form asks for; all current models write as much.
const MAX_TOKENS: u64 = 8192;

pub(super) fn body(model: &str, request: &Request<'_>) -> Value {
    let mut messages = Vec::new();
    for message in request.messages {
        match message {
            Message::User { text } => messages.push(said("user", vec![block(text)])),
            Message::Assistant { text, calls, .. } => {
                let mut blocks = Vec::new();
                if !text.trim().is_empty() || calls.is_empty() {
                    blocks.push(block(text));
                }
                blocks.extend(calls.iter().map(|call| {
                    json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": object(&call.arguments) })
                }));
                messages.push(said("assistant", blocks));
            }
            Message::Results { results } => {
                let blocks = results.iter().map(|result| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": result.call,
                        "content": result.text,
                        "is_error": result.is_error,
                    })
                });
                messages.push(said("user", blocks.collect()));
            }
        }
    }
    let mut messages = joined(messages);
    // What was read once is read from the endpoint's cache from then on.
    if let Some(last) = messages
        .last_mut()
        .and_then(|last| last["content"].as_array_mut())
        && let Some(block) = last.last_mut()
    {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    let mut body = json!({
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": [{ "type": "text", "text": request.instructions, "cache_control": { "type": "ephemeral" } }],
        "messages": messages,
        "stream": true,
    });
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    body
}

fn said(role: &str, blocks: Vec<Value>) -> Value {
    json!({ "role": role, "content": blocks })
}

/// The form has no empty text.
fn block(text: &str) -> Value {
    let text = match text.trim().is_empty() {
        true => "(nothing)",
        false => text,
    };
    json!({ "type": "text", "text": text })
}

/// Messages of one role that follow each other become one.
fn joined(messages: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for mut message in messages {
        match all
            .last_mut()
            .filter(|last| last["role"] == message["role"])
        {
            Some(last) => {
                let more = message["content"].as_array_mut().map(std::mem::take);
                if let Some(blocks) = last["content"].as_array_mut() {
                    blocks.extend(more.unwrap_or_default());
                }
            }
            None => all.push(message),
        }
    }
    all
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

pub(super) fn read(event: &Value, reply: &mut ReplyBuilder) -> EventResult {
    let place = event["index"].as_u64().unwrap_or_default();
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => count(&event["message"]["usage"], reply),
        "content_block_start" => {
            let block = &event["content_block"];
            reply.text(block["text"].as_str().unwrap_or_default());
            if block["type"] == "tool_use" {
                reply.call(place, block["id"].as_str(), block["name"].as_str());
            }
        }
        "content_block_delta" => {
            let delta = &event["delta"];
            reply.text(delta["text"].as_str().unwrap_or_default());
            reply.arguments(place, delta["partial_json"].as_str().unwrap_or_default());
        }
        "message_delta" => {
            count(&event["usage"], reply);
            reply.stop = event["delta"]["stop_reason"]
                .as_str()
                .map(|reason| match reason {
                    "max_tokens" | "model_context_window_exceeded" => Stop::Length,
                    "refusal" => Stop::Refused,
                    _ => Stop::Finished,
                });
        }
        "message_stop" => reply.is_whole = true,
        "error" => return Err(event["error"].clone()),
        // Signs of life, and what later versions add.
        _ => {}
    }
    Ok(())
}

/// What was used so far. A later report may have some of the numbers alone.
fn count(usage: &Value, reply: &mut ReplyBuilder) {
    if usage.is_null() {
        return;
    }
    let known = reply.usage.unwrap_or_default();
    let number = |name: &str, before: u64| usage[name].as_u64().unwrap_or(before);
    let fresh = known
        .input
        .saturating_sub(known.cached)
        .saturating_sub(known.written);
    let fresh = number("input_tokens", fresh);
    let cached = number("cache_read_input_tokens", known.cached);
    let written = number("cache_creation_input_tokens", known.written);
    reply.count(Usage {
        input: fresh.saturating_add(cached).saturating_add(written),
        cached,
        written,
        output: number("output_tokens", known.output),
        estimated: false,
    });
}
