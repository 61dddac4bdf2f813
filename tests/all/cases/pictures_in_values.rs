//! Pictures and other bytes inside what scripts return and print: the text of an answer has a line for
//! each, and never base64.

use ampoule_tests::command::{Served, Workplace};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::with_server;

fn png() -> Vec<u8> {
    [&b"\x89PNG\r\n\x1a\n"[..], &[0; (96 << 10) - 8]].concat()
}

fn workplace() -> Workplace {
    let data = STANDARD.encode(png());
    let answer = |value: Value| json!({"content": [{"type": "text", "text": value.to_string()}]});
    let tool =
        |name: &str| json!({"name": name, "inputSchema": {"type": "object", "properties": {}}});
    let listed = json!({
        "tools": [tool("screenshot"), tool("sound"), tool("bare")],
        "answers": {
            "screenshot": answer(json!({"ok": true, "width": 800, "data_url": format!("data:image/png;base64,{data}")})),
            "sound": answer(json!({"url": format!("data:audio/wav;base64,{data}")})),
            "bare": answer(json!({"data": data})),
        },
    });
    with_server("", &listed)
}

const RETURNS: &str = "const shot = await tools.t.screenshot({}) as any;\nreturn shot;";
const PRINTS: &str =
    "const shot = await tools.t.screenshot({}) as any; console.log(shot); return shot.ok;";

/// Fails where a text has base64 of the picture.
fn has_no_base64(text: &str) {
    assert!(!text.contains("AAAAAAAAAAAAAAAA"), "{text:.300}");
    assert!(!text.contains("0,0,0,0,0,0,0,0"), "{text:.300}");
}

#[tokio::test]
async fn a_document_has_pictures_apart() {
    let workplace = workplace();
    let ran = workplace
        .run(&["run", "--json", "-e", RETURNS])
        .await
        .json();
    let value = json!({"ok": true, "width": 800, "data_url": "[image/png, 96 KiB]"});
    assert_eq!(ran["value"], value);
    let picture = json!({"type": "image", "mimeType": "image/png", "data": STANDARD.encode(png())});
    assert_eq!(ran["media"], json!([picture]));
    let ran = workplace.run(&["run", "--json", "-e", PRINTS]).await.json();
    assert_eq!(ran["value"], true);
    let output = ran["output"].to_string();
    has_no_base64(&output);
    assert!(output.contains("[image/png, 96 KiB]"), "{output}");
    // What is a block stays one, and small documents stay as they are.
    let block = "return { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4096) }";
    let ran = workplace.run(&["run", "--json", "-e", block]).await.json();
    assert_eq!(ran["value"]["data"].as_str().map(str::len), Some(4096));
    assert!(ran.get("media").is_none());
}

#[tokio::test]
async fn a_terminal_has_lines_in_place_of_pictures() {
    let workplace = workplace();
    for (code, printed) in [
        (RETURNS, "\"data_url\": \"[image/png, 96 KiB]\""),
        (PRINTS, "[image/png, 96 KiB]"),
        (
            "return (await tools.t.bare({})).data",
            "[image/png, 96 KiB]",
        ),
    ] {
        let ran = workplace.run(&["run", "-e", code]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        has_no_base64(&ran.stdout);
        assert!(ran.stdout.contains(printed), "{ran:?}");
        // The estimate counts what is read: the line, and not the picture.
        let cost = ran.stderr.split("arguments, results); ").nth(1);
        let cost = cost.and_then(|rest| rest.split(" for the script").next());
        let tokens: u64 = cost
            .expect("the estimate")
            .replace(',', "")
            .parse()
            .expect("a number");
        assert!((1..200).contains(&tokens), "{ran:?}");
        let has_value = code != PRINTS;
        assert_eq!(ran.stderr.contains("`--json` prints"), has_value, "{ran:?}");
    }
    let quiet = workplace.run(&["run", "-q", "-e", RETURNS]).await;
    assert!(!quiet.stderr.contains("--json"), "{quiet:?}");
}

#[tokio::test]
async fn an_answer_has_pictures_as_blocks() {
    let workplace = workplace();
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut execute = async |code: &str, language: &str| {
        let arguments = json!({"code": code, "language": language});
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "execute_code", "arguments": arguments},
        });
        let mut content = served.ask(request).await["result"]["content"].take();
        let blocks = content
            .as_array_mut()
            .map(std::mem::take)
            .unwrap_or_default();
        let (texts, others): (Vec<Value>, Vec<Value>) = blocks
            .into_iter()
            .partition(|block| block["type"] == "text");
        let texts: Vec<&str> = texts.iter().filter_map(|it| it["text"].as_str()).collect();
        let text = texts.join("\n");
        has_no_base64(&text);
        (text, others)
    };
    let data = STANDARD.encode(png());
    let image = json!({"type": "image", "mimeType": "image/png", "data": data});
    let audio = json!({"type": "audio", "mimeType": "audio/wav", "data": data});
    let (text, blocks) = execute(RETURNS, "typescript").await;
    assert_eq!(
        text,
        r#"{"ok":true,"width":800,"data_url":"[image/png, 96 KiB]"}"#
    );
    assert_eq!(blocks, std::slice::from_ref(&image));
    let (text, blocks) = execute(PRINTS, "typescript").await;
    assert!(
        text.contains("[image/png, 96 KiB]") && text.contains("width"),
        "{text}"
    );
    assert!(text.contains("return image(data"), "{text}");
    assert_eq!(blocks, [Value::Null; 0]);
    let (text, blocks) = execute("return await tools.t.sound({})", "typescript").await;
    assert_eq!(text, r#"{"url":"[audio/wav, 96 KiB]"}"#);
    assert_eq!(blocks, [audio]);
    for (code, language) in [
        ("return (await tools.t.bare({})).data", "typescript"),
        (
            "return new Uint8Array(Buffer.from((await tools.t.bare({})).data, 'base64'))",
            "javascript",
        ),
        (
            "return Buffer.from((await tools.t.bare({})).data, 'base64')",
            "javascript",
        ),
        (
            "import base64\nreturn base64.b64decode((await tools.t.bare())['data'])",
            "python",
        ),
    ] {
        let (text, blocks) = execute(code, language).await;
        assert!(text.contains("[image/png, 96 KiB]"), "{code}: {text}");
        assert_eq!(blocks, std::slice::from_ref(&image), "{code}");
    }
    let (text, blocks) = execute(
        "throw new Error((await tools.t.bare({})).data)",
        "typescript",
    )
    .await;
    assert!(text.contains("[image/png, "), "{text}");
    assert_eq!(blocks, [Value::Null; 0]);
    let printed = "import base64\nprint(base64.b64decode((await tools.t.bare())['data'])[:9000])";
    let (text, _) = execute(printed, "python").await;
    assert!(text.len() < 40_000, "{text}");
    assert_eq!(served.close().await, Some(0));
}
