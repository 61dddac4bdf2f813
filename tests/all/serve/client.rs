//! The official client for Python.

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};

/// What the official client sees, as `tests/servers/client.py` tells it.
async fn seen_by_python(test: &str, mode: &str) -> Option<Value> {
    let python = prepared(test, "AMPOULE_TEST_PYTHON")?.join("venv/bin/python");
    let workplace = Workplace::default();
    let mut command = workplace.command(python, &[]);
    command
        .arg(repository().join("tests/servers/client.py"))
        .arg(binary())
        .arg(mode);
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Some(ran.json())
}

fn text(seen: &Value) -> &str {
    seen["text"].as_str().expect("a text")
}

fn check(saw: &Value) {
    assert_eq!(saw["server"], "ampoule");
    assert!(saw["instructions"].as_str().expect("instructions").len() < 2048);
    let tools = saw["tools"].as_object().expect("tools");
    assert_eq!(
        tools.keys().collect::<Vec<_>>(),
        ["execute_code", "search_tools"]
    );
    for description in tools.values() {
        let length = description.as_str().expect("a description").len();
        assert!((20..2048).contains(&length), "{length} bytes");
    }

    let returns = &saw["returns"];
    assert_eq!(returns["isError"], false, "{returns}");
    assert!(text(returns).starts_with("printed\n"), "{returns}");
    let value: Value = serde_json::from_str(text(returns).lines().last().expect("a result"))
        .expect("the result is JSON");
    assert!(
        value["n"].as_u64().is_some_and(|count| count > 0),
        "{returns}"
    );

    let throws = &saw["throws"];
    assert_eq!(throws["isError"], true, "{throws}");
    assert!(
        text(throws).contains("TypeError: not today")
            && text(throws).contains("throw new TypeError"),
        "{throws}"
    );
    assert_eq!(
        (&returns["besides"], &throws["besides"]),
        (
            &json!(["language: typescript, guessed from the code"]),
            &json!([
                "language: typescript, guessed from the code; if that is wrong, name the right one with `language`"
            ])
        )
    );
    let python = &saw["python"];
    assert_eq!(text(python), "printed\n\n3", "{python}");
    assert_eq!(
        python["besides"],
        json!(["language: python, guessed from the code"])
    );
    let raises = &saw["raises"];
    assert_eq!(
        (&raises["isError"], &raises["besides"]),
        (&json!(true), &json!([]))
    );
    assert!(
        text(raises).starts_with("The script raised an error (run ")
            && text(raises).contains(").\nValueError: not today")
            && text(raises).contains("script.py:2"),
        "{raises}"
    );
    assert!(
        text(&saw["stub"]).contains("# tools.demo")
            && text(&saw["stub"]).contains("async def create_ticket("),
        "{saw}"
    );
    let limit = &saw["limit"];
    assert_eq!(limit["isError"], true, "{limit}");
    assert!(
        text(limit).starts_with("before\n") && text(limit).contains("wall-time limit"),
        "{limit}"
    );
    let above = &saw["above"];
    assert_eq!(above["isError"], true, "{above}");
    assert!(
        text(above).contains("above the ceiling of 600000 ms"),
        "{above}"
    );

    let found = &saw["found"];
    assert_eq!(found["isError"], false, "{found}");
    assert!(
        text(found).contains("demo.createTicket({ ") && text(found).contains("customerId: string"),
        "{found}"
    );
    assert!(text(&saw["listed"]).contains("demo.listOrders: "), "{saw}");

    assert_eq!(text(&saw["waited"]), "waited");
    let progress = saw["progress"].as_array().expect("a list");
    assert!((1..=3).contains(&progress.len()), "{progress:?}");
    assert_eq!(progress[0]["progress"], 1.0);
    assert_eq!(progress[0]["message"], "running for 1 s; 0 of 0 calls done");
    assert_eq!(
        text(&saw["cancelled"]),
        "true",
        "the run goes on after its request was cancelled"
    );
}

#[tokio::test]
async fn the_official_client_with_initialize() {
    let Some(saw) = seen_by_python("the_official_client_with_initialize", "legacy").await else {
        return;
    };
    assert_eq!(saw["version"], "2025-11-25");
    check(&saw);
}

#[tokio::test]
async fn the_official_client_with_discover() {
    let Some(saw) = seen_by_python("the_official_client_with_discover", "auto").await else {
        return;
    };
    assert_eq!(saw["version"], "2026-07-28");
    check(&saw);
}
