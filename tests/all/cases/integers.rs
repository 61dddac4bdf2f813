//! Numbers that mean an integer, and what a tool gets of them.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

fn workplace() -> Workplace {
    let schema = json!({ "type": "object", "properties": {
        "limit": { "type": "integer" },
        "ratio": { "type": "number" },
    } });
    let listed = json!({ "tools": [{ "name": "page", "inputSchema": schema }] });
    let workplace = Workplace::default();
    workplace.file("listed.json", listed.to_string());
    let config = format!(
        "[servers.t]\ncommand = '{}'\nargs = ['listed.json']\n",
        env!("CARGO_BIN_EXE_listed-server")
    );
    workplace.file("ampoule.toml", config);
    workplace
}

/// What the tool got, byte for byte, or the beginning of the error.
async fn got(language: &str, code: &str) -> Vec<String> {
    let ran = workplace()
        .run(&[
            "run",
            "--quiet",
            "--json",
            "--language",
            language,
            "-e",
            code,
        ])
        .await;
    let document = ran.json();
    let values = document["value"].as_array();
    let values = values.unwrap_or_else(|| panic!("{document}")).iter();
    values
        .map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        })
        .collect()
}

fn limit(digits: &str) -> String {
    format!("{{\"limit\":{digits}}}")
}

#[tokio::test]
async fn an_integer_is_sent_with_its_digits_however_a_script_computes_it() {
    let python = "out = []
for n in [10 / 2, 5, 1e3, 2.0**40, -0.0, float('1e21'), 9007199254740993, 0.5]:
    try:
        out.append(str(await tools.t.page(limit=n)))
    except ToolError as e:
        out.append('E: ' + str(e))
out.append(str(await tools.t.page(ratio=10 / 4)))
return out";
    let typescript = "const out: string[] = [];
for (const n of [10 / 2, 5, 1e3, 2 ** 40, -0, 1e21, 9007199254740993n, 0.5]) {
  try { out.push(JSON.stringify(await tools.t.page({ limit: n as any }))) } catch (e: any) { out.push('E: ' + e.message) }
}
out.push(JSON.stringify(await tools.t.page({ ratio: 10 / 4 })));
return out";
    let digits = [
        "5",
        "5",
        "1000",
        "1099511627776",
        "0",
        "1000000000000000000000",
        "9007199254740993",
    ];
    for (language, code) in [("python", python), ("typescript", typescript)] {
        let got = got(language, code).await;
        for (got, digits) in got.iter().zip(digits) {
            // Of what the tool answers as text, JavaScript makes a string again.
            let raw: Value = serde_json::from_str(got).unwrap_or(Value::Null);
            let raw = raw.as_str().unwrap_or(got);
            assert_eq!(
                raw.replace(' ', "").replace('\'', "\""),
                limit(digits),
                "{language}"
            );
        }
        assert!(
            got[7].starts_with("E: ") && got[7].contains("limit"),
            "{got:?}"
        );
        assert!(got[8].contains("2.5"), "{got:?}");
    }
}
