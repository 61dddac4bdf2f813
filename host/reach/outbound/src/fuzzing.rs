//! What must hold of requests that nobody thought of: those of scripts, and those of `wasi:http`,
//! which have the same form. Tests try some of them in each run, `tests/fuzz` tries more.

use std::sync::LazyLock;

use serde_json::Value;

use crate::request::OutboundRequest;
use crate::{Methods, OutboundOptions, Rule, Rules};

/// What is allowed: reading and sending below `/v1/`, but not what is private there.
static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let rule = Rule::to(["api.example.com"]).and_then(|rule| rule.paths(["/v1/*"]));
    let mut rules = Rules::default().and(rule.expect("a rule").methods(Methods::all()));
    let denial = serde_json::json!({ "hosts": ["api.example.com"], "paths": ["/v1/private*"] });
    rules
        .deny
        .push(serde_json::from_value(denial).expect("a denial"));
    rules
});

/// Headers that would make a request another one.
const NEVER: [&str; 8] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "x-http-method-override",
    "x-original-url",
    "proxy-authorization",
];

/// The arguments of a request, as JSON: what is allowed goes to the allowed host and path, however
/// its server reads them. Says what became of it.
///
/// # Panics
///
/// Where another request would be sent.
pub fn request(data: &[u8]) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_slice(data) else {
        return "not an object".to_owned();
    };
    let request = match OutboundRequest::of(arguments, &OutboundOptions::default()) {
        Ok(request) => request,
        Err(why) => return refused(&why),
    };
    for (name, value) in &request.headers {
        let name = name.as_str().to_ascii_lowercase().replace('_', "-");
        assert!(!NEVER.contains(&name.as_str()), "{name} is sent");
        let is_broken = value.as_bytes().iter().any(|byte| b"\r\n\0".contains(byte));
        assert!(!is_broken, "{name} has a line break");
    }
    let (method, url) = (&request.method, &request.target.url);
    if let Err(why) = RULES.decide(method, &request.target) {
        return refused(&why);
    }
    assert_eq!(
        (url.scheme(), url.host_str(), url.port()),
        ("https", Some("api.example.com"), None),
        "{url}"
    );
    assert!(
        url.username().is_empty() && url.password().is_none(),
        "{url}"
    );
    let mut path = url.path().as_bytes().to_vec();
    for _ in 0..5 {
        for path in [tidied(&path, false), tidied(&path, true)] {
            let shown = path.escape_ascii().to_string().to_ascii_lowercase();
            assert!(path.starts_with(b"/v1/"), "{url} is {shown}");
            assert!(!shown.starts_with("/v1/private"), "{url} is {shown}");
        }
        path = percent_encoding::percent_decode(&path).collect();
    }
    let encoded = url.path().matches('%').count().min(4);
    format!("{method} {encoded} {}", request.headers.len().min(9))
}

/// A path as the least careful servers read it.
fn tidied(path: &[u8], without_parameters: bool) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| b"/\\".contains(byte)) {
        let name = segment.split(|byte| *byte == b';').next();
        let segment = match without_parameters {
            true => name.unwrap_or(segment),
            false => segment,
        };
        match segment {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    let mut path = vec![b'/'];
    path.extend(kept.join(&b'/'));
    // `/v1/` itself is inside.
    path.push(b'/');
    path
}

fn refused(why: &str) -> String {
    assert!(!why.contains(char::is_control), "{why:?}");
    let mut is_quoted = false;
    let words = why.chars().filter(|c| {
        is_quoted ^= *c == '`';
        !is_quoted && !c.is_ascii_digit()
    });
    words.take(32).collect()
}

#[cfg(test)]
mod tests {
    use ampoule_mutated::Inputs;

    #[test]
    fn what_is_allowed_goes_where_it_may_however_it_is_read() {
        let inputs = Inputs {
            right: &[
                br#"{"url":"https://api.example.com/v1/items?x=1","method":"GET","headers":[["accept","*/*"]],"redirect":"manual"}"#,
                br#"{"url":"https://api.example.com/v1/a/../b;c=1/%2e/d","method":"POST","headers":[["x-a","b"]],"base64":"aGk=","redirect":"manual"}"#,
                br#"{"url":"https://api.example.com/v1/","method":"PUT","headers":[],"body":"x"}"#,
            ],
            words: &[
                "/", "..", ".", "%2e", "%2f", "%252e", "%5c", "\\\\", ";", ";x/", "//", "/v1/", "private", "PRIVATE",
                "%70rivate", "v1", "@", ":443", ":80", "http:", "evil.example", "\\u0000", "\\t", "\\r\\n", "#", "?",
                "[\"host\",\"x\"],", "[\"X_Http_Method_Override\",\"x\"],", "[\"transfer-encoding\",\"chunked\"],",
                "CONNECT", "get", "\\u00e9", "api.example.com", "%", "%zz", "。", "%c0%ae",
            ],
            cases: 4_000,
        };
        inputs.tried(super::request);
    }
}
