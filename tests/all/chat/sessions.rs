//! What one chat leaves to the next: the conversation, and what scripts left.

use ampoule_tests::command::Workplace;
use ampoule_tests::model::{ModelReply, ModelServer, script};

use super::chat;

#[tokio::test]
async fn a_session_lasts_over_two_chats() {
    let workplace = Workplace::default();
    let first = [
        ModelReply::Calls(String::new(), vec![script("var total = 41", "typescript")]),
        ModelReply::Says("It is 41.".to_owned()),
    ];
    let model = ModelServer::playing(first).await;
    let ran = chat(
        &workplace,
        &model,
        "openai",
        &["--session", "sums", "-p", "Begin."],
    )
    .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Another form, which knows the same conversation.
    let second = [
        ModelReply::Calls(
            String::new(),
            vec![script("return total + 1", "typescript")],
        ),
        ModelReply::Says("It is 42.".to_owned()),
    ];
    let model = ModelServer::playing(second).await;
    let ran = chat(
        &workplace,
        &model,
        "anthropic",
        &["--session", "sums", "-p", "Add one."],
    )
    .await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "It is 42.\n"),
        "{ran:?}"
    );
    let requests = model.requests().await;
    let texts = requests[0].texts();
    assert_eq!(texts[0], "Begin.", "{texts:?}");
    assert!(texts.contains(&"It is 41.".to_owned()), "{texts:?}");
    assert!(
        requests[1].last_text().contains("42"),
        "{:?}",
        requests[1].texts()
    );
    let listed = workplace.run(&["sessions", "ls"]).await;
    assert!(listed.stdout.contains("sums"), "{listed:?}");
    // Another name knows nothing of it.
    let model = ModelServer::playing([ModelReply::Says("hello".to_owned())]).await;
    let ran = chat(
        &workplace,
        &model,
        "openai",
        &["--session", "other", "-p", "Hi."],
    )
    .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let texts = model.requests().await[0].texts();
    assert_eq!(texts.last().map(String::as_str), Some("Hi."));
    assert!(!texts.contains(&"Begin.".to_owned()), "{texts:?}");
}

#[tokio::test]
async fn a_task_comes_from_standard_input_as_well() {
    let workplace = Workplace::default();
    let model = ModelServer::playing([ModelReply::Says("read".to_owned())]).await;
    let address = model.address("openai");
    let arguments = super::arguments(&address, &[]);
    let ran = workplace
        .run_with_input(&arguments, "Read\nthis.\n".as_bytes())
        .await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "read\n"),
        "{ran:?}"
    );
    assert_eq!(model.requests().await[0].last_text(), "Read\nthis.\n");
    let ran = workplace.run_with_input(&arguments, b" \n").await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
