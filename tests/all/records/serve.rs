//! Runs of `ampoule serve` that leave records.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

#[tokio::test]
async fn what_a_model_ran_can_be_run_again() {
    let workplace = Workplace::default();
    let program = ampoule_tests::binary().display().to_string();
    let config = format!(
        "[records]\nkeep = \"all\"\n\n[servers.demo]\ncommand = {program:?}\nargs = [\"demo-server\"]\n"
    );
    workplace.file("ampoule.toml", config);
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut ask = async |id: u32, code: &str| {
        let arguments = json!({ "code": code, "language": "typescript" });
        let params = json!({ "name": "execute_code", "arguments": arguments });
        let question =
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        served.ask(question).await["result"].clone()
    };
    let returned = ask(
        11,
        "console.log(Math.random()); return (await tools.demo.listOrders()).items.length",
    )
    .await;
    assert_ne!(returned["isError"], true, "{returned}");
    let threw = ask(12, "await tools.demo.getOrder({ orderId: 'none' })").await;
    assert_eq!(threw["isError"], true, "{threw}");

    // While the server runs, and after it.
    let rows = workplace.run(&["runs", "--json"]).await.stdout;
    served.close().await;
    let recorded = |row: &Value| row["state"] == "recorded";
    let rows = rows.lines().map(|row| serde_json::from_str(row).unwrap());
    let rows: Vec<Value> = rows.filter(recorded).collect();
    let endings: Vec<&Value> = rows.iter().map(|row| &row["ending"]).collect();
    assert_eq!(endings, ["threw", "returned"]);
    for row in &rows {
        let id = row["run"].as_str().unwrap();
        let replayed = workplace.run(&["runs", "replay", id, "--json"]).await;
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        let outcome = &replayed.json()["outcome"];
        assert_eq!(outcome["ending"], row["ending"]);
        assert_eq!(outcome["usage"]["fuel"], row["fuel"]);
    }
}
