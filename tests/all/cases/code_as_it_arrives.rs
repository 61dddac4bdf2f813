//! Code that was changed on its way, or that is none: it runs as it was meant where that is certain;
//! else one error says what it is, and no call is made.

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Served, Workplace};
use serde_json::{Value, json};

fn workplace() -> Workplace {
    let workplace = Workplace::default();
    let config = format!(
        "[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n",
        binary().display()
    );
    workplace.file("ampoule.toml", config);
    workplace
}

async fn run(workplace: &Workplace, language: &str, code: &str) -> Ran {
    let arguments = [
        "run",
        "--quiet",
        "--json",
        "--language",
        language,
        "-e",
        code,
    ];
    workplace.run(&arguments).await
}

fn executed(code: &str, language: Option<&str>) -> Value {
    let mut arguments = json!({ "code": code });
    if let Some(language) = language {
        arguments["language"] = json!(language);
    }
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "execute_code", "arguments": arguments},
    })
}

fn texts(answer: &Value) -> String {
    let blocks = answer["result"]["content"].as_array();
    let blocks = blocks.unwrap_or_else(|| panic!("{answer}"));
    let texts: Vec<&str> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
    texts.join("\n")
}

/// Code that is meant, in its language; what it returns; and a part of the note on what was changed.
const MEANT: [(&str, &str, &str, &str); 12] = [
    (
        "typescript",
        r"const r = await tools.demo.listOrders({});\nconst n = r.items.length;\nreturn n;",
        "50",
        "a backslash and an n",
    ),
    (
        "python",
        r#"r = await tools.demo.list_orders()\nfor o in r["items"]:\n    pass\nreturn len(r["items"])"#,
        "50",
        "a backslash and an n",
    ),
    (
        "typescript",
        r#"const r = await tools.demo.listOrders({});\n// how many\nconst label = \"orders\";\nreturn r.items.length;"#,
        "50",
        "a backslash and an n",
    ),
    (
        "typescript",
        "const orders = await tools.demo.listOrders({ status: [“pending”], limit: 2 });\nreturn orders.items.length;",
        "2",
        "“ for \"",
    ),
    (
        "python",
        "orders = await tools.demo.list_orders(status=[‘pending’], limit=2)\nreturn len(orders[“items”])",
        "2",
        "‘ for '",
    ),
    (
        "typescript",
        "const n = 3;\u{a0}\nreturn n – 1;",
        "2",
        "– (U+2013) for -",
    ),
    (
        "python",
        "n = 3\nif n:\n\u{a0}\u{a0}\u{a0}\u{a0}m = n\nreturn m − 1",
        "2",
        "a no-break space (U+00A0) for a space",
    ),
    (
        "typescript",
        "const xs = [1, 2, 3];\nreturn xs.filter((x) =&gt; x &gt; 1 &amp;&amp; x &lt; 9).length;",
        "2",
        "`&gt;` for `>` in line 2",
    ),
    (
        "python",
        "xs = [1, 2, 3]\nreturn len([x for x in xs if x &gt; 1 and x &lt; 9])",
        "2",
        "`&gt;` for `>` in line 2",
    ),
    (
        "typescript",
        "const a = [&quot;x&quot;, &#39;y&#39;];<br>\nreturn a.length;",
        "2",
        "`&quot;` for `\"` in line 1",
    ),
    (
        "typescript",
        "<code><![CDATA[\nreturn 1 < 2 && 3 > 2 ? 2 : 0\n]]></code>",
        "2",
        "`<code><![CDATA[` around it",
    ),
    (
        "typescript",
        "Here is the script:\n\nreturn 1 + 1\n\nIt adds the numbers.",
        "2",
        "prose around it",
    ),
];

#[tokio::test]
async fn code_that_was_changed_on_its_way_runs_as_it_was_meant() {
    let workplace = workplace();
    for (language, code, returned, note) in MEANT {
        let ran = run(&workplace, language, code).await;
        let outcome = ran.json();
        assert_eq!(outcome["value"].to_string(), returned, "{code}: {outcome}");
        let output = outcome["output"].to_string().replace("\\\"", "\"");
        assert!(output.contains("It was read as meant"), "{code}: {outcome}");
        assert!(output.contains(note), "{code}: {outcome}");
    }
    let mut served = Served::greeted(&workplace, &[]).await;
    for (_, code, returned, _) in MEANT {
        let answer = served.ask(executed(code, None)).await;
        assert_eq!(answer["result"]["isError"], false, "{code}: {answer}");
        let texts = texts(&answer);
        assert!(texts.contains("It was read as meant"), "{texts}");
        let of_run = texts.lines().any(|line| line == returned);
        assert!(of_run, "{code}: {texts}");
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn texts_inside_right_code_stay_as_they_are() {
    let workplace = workplace();
    for (language, code, returned) in [
        (
            "typescript",
            r#"return "a\nb".split("\n").length"#,
            json!(2),
        ),
        (
            "typescript",
            r#"return "a\\nb".split("\\n")"#,
            json!(["a", "b"]),
        ),
        (
            "python",
            "text = 'x\\ty\\nz'\nreturn len(text.split())",
            json!(3),
        ),
        (
            "typescript",
            "return `“quoted” – ok`",
            json!("“quoted” – ok"),
        ),
        ("python", "return len('“–”')", json!(3)),
        ("typescript", "return 'a &amp; b'", json!("a &amp; b")),
        ("python", "return len('&amp;')", json!(5)),
        ("python", "cat = 1\nls = 2\nreturn cat - ls", json!(-1)),
        (
            "typescript",
            "const cat = 1, ls = 2;\nreturn cat - ls",
            json!(-1),
        ),
        // Errors at run time are the script's own.
        (
            "typescript",
            "try { JSON.parse('“') } catch (e) { return e.name }",
            json!("SyntaxError"),
        ),
        (
            "python",
            "try:\n    eval('“')\nexcept SyntaxError as e:\n    return 'caught'",
            json!("caught"),
        ),
    ] {
        let outcome = run(&workplace, language, code).await.json();
        assert_eq!(outcome["value"], returned, "{code}: {outcome}");
        assert_eq!(outcome["output"], json!([]), "{code}: {outcome}");
    }
}

#[tokio::test]
async fn what_ran_is_never_run_again_as_something_else() {
    let workplace = workplace();
    for (language, code) in [
        ("typescript", "console.log('once'); JSON.parse('“')"),
        (
            "typescript",
            "console.log('once'); throw new SyntaxError('“ &gt;')",
        ),
        ("typescript", "console.log('once'); new RegExp('(“')"),
        ("python", "print('once')\neval('“')"),
        ("python", "print('once')\nraise SyntaxError('“ &gt;')"),
    ] {
        let outcome = run(&workplace, language, code).await.json();
        assert_eq!(outcome["error"]["name"], "SyntaxError", "{outcome}");
        let output = outcome["output"].as_array().map(Vec::len);
        assert_eq!(output, Some(1), "{code}: {outcome}");
    }
}

#[tokio::test]
async fn what_can_not_be_read_is_named_with_its_line() {
    let workplace = workplace();
    for (language, code, line, said) in [
        (
            "typescript",
            "• **App:** Launcher (com.miui.home)\n  • **Open orders:** 3\n\nI will now count the orders.",
            1,
            "is prose, not code",
        ),
        (
            "python",
            "• **App:** Launcher (com.miui.home)\n  • **Open orders:** 3\n\nI will now count the orders.",
            1,
            "is prose, not code",
        ),
        (
            "typescript",
            "const total;\nconst r = await tools.demo.listOrders({});\nreturn total;",
            1,
            "const",
        ),
        (
            "typescript",
            "const a = 1;\nf(“x”, (;",
            2,
            "typographic characters, first in line 2",
        ),
        (
            "python",
            "a = 1\nf(“x”, (",
            2,
            "typographic characters, first in line 2",
        ),
        (
            "typescript",
            "const ok = 1 &lt; 2;\nreturn ok",
            1,
            "write `<`",
        ),
        ("python", "ok = 1 &lt; 2\nreturn ok", 1, "write `<`"),
    ] {
        let outcome = run(&workplace, language, code).await.json();
        let message = outcome["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(said), "{code}: {outcome}");
        assert_eq!(
            outcome["error"]["location"]["line"], line,
            "{code}: {outcome}"
        );
        assert_eq!(outcome["usage"]["calls"], json!([]), "{outcome}");
    }
    // A place in code that was read as meant is one in what was meant.
    let code = r"const a = 1;\nconst b = a.c.d;\nreturn b;";
    let outcome = run(&workplace, "typescript", code).await.json();
    assert_eq!(outcome["error"]["location"]["line"], 2, "{outcome}");
    assert_eq!(
        outcome["error"]["location"]["text"], "const b = a.c.d;",
        "{outcome}"
    );
}

/// Commands of a shell, and what is said of how a script does the same.
const COMMANDS: [(&str, &str); 9] = [
    ("ls -la /workspace\n", "Files"),
    ("cat report.csv | head -n 5", "Files"),
    (
        "```bash\npip install pandas && python run.py\n```",
        "nothing can be installed",
    ),
    ("```sh\nls\n```", "Files"),
    (
        "curl -s https://example.com/api | jq .items",
        "fetch|urllib.request",
    ),
    ("$ npm install lodash", "nothing can be installed"),
    ("I will list the files.\n\n```bash\nls -la\n```", "Files"),
    (
        "#!/bin/bash\nfor f in *; do wc -l \"$f\"; done",
        "a shell script",
    ),
    ("mkdir -p out && cp a.txt out/", "Files"),
];

fn is_told_of_a_shell(code: &str, told: &str, part: &str) {
    assert!(told.contains("shell"), "{code}: {told}");
    assert!(
        told.contains("TypeScript, JavaScript or Python"),
        "{code}: {told}"
    );
    assert!(
        part.split('|').any(|part| told.contains(part)),
        "{code}: {told}"
    );
    assert_eq!(
        told.matches("there is no shell").count(),
        1,
        "{code}: {told}"
    );
}

#[tokio::test]
async fn commands_of_a_shell_are_said_to_be_such() {
    let workplace = workplace();
    for (code, part) in COMMANDS {
        for language in ["typescript", "python"] {
            let outcome = run(&workplace, language, code).await.json();
            let told = outcome["error"]["message"].as_str().unwrap_or_default();
            is_told_of_a_shell(code, told, part);
        }
    }
    for (language, part) in [
        ("typescript", "fs.realpathSync(\".\")"),
        ("python", "os.getcwd()"),
    ] {
        let outcome = run(&workplace, language, "pwd\n").await.json();
        let told = outcome["error"]["message"].as_str().unwrap_or_default();
        is_told_of_a_shell("pwd", told, part);
    }
    let mut served = Served::greeted(&workplace, &[]).await;
    for (code, part) in COMMANDS {
        for language in [None, Some("typescript"), Some("javascript"), Some("python")] {
            let answer = served.ask(executed(code, language)).await;
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            is_told_of_a_shell(code, &texts(&answer), part);
        }
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn fences_that_name_no_language_of_scripts_are_told_or_read() {
    let workplace = workplace();
    let said = async |language: &str, code: &str| {
        let outcome = run(&workplace, language, code).await.json();
        match &outcome["value"] {
            Value::Null => outcome["error"]["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            value => value.to_string(),
        }
    };
    assert_eq!(
        said("python", "```tool_code\nprint(1)\nreturn 2\n```").await,
        "2"
    );
    assert_eq!(said("typescript", "```text\nreturn 2\n```").await, "2");
    let told = said("typescript", "```sql\nselect 1\n```").await;
    assert!(told.contains("a fence of `sql`"), "{told}");
    let told = said("typescript", "```python\nprint(1)\n```").await;
    assert!(
        told.contains("is in a fence of Python, and is run as TypeScript"),
        "{told}"
    );
}
