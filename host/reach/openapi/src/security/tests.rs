use super::*;

const DOCUMENT: &str = "openapi: 3.1.0
security: [{key: []}, {basic: [], query: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: token}
    cookie: {type: apiKey, in: cookie, name: session}
    basic: {type: http, scheme: Basic}
    bearer: {type: http, scheme: bearer}
    oauth: {type: oauth2}
    mutual: {type: mutualTLS}
";

fn given(names: &[(&str, &str)]) -> BTreeMap<String, String> {
    let names = names.iter();
    names
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect()
}

fn chosen(
    operation: &str,
    names: &[(&str, &str)],
    header: Option<&'static str>,
    is_signed_in: bool,
) -> Result<Credential, String> {
    let documents = Documents::of(DOCUMENT);
    let operation: Value = serde_json::from_str(operation).unwrap();
    let needed = requirements(&documents, operation.as_object().unwrap());
    let given = OperatorCredentials {
        credentials: &given(names),
        headers: &header.into_iter().map(HeaderName::from_static).collect(),
        is_signed_in,
    };
    Schemes::of(&documents).choose(&needed, &given)
}

fn added(operation: &str, names: &[(&str, &str)]) -> String {
    let credential = match chosen(operation, names, None, false) {
        Ok(credential) => credential,
        Err(why) => return why,
    };
    let headers = credential.headers.iter();
    let headers = headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()));
    let pairs = credential
        .query
        .iter()
        .map(|(name, value)| format!("?{name}={value}"));
    let cookies = credential
        .cookies
        .iter()
        .map(|(name, value)| format!("{name}={value};"));
    headers
        .chain(pairs)
        .chain(cookies)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_first_requirement_that_is_met_says_what_is_sent() {
    let all = [("key", "K"), ("basic", "ada:pw"), ("query", "Q")];
    assert_eq!(added("{}", &all), "x-key: K");
    assert_eq!(
        added("{}", &all[1..]),
        "authorization: Basic YWRhOnB3 ?token=Q"
    );
    let why = "needs a credential that is not configured; the operator can give `credentials.key`, or `credentials.basic` and `credentials.query`";
    assert_eq!(added("{}", &all[1..2]), why);
    // A variable that is not set.
    assert_eq!(added("{}", &[("key", "")]), why);
    assert_eq!(added(r#"{"security":[{}, {"key": []}]}"#, &[]), "");
    assert_eq!(
        added(r#"{"security":[{"mutual": []}]}"#, &[]),
        "needs a credential that is not configured; the operator can give what the scheme `mutual` wants, in `headers`"
    );
    assert_eq!(added(r#"{"security":[]}"#, &all), "");
    assert_eq!(added(r#"{"security":[{}, {"key": []}]}"#, &all), "x-key: K");
    assert_eq!(
        added(r#"{"security":[{"oauth": ["read"]}]}"#, &[("oauth", "T")]),
        "authorization: Bearer T"
    );
    assert_eq!(
        added(r#"{"security":[{"cookie": []}]}"#, &[("cookie", "C")]),
        "session=C;"
    );
}

#[test]
fn what_the_operator_gives_otherwise_counts() {
    assert!(chosen("{}", &[], Some("x-key"), false).is_ok());
    assert!(chosen("{}", &[], Some("x-other"), false).is_err());
    assert!(chosen("{}", &[], None, true).is_ok());
}

#[test]
fn what_a_document_asks_for_is_told() {
    let schemes = Schemes::of(&Documents::of(DOCUMENT));
    let missing = schemes.missing_ones(&given(&[("key", "K"), ("oauth", "")]));
    let missing: Vec<_> = missing
        .iter()
        .map(|it| format!("{}: {}", it.name, it.what))
        .collect();
    assert_eq!(
        missing,
        [
            "basic: `user:password`",
            "bearer: a token",
            "cookie: a key, sent as the cookie `session`",
            "oauth: a token",
            "query: a key, sent in the address as `token`",
        ]
    );
}

#[test]
fn credentials_for_nothing_are_told() {
    let schemes = Schemes::of(&Documents::of(DOCUMENT));
    assert_eq!(schemes.check(&given(&[("key", "K")])), Ok(()));
    let why = schemes.check(&given(&[("kee", "K")])).unwrap_err();
    assert_eq!(
        why,
        "`credentials.kee` is for a security scheme that the document doesn't have; it has: basic, bearer, cookie, key, mutual, oauth, query"
    );
    assert!(
        schemes
            .check(&given(&[("mutual", "K")]))
            .unwrap_err()
            .contains("use `headers`")
    );
    let none = Schemes::of(&Documents::of("openapi: 3.0.0\n"));
    assert!(
        none.check(&given(&[("key", "K")]))
            .unwrap_err()
            .contains("it has none; use `headers`")
    );
}

#[test]
fn endpoints_of_oauth_are_found_in_both_generations() {
    let base: Url = "https://api.example.com/v1/".parse().unwrap();
    let of = |text: &str, flow| endpoints(&Documents::of(text), flow, &base);
    let new = "openapi: 3.0.0\ncomponents:\n  securitySchemes:\n    a: {type: http}\n    o: {type: oauth2, flows: {authorizationCode: {authorizationUrl: 'https://login.example.com/a', tokenUrl: /token}}}\n";
    let found = of(new, OAuthFlow::AuthorizationCode).unwrap();
    assert_eq!(
        found.authorization.unwrap().as_str(),
        "https://login.example.com/a"
    );
    assert_eq!(found.token.as_str(), "https://api.example.com/token");
    assert_eq!(of(new, OAuthFlow::ClientCredentials), None);
    let old = "swagger: '2.0'\nsecurityDefinitions: {o: {type: oauth2, flow: application, tokenUrl: 'https://x.example/t'}}\n";
    let found = of(old, OAuthFlow::ClientCredentials).unwrap();
    assert_eq!(
        (found.authorization, found.token.as_str()),
        (None, "https://x.example/t")
    );
}
