//! Runs that a clock or a message starts, through the real program.
//!
//! - `hooks`: messages with signatures of all kinds
//! - `clock`: schedules: often, missed, overlapping, in two processes

mod clock;
mod hooks;

use std::time::Duration;

use ampoule_tests::command::Workplace;
use serde_json::Value;
use tokio::time::timeout;

use super::serving::{PATIENCE, Serving};

/// Runs leave records, and wait briefly until they are parked.
const USUAL: &str = "[records]\nkeep = 'all'\n[runs]\npark-after = '50ms'\n";

fn workplace(config: &str) -> Workplace {
    let workplace = Workplace::default();
    let demo = format!(
        "[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n",
        ampoule_tests::binary().display()
    );
    workplace.file("ampoule.toml", format!("{USUAL}{demo}{config}"));
    workplace
}

async fn serving(workplace: &Workplace) -> Serving {
    Serving::start(workplace, &["serve", "--http", "0"]).await
}

/// What a command prints as JSON, line by line.
async fn lines(workplace: &Workplace, arguments: &[&str]) -> Vec<Value> {
    let ran = workplace.run_at_home(arguments).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The row of a schedule or hook.
async fn row(workplace: &Workplace, name: &str) -> Value {
    let rows = lines(workplace, &["runs", "schedules", "--json"]).await;
    let row = rows.into_iter().find(|row| row["name"] == name);
    row.expect("it is listed")
}

/// Waits until the row of a schedule or hook is as wanted.
async fn row_with(workplace: &Workplace, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let waited = timeout(PATIENCE, async {
        loop {
            let row = row(workplace, name).await;
            if wanted(&row) {
                return row;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    match waited.await {
        Ok(row) => row,
        Err(_) => panic!("{}", row(workplace, name).await),
    }
}

/// What the recorded runs returned, the newest first.
async fn values(workplace: &Workplace) -> Vec<Value> {
    let mut values = Vec::new();
    for run in lines(workplace, &["runs", "--json"]).await {
        if run["state"] == "recorded" {
            let id = run["run"].as_str().expect("an id");
            let shown = lines(workplace, &["runs", "show", id, "--json"]).await;
            values.push(shown[0]["outcome"]["value"].clone());
        }
    }
    values
}

/// Waits until as many runs were recorded, and gives what they returned.
async fn at_least(workplace: &Workplace, count: usize) -> Vec<Value> {
    let waited = timeout(PATIENCE, async {
        loop {
            let runs = lines(workplace, &["runs", "--json"]).await;
            let recorded = runs.iter().filter(|run| run["state"] == "recorded");
            if recorded.count() >= count {
                return values(workplace).await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    waited.await.expect("runs in time")
}
