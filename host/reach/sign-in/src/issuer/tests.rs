//! What browsers come back with, and where they are sent. Whole sign-ins are in the console's tests.

use super::*;

const ISSUER: &str = "https://login.example.com";

fn code(query: &str, is_named: bool) -> Result<String, String> {
    let answer = BrowserAnswer::read(query).map_err(|why| why.to_string())?;
    let code = answer.code(ISSUER, is_named, "ours");
    code.map(ToOwned::to_owned).map_err(|why| why.to_string())
}

#[test]
fn an_answer_is_taken_that_is_this_issuers_to_this_sign_in() {
    let named = "iss=https%3A%2F%2Flogin.example.com";
    for (query, is_named, found) in [
        ("code=c&state=ours".to_owned(), false, Ok("c")),
        (format!("code=c&state=ours&{named}"), false, Ok("c")),
        (format!("code=c&state=ours&{named}&more=1"), true, Ok("c")),
        (
            "code=c&state=ours".to_owned(),
            true,
            Err("does not say which issuer"),
        ),
        (
            "code=c&state=ours&iss=https%3A%2F%2Flogin.example.com%2F".to_owned(),
            false,
            Err("of another issuer"),
        ),
        (
            "code=c&state=ours&iss=https%3A%2F%2Fevil.example".to_owned(),
            true,
            Err("of another issuer"),
        ),
        // What another issuer says went wrong is not shown either.
        (
            "error=call_evil&state=ours&iss=https%3A%2F%2Fevil.example".to_owned(),
            true,
            Err("of another issuer"),
        ),
        (
            "code=c&state=theirs".to_owned(),
            false,
            Err("to another sign-in"),
        ),
        ("code=c".to_owned(), false, Err("to another sign-in")),
        (
            "code=c&state=ours&state=theirs".to_owned(),
            false,
            Err("twice"),
        ),
        ("code=c&code=d&state=ours".to_owned(), false, Err("twice")),
        (
            format!("code=c&state=ours&{named}&{named}"),
            true,
            Err("twice"),
        ),
        ("state=ours".to_owned(), false, Err("holds no code")),
        ("code=&state=ours".to_owned(), false, Err("holds no code")),
        (
            "error=access_denied&state=ours".to_owned(),
            false,
            Err("declined"),
        ),
        (
            "error=%3Cscript%3E&state=ours".to_owned(),
            false,
            Err("the issuer refused: script"),
        ),
        (String::new(), false, Err("to another sign-in")),
    ] {
        match (code(&query, is_named), found) {
            (Ok(code), Ok(wanted)) => assert_eq!(code, wanted, "{query}"),
            (Err(why), Err(wanted)) => assert!(why.contains(wanted), "{query}: {why}"),
            (other, _) => panic!("{query}: {other:?}"),
        }
    }
}

fn client(metadata: Value) -> Result<IssuerMetadata, String> {
    let options = IssuerClientOptions {
        issuer: ISSUER.to_owned(),
        client_id: "console".to_owned(),
        client_secret: None,
        scopes: vec!["openid".to_owned()],
        resource: "https://ampoule.example.com/mcp".to_owned(),
        redirect: "https://ampoule.example.com/console/callback"
            .parse()
            .expect("an address"),
    };
    let client = IssuerClient::new(options, reqwest::Client::builder().no_proxy());
    let client = client.expect("options that can be used");
    let metadata = metadata.as_object().cloned().expect("an object");
    client.understood(&metadata).map_err(|why| why.to_string())
}

#[test]
fn an_issuer_that_sends_people_elsewhere_is_not_used() {
    let at = |authorization: &str| {
        serde_json::json!({
            "authorization_endpoint": authorization,
            "token_endpoint": "https://login.example.com/token",
        })
    };
    assert!(client(at("https://login.example.com/authorize")).is_ok());
    assert!(client(at("https://other.example.com/authorize?tenant=1")).is_ok());
    for address in [
        "http://login.example.com/authorize",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://169.254.169.254/latest",
        "not an address",
    ] {
        let why = client(at(address)).err().expect(address);
        assert!(why.contains("where people sign in"), "{address}: {why}");
    }
    let mut plain = at("https://login.example.com/authorize");
    plain["code_challenge_methods_supported"] = serde_json::json!(["plain"]);
    assert!(client(plain).is_err());
    let mut silent = at("https://login.example.com/authorize");
    silent
        .as_object_mut()
        .expect("an object")
        .remove("token_endpoint");
    assert!(client(silent).is_err());
}
