//! Answers as authorization servers give them, and what is done about each.

use super::*;

const TOKEN: &str = "refresh-token-that-nobody-may-see";

fn form(left_out: &[Parameter]) -> Form {
    let body = format!(
        "grant_type=refresh_token&refresh_token={TOKEN}&resource=https%3A%2F%2Fmcp.example&scope=read"
    );
    let request = http::Request::post("https://login.example/token")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("authorization", "Basic aWQ6czNjcjN0LW9mLWl0")
        .body(body.into_bytes())
        .expect("a request");
    let mut form = Form::of(&request).expect("a form");
    form.without(left_out);
    form
}

fn read(
    status: u16,
    headers: &[(&'static str, &str)],
    body: &str,
    left_out: &[Parameter],
) -> (TokenResponse, u16, Vec<u8>) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(*name, HeaderValue::from_str(value).expect("a value"));
    }
    TokenResponse::read(
        &form(left_out),
        false,
        status,
        &mut map,
        body.as_bytes().to_vec(),
    )
}

const WITHOUT_RESOURCE: Remedy = Remedy::Without(Parameter::Resource);
const LOST: Remedy = Remedy::SignIn(Tokens::Lost);
const STAY: Remedy = Remedy::SignIn(Tokens::Stay);

#[test]
fn each_answer_says_what_to_do() {
    let microsoft = r#"{"error":"invalid_request","error_description":"AADSTS901002: The 'resource' request parameter is not supported. Trace ID: 5c2a6f1e-0000-0000-0000-000000000000","error_codes":[901002]}"#;
    let google =
        r#"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#;
    let github = r#"{"error":"bad_refresh_token","error_description":"The refresh token passed is incorrect or expired."}"#;
    let page = "<!DOCTYPE html><html><body>Bad gateway</body></html>";
    let table: &[(u16, &str, Remedy, &str)] = &[
        (
            400,
            r#"{"error":"invalid_request","error_description":"unknown parameter: resource"}"#,
            WITHOUT_RESOURCE,
            "the authorization server refused: invalid_request: unknown parameter: resource",
        ),
        (
            400,
            microsoft,
            WITHOUT_RESOURCE,
            "'resource' request parameter is not supported",
        ),
        (
            400,
            r#"{"error":"invalid_target"}"#,
            WITHOUT_RESOURCE,
            "refused: invalid_target",
        ),
        (
            400,
            r#"{"message":"unexpected field"}"#,
            WITHOUT_RESOURCE,
            "answered with 400: unexpected field",
        ),
        (400, "", WITHOUT_RESOURCE, "answered with 400"),
        (
            422,
            page,
            WITHOUT_RESOURCE,
            "answered with 422 and a web page",
        ),
        (
            400,
            r#"{"error":"invalid_scope"}"#,
            Remedy::Without(Parameter::Scope),
            "invalid_scope",
        ),
        (
            400,
            google,
            LOST,
            "invalid_grant: Token has been expired or revoked",
        ),
        (401, r#"{"error":"invalid_client"}"#, LOST, "invalid_client"),
        (
            400,
            r#"{"error":"unauthorized_client"}"#,
            LOST,
            "unauthorized_client",
        ),
        // A refusal with 200, as JSON and as a form, and with an object.
        (
            200,
            github,
            LOST,
            "bad_refresh_token: The refresh token passed is incorrect",
        ),
        (
            200,
            "error=bad_refresh_token&error_description=The+refresh+token+is+incorrect",
            LOST,
            "bad_refresh_token: The refresh token is incorrect",
        ),
        (
            200,
            r#"{"ok":false,"error":"invalid_refresh_token"}"#,
            LOST,
            "invalid_refresh_token",
        ),
        (
            400,
            r#"{"error":{"code":"invalid_grant","message":"expired"}}"#,
            LOST,
            "invalid_grant: expired",
        ),
        // What passes.
        (
            500,
            r#"{"error":"server_error"}"#,
            Remedy::Later(None),
            "server_error",
        ),
        (
            502,
            page,
            Remedy::Later(None),
            "answered with 502 and a web page",
        ),
        (503, "", Remedy::Later(None), "answered with 503"),
        (429, "slow down", Remedy::Later(None), "answered with 429"),
        (
            400,
            r#"{"error":"temporarily_unavailable"}"#,
            Remedy::Later(None),
            "temporarily_unavailable",
        ),
        (
            400,
            r#"{"error":"slow_down"}"#,
            Remedy::Later(None),
            "slow_down",
        ),
        // What says nothing of the tokens: they stay, and somebody is told to sign in.
        (200, page, STAY, "answered with 200 and a web page"),
        (
            200,
            "{}",
            STAY,
            "the authorization server's answer holds no token",
        ),
        (
            302,
            "",
            STAY,
            "the authorization server's answer holds no token",
        ),
        (403, page, STAY, "answered with 403 and a web page"),
        (404, "Not Found", STAY, "answered with 404"),
    ];
    for (status, body, next, said) in table {
        let (answered, seen, _) = read(*status, &[], body, &[]);
        assert_eq!(answered.next(), *next, "{status} {body}");
        let sentence = answered.sentence();
        assert!(sentence.contains(said), "{status} {body}: {sentence}");
        // Who refuses with 200 refuses.
        assert_eq!(
            seen >= 400,
            *status >= 400 || answered.code.is_some(),
            "{body}"
        );
    }
}

#[test]
fn what_was_left_out_is_not_left_out_again() {
    use Parameter::{Resource, Scope};
    for (body, left_out, next) in [
        (r#"{"error":"invalid_request"}"#, &[Resource][..], STAY),
        (r#"{"error":"invalid_target"}"#, &[Resource], STAY),
        (
            r#"{"error":"invalid_scope"}"#,
            &[Resource],
            Remedy::Without(Scope),
        ),
        (r#"{"error":"invalid_scope"}"#, &[Scope], LOST),
        (r#"{"error":"invalid_request"}"#, &[Scope], WITHOUT_RESOURCE),
        ("", &[Resource, Scope], STAY),
    ] {
        let next_is = read(400, &[], body, left_out).0.next();
        assert_eq!(next_is, next, "{body} {left_out:?}");
    }
}

#[test]
fn a_server_says_when_it_is_to_be_asked_again() {
    for (header, after) in [
        ("120", Some(Duration::from_secs(120))),
        ("99999999", Some(LONGEST_WAIT)),
        ("soon", None),
    ] {
        let (answered, ..) = read(429, &[("retry-after", header)], "", &[]);
        assert_eq!(answered.next(), Remedy::Later(after), "{header}");
    }
}

#[test]
fn tokens_are_understood_in_whatever_form_they_come() {
    let usual =
        json!({"access_token": "a", "token_type": "bearer", "expires_in": 3600, "scope": "x y"});
    let unlimited = json!({"access_token": "a", "token_type": "bearer"});
    for (kind, body, token) in [
        (
            "application/x-www-form-urlencoded",
            "access_token=a&expires_in=3600&scope=x%20y&token_type=bearer",
            &usual,
        ),
        (
            "text/plain",
            r#"{"access_token":"a","expires_in":"3600","scope":["x","y"]}"#,
            &usual,
        ),
        (
            "text/html",
            r#"{"access_token":"a","expires_in":3600.5,"scope":"x y","token_type":null}"#,
            &usual,
        ),
        (
            "application/json",
            r#"{"access_token":"a","expires_in":null,"refresh_token":"","scope":null}"#,
            &unlimited,
        ),
        (
            "application/json",
            r#"{"access_token":"a","expires_in":0}"#,
            &unlimited,
        ),
        (
            "application/json",
            r#"{"access_token":"a","expires_in":"never","error":null}"#,
            &unlimited,
        ),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        let (answered, status, body) = TokenResponse::read(
            &form(&[]),
            false,
            200,
            &mut headers,
            body.as_bytes().to_vec(),
        );
        let given: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(given, *token);
        assert_eq!(
            (status, headers[CONTENT_TYPE].as_bytes()),
            (200, &b"application/json"[..])
        );
        assert_eq!(answered.code, None);
    }
}

#[test]
fn what_is_said_is_short_and_without_secrets() {
    let long = "x ".repeat(5000);
    let jwt = "eyJhbGciOi.eyJzdWIi.c2ln";
    let opaque = "A1b2".repeat(20);
    for said in [
        format!("the token {TOKEN} is unknown"),
        format!("got \"{TOKEN}\""),
        "the secret s3cr3t-of-it is wrong".to_owned(),
        format!("token {jwt} has ended"),
        format!("token {opaque} has ended"),
        long,
    ] {
        let body = json!({"error": "invalid_grant", "error_description": said}).to_string();
        let sentence = read(400, &[], &body, &[]).0.sentence();
        for secret in [TOKEN, "s3cr3t-of-it", jwt, opaque.as_str()] {
            assert!(!sentence.contains(secret), "{sentence}");
        }
        assert!(sentence.contains('…'), "{sentence}");
        assert!(sentence.chars().count() < 300, "{sentence}");
    }
}
