use std::collections::BTreeMap;

use serde_json::json;
use serde_json::value::RawValue;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "only read")]
struct Options {
    code: String,
    #[serde(default)]
    strings: BTreeMap<String, String>,
    #[serde(default)]
    isolates: Option<u32>,
    #[serde(default)]
    check: Option<Check>,
    #[serde(default)]
    folders: Vec<Folder>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Check {
    First,
    Off,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only read")]
struct Folder {
    writable: bool,
}

fn wrong(text: &str) -> String {
    read::<Options>(text).unwrap_err().to_string()
}

#[test]
fn errors_are_in_the_words_of_json() {
    for (text, expected) in [
        ("", "the document is empty; write JSON, such as {}"),
        (
            "hello",
            "the document is not JSON: line 1, column 1: expected a value; texts and keys have double quotes",
        ),
        (
            "{'code': 1}",
            "the document is not JSON: line 1, column 2: expected a key in double quotes",
        ),
        (
            r#"{"code": "a""#,
            "the document is not JSON: the text ends before the value does",
        ),
        (
            r#"{"code": "a"} {}"#,
            "the document is not JSON: line 1, column 15: there is more after the value",
        ),
        ("7", "the document must be an object, not 7"),
        ("{}", "`code` is missing"),
        (r#"{"code": 5}"#, "`code` must be a string, not 5"),
        (r#"{"code": null}"#, "`code` must be a string, not null"),
        (
            r#"{"code": "", "strings": {"a b": true}}"#,
            r#"`strings["a b"]` must be a string, not true"#,
        ),
        (
            r#"{"code": "", "strings": []}"#,
            "`strings` must be an object, not a list",
        ),
        (
            r#"{"code": "", "isolates": -1}"#,
            "`isolates` must be an integer that is not negative, not -1",
        ),
        (
            r#"{"code": "", "isolates": 1.5}"#,
            "`isolates` must be an integer that is not negative, not 1.5",
        ),
        (
            r#"{"code": "", "check": "no"}"#,
            r#"`check` must be `first` or `off`, not "no""#,
        ),
        (
            r#"{"code": "", "folders": [{"writable": true}, {"writable": "yes"}]}"#,
            "`folders[1].writable` must be true or false, not a string",
        ),
        (
            r#"{"code": "", "folders": [{}]}"#,
            "`folders[0].writable` is missing",
        ),
        (
            r#"{"code": "", "cod": 1}"#,
            "`cod` is not a known key; the known ones are `code`, `strings`, `isolates`, `check`, `folders`",
        ),
        (
            r#"{"code": "", "code": ""}"#,
            "the document has the key `code` twice",
        ),
    ] {
        let said = wrong(text);
        assert_eq!(said, expected, "{text}");
    }
}

#[test]
fn a_document_may_be_the_value_of_an_option_or_called_otherwise() {
    let nothing = read::<Value>("nothing at all").unwrap_err();
    assert!(
        (nothing.about("the answer").to_string()).starts_with("the answer is not JSON: line 1"),
    );
    let strings = |text| read::<BTreeMap<String, String>>(text).unwrap_err();
    for (text, expected) in [
        (r#"{"a": 1}"#, "`strings.a` must be a string, not 1"),
        ("[]", "`strings` must be an object, not a list"),
        (
            "{",
            "`strings` is not JSON: the text ends before the value does",
        ),
    ] {
        assert_eq!(strings(text).within("strings").to_string(), expected);
    }
    let list = read::<Vec<u8>>(r#"[1, "x"]"#).unwrap_err();
    assert_eq!(
        list.within("list").to_string(),
        "`list[1]` must be an integer that is not negative, not a string"
    );
}

#[test]
fn values_are_read_as_texts_are() {
    let error = of_value::<Options>(json!({ "code": [] })).unwrap_err();
    assert_eq!(error.to_string(), "`code` must be a string, not a list");
    let text = r#"{"exact": 1.50}"#;
    assert_eq!(read::<Box<RawValue>>(text).unwrap().get(), text);
    assert_eq!(read::<Value>("[1]").unwrap(), json!([1]));
}
