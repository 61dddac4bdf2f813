use super::*;

/// The arguments, however they are cut, give the script that is in them.
#[test]
fn a_script_arrives_in_any_pieces() {
    let code = "const a = \"x\\n\";\n// ü 😀 {\"code\": 1}\nreturn `${a}`";
    for arguments in [
        serde_json::json!({ "code": code, "language": "typescript" }),
        serde_json::json!({ "strings": { "code": "not this", "a": ["}", "\""] }, "wait": 1, "code": code }),
    ] {
        let text = arguments.to_string();
        let escaped = text.replace('ü', "\\u00fc").replace('😀', "\\ud83d\\ude00");
        for text in [text, escaped] {
            for size in 1..9 {
                let mut partial = PartialScript::default();
                let characters: Vec<char> = text.chars().collect();
                let pieces = characters
                    .chunks(size)
                    .map(|piece| piece.iter().collect::<String>());
                let script: String = pieces.map(|piece| partial.push(&piece)).collect();
                assert_eq!(script, code, "{size}: {text}");
            }
        }
    }
}

#[test]
fn other_calls_have_no_script() {
    let mut partial = PartialScript::default();
    assert_eq!(
        partial.push(r#"{"query": "code", "codes": "x", "cod": "y"}"#),
        ""
    );
    assert_eq!(partial.push("not JSON \" at all"), "");
}

fn kinds(lines: &[&str], language: Option<&str>) -> Vec<Vec<(SpanKind, String)>> {
    let mut highlighter = Highlighter::new(language);
    let line = |line: &&str| {
        let spans = highlighter.line(line);
        let whole: String = spans.iter().map(|span| span.text).collect();
        assert_eq!(whole, **line, "nothing is lost");
        spans
            .iter()
            .map(|span| (span.kind, span.text.to_owned()))
            .collect()
    };
    lines.iter().map(line).collect()
}

#[test]
fn words_texts_numbers_and_comments_differ() {
    use SpanKind::{Comment, Keyword, Number, Plain, Text};
    let typescript = kinds(
        &["const n = 12; // all", "return `a", "b` + 'x\\'y'"],
        Some("typescript"),
    );
    assert_eq!(typescript[0][0], (Keyword, "const".to_owned()));
    assert!(typescript[0].contains(&(Number, "12".to_owned())));
    assert_eq!(typescript[0].last(), Some(&(Comment, "// all".to_owned())));
    assert_eq!(typescript[1][2], (Text, "`a".to_owned()));
    assert_eq!(typescript[2][0], (Text, "b`".to_owned()));
    assert_eq!(typescript[2].last(), Some(&(Text, "'x\\'y'".to_owned())));
    let python = kinds(
        &[
            "def f(a):",
            "    return a // 2  # half",
            "'''open",
            "end''' ü",
        ],
        None,
    );
    assert_eq!(python[0][0], (Keyword, "def".to_owned()));
    assert_eq!(python[1].last(), Some(&(Comment, "# half".to_owned())));
    assert_eq!(python[2], [(Text, "'''open".to_owned())]);
    assert_eq!(
        python[3],
        [(Text, "end'''".to_owned()), (Plain, " ü".to_owned())]
    );
}
