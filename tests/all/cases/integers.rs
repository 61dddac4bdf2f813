//! Numbers that mean an integer, and what a tool gets of them.

use ampoule_tests::command::Workplace;
use serde_json::json;

use super::with_server;

fn workplace() -> Workplace {
    let schema = json!({ "type": "object", "properties": {
        "limit": { "type": "integer" },
        "ratio": { "type": "number" },
    } });
    // A text that is not JSON stays as it is.
    let listed = json!({ "tools": [{ "name": "page", "inputSchema": schema }], "before": "got " });
    with_server("", &listed)
}

/// What the tool got, byte for byte, or an error.
async fn got(language: &str, code: &str) -> Vec<String> {
    let ran = workplace()
        .run(&["run", "--quiet", "--language", language, "-e", code])
        .await;
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

fn limit(digits: &str) -> String {
    format!("got {{\"limit\":{digits}}}")
}

#[tokio::test]
async fn an_integer_is_sent_with_its_digits_however_a_script_computes_it() {
    let python = "out = []
for n in [10 / 2, 5, 1e3, 2.0**40, -0.0, float('1e21'), 9007199254740993, 0.5]:
    try:
        out.append(await tools.t.page(limit=n))
    except ToolError as e:
        out.append('E: ' + str(e))
out.append(await tools.t.page(ratio=10 / 4))
return out";
    let typescript = "const out: string[] = [];
for (const n of [10 / 2, 5, 1e3, 2 ** 40, -0, 1e21, 9007199254740993n, 0.5]) {
  try { out.push(await tools.t.page({ limit: n as any }) as any) } catch (e: any) { out.push('E: ' + e.message) }
}
out.push(await tools.t.page({ ratio: 10 / 4 }) as any);
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
        assert_eq!(got[..7], digits.map(limit), "{language}");
        assert!(
            got[7].starts_with("E: ") && got[7].contains("limit"),
            "{got:?}"
        );
        assert_eq!(got[8], "got {\"ratio\":2.5}");
    }
}
