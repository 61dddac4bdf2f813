use std::hint::black_box;

use ampoule_linear::assert_linear;

use super::*;

#[test]
fn ids_are_found_at_the_edges() {
    let answer = Trace::Answer;
    let cases = [
        (
            r#"{"jsonrpc":"2.0","id":12,"result":{"content":[{"id":99"#,
            "",
            answer(12),
        ),
        (
            r#"{"jsonrpc":"2.0", "id" : "12" ,"result":"#,
            "",
            answer(12),
        ),
        (
            r#"{"result":{"id":99,"s":"\"id\":98"#,
            r#"x"}},"id":12,"jsonrpc":"2.0"}"#,
            answer(12),
        ),
        (
            r#"{"result":{"rows":["#,
            r#"{"id":97}],"id":98},"id":12}"#,
            answer(12),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":3,"#,
            r#""id":3}}"#,
            Trace::ServerMessage,
        ),
        (r#"{"result":{"rows":["#, r#"{"id":97}]}}"#, Trace::Unknown),
        (r#"{"id":1"#, r#"x"#, Trace::Unknown),
    ];
    for (head, tail, expected) in cases {
        assert_eq!(
            trace(head.as_bytes(), tail.as_bytes()),
            expected,
            "{head} … {tail}"
        );
    }
}

#[test]
fn what_a_client_sent_is_told_from_the_edges() {
    let told = |head: &str, tail: &str| {
        let edges = look(head.as_bytes(), tail.as_bytes());
        let id = edges.id.map(|id| id.get().to_owned());
        (
            id.unwrap_or_default(),
            edges.method.unwrap_or_default(),
            edges.answers,
        )
    };
    let cases = [
        (
            r#"{"id":7,"method":"tools/call","params":{"a":"#,
            "",
            ("7", "tools/call", false),
        ),
        (
            r#"{"method":"tools/call","params":{"id":3,"#,
            r#""x"},"jsonrpc":"2.0","id":"a,b"}"#,
            (r#""a,b""#, "tools/call", false),
        ),
        (
            r#"{"id": "a}b" ,"method":"ping""#,
            "",
            (r#""a}b""#, "ping", false),
        ),
        (
            r#"{"id":18446744073709551615,"x"#,
            "",
            ("18446744073709551615", "", false),
        ),
        (
            r#"{"id":7,"result":{"id":9"#,
            r#""id":9}}"#,
            ("7", "", true),
        ),
        (
            r#"{"method":"notifications/x","params":{"id":9"#,
            r#""id":9}}"#,
            ("", "notifications/x", false),
        ),
        (r#"{"id":{"a":1},"method":"x","#, "", ("", "x", false)),
        (r#"{"id":x"id":7,"method":"x","#, "", ("7", "x", false)),
        ("[info] listening", "", ("", "", false)),
    ];
    for (head, tail, (id, method, answers)) in cases {
        assert_eq!(
            told(head, tail),
            (id.to_owned(), method.to_owned(), answers),
            "{head} … {tail}"
        );
    }
}

#[test]
fn a_message_is_looked_through_once_whatever_its_names_are() {
    let texts = [
        r#""id":x"#,
        r#""method":x"#,
        r#""id":"","#,
        r#""id":"\""#,
        "\"id\":  \n",
        r#"{"id":[]}"#,
    ];
    for text in texts {
        assert_linear(
            &format!("many times {text}"),
            4_000,
            |size| format!("{{{}", text.repeat(size)).into_bytes(),
            |message| {
                let tail = &message[message.len().saturating_sub(4096)..];
                black_box((look(message, tail), trace(message, tail)));
            },
        );
    }
}
