//! What must hold of streams of events that nobody thought of, in each of the three forms. Tests try
//! some of them in each run.

use std::collections::{BTreeMap, HashSet};
use std::io;

use bytes::Bytes;
use futures::executor::block_on;
use futures::stream;
use serde_json::Value;

use super::address::Form;
use super::error::EndpointError;
use super::forms::Reader;
use super::reply::{Piece, Reply};
use super::request::answer;
use crate::conversation::ToolCall;
use crate::script::{self, Highlighter, PartialScript};

const FORMS: [Form; 3] = [Form::ChatCompletions, Form::Responses, Form::Anthropic];

/// A stream: the answer is the same however its bytes arrive, and the pieces that a person sees are
/// the answer's. The first byte is the form, the rest is the stream. Returns a short
/// description of the outcome.
///
/// # Panics
///
/// Where something of that does not hold.
pub fn stream(data: &[u8]) -> String {
    let Some((first, text)) = data.split_first() else {
        return "nothing".to_owned();
    };
    let form = FORMS[usize::from(*first) % FORMS.len()];
    let (whole, pieces) = read(form, text, usize::MAX);
    for size in [1, 3, 7, 64] {
        let (other, others) = read(form, text, size);
        assert_eq!(whole, other, "in pieces of {size} bytes");
        assert_eq!(pieces, others, "in pieces of {size} bytes");
    }
    match whole {
        Ok(reply) => {
            check_pieces(&reply, &pieces);
            reply.calls.iter().for_each(check_script);
            let usage = reply.usage.map(|usage| usage.total().checked_ilog2());
            format!("{form:?} {} {:?} {usage:?}", reply.calls.len(), reply.stop)
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "{message:?}");
            format!("{form:?} {:?} {message:.24}", error.kind)
        }
    }
}

fn read(form: Form, text: &[u8], size: usize) -> (Result<Reply, EndpointError>, Vec<Piece>) {
    let size = size.min(text.len().max(1));
    let chunks = text.chunks(size).map(Bytes::copy_from_slice);
    let mut pieces = Vec::new();
    let bytes = stream::iter(chunks.map(Ok::<_, io::Error>));
    let reply = block_on(answer(Reader::new(form, None), bytes, &mut |piece| {
        pieces.push(piece)
    }));
    (reply, pieces)
}

/// What a person saw is what the answer has.
fn check_pieces(reply: &Reply, pieces: &[Piece]) {
    let (mut text, mut arguments) = (String::new(), BTreeMap::<&str, String>::new());
    for piece in pieces {
        match piece {
            Piece::Text(more) => text.push_str(more),
            Piece::Call { id, .. } => {
                let before = arguments.insert(id, String::new());
                assert_eq!(before, None, "two calls have the id {id}");
            }
            Piece::Arguments { id, text } => {
                let of_call = arguments.get_mut(id.as_str());
                of_call.expect("a call that began").push_str(text);
            }
            Piece::Usage(_) => {}
            Piece::Retry { .. } => panic!("nothing is sent again here"),
        }
    }
    assert_eq!(text, reply.text);
    let ids: HashSet<&str> = reply.calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids.len(), reply.calls.len(), "two calls have one id");
    for call in &reply.calls {
        assert_eq!(arguments[&*call.id], call.arguments);
        assert!(!call.tool.is_empty());
    }
}

/// The script that a person sees while it is written is the one that runs.
fn check_script(call: &ToolCall) {
    let mut partial = PartialScript::default();
    let whole = PartialScript::default().push(&call.arguments);
    let mut piece = [0; 4];
    let signs = call.arguments.chars();
    let shown: String = signs
        .map(|sign| partial.push(sign.encode_utf8(&mut piece)))
        .collect();
    assert_eq!(shown, whole, "{}", call.arguments);
    let script = ToolCall {
        tool: script::TOOL.to_owned(),
        ..call.clone()
    };
    let Some(script) = script::of_call(&script) else {
        return;
    };
    // Of two of one name, the last one counts, and a person sees both.
    let names = serde_json::from_str::<Value>(&call.arguments);
    let names = names.ok().and_then(|it| it.as_object().map(|it| it.len()));
    let is_plain = !call.arguments.contains("\\u") || names == Some(1);
    if is_plain && call.arguments.matches("\"code\"").count() == 1 {
        assert_eq!(shown, script.code, "{}", call.arguments);
    }
    let mut highlighter = Highlighter::new(script.language.as_deref());
    for line in script.code.lines() {
        let spans = highlighter.line(line);
        let all: String = spans.iter().map(|span| span.text).collect();
        assert_eq!(all, line, "something of the line is lost");
    }
}

#[cfg(test)]
mod tests {
    use ampoule_mutated::Inputs;

    const COMPLETIONS: &[u8] = b"\x00: hi\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a b\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"execute_code\",\"arguments\":\"{\\\"code\\\": \\\"ret\"}}]}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"urn 1\\\\n// x\\\"}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":2}}}\n\ndata: [DONE]\n\n";
    const RESPONSES: &[u8] = b"\x01event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"execute_code\"}}\n\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{\\\"code\\\":\\\"1\\\"}\"}\n\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\ndata: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"execute_code\",\"arguments\":\"{}\"}}\n\ndata: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"x\"}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":4,\"input_tokens_details\":{\"cached_tokens\":1}}}}\n\n";
    const MESSAGES: &[u8] = b"\x02event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":4,\"cache_creation_input_tokens\":5,\"output_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"execute_code\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"partial_json\":\"{\\\"code\\\":\\\"x\\\",\\\"language\\\":\\\"python\\\"}\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":9}}\n\ndata: {\"type\":\"message_stop\"}\n\n";

    #[test]
    fn answers_are_the_same_however_they_arrive() {
        let inputs = Inputs {
            right: &[COMPLETIONS, RESPONSES, MESSAGES],
            words: &[
                "data: ",
                "event: ",
                "\n\n",
                "\r\n",
                "\r",
                ": x\n",
                "id: 1\n",
                "retry: 1\n",
                "[DONE]",
                "{\"error\":{\"message\":\"x\",\"type\":\"rate_limit\"}}",
                "\"index\":1",
                "\"index\":0",
                "\"id\":\"c1\"",
                "\"name\":\"\"",
                "18446744073709551615",
                "\\\"code\\\":",
                "\\\\u00e9",
                "\\\\ud83d",
                "\"finish_reason\":\"length\"",
                "\"stop_reason\":\"refusal\"",
                "\"type\":\"error\"",
                "null",
                "[]",
                "\"output_index\":1",
            ],
            cases: 3_000,
        };
        inputs.tried(super::stream);
    }
}
