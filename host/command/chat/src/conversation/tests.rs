use super::*;

fn turn(number: usize, long: &str) -> Vec<Message> {
    let id = format!("call-{number}");
    let arguments = serde_json::json!({ "code": long, "session": "s" }).to_string();
    vec![
        Message::User {
            text: format!("task {number}"),
        },
        Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall {
                id: id.clone(),
                tool: "execute_code".to_owned(),
                arguments,
            }],
            opaque: vec![Value::Null],
        },
        Message::Results {
            results: vec![ToolOutput {
                call: id,
                text: long.to_owned(),
                is_error: false,
            }],
        },
        Message::Assistant {
            text: format!("done {number}"),
            calls: vec![],
            opaque: vec![],
        },
    ]
}

#[test]
fn a_long_conversation_loses_middles_then_old_tasks_and_never_the_last_task() {
    let long = "ü".repeat(5000);
    let mut conversation = Conversation::default();
    for number in 0..4 {
        conversation.messages.extend(turn(number, &long));
    }
    conversation.messages.push(Message::User {
        text: "last".to_owned(),
    });
    let before = conversation.bytes();
    assert!(matches!(conversation.shorten(), Some(Shortening::Middles(bytes)) if bytes > 70_000));
    assert!(
        conversation.bytes() < before / 10,
        "{}",
        conversation.bytes()
    );
    for call in conversation.calls() {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(arguments["session"], "s");
    }
    assert_eq!(conversation.shorten(), Some(Shortening::Messages(8)));
    assert_eq!(
        conversation.messages[0],
        Message::User {
            text: "task 2".to_owned()
        }
    );
    while conversation.shorten().is_some() {}
    assert_eq!(
        conversation.messages,
        [Message::User {
            text: "last".to_owned()
        }]
    );
}

#[test]
fn calls_that_were_stopped_get_results() {
    let mut conversation = Conversation::default();
    conversation
        .messages
        .extend(turn(0, "x").into_iter().take(2));
    // None of its calls began.
    assert_eq!(conversation.close(), None);
    let Some(Message::Results { results }) = conversation.messages.last() else {
        panic!("{conversation:?}");
    };
    assert_eq!(
        (results[0].call.as_str(), results[0].is_error),
        ("call-0", true)
    );
    assert!(results[0].text.starts_with("(not done"), "{results:?}");
    let closed = conversation.clone();
    assert_eq!(conversation.close(), None);
    assert_eq!(conversation, closed);
}

#[test]
fn what_a_stopped_call_did_is_unknown_and_finished_ones_keep_their_results() {
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        tool: "execute_code".to_owned(),
        arguments: "{}".to_owned(),
    };
    let mut conversation = Conversation {
        messages: vec![Message::Assistant {
            text: String::new(),
            calls: ["a", "b", "c"].map(call).to_vec(),
            opaque: vec![],
        }],
    };
    conversation.begin_results();
    conversation.add_result(ToolOutput {
        call: "a".to_owned(),
        text: "3".to_owned(),
        is_error: false,
    });
    // As a process leaves it that ended in the middle of `b`.
    let saved = serde_json::to_string(&conversation).unwrap();
    let mut conversation: Conversation = serde_json::from_str(&saved).unwrap();
    let unknown = conversation.close().unwrap();
    assert_eq!(unknown.call, "b");
    let Some(Message::Results { results }) = conversation.messages.last() else {
        panic!("{conversation:?}");
    };
    let calls: Vec<_> = results.iter().map(|result| &*result.call).collect();
    assert_eq!(calls, ["a", "b", "c"]);
    assert_eq!(results[0].text, "3");
    assert!(results[1].text.contains("UNKNOWN"), "{results:?}");
    assert!(results[1].text.contains("Do not repeat"), "{results:?}");
    assert!(results[2].text.starts_with("(not done"), "{results:?}");
}

#[test]
fn a_conversation_is_saved_whole_and_for_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let (name, path) = (
        "work-1".parse::<ConversationName>().unwrap(),
        folder.path().join("chats"),
    );
    let store = ConversationStore::open(path.clone(), name.clone()).unwrap();
    assert_eq!(store.read().unwrap(), Conversation::default());
    let conversation = Conversation {
        messages: turn(1, "return 1"),
    };
    store.write(&conversation).unwrap();
    let error = ConversationStore::open(path.clone(), name.clone()).unwrap_err();
    assert!(error.to_string().contains("in use by another"), "{error}");
    drop(store);
    let store = ConversationStore::open(path.clone(), name).unwrap();
    assert_eq!(store.read().unwrap(), conversation);
    std::fs::write(path.join("work-1.chat"), "{").unwrap();
    let error = store.read().unwrap_err();
    assert!(error.to_string().contains("remove the file"), "{error}");
    for bad in ["", "../x", "a/b", "-a", "a b", ".hidden"] {
        assert!(bad.parse::<ConversationName>().is_err(), "{bad}");
    }
}

#[test]
fn markdown_can_not_be_broken_out_of() {
    let mut conversation = Conversation {
        messages: turn(1, "```\n# mine\n````"),
    };
    conversation.messages.push(Message::User {
        text: "# a title?".to_owned(),
    });
    let page = conversation.markdown();
    assert!(
        page.contains("### Script\n\n`````\n```\n# mine\n````\n`````\n"),
        "{page}"
    );
    assert!(page.contains("## Task\n\n```\n# a title?\n```"), "{page}");
}
