//! Integers that doubles can't tell apart, from tools to scripts and back: no digit is lost.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

use super::with_server;

const ID: &str = "1915883588174806058";
const OTHER: &str = "9007199254740993";

/// Where a server tells of an ad with such ids in its structured content, of one in a text, and of
/// the arguments that it is called with, byte for byte.
fn workplace() -> Workplace {
    let integer = json!({"type": "integer"});
    let integers = json!({"type": "array", "items": integer});
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let mut get_ad = tool("get_ad", json!({}));
    get_ad["outputSchema"] = json!({"type": "object", "properties": {"id": integer, "small": integer, "ids": integers, "ratio": {"type": "number"}}});
    let update = json!({"id": integer, "ids": integers});
    let ad = json!({"id": 1_915_883_588_174_806_058_u64, "small": 7, "ids": [9_007_199_254_740_993_u64, 1_915_883_588_174_806_058_u64, 2], "ratio": 2.5});
    let extremes = json!([
        9_007_199_254_740_991_i64,
        9_007_199_254_740_992_i64,
        -9_007_199_254_740_991_i64,
        -9_007_199_254_740_992_i64,
        i64::MIN,
        u64::MAX
    ]);
    let text = |text: String| json!({"content": [{"type": "text", "text": text}]});
    let listed = json!({
        "tools": [get_ad, tool("text_ad", json!({})), tool("extremes", json!({})), tool("longer", json!({})), tool("update", update)],
        "answers": {
            "get_ad": {"content": [{"type": "text", "text": "{}"}], "structuredContent": ad},
            "text_ad": text(format!("{{\"id\": {ID}}}")),
            "extremes": text(extremes.to_string()),
            "longer": text("[123456789012345678901234567890,-123456789012345678901234567890]".to_owned()),
        },
        // A text that is not JSON stays as it is.
        "before": "got ",
    });
    with_server("", &listed)
}

async fn run(workplace: &Workplace, language: &str, code: &str) -> Value {
    let ran = workplace
        .run(&["run", "--quiet", "--language", language, "-e", code])
        .await;
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[tokio::test]
async fn a_tool_gets_the_digits_that_another_gave() {
    let workplace = workplace();
    let typescript = "const ad: any = await tools.t.getAd({}); const row: any = await tools.t.textAd({});
return [await tools.t.update({ id: ad.id, ids: ad.ids }), await tools.t.update({ id: row.id, ids: [structuredClone(ad).id] }),
  await tools.t.update({ ids: await tools.t.extremes({}) as any }), `${ad.id} ${row.id}`]";
    let python = "ad = await tools.t.get_ad()
row = await tools.t.text_ad()
return [await tools.t.update(id=ad.id, ids=ad.ids), await tools.t.update(id=row.id, ids=[ad['id']]),
  await tools.t.update(ids=await tools.t.extremes()), f'{ad.id} {row.id}']";
    let extremes = "9007199254740991,9007199254740992,-9007199254740991,-9007199254740992,-9223372036854775808,18446744073709551615";
    let expected = json!([
        format!(r#"got {{"id":{ID},"ids":[{OTHER},{ID},2]}}"#),
        format!(r#"got {{"id":{ID},"ids":[{ID}]}}"#),
        format!(r#"got {{"ids":[{extremes}]}}"#),
        format!("{ID} {ID}"),
    ]);
    for (language, code) in [("typescript", typescript), ("python", python)] {
        assert_eq!(
            run(&workplace, language, code).await,
            expected,
            "{language}"
        );
    }
}

#[tokio::test]
async fn scripts_have_them_as_bigints_and_other_numbers_as_numbers() {
    let code = "const ad: any = await tools.t.getAd({}); const row: any = await tools.t.textAd({});
const edges = (await tools.t.extremes({}) as any[]).map((n) => typeof n);
const longer: any = await tools.t.longer({});
const up = (a: any, b: any) => a - b;
return {
  kinds: [ad.id, ad.small, ad.ratio, ...ad.ids].map((n) => typeof n), edges, longer: `${longer}`,
  equal: [ad.id === row.id, ad.id == row.id, ad.id === ad.ids[1], ad.id === ad.ids[0]],
  next: `${ad.id + 1n}`, greater: ad.id > 5,
  json: JSON.stringify({ ad, row }), pretty: JSON.stringify(row, null, 2), replaced: JSON.stringify(row, (key, value) => typeof value === 'bigint' ? `#${value}` : value),
  back: JSON.parse(JSON.stringify(ad)).id, standard: typeof JSON.parse('[1915883588174806058]')[0],
  sorted: [...ad.ids].sort(up).join(), down: ad.ids.toSorted((a: any, b: any) => b - a).join(), rows: ad.ids.map((id: any) => ({ id })).sort((a: any, b: any) => a.id - b.id).map((row: any) => row.id).join(),
  key: Object.keys({ [ad.id]: 1 }), set: new Set([ad.id, row.id]).size, ad,
}";
    let got = run(&workplace(), "typescript", code).await;
    let ad = json!({"id": ID, "small": 7, "ids": [OTHER, ID, 2], "ratio": 2.5});
    let expected = json!({
        "kinds": ["bigint", "number", "number", "bigint", "bigint", "number"],
        "edges": ["number", "bigint", "number", "bigint", "bigint", "bigint"],
        "longer": "123456789012345678901234567890,-123456789012345678901234567890",
        "equal": [true, true, true, false],
        "next": "1915883588174806059",
        "greater": true,
        "json": json!({"ad": ad, "row": {"id": ID}}).to_string(),
        "pretty": format!("{{\n  \"id\": \"{ID}\"\n}}"),
        "replaced": format!("{{\"id\":\"#{ID}\"}}"),
        "back": ID,
        "standard": "number",
        "sorted": format!("2,{OTHER},{ID}"),
        "down": format!("{ID},{OTHER},2"),
        "rows": format!("2,{OTHER},{ID}"),
        "key": [ID],
        "set": 1,
        "ad": ad,
    });
    assert_eq!(got, expected);
}

#[tokio::test]
async fn what_mixes_them_with_numbers_is_told_what_to_write() {
    let workplace = workplace();
    for (code, told) in [
        (
            "ad.id + 1",
            "1915883588174806058n is a BigInt and 1 a number, and + takes two of a kind: write `+ 1n`, or of a variable `+ BigInt(…)`",
        ),
        (
            "ad.ids.reduce((sum: any, id: any) => sum + id, 0)",
            "0 is a number and 9007199254740993n a BigInt, and + takes two of a kind: write `0n +`, or of a variable `BigInt(…) +`",
        ),
        ("Math.max(...ad.ids)", "write `Number(…)`, which rounds it"),
        ("+ad.id", "write `Number(…)`, which rounds it"),
    ] {
        let caught = format!(
            "const ad: any = await tools.t.getAd({{}});\ntry {{ return {code} }} catch (e: any) {{ return [e.name, e.message] }}"
        );
        let got = run(&workplace, "typescript", &caught).await;
        assert_eq!(got[0], "TypeError", "{code}: {got}");
        let message = got[1].as_str().unwrap_or_default();
        assert!(message.contains(told), "{code}: {got}");
        let thrown = format!("const ad: any = await tools.t.getAd({{}});\nreturn {code}");
        let ran = workplace.run(&["run", "--quiet", "-e", &thrown]).await;
        assert!(ran.stderr.contains(told), "{code}: {ran:?}");
        assert!(ran.stderr.contains("script.ts:2:"), "{code}: {ran:?}");
    }
}

#[tokio::test]
async fn one_that_a_script_has_as_a_number_is_told() {
    let workplace = workplace();
    let warned = async |code: &str| {
        let ran = workplace.run(&["run", "--json", "-e", code]).await.json();
        ran["output"].to_string()
    };
    let code = "const id = 1;\nreturn tools.t.update({ id: 1915883588174806058, ids: [id, 9_007_199_254_740_993] })";
    let told = warned(code).await;
    for told_of in [
        "Warning: 1915883588174806058 (line 2) is beyond 2^53, so it was rounded: write 1915883588174806058n.",
        "Warning: 9_007_199_254_740_993 (line 2) is beyond 2^53, so it was rounded: write 9_007_199_254_740_993n.",
    ] {
        assert!(told.contains(told_of), "{told}");
    }
    // It says what it holds; or is not an integer, or not a number; or nothing is called.
    for code in [
        "return tools.t.update({ id: 9007199254740992, ids: [1e21, 1915883588174806058n as any] })",
        "return tools.t.update({ ids: [Number('1915883588174806058'), 0.12345678901234567] })",
        "return 1915883588174806058 > 5",
    ] {
        assert_eq!(warned(code).await, "[]", "{code}");
    }
}

#[tokio::test]
async fn what_is_printed_and_recorded_and_kept_has_every_digit() {
    let workplace = workplace();
    let code = "const ad: any = await tools.t.getAd({});\nconsole.log(ad, [ad.id]); console.log('%s', ad.id); console.table([ad]);\nreturn ad";
    let arguments = ["run", "--record", "--json", "--session", "ads", "-e", code];
    let outcome = workplace.run(&arguments).await.json();
    let printed = outcome["output"].to_string();
    assert_eq!(printed.matches(ID).count(), 6, "{printed}");
    assert_eq!(outcome["value"]["id"], ID, "{outcome}");
    let id = outcome["record"].as_str().expect("it left a record");
    let replayed = workplace
        .run(&["runs", "replay", id, "--json"])
        .await
        .json();
    assert_eq!(replayed["same"], true, "{replayed}");
    assert_eq!(replayed["outcome"]["value"], outcome["value"]);

    let next = "return [typeof ad.id, `${ad.id}`, await tools.t.update({ id: ad.id })]";
    let kept = workplace
        .run(&["run", "--json", "--session", "ads", "-e", next])
        .await;
    let sent = format!(r#"got {{"id":{ID}}}"#);
    assert_eq!(kept.json()["value"], json!(["bigint", ID, sent]));
}

#[tokio::test]
async fn a_model_reads_every_digit() {
    let workplace = workplace();
    let mut served = Served::greeted(&workplace, &[]).await;
    for (language, code) in [
        ("typescript", "return await tools.t.getAd({})"),
        ("python", "return await tools.t.get_ad()"),
    ] {
        let arguments = json!({"code": code, "language": language});
        let params = json!({"name": "execute_code", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = served.ask(call).await;
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(text.matches(ID).count(), 2, "{language}: {text}");
        assert_eq!(text.matches(OTHER).count(), 1, "{language}: {text}");
    }
    served.close().await;
}
