//! `ampoule serve`, `ampoule run` and `ampoule runs`.

use std::time::Duration;

use ampoule_tests::command::{Served, Workplace, ended};
use serde_json::{Value, json};

fn execute(id: u32, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}})
}

fn text(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_default().to_owned()
}

fn workplace(more: &str) -> Workplace {
    let workplace = Workplace::default();
    let config = format!(
        "[runs]\npark-after = '50ms'\n{more}\n[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n",
        ampoule_tests::binary().display()
    );
    workplace.file("ampoule.toml", config);
    workplace
}

/// Waits until `ampoule runs` lists one run in this state, and gives its row.
async fn listed(workplace: &Workplace, state: &str) -> Value {
    loop {
        let ran = workplace.run(&["runs", "--json"]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let rows: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        if let [row] = &rows[..]
            && row["state"] == state
        {
            return row.clone();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_client_finds_its_run_after_the_server_was_killed() {
    let workplace = workplace("");
    let mut served = Served::greeted(&workplace, &[]).await;
    let code = "console.log('slept'); const { items } = await tools.demo.listOrders();
        await new Promise(resolve => setTimeout(resolve, 1500)); return items.length > 3";
    let arguments = json!({"code": code, "language": "typescript", "wait": 0.2});
    let answer = served.ask(execute(1, &arguments)).await;
    let said = text(&answer);
    let id = said.split_whitespace().nth(1).unwrap().to_owned();
    assert!(
        said.starts_with("Run ") && said.contains(" goes on"),
        "{said}"
    );
    let row = listed(&workplace, "parked").await;
    assert!(row["run"].as_str().unwrap().ends_with(&id), "{row}");
    drop(served);

    let row = listed(&workplace, "left").await;
    let full = row["run"].as_str().unwrap();
    let shown = workplace.run(&["runs", "show", &id]).await;
    assert!(shown.stdout.contains("  slept\n"), "{shown:?}");
    assert!(shown.stdout.contains("state: left"), "{shown:?}");

    let mut served = Served::greeted(&workplace, &[]).await;
    let wait = json!({"run": id, "wait": 20});
    // It finds it once it has looked.
    let answer = loop {
        let answer = served.ask(execute(2, &wait)).await;
        if !text(&answer).contains("there is no run") {
            break answer;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(text(&answer), "slept\n\ntrue", "{answer}");
    served.close().await;

    // And the next process still knows how it ended.
    let mut served = Served::greeted(&workplace, &[]).await;
    let answer = served.ask(execute(3, &json!({"run": full}))).await;
    assert!(text(&answer).contains("\"value\":true"), "{answer}");
    served.close().await;
    let shown = workplace.run(&["runs", "show", full]).await;
    assert!(shown.stdout.contains("state: ended"), "{shown:?}");
    let removed = workplace.run(&["runs", "rm", &id]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let ran = workplace.run(&["runs"]).await;
    assert!(ran.stderr.contains("nothing runs"), "{ran:?}");
    let again = workplace.run(&["runs", "rm", &id]).await;
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(
        again.stderr.contains("there is no record of a run"),
        "{again:?}"
    );
}

#[tokio::test]
async fn a_run_in_the_terminal_is_resumed_after_a_kill() {
    let workplace = workplace("");
    let code = "console.log('before'); await new Promise(resolve => setTimeout(resolve, 1000)); console.log('after'); return 7";
    let mut command = workplace.command(ampoule_tests::binary(), &["run", "-e", code]);
    let mut child = command.spawn().unwrap();
    let row = listed(&workplace, "parked").await;
    child.kill().await.unwrap();
    let id = row["run"].as_str().unwrap();
    listed(&workplace, "left").await;
    let resumed = workplace.run(&["runs", "resume", id]).await;
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(resumed.stdout, "after\n7\n");
    let again = workplace.run(&["runs", "resume", id]).await;
    assert_eq!(again.code, Some(2), "{again:?}");
}

#[tokio::test]
async fn who_wants_it_parks_none_and_mistakes_are_told() {
    let config = workplace("park = false");
    let code = "await new Promise(resolve => setTimeout(resolve, 150)); return 7";
    for (workplace, parked) in [(config, Value::Null), (workplace(""), json!(1))] {
        let ran = workplace.run(&["run", "--json", "-e", code]).await;
        assert_eq!(ran.json()["usage"]["parked"], parked, "{ran:?}");
    }
    let wrong = Workplace::default();
    wrong.file("ampoule.toml", "[runs]\npark-after = '1ms'\nparkes = 3\n");
    let ran = ended(wrong.command(ampoule_tests::binary(), &["run", "-e", "1"])).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("runs.park-after: this is less than parking takes"),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("there is no key `parkes`; did you mean `parked`?"),
        "{ran:?}"
    );
}
