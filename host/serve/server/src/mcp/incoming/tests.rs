use super::*;

const MOST: usize = 16 << 20;

/// What follows from each message of a line.
fn read(text: impl AsRef<[u8]>) -> Vec<String> {
    let told = |message| match message {
        Message::Request(request) => format!("{} {}", request.id, request.request.method()),
        Message::Cancelled(cancelled) => format!("cancel {:?}", cancelled.params.request_id),
        Message::Answer(answer) => format!("{answer:?}"),
        Message::Refused(refusal) => {
            let id = refusal
                .id
                .map_or("null".to_owned(), |id| id.get().to_owned());
            format!("{} {id}: {}", refusal.code.0, refusal.message)
        }
    };
    line(text.as_ref(), MOST).into_iter().map(told).collect()
}

#[test]
fn requests_are_read_and_what_nobody_waits_for_is_not() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "1 ping"),
        (
            "\u{feff} {\"method\":\"tools/list\",\"params\":{},\"jsonrpc\":\"2.0\",\"id\":\"1\"}\r",
            "1 tools/list",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"x"}}"#,
            "1 tools/call",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#,
            "",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
            "cancel Some(Number(3))",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, ""),
        (
            r#"{"jsonrpc":"2.0","id":"ampoule-2","result":null}"#,
            r#"ClientReply { id: "ampoule-2", body: Ok(RawValue(null)) }"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"ampoule-2","result":{}}"#,
            r#"ClientReply { id: "ampoule-2", body: Ok(RawValue({})) }"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
            "",
        ),
        ("", ""),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).join("|"), expected, "{text}");
    }
}

#[test]
fn what_can_not_be_done_is_refused_under_its_id() {
    let cases = [
        ("hello", "-32700 null: the message is not JSON"),
        ("42", "-32600 null: a message is a JSON object"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping""#,
            "-32700 5: the message is not JSON",
        ),
        (
            r#"{"method":"tools/call","params":{nonsense},"id":"five","jsonrpc":"2.0"}"#,
            r#"-32700 "five": "#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":5}"#,
            "-32600 5: a request needs `method`",
        ),
        (
            r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#,
            "-32600 5: `jsonrpc` must be",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}"#,
            "-32600 5: the message is not a request: duplicate field `id`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#,
            "-32600 18446744073709551615: an id is",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "-32600 null: an id is",
        ),
        (
            r#"{"jsonrpc":"2.0","id":[5],"method":"ping"}"#,
            "-32600 null: an id is",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"prompts/set"}"#,
            "-32601 5: unknown method `prompts/set`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"notifications/initialized"}"#,
            "-32601 5: ",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call"}"#,
            "-32602 5: `tools/call` takes `name`, the name of a tool, and `arguments`, an object: missing field `params`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}"#,
            "-32602 5: `tools/call` takes `name`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":[1]}}"#,
            "-32602 5: `tools/call` takes",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}"#,
            "-32602 5: `initialize` takes",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            "-32601 5: `initialize` was removed in 2026-07-28",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            "-32601 5: `logging/setLevel` was removed in 2026-07-28",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a:b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            "-32601 5: `resources/subscribe` was removed in 2026-07-28: send `subscriptions/listen`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"a:b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            "-32601 5: `resources/unsubscribe` was removed in 2026-07-28: end the request `subscriptions/listen`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            "-32601 5: `ping` was removed in 2026-07-28: send `server/discover`",
        ),
        (
            "[]",
            "-32600 null: a batch has 1 to 1000 messages, and this one has 0",
        ),
        (r#"[{"id":1"#, "-32700 null: "),
    ];
    for (text, expected) in cases {
        let refused = read(text);
        assert_eq!(refused.len(), 1, "{text}: {refused:?}");
        assert!(refused[0].starts_with(expected), "{text}: {refused:?}");
    }
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#,
        "x".repeat(MAX_ID_BYTES)
    );
    assert!(read(long)[0].ends_with("xx\": an id has at most 256 bytes"));
    let hidden = read("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\u{202e}x\"}");
    assert!(hidden[0].contains(r"`\u{202e}x`"), "{hidden:?}");
    assert_eq!(read(format!("[{}1]", "1,".repeat(2000))).len(), 1);
}

#[test]
fn each_message_of_a_batch_is_read_by_itself() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},7,{"jsonrpc":"2.0","id":2,"method":"x"}]"#;
    let read = read(batch);
    assert_eq!((read.len(), read[0].as_str()), (3, "1 ping"), "{read:?}");
    assert!(
        read[1].starts_with("-32600 null: ") && read[2].starts_with("-32601 2: "),
        "{read:?}"
    );
}

#[test]
fn halves_of_characters_and_other_bytes_are_mended() {
    for broken in [&b"\\ud800"[..], b"\xff", b"\xed\xa0\x80", b"\\udc00\\ud800"] {
        let text = [
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"return '"#,
            broken,
            br#"'"}}}"#,
        ];
        let messages = line(&text.concat(), MOST);
        let [Message::Request(read)] = &messages[..] else {
            panic!("{messages:?}");
        };
        let said = serde_json::to_string(&read.request).unwrap();
        assert!(said.contains('\u{fffd}'), "{said}");
    }
}

#[test]
fn depth_and_very_many_values_are_refused_and_what_is_just_below_is_not() {
    let nested = |deep: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{{"a":{}{}}}}}}}"#,
            "[".repeat(deep),
            "]".repeat(deep)
        )
    };
    assert_eq!(read(nested(MOST_DEPTH - 3)), ["1 tools/call"]);
    for deep in [MOST_DEPTH - 2, 1_000_000] {
        let refused = read(nested(deep));
        assert!(
            refused[0].starts_with("-32602 1: the message is nested more than 127 deep"),
            "{refused:?}"
        );
    }
    let many = |count: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{{"a":[{}0]}}}}}}"#,
            "[0],".repeat(count)
        )
    };
    let refused = read(many(2_000_000));
    assert!(
        refused[0].starts_with("-32600 1: the message takes "),
        "{refused:?}"
    );
    // Those of a batch are held at the same time.
    let batch = read(format!("[{}]", vec![many(150_000); 3].join(",")));
    assert_eq!(batch[0], "1 tools/call");
    assert!(
        batch[1..]
            .iter()
            .all(|refused| refused.starts_with("-32600 1: the message takes ")),
        "{batch:?}"
    );
}

#[test]
fn a_line_too_long_is_refused_under_its_id() {
    let refusal =
        |head: &str, tail: &str| match too_long(head.as_bytes(), tail.as_bytes(), 17 << 20, MOST) {
            Some(Message::Refused(refusal)) => {
                let id = refusal.id.map(|id| id.get().to_owned());
                format!("{id:?} {}", refusal.message)
            }
            other => format!("{other:?}"),
        };
    let said = refusal(r#"{"method":"tools/call","params":{"#, r#"x"}},"id":5}"#);
    assert!(
        said.starts_with(r#"Some("5") the message has 17 MiB; the limit is 16 MiB"#),
        "{said}"
    );
    assert!(
        refusal("{\"method\":\"tools/call\",\"params\":{", "xxx").starts_with("None the message")
    );
    assert_eq!(
        refusal(r#"{"method":"notifications/progress","params":{"#, "xxx"),
        "None"
    );
    assert_eq!(refusal(r#"{"id":5,"result":{"#, "xxx"), "None");
}
