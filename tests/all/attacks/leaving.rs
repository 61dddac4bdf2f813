//! Clients that leave while their scripts run.

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};

use super::server::{execute, initialize, served, text};

#[tokio::test]
async fn after_its_input_ended_nothing_is_written() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    for id in 2..10 {
        served
            .send(execute(id, "for (;;) await tools.demo.getBusiness({})"))
            .await;
    }
    assert_eq!(text(&served.ask(execute(1, "return 1")).await), "1");
    assert_eq!(served.closed().await, (Some(0), Vec::new()));
    // What is piped into it is answered where that takes no run.
    let workplace = Workplace::default();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let input = format!("{}\n{list}\n{}\n", initialize(), execute(3, "for (;;);"));
    let ran = workplace.run_with_input(&["serve"], input.as_bytes()).await;
    let ids: Vec<_> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone())
        .collect();
    assert_eq!((ran.code, ids), (Some(0), vec![json!("first"), json!(2)]));
}

#[tokio::test]
async fn the_official_client_1_leaves_without_a_complaint() {
    let Some(python) = prepared(
        "the_official_client_1_leaves_without_a_complaint",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let workplace = Workplace::default();
    let mut command = workplace.command(python.join("venv-1/bin/python"), &[]);
    command
        .arg(repository().join("tests/servers/leaving.py"))
        .arg(binary());
    let ran = ended(command).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "['execute_code', 'search_tools'] 42\n"),
        "{ran:?}"
    );
    assert!(
        !ran.stderr.contains("Traceback") && !ran.stderr.contains("Warning"),
        "{}",
        ran.stderr
    );
}
