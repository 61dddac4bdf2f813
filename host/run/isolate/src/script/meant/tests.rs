//! Code as it arrives, and what it means.

use std::hint::black_box;

use ampoule_linear::assert_linear;

use super::*;

fn sources(code: &str, language: Language) -> Vec<String> {
    let readings = readings(code, language).into_iter();
    readings.map(|reading| reading.source).collect()
}

fn typescript(code: &str) -> Vec<String> {
    sources(code, Language::TypeScript)
}

fn python(code: &str) -> Vec<String> {
    sources(code, Language::Python)
}

fn fault(line: u32, name: &str, message: &str, text: &str) -> Thrown {
    Thrown {
        name: name.to_owned(),
        message: message.to_owned(),
        location: Some(Location {
            module: "script.ts".to_owned(),
            line,
            column: 1,
            text: text.to_owned(),
        }),
        stack: String::new(),
        causes: Vec::new(),
    }
}

/// What is said of code whose fault is in this line.
fn explained(code: &str, line: u32, language: Language) -> String {
    let mut fault = fault(line, "SyntaxError", "Unexpected token", "");
    explain(&mut fault, code, language, &readings(code, language));
    fault.message
}

#[test]
fn line_breaks_of_two_characters_are_line_breaks_but_in_texts() {
    assert_eq!(
        typescript(r"const r = f({});\nconst n = r.length;\nreturn n;"),
        ["const r = f({});\nconst n = r.length;\nreturn n;"]
    );
    assert_eq!(
        python(r#"r = f()\nfor o in r["items"]:\n    pass\nreturn "a\nb""#),
        ["r = f()\nfor o in r[\"items\"]:\n    pass\nreturn \"a\\nb\""]
    );
    assert_eq!(
        typescript(r"a();\r\n// don't \nb(/\n/);\n\tc(`\n`)"),
        ["a();\n// don't \nb(/\\n/);\n\tc(`\\n`)"]
    );
}

#[test]
fn a_text_of_json_is_what_it_stands_for() {
    assert_eq!(
        typescript(r#"const a = \"x\\ny\";\n// how many\nreturn a;"#),
        ["const a = \"x\\ny\";\n// how many\nreturn a;"]
    );
    assert_eq!(
        python(r#"a = {\"b\": 1}\nreturn a[\"b\"]"#),
        ["a = {\"b\": 1}\nreturn a[\"b\"]"]
    );
    // Nobody can tell how often this was encoded.
    assert_eq!(typescript(r"a();\nb('\\n')"), [""; 0]);
    assert_eq!(typescript(r"return '\n'"), [""; 0]);
}

#[test]
fn typographic_characters_are_plain_ones_but_in_texts() {
    assert_eq!(
        typescript("f({ a: [“b – c”], d: ‘it’s’ }) – 1;\nreturn \"“–”\" // – “"),
        ["f({ a: [\"b – c\"], d: 'it’s' }) - 1;\nreturn \"“–”\" // – “"]
    );
    assert_eq!(
        python("if n:\n\u{a0}\u{a0}print(n\u{a0}−\u{a0}1, “say 'x'”)"),
        ["if n:\n  print(n - 1, \"say 'x'\")"]
    );
    assert_eq!(typescript("f(\"a”)"), ["f(\"a\")"]);
    assert_eq!(typescript("f(‘b')"), ["f('b')"]);
    // Either quotation mark might be the end.
    let readings = typescript("f(“a\", “b”)");
    assert!(readings.iter().all(|it| it.contains("(“a")), "{readings:?}");
    assert_eq!(typescript("return `“quoted” – ok`"), [""; 0]);
    assert_eq!(python("return len('“–”')"), [""; 0]);
}

#[test]
fn entities_are_characters() {
    assert_eq!(
        typescript("return xs.filter((x) =&gt; x &gt; 1 &amp;&amp; x &lt; 9);"),
        ["return xs.filter((x) => x > 1 && x < 9);"]
    );
    assert_eq!(
        typescript("const a = [&quot;x&quot;, &#39;y&#x27;];<br>\nreturn a;<br/>b"),
        ["const a = [\"x\", 'y'];\nreturn a;\nb"]
    );
    assert_eq!(typescript("a && b; c & d; &nothing;"), [""; 0]);
}

#[test]
fn what_code_is_wrapped_in_goes_and_lines_stay() {
    assert_eq!(
        typescript("<code><![CDATA[\nreturn 1 < 2\n]]></code>"),
        [format!(
            "{}\nreturn 1 < 2\n{}",
            " ".repeat(15),
            " ".repeat(10)
        )]
    );
    assert_eq!(
        python("<parameter name=\"code\">return 1</parameter>\n"),
        [format!("{}return 1{}\n", " ".repeat(23), " ".repeat(12))]
    );
    assert_eq!(
        typescript("Here is the script:\n\nreturn 1 + 1\n\nIt adds the numbers."),
        [format!(
            "{}\n\nreturn 1 + 1\n\n{}",
            " ".repeat(19),
            " ".repeat(20)
        )]
    );
}

#[test]
fn changes_are_undone_alone_and_all_together() {
    let readings = typescript("<code>a =&gt; “b”</code>");
    assert_eq!(readings.len(), 4);
    assert_eq!(readings[3].trim(), "a => \"b\"");
}

#[test]
fn code_is_not_prose() {
    for line in [
        "It adds the numbers.",
        "• **App:** Launcher (com.miui.home)",
        "- **App:** Launcher",
        "Here is the script:",
        "I will now count the orders.",
        "Sure! I'll use the `list_orders` tool (it's fast).",
    ] {
        assert!(prose::is_prose(line, Family::JavaScript), "{line}");
        assert!(prose::is_prose(line, Family::Python), "{line}");
    }
    for line in [
        "return 1",
        "if a and b:",
        "while not done:",
        "x = y",
        "for x in y:",
        "# A comment of a script.",
        "pass",
        "else:",
        "- 1",
        "const x = a ? b : c;",
        "print('This is a text.')",
    ] {
        assert!(!prose::is_prose(line, Family::Python), "{line}");
    }
}

#[test]
fn commands_of_shells_are_said_to_be_such() {
    for (code, line) in [
        ("ls -la /workspace\n", 1),
        ("cat report.csv | head -n 5", 1),
        ("curl -s https://example.com/api | jq .items", 1),
        ("$ npm install lodash", 1),
        ("pip install pandas && python run.py", 1),
        ("```bash\npip install pandas\n```", 1),
        ("I will list the files.\n```sh\nls\n```", 1),
        ("#!/bin/bash\nfor f in *; do x; done", 2),
        ("const a = 1;\ngrep -r x .", 2),
        ("find . -name x", 1),
    ] {
        for language in Language::ALL {
            let said = explained(code, line, language);
            assert!(said.contains("shell"), "{code}: {said}");
            assert!(said.contains("TypeScript, JavaScript or Python"), "{said}");
        }
    }
    for code in [
        "cat = 3 +",
        "find the orders",
        "ls(1",
        "echo.x(",
        "git in x",
        "const a = `",
        "sort (x",
        "make a = 1",
    ] {
        let said = explained(code, 1, Language::TypeScript);
        assert!(!said.contains("shell"), "{code}: {said}");
    }
}

#[test]
fn unknown_names_are_reported() {
    let of = |name: &str, message: &str, text: &str, language| {
        let mut thrown = fault(1, name, message, text);
        explain_name(&mut thrown, language);
        thrown.message
    };
    let said = of(
        "ReferenceError",
        "pwd is not defined",
        "pwd",
        Language::TypeScript,
    );
    assert!(said.contains("fs.realpathSync(\".\")"), "{said}");
    let said = of(
        "NameError",
        "name 'ls' is not defined",
        "ls -la",
        Language::Python,
    );
    assert!(said.contains("os.listdir"), "{said}");
    let said = of(
        "NameError",
        "name 'lt' is not defined",
        "x = a &lt; b",
        Language::Python,
    );
    assert!(said.contains("write `<`"), "{said}");
    let said = of(
        "NameError",
        "name 'cat' is not defined",
        "cat.x",
        Language::Python,
    );
    assert_eq!(said, "name 'cat' is not defined");
}

#[test]
fn only_what_begins_with_a_fence_of_another_language_is_refused_at_once() {
    let refused =
        |code: &str, language| refused(code, "script", language).map(|thrown| thrown.message);
    let typescript = |code: &str| refused(code, Language::TypeScript);
    assert!(typescript("```bash\nls\n```").is_some_and(|said| said.contains("shell")));
    let said = typescript("\n```python\nprint()\n```").unwrap_or_default();
    assert_eq!(
        said,
        "The code is in a fence of Python, and is run as TypeScript: say which it is with `language`."
    );
    assert_eq!(typescript("```ts\na()\n```\n```sh\nls\n```"), None);
    assert_eq!(typescript("```\nls\n```"), None);
    assert_eq!(typescript("x\n```sh\nls\n```"), None);
    assert_eq!(refused("```js\nx\n```", Language::TypeScript), None);
    assert_eq!(
        with_known_fence("```tool_code x\nprint(1)\n```").as_deref(),
        Some("```           \nprint(1)\n```")
    );
    assert_eq!(with_known_fence("```python\nprint(1)\n```"), None);
}

#[test]
fn what_is_left_over_is_named() {
    let said = explained("f(“a”, (;", 1, Language::TypeScript);
    assert_eq!(
        said,
        "Unexpected token. The code has typographic characters, first in line 1: “ for \", ” for \": send plain code."
    );
    let said = explained("a =&gt; (;", 1, Language::TypeScript);
    assert!(said.contains("first `&gt;` for `>` in line 1"), "{said}");
    let said = explained(
        "• **Open orders:** 3\n\nI count them now.",
        1,
        Language::Python,
    );
    assert!(said.starts_with("Line 1 is prose, not code"), "{said}");
}

#[test]
fn any_text_is_looked_at_in_linear_time() {
    for piece in [
        " ",
        "\n",
        "\\",
        "\\n",
        "\\\"",
        "\"",
        "'",
        "`",
        "“",
        "”",
        "‘",
        "’",
        "/",
        "/*",
        "//",
        "#",
        "&",
        "&lt;",
        "<",
        "<a>",
        "<br>",
        "<![CDATA[",
        "]]>",
        "x",
        "é",
        "–",
        "a b. ",
        "A b c.\n",
        "```",
        "```sh\n",
        "“a",
        "'’",
        "\"\"\"",
        "= /",
        "•",
    ] {
        assert_linear(
            &format!("many times {piece:?}"),
            2_000,
            |size| piece.repeat(size),
            |text| {
                for language in [Language::TypeScript, Language::Python] {
                    let readings = readings(text, language);
                    let mut fault = fault(1, "SyntaxError", "no", "");
                    explain(&mut fault, text, language, &readings);
                    black_box((refused(text, "", language), with_known_fence(text)));
                    black_box(fault);
                }
            },
        );
    }
}
