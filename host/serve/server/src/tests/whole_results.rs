//! Whole results, and what scripts give the person, as clients get them.

use super::apps::{answer, call, server};
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn whole_results_pass_as_they_came_by_all_ways() {
    let server = server(&["weather"]);
    let mut client = Client::of(&server);
    let single = json!({ "server": "weather", "tool": "plain" });
    let script = |code: &str, language: &str| json!({ "code": code, "language": language });
    let ways = [
        ("call_tool", single),
        ("weather__plain", json!({})),
        (
            "execute_code",
            script("return await whole(tools.weather.plain)", "typescript"),
        ),
        (
            "execute_code",
            script("return await whole(tools.weather.plain)", "python"),
        ),
    ];
    let mut expected = answer()["content"].as_array().unwrap().clone();
    expected.push(json!({ "type": "text", "text": "{\"degrees\":21}" }));
    for (tool, arguments) in ways {
        let answered = call(&mut client, tool, arguments).await;
        let result = &answered["result"];
        assert_eq!(result["content"], json!(expected), "{tool}: {answered}");
        assert_eq!(result["_meta"]["own"], json!({ "x": 1 }), "{answered}");
        assert!(result["_meta"].get("ampoule/call").is_none(), "{answered}");
        assert!(result.get("structuredContent").is_none(), "{answered}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_error_has_besides_text_reaches_the_client_by_all_ways() {
    let server = server(&["weather"]);
    let mut client = Client::of(&server);
    let script = |code: &str, language: &str| json!({ "code": code, "language": language });
    let single = json!({ "server": "weather", "tool": "plain", "arguments": { "fail": true } });
    let in_typescript = script("await tools.weather.plain({ fail: true })", "typescript");
    let in_python = script("await tools.weather.plain(fail=True)", "python");
    let passed_on = "try { await tools.weather.plain({ fail: true }) } \
        catch (error) { throw new Error('no report', { cause: error }) }";
    let ways = [
        ("call_tool", single),
        ("weather__plain", json!({ "fail": true })),
        ("execute_code", in_typescript),
        ("execute_code", in_python),
        ("execute_code", script(passed_on, "typescript")),
    ];
    let whole = answer();
    let expected = &whole["content"].as_array().unwrap()[1..];
    for (tool, arguments) in ways {
        let answered = call(&mut client, tool, arguments).await;
        let result = &answered["result"];
        assert_eq!(result["isError"], true, "{tool}: {answered}");
        let content = result["content"].as_array().unwrap();
        let said = content[0]["text"].as_str().unwrap();
        assert!(said.contains("sunny"), "{said}");
        assert_eq!(content[1..=expected.len()], *expected, "{tool}: {answered}");
    }
    // An error of the script's own has none of it.
    let caught = "try { await tools.weather.plain({ fail: true }) } \
        catch (error) { throw new Error('no report') }";
    let result = client.execute(script(caught, "typescript")).await;
    assert!(!result.to_string().contains("iVBORw0KGgo="), "{result}");
    // A script that catches the error has all blocks.
    let caught =
        "try { await tools.weather.plain({ fail: true }) } catch (error) { return error.content }";
    let result = client.execute(script(caught, "typescript")).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["content"][1], expected[0], "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_script_emits_is_for_the_person_however_it_ends() {
    let server = server(&["weather"]);
    let mut client = Client::of(&server);
    let user = json!({ "audience": ["user"] });
    for (code, language, is_error) in [
        (
            "emit('look', { a: 1 }, image('iVBORw0KGgo=')); return 5",
            "typescript",
            false,
        ),
        (
            "emit('look', {'a': 1}, image('iVBORw0KGgo='))\nreturn 5",
            "python",
            false,
        ),
        (
            "emit('look', { a: 1 }, image('iVBORw0KGgo=')); throw new Error('no')",
            "typescript",
            true,
        ),
        (
            "emit('look', {'a': 1}, image('iVBORw0KGgo='))\nraise ValueError('no')",
            "python",
            true,
        ),
    ] {
        let result = client
            .execute(json!({ "code": code, "language": language }))
            .await;
        assert_eq!(result["isError"], is_error, "{result}");
        let content = result["content"].as_array().unwrap();
        let emitted: Vec<_> = content
            .iter()
            .filter(|it| it["annotations"] == user)
            .collect();
        assert_eq!(emitted.len(), 3, "{result}");
        assert_eq!(emitted[0]["text"], "look", "{result}");
        assert_eq!(emitted[1]["text"], "{\"a\":1}", "{result}");
        assert_eq!(emitted[2]["mimeType"], "image/png", "{result}");
        assert!(!text(&result).starts_with("look"), "{result}");
    }
    // A block that says whom it is for stays so.
    let code = "emit(await whole(tools.weather.plain))";
    let result = client.execute(json!({ "code": code })).await;
    let blocks = result["content"].as_array().unwrap();
    let sunny = blocks.iter().find(|it| it["text"] == "sunny").unwrap();
    assert_eq!(sunny["annotations"]["audience"], json!(["assistant"]));
    let linked = |it: &&Value| it["type"] == "resource_link" && it["name"] == "weather.plain";
    assert!(!blocks.iter().any(|it| linked(&it)), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn emitted_values_have_as_much_room_as_a_result() {
    let server = server(&["weather"]).answer_bytes(2_000);
    let mut client = Client::of(&server);
    let code = "emit('x'.repeat(900_000)); return 1";
    let result = client.execute(json!({ "code": code })).await;
    let bytes = result.to_string().len();
    assert!(bytes < 60_000, "{bytes}");
    let code = "for (let n = 0; n < 101; n++) emit(n)";
    let result = client.execute(json!({ "code": code })).await;
    assert!(
        text(&result).contains("a script can emit at most 100 values"),
        "{result}"
    );
}
