use ampoule_network::Tls;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::json;

use super::*;

/// The form, the address and the key that are chosen.
fn chosen(
    endpoint: Option<&str>,
    model: &str,
    variables: &[(&str, &str)],
) -> Result<String, String> {
    let choice = Choice {
        endpoint: endpoint.map(str::to_owned),
        model: Some(model.to_owned()),
        key: None,
    };
    let variable = |name: &str| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let target = choice
        .target(&variable)
        .map_err(|error| error.to_string())?;
    let key = target.key.unwrap_or_default();
    Ok(format!("{} {} {key}", target.form.name(), target.address))
}

#[test]
fn an_address_says_the_form_or_the_form_the_address() {
    for (endpoint, model, expected) in [
        (
            "http://127.0.0.1:11434",
            "qwen",
            "openai http://127.0.0.1:11434/v1/chat/completions ",
        ),
        (
            "http://localhost:1/v1/",
            "qwen",
            "openai http://localhost:1/v1/chat/completions ",
        ),
        (
            "https://a.example/x/chat/completions",
            "m",
            "openai https://a.example/x/chat/completions ",
        ),
        (
            "https://a.example/v1/messages",
            "m",
            "anthropic https://a.example/v1/messages ",
        ),
        (
            "https://a.example/v1/responses",
            "m",
            "responses https://a.example/v1/responses ",
        ),
        (
            "https://api.anthropic.com",
            "m",
            "anthropic https://api.anthropic.com/v1/messages ",
        ),
        (
            "https://api.openai.com/v1",
            "m",
            "responses https://api.openai.com/v1/responses ",
        ),
        (
            "openai",
            "m",
            "openai https://api.openai.com/v1/chat/completions ",
        ),
        (
            "anthropic",
            "m",
            "anthropic https://api.anthropic.com/v1/messages ",
        ),
    ] {
        assert_eq!(
            chosen(Some(endpoint), model, &[]).as_deref(),
            Ok(expected),
            "{endpoint}"
        );
    }
    let url = [("AMPOULE_MODEL_URL", "http://127.0.0.1:9/proxy")];
    let expected = "anthropic http://127.0.0.1:9/proxy/v1/messages ";
    assert_eq!(
        chosen(Some("anthropic"), "m", &url).as_deref(),
        Ok(expected)
    );
    let expected = "openai http://127.0.0.1:9/proxy/chat/completions ";
    assert_eq!(chosen(None, "m", &url).as_deref(), Ok(expected));
}

#[test]
fn a_company_gets_its_own_key_and_nobody_else_does() {
    let keys = [("OPENAI_API_KEY", "sk-o"), ("ANTHROPIC_API_KEY", "sk-a")];
    let chosen = |endpoint, model| chosen(endpoint, model, &keys).unwrap();
    assert_eq!(
        chosen(None, "gpt-5"),
        "responses https://api.openai.com/v1/responses sk-o"
    );
    assert_eq!(
        chosen(None, "claude-x"),
        "anthropic https://api.anthropic.com/v1/messages sk-a"
    );
    let other = chosen(Some("https://models.example/v1"), "gpt-5");
    assert_eq!(other, "openai https://models.example/v1/chat/completions ");
    let named = [("AMPOULE_MODEL_KEY", "k"), ("OPENAI_API_KEY", "sk-o")];
    let other = super::tests::chosen(Some("https://models.example/v1"), "m", &named);
    assert_eq!(
        other.unwrap(),
        "openai https://models.example/v1/chat/completions k"
    );
}

#[test]
fn what_is_missing_or_unsafe_is_said() {
    let key = [("AMPOULE_MODEL_KEY", "k")];
    for (endpoint, model, variables, said) in [
        (None, "", &[][..], "which model?"),
        (None, "m", &[][..], "where is the model?"),
        (Some("opnai"), "m", &[][..], "`opnai` is not an endpoint"),
        (Some("ftp://x"), "m", &[][..], "address is not valid"),
        (
            Some("https://user:secret@x"),
            "m",
            &[][..],
            "without a user or password",
        ),
        (
            Some("http://models.example"),
            "m",
            &key[..],
            "without encryption",
        ),
    ] {
        let why = chosen(endpoint, model, variables).unwrap_err();
        assert!(why.contains(said), "{why}");
        assert!(!why.contains("secret"), "{why}");
    }
}

#[test]
fn an_endpoint_is_shown_without_its_key() {
    let choice = Choice {
        endpoint: Some("https://m.example/v1?key=hidden".to_owned()),
        model: Some("m".to_owned()),
        key: Some("sk-secret".to_owned()),
    };
    let endpoint = Endpoint::new(choice, &Tls::default(), &|_| None).unwrap();
    let shown = format!("{endpoint:?}");
    assert!(
        !shown.contains("secret") && !shown.contains("hidden"),
        "{shown}"
    );
}

fn refusal(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> EndpointError {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, HeaderValue::from_static(value));
    }
    let status = StatusCode::from_u16(status).unwrap();
    EndpointError::of_status(status, &map, body, Some("sk-secret"))
}

#[test]
fn refusals_say_what_to_do() {
    for (status, body, kind, said, is_passing) in [
        (
            401,
            r#"{"error":{"message":"bad key"}}"#,
            FailureKind::Key,
            "check the key",
            false,
        ),
        (
            404,
            "no such model",
            FailureKind::Unknown,
            "check --model",
            false,
        ),
        (
            429,
            r#"{"error":{"message":"slow"}}"#,
            FailureKind::RateLimit,
            "wait",
            true,
        ),
        (
            429,
            r#"{"error":{"code":"insufficient_quota"}}"#,
            FailureKind::RateLimit,
            "wait",
            false,
        ),
        (
            400,
            "maximum context length is 10",
            FailureKind::TooLong,
            "/new",
            false,
        ),
        (400, "bad tools", FailureKind::Refused, "bad tools", false),
        (500, "", FailureKind::Server, "try again later", true),
        (
            529,
            r#"{"error":{"message":"overloaded"}}"#,
            FailureKind::Server,
            "overloaded",
            true,
        ),
    ] {
        let error = refusal(status, &[], body);
        assert_eq!(
            (error.kind, error.is_passing),
            (kind, is_passing),
            "{error}"
        );
        assert!(error.to_string().contains(said), "{error}");
    }
    let error = refusal(429, &[("retry-after", "7")], "");
    assert_eq!(error.retry_after.map(|wait| wait.as_secs()), Some(7));
    let error = refusal(503, &[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], "");
    assert_eq!(error.retry_after.map(|wait| wait.as_secs()), Some(0));
    let error = refusal(401, &[], "Incorrect key sk-secret\u{1b}[31m");
    let shown = error.to_string();
    assert!(
        !shown.contains("sk-secret") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}

#[test]
fn a_key_is_hidden_before_a_text_is_cut() {
    // The text is cut in the middle of the key, wherever that is.
    for before in 385..410 {
        let text = format!("{}sk-secret", "x".repeat(before));
        let body = json!({ "error": { "message": text } });
        let errors = [
            refusal(400, &[], &text),
            refusal(400, &[], &body.to_string()),
            // JSON has another way to write a sign of the key.
            refusal(400, &[], &body.to_string().replace("sk-", "sk\\u002d")),
            EndpointError::of_event(&body["error"], Some("sk-secret")),
        ];
        for error in errors {
            let shown = error.to_string();
            assert!(!shown.contains("sk-") && !shown.contains("xs"), "{shown}");
        }
    }
}

#[test]
fn a_configured_key_goes_to_its_own_endpoint_alone() {
    let chosen = |endpoint: Option<&str>| {
        let choice = Choice {
            endpoint: endpoint.map(str::to_owned),
            model: Some("m".to_owned()),
            key: Some("sk-own".to_owned()),
        };
        let variable = |name: &str| {
            (name == "AMPOULE_MODEL_URL").then(|| "https://elsewhere.example/v1".to_owned())
        };
        choice.target(&variable).map(|target| {
            let key = target.key.unwrap_or_default();
            format!("{} {} {key}", target.form.name(), target.address)
        })
    };
    let named = chosen(Some("anthropic")).unwrap();
    assert_eq!(
        named,
        "anthropic https://api.anthropic.com/v1/messages sk-own"
    );
    let other = chosen(Some("https://m.example/v1")).unwrap();
    assert_eq!(other, "openai https://m.example/v1/chat/completions sk-own");
    let nowhere = chosen(None).unwrap_err().to_string();
    assert!(
        nowhere.contains("a key is for one endpoint alone"),
        "{nowhere}"
    );
}

#[test]
fn errors_in_streams_are_errors() {
    let overloaded = json!({ "type": "overloaded_error", "message": "busy" });
    let error = EndpointError::of_event(&overloaded, None);
    assert_eq!((error.kind, error.is_passing), (FailureKind::Server, true));
    let too_long = json!({ "code": "context_length_exceeded", "message": "x" });
    let error = EndpointError::of_event(&too_long, None);
    assert_eq!(error.kind, FailureKind::TooLong);
}
