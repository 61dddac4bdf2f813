//! What endpoints, models and people do wrong: each says what to do, and what is safe is tried again.

use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::model::{ModelReply, ModelServer, script};
use serde_json::json;

use super::{arguments, chat, events, first};

fn status(code: u16, headers: &[(&str, &str)], body: &str) -> ModelReply {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ModelReply::Status(code, headers.collect(), body.to_owned())
}

fn says(text: &str) -> ModelReply {
    ModelReply::Says(text.to_owned())
}

async fn ask(replies: Vec<ModelReply>, form: &str, more: &[&str]) -> (Ran, usize) {
    let (workplace, model) = (Workplace::default(), ModelServer::playing(replies).await);
    let mut arguments = vec!["-p", "hello"];
    arguments.extend(more);
    let ran = chat(&workplace, &model, form, &arguments).await;
    let requests = model.requests().await.len();
    (ran, requests)
}

#[tokio::test]
async fn a_refused_key_is_not_tried_again_and_never_shown() {
    let body = r#"{"error": {"message": "Incorrect API key provided: sk-very-secret"}}"#;
    let model = ModelServer::playing([status(401, &[], body)]).await;
    let workplace = Workplace::default();
    let address = model.address("openai");
    let mut command = workplace.command(binary(), &arguments(&address, &["-p", "hello"]));
    command
        .env("AMPOULE_MODEL_KEY", "sk-very-secret")
        .env("AMPOULE_LOG", "trace");
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("check the key: AMPOULE_MODEL_KEY"),
        "{ran:?}"
    );
    assert!(!format!("{ran:?}").contains("sk-very-secret"), "{ran:?}");
    let requests = model.requests().await;
    assert_eq!(requests.len(), 1);
    assert_eq!(
        requests[0].header("authorization"),
        Some("Bearer sk-very-secret")
    );
}

#[tokio::test]
async fn keys_of_the_configuration_are_read_where_they_are() {
    let model = ModelServer::playing([says("hi")]).await;
    let workplace = Workplace::default();
    workplace.file("key", "sk-of-a-file\n");
    let address = model.address("anthropic");
    let prices = "{ input = '1', output = '2' }";
    let config = format!(
        "[chat]\nmodel = 'configured'\nendpoint = '{address}'\nkey = '${{file:key}}'\nprices = {prices}\n"
    );
    workplace.file("ampoule.toml", config);
    let ran = workplace.run(&["chat", "-p", "hello"]).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "hi\n"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("cost 0.0011"), "{ran:?}");
    let request = &model.requests().await[0];
    assert_eq!(request.header("x-api-key"), Some("sk-of-a-file"));
    assert_eq!(request.body["model"], "configured");
    // The key is for that endpoint alone.
    let other = ModelServer::playing([says("hi")]).await;
    let ran = workplace
        .run(&["chat", "-p", "x", "--endpoint", &other.address("anthropic")])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(other.requests().await[0].header("x-api-key"), None);
    // Nor does it go where a variable leads.
    workplace.file("ampoule.toml", "[chat]\nkey = '${file:key}'\n");
    let mut command = workplace.command(binary(), &["chat", "-p", "x", "--model", "m"]);
    command.env("AMPOULE_MODEL_URL", other.address("anthropic"));
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("add `endpoint`"), "{ran:?}");
    assert_eq!(other.requests().await.len(), 1);
}

#[tokio::test]
async fn what_passes_is_tried_again_after_the_wait_that_the_endpoint_asks_for() {
    for form in ["openai", "responses", "anthropic"] {
        let begun = Instant::now();
        let replies = vec![
            status(429, &[("Retry-After", "1")], "slow"),
            status(503, &[("Retry-After", "0")], ""),
            says("at last"),
        ];
        let (ran, requests) = ask(replies, form, &[]).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str(), requests),
            (Some(0), "at last\n", 3),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("asking again in 1 s"), "{ran:?}");
        assert!(begun.elapsed() >= Duration::from_secs(1));
    }
}

#[tokio::test]
async fn a_long_wait_is_left_to_the_person() {
    let (ran, requests) = ask(
        vec![status(429, &[("Retry-After", "3600")], "later")],
        "openai",
        &[],
    )
    .await;
    assert_eq!((ran.code, requests), (Some(1), 1), "{ran:?}");
    assert!(
        ran.stderr
            .contains("the endpoint asks for a wait of 3600 s"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    for form in ["openai", "responses", "anthropic"] {
        let (ran, requests) = ask(
            vec![ModelReply::Breaks("half of".to_owned()), says("whole")],
            form,
            &["--json"],
        )
        .await;
        assert_eq!((ran.code, requests), (Some(0), 2), "{form}: {ran:?}");
        let events = events(&ran);
        assert!(
            first(&events, "retry")["why"]
                .as_str()
                .unwrap()
                .contains("broke off"),
            "{ran:?}"
        );
        assert_eq!(events.last().unwrap()["text"], "whole", "{form}");
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_one() {
    let error =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } });
    let (ran, requests) = ask(
        vec![ModelReply::Fails(error), says("now")],
        "anthropic",
        &[],
    )
    .await;
    assert_eq!((ran.code, requests), (Some(0), 2), "{ran:?}");
    let error = json!({ "error": { "code": "invalid_request", "message": "no\u{1b}[2Jsuch" } });
    let (ran, requests) = ask(vec![ModelReply::Fails(error)], "openai", &[]).await;
    assert_eq!((ran.code, requests), (Some(1), 1), "{ran:?}");
    assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let (ran, _) = ask(
        vec![status(404, &[], r#"{"error": "model not found"}"#)],
        "openai",
        &[],
    )
    .await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("model not found") && ran.stderr.contains("check --model"),
        "{ran:?}"
    );
    let (ran, requests) = ask(
        vec![status(307, &[("Location", "http://127.0.0.1:1/x")], "")],
        "openai",
        &[],
    )
    .await;
    assert_eq!((ran.code, requests), (Some(1), 1), "{ran:?}");
    assert!(ran.stderr.contains("redirects to 127.0.0.1"), "{ran:?}");
    let plain = status(200, &[("Content-Type", "text/html")], "<p>hello");
    let (ran, _) = ask(vec![plain], "openai", &[]).await;
    assert!(ran.stderr.contains("without a stream of events"), "{ran:?}");
    let workplace = Workplace::default();
    let mut command = workplace.command(binary(), &["chat", "-p", "x"]);
    for name in [
        "AMPOULE_MODEL",
        "AMPOULE_MODEL_URL",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
    ] {
        command.env_remove(name);
    }
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("which model?"), "{ran:?}");
}

#[tokio::test]
async fn a_call_that_is_not_json_or_unknown_is_explained_to_the_model() {
    for form in ["openai", "responses", "anthropic"] {
        let broken = vec![(
            "execute_code".to_owned(),
            r#"{"code": "return 1"#.to_owned(),
        )];
        let unknown = vec![("bash".to_owned(), "{}".to_owned())];
        let replies = [
            ModelReply::Calls(String::new(), broken),
            ModelReply::Calls(String::new(), unknown),
            ModelReply::Calls(String::new(), vec![script("return 1", "typescript")]),
            says("1"),
        ];
        let (workplace, model) = (Workplace::default(), ModelServer::playing(replies).await);
        let ran = chat(&workplace, &model, form, &["-p", "one"]).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), "1\n"),
            "{form}: {ran:?}"
        );
        let requests = model.requests().await;
        assert!(
            requests[1].last_text().contains("not a JSON object"),
            "{form}: {:?}",
            requests[1].texts()
        );
        assert!(
            requests[2]
                .last_text()
                .contains("unknown tool; the tools are execute_code"),
            "{form}"
        );
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_shortened_and_then_refused() {
    let long = script("return 'x'.repeat(3000)", "typescript");
    let too_long = status(
        400,
        &[],
        r#"{"error": {"code": "context_length_exceeded", "message": "maximum context length is 1"}}"#,
    );
    let small = script("return 1", "typescript");
    let replies = [
        ModelReply::Calls(String::new(), vec![long]),
        ModelReply::Calls(String::new(), vec![small]),
        too_long.clone(),
        says("done"),
    ];
    let (workplace, model) = (Workplace::default(), ModelServer::playing(replies).await);
    let ran = chat(&workplace, &model, "openai", &["-p", "much"]).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "done\n"),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("bytes of old scripts and results were left out"),
        "{ran:?}"
    );
    let requests = model.requests().await;
    let bytes = |place: usize| requests[place].body["messages"].to_string().len();
    assert!(bytes(3) + 1500 < bytes(2), "{} {}", bytes(2), bytes(3));
    let (ran, _) = ask(vec![too_long], "openai", &[]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("use a model that reads more"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn each_bound_ends_a_task() {
    let forever = || {
        vec![ModelReply::Calls(
            String::new(),
            vec![script("return 1", "typescript")],
        )]
    };
    let (ran, requests) = ask(forever(), "openai", &["--steps", "3"]).await;
    assert_eq!((ran.code, requests), (Some(3), 3), "{ran:?}");
    assert!(
        ran.stderr
            .contains("the bound of steps is reached; raise --steps"),
        "{ran:?}"
    );
    let (ran, requests) = ask(forever(), "openai", &["--tokens", "2000"]).await;
    assert_eq!((ran.code, requests), (Some(3), 2), "{ran:?}");
    let begun = Instant::now();
    let (ran, _) = ask(
        vec![ModelReply::Hangs("thinking".to_owned())],
        "openai",
        &["--time", "1s"],
    )
    .await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    let endless = script(
        "await new Promise(done => setTimeout(done, 100_000))",
        "typescript",
    );
    let (ran, _) = ask(
        vec![ModelReply::Calls(String::new(), vec![endless])],
        "openai",
        &["--time", "3s"],
    )
    .await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let (ran, requests) = ask(forever(), "openai", &["--cost", "1"]).await;
    assert_eq!((ran.code, requests), (Some(2), 0), "{ran:?}");
    assert!(ran.stderr.contains("--cost needs prices"), "{ran:?}");
}
