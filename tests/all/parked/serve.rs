//! `ampoule serve`, `ampoule run` and `ampoule runs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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
        said.starts_with("Run ") && said.contains(" continues"),
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
    // At once: the server has looked before it says that there is none.
    let answer = served.ask(execute(2, &wait)).await;
    assert_eq!(text(&answer), "slept\n\ntrue", "{answer}");
    served.close().await;

    // And the next process still knows how it ended.
    let mut served = Served::greeted(&workplace, &[]).await;
    let answer = served.ask(execute(3, &json!({"run": full}))).await;
    assert!(text(&answer).contains("\"value\":true"), "{answer}");
    served.close().await;
    let shown = workplace.run(&["runs", "show", full]).await;
    assert!(shown.stdout.contains("state: ended"), "{shown:?}");
    assert!(
        shown
            .stdout
            .contains("outcome:\n{\n  \"ending\": \"returned\",\n  \"value\": true,\n"),
        "{shown:?}"
    );
    assert!(shown.stdout.contains("calls: 1\n"), "{shown:?}");
    let removed = workplace.run(&["runs", "rm", &id]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let ran = workplace.run(&["runs"]).await;
    assert!(ran.stderr.contains("no runs"), "{ran:?}");
    let again = workplace.run(&["runs", "rm", &id]).await;
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("no record of the run"), "{again:?}");
}

const SLEEPS: &str = "console.log('before'); await new Promise(resolve => setTimeout(resolve, 2000)); console.log('after'); return 7";

/// A run of `ampoule run` that was killed while it was parked: its id.
async fn left(workplace: &Workplace, arguments: &[&str]) -> String {
    let arguments = [&["run", "-e", SLEEPS], arguments].concat();
    let mut command = workplace.command(ampoule_tests::binary(), &arguments);
    let mut child = command.spawn().unwrap();
    let row = listed(workplace, "parked").await;
    assert_eq!(row["pid"], child.id().unwrap(), "{row}");
    child.kill().await.unwrap();
    let row = listed(workplace, "left").await;
    row["run"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_in_the_terminal_is_resumed_after_a_kill() {
    let workplace = workplace("");
    let id = left(&workplace, &[]).await;
    let resumed = workplace.run(&["runs", "resume", &id]).await;
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(resumed.stdout, "after\n7\n");
    let again = workplace.run(&["runs", "resume", &id]).await;
    assert_eq!(again.code, Some(2), "{again:?}");
    // The outcome is there for the client that started it.
    let shown = workplace.run(&["runs", "show", &id]).await;
    assert!(shown.stdout.contains("\"value\": 7"), "{shown:?}");
    let mut served = Served::greeted(&workplace, &[]).await;
    let answer = served.ask(execute(1, &json!({"run": id}))).await;
    assert!(text(&answer).contains("\"value\":7"), "{answer}");
    served.close().await;
}

#[tokio::test]
async fn a_resumed_run_says_that_its_session_was_not_kept() {
    let workplace = workplace("");
    let id = left(&workplace, &["--session", "s"]).await;
    let between = workplace
        .run(&["run", "--session", "s", "-e", "let n = 1"])
        .await;
    assert_eq!(between.code, Some(0), "{between:?}");
    let resumed = workplace.run(&["runs", "resume", &id]).await;
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(
        (resumed.stderr)
            .contains("session s stays at run 1; another run of the session ended first"),
        "{resumed:?}"
    );
}

#[tokio::test]
async fn a_run_that_no_server_has_is_not_cancelled_and_whose_it_is_is_said() {
    let workplace = workplace("");
    let mut command = workplace.command(ampoule_tests::binary(), &["run", "-e", SLEEPS]);
    let mut child = command.spawn().unwrap();
    let row = listed(&workplace, "parked").await;
    let id = row["run"].as_str().unwrap();
    let cancel = async || {
        let ran = workplace.run(&["runs", "cancel", id]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.stderr
    };
    let said = cancel().await;
    let process = format!(
        "belongs to process {}, which is not a server",
        child.id().unwrap()
    );
    assert!(said.contains(&process), "{said}");
    child.kill().await.unwrap();
    listed(&workplace, "left").await;
    let said = cancel().await;
    assert!(said.contains("no process owns the run"), "{said}");
    assert!(said.contains(&format!("`ampoule runs rm {id}`")), "{said}");
}

#[tokio::test]
async fn what_is_damaged_is_named_and_removed_and_hides_nothing_else() {
    let workplace = workplace("");
    let folder = workplace.path().join("data/ampoule/parked/local");
    let damages: [fn(&Path); 3] = [
        |file| fs::write(file, "no run").unwrap(),
        |file| fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap(),
        |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        },
    ];
    let reasons = [
        "is damaged: it is not a parked run of this version",
        "can't be read: others can write the file",
        "can't be read: it is not a file",
    ];
    for (damage, reason) in damages.into_iter().zip(reasons) {
        let id = left(&workplace, &[]).await;
        damage(&folder.join(format!("{id}.1.run")));
        let recorded = ["run", "--record", "--json", "-e", "return 1"];
        let recorded = workplace.run(&recorded).await.json();
        let ran = workplace.run(&["runs"]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.stderr.contains(&format!("the run `{id}` {reason}")),
            "{ran:?}"
        );
        let recorded = recorded["record"].as_str().unwrap();
        assert!(ran.stdout.contains(recorded), "{ran:?}");
        for of_one in ["show", "cancel"] {
            let ran = workplace.run(&["runs", of_one, &id]).await;
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(ran.stderr.contains(reason), "{ran:?}");
        }
        for id in [&*id, recorded] {
            let removed = workplace.run(&["runs", "rm", id]).await;
            assert_eq!(removed.code, Some(0), "{removed:?}");
        }
        let ran = workplace.run(&["runs"]).await;
        assert_eq!((&*ran.stdout, &*ran.stderr), ("", "ampoule: no runs\n"));
    }
}

#[tokio::test]
async fn a_kind_of_runs_that_can_not_be_read_hides_no_other() {
    let workplace = workplace("");
    let record = ["run", "--record", "--json", "-e", "return 1"];
    let id = workplace.run(&record).await.json()["record"].clone();
    let parked = workplace.path().join("data/ampoule/parked");
    if parked.exists() {
        fs::remove_dir_all(&parked).unwrap();
    }
    fs::write(&parked, "in the way").unwrap();
    let ran = workplace.run(&["runs"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(id.as_str().unwrap()), "{ran:?}");
    assert_eq!(ran.stderr.matches("Not a directory").count(), 1, "{ran:?}");
    let shown = workplace.run(&["runs", "show", id.as_str().unwrap()]).await;
    assert!(shown.stdout.contains("\"value\": 1"), "{shown:?}");
}

#[tokio::test]
async fn the_latest_run_is_listed_first() {
    let workplace = workplace("");
    let mut children = Vec::new();
    let rows = async || {
        let ran = workplace.run(&["runs", "--json"]).await;
        let rows = ran.stdout.lines();
        let rows = rows.map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.collect::<Vec<_>>()
    };
    let code = "await new Promise(resolve => setTimeout(resolve, 60_000))";
    for many in 1..=2 {
        let mut command = workplace.command(ampoule_tests::binary(), &["run", "-e", code]);
        children.push(command.spawn().unwrap());
        while rows().await.len() < many {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // What is kept says its time in seconds.
        tokio::time::sleep(Duration::from_millis(1050)).await;
    }
    let listed: Vec<_> = rows().await.iter().map(|row| row["pid"].clone()).collect();
    let started = children.iter().rev().map(|child| json!(child.id()));
    assert_eq!(listed, started.collect::<Vec<_>>());
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
            .contains("runs.park-after: this is too short for parking"),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("unknown key `parkes`; did you mean `parked`?"),
        "{ran:?}"
    );
}
