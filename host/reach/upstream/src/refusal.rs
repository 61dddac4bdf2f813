//! What a server says in a JSON-RPC error, as far as it is used.

use ampoule_untrusted::json::parsed_bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::secrets::Secrets;

/// How much of what a server says in an error is passed on, in bytes.
const SHOWN_BYTES: usize = 2000;

/// How much an error's data may take once it is parsed, in bytes. More is not looked at.
const MAX_DATA_BYTES: u64 = 256 * 1024;

/// How many addresses a refused call may want opened.
pub(super) const MAX_WANTED: usize = 8;

/// How many versions of the protocol are looked at, and how much of the name of each, in bytes.
const MAX_VERSIONS: usize = 20;
const MAX_VERSION_BYTES: usize = 40;

/// The request is of a version of the protocol that the server does not speak; it says in its data
/// which it does.
const UNSUPPORTED_VERSION: i64 = -32022;

/// A method that the server does not have.
const NO_METHOD: i64 = -32601;

/// What HTTP's headers repeat of the request is missing, or is not what the request says.
const HEADER_MISMATCH: i64 = -32020;

/// A person has to open addresses before the request is made again.
const WANTS_ADDRESSES: i64 = -32042;

/// The request needs a capability that this client did not declare; the error's data says which.
const MISSING_CAPABILITY: i64 = -32021;

/// How much that takes once it is parsed, in bytes.
const MAX_CAPABILITY_BYTES: u64 = 4 * 1024;

/// A server's refusal. It takes little memory, however large the error was.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Option<i64>,
    /// A sentence, without secrets, fit to be shown.
    pub(super) text: String,
    /// The versions of the protocol that the server speaks, where it refuses for another.
    pub(super) supported: Vec<String>,
    /// The addresses that a person has to open first: parameters of `elicitation/create`.
    pub(super) addresses: Vec<Map<String, Value>>,
    /// The capabilities that the server misses, where it refuses for that.
    pub(super) required: Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct Members<'a> {
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl Refusal {
    /// Reads JSON-RPC's error object, or whatever a server sends instead.
    pub(super) fn read(error: &RawValue, secrets: &Secrets) -> Self {
        let members = match error.get().as_bytes() {
            // Structs are read from arrays as well.
            [b'{', ..] => serde_json::from_str(error.get()).unwrap_or_default(),
            _ => Members {
                message: Some(error),
                ..Members::default()
            },
        };
        let code = members.code.filter(|code| code.get().len() < 32);
        let code: Option<i64> = code.and_then(|code| serde_json::from_str(code.get()).ok());
        let data = members.data.filter(|data| data.get() != "null");
        let small = data.filter(|data| parsed_bytes(data.get()) <= MAX_DATA_BYTES);
        let parsed: Option<Value> = small.and_then(|data| serde_json::from_str(data.get()).ok());
        let mut text = members
            .message
            .and_then(|message| serde_json::from_str::<String>(message.get()).ok())
            .filter(|message| !message.is_empty())
            .unwrap_or_else(|| "the server refused".to_owned());
        if let Some(code) = code {
            text += &format!(" (error {code})");
        }
        match (&parsed, data) {
            (Some(data), _) => text += &format!("; {data}"),
            (None, Some(data)) => {
                text += &format!("; its data of {} bytes is left out", data.get().len());
            }
            (None, None) => {}
        }
        let versions = parsed.filter(|_| code == Some(UNSUPPORTED_VERSION));
        let supported = versions.map_or_else(Vec::new, |data| versions_in(&data, secrets));
        let missed = small.filter(|_| code == Some(MISSING_CAPABILITY));
        let required = missed.map_or_else(Map::new, |data| required_in(data, secrets));
        let wanted = small.filter(|_| code == Some(WANTS_ADDRESSES));
        let addresses = wanted.map_or_else(Vec::new, |data| addresses_in(data, secrets));
        Self {
            code,
            text: secrets.quote(&text, SHOWN_BYTES),
            supported,
            addresses,
            required,
        }
    }

    /// What was said in another way; a sentence without secrets, fit to be shown.
    pub(super) fn saying(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Whether the server does not know the request's method.
    pub(super) fn is_of_method(&self) -> bool {
        self.code == Some(NO_METHOD)
    }

    /// Whether the server wants other headers, and did nothing.
    pub(super) fn is_of_headers(&self) -> bool {
        self.code == Some(HEADER_MISMATCH)
    }
}

/// None where one of them is not an address: then nothing can be opened.
fn addresses_in(data: &RawValue, secrets: &Secrets) -> Vec<Map<String, Value>> {
    #[derive(Deserialize)]
    struct Data {
        elicitations: Vec<Map<String, Value>>,
    }
    let data = secrets.redact(data.get(), usize::MAX);
    let wanted =
        serde_json::from_str(&data).map_or_else(|_| Vec::new(), |it: Data| it.elicitations);
    let is_address = |params: &Map<String, Value>| {
        params.get("mode").is_none_or(|mode| mode == "url")
            && params.get("url").is_some_and(Value::is_string)
    };
    match wanted.len() <= MAX_WANTED && wanted.iter().all(is_address) {
        true => wanted,
        false => Vec::new(),
    }
}

fn required_in(data: &RawValue, secrets: &Secrets) -> Map<String, Value> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Data {
        required_capabilities: Map<String, Value>,
    }
    if parsed_bytes(data.get()) > MAX_CAPABILITY_BYTES {
        return Map::new();
    }
    let data = secrets.redact(data.get(), usize::MAX);
    serde_json::from_str(&data).map_or_else(|_| Map::new(), |it: Data| it.required_capabilities)
}

fn versions_in(data: &Value, secrets: &Secrets) -> Vec<String> {
    let versions = data.get("supported").and_then(Value::as_array);
    let versions = versions.into_iter().flatten().filter_map(Value::as_str);
    let shown = |version| secrets.quote_line(version, MAX_VERSION_BYTES);
    versions.take(MAX_VERSIONS).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(error: &str) -> Refusal {
        Refusal::read(serde_json::from_str(error).unwrap(), &Secrets::default())
    }

    #[test]
    fn errors_become_sentences() {
        let cases = [
            (
                r#"{"code":-32602,"message":"no such row"}"#,
                "no such row (error -32602)",
            ),
            (
                r#"{"code":1,"message":"","data":{"row": 3}}"#,
                r#"the server refused (error 1); {"row":3}"#,
            ),
            (
                r#"{"code":"x","message":7,"data":null}"#,
                "the server refused",
            ),
            (r#"{"code":1e999,"message":[1]}"#, "the server refused"),
            (r#""text""#, "text"),
            ("[1,2]", "the server refused"),
            (r#"{"message":"a\u001b[2Jb\nc"}"#, "a\\u{1b}[2Jb\nc"),
        ];
        for (error, expected) in cases {
            assert_eq!(refusal(error).text, expected, "{error}");
        }
        assert!(refusal(r#"{"code":-32601}"#).is_of_method());
    }

    #[test]
    fn what_is_large_is_not_parsed() {
        let bomb = format!("[{}0]", "[0],".repeat(100_000));
        let refused = refusal(&format!(r#"{{"code":1,"message":"no","data":{bomb}}}"#));
        assert_eq!(
            refused.text,
            "no (error 1); its data of 400003 bytes is left out"
        );
        for bombed in [
            format!(r#"{{"code":{bomb},"message":{bomb}}}"#),
            format!(r#"{{"other":{bomb}}}"#),
            bomb,
        ] {
            assert_eq!(refusal(&bombed).text, "the server refused");
        }
        let long = refusal(&format!(r#"{{"message":"{}"}}"#, "x".repeat(1_000_000)));
        assert_eq!(long.text.len(), SHOWN_BYTES);
        assert!(long.text.capacity() <= 2 * SHOWN_BYTES);
    }

    #[test]
    fn the_capabilities_that_a_server_misses_are_read() {
        let required = |code: i64, data: &str| {
            let error = format!(r#"{{"code":{code},"data":{data}}}"#);
            Value::from(refusal(&error).required)
        };
        let data = r#"{"requiredCapabilities":{"sampling":{}}}"#;
        assert_eq!(required(-32021, data), json!({ "sampling": {} }));
        for (code, data) in [
            (-32602, data),
            (-32021, r#"{"requiredCapabilities":["sampling"]}"#),
            (-32021, "{}"),
        ] {
            assert_eq!(required(code, data), json!({}), "{code} {data}");
        }
        let long = format!(
            r#"{{"requiredCapabilities":{{"{}":{{}}}}}}"#,
            "x".repeat(5000)
        );
        assert_eq!(required(-32021, &long), json!({}));
    }

    #[test]
    fn the_versions_that_a_server_speaks_are_read() {
        let data = r#"{"supported":["2025-03-26",7,"x"],"requested":"2026-07-28"}"#;
        let of = |code| refusal(&format!(r#"{{"code":{code},"data":{data}}}"#)).supported;
        assert_eq!(of(-32022), ["2025-03-26", "x"]);
        assert!(of(-32602).is_empty());
        let odd = format!(r#"["\u001b[2J\n{}"]"#, "x".repeat(1000));
        let odd = refusal(&format!(
            r#"{{"code":-32022,"data":{{"supported":{odd}}}}}"#
        ));
        assert_eq!(odd.supported, [format!(r"\u{{1b}}[2J\n{}", "x".repeat(35))]);
    }
}
