//! Schedules.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::{at_least, lines, row_with, serving, values, workplace};

const EACH_SECOND: &str = "[schedules.tick]\ncron = '* * * * * *'\nscript = 'tick.js'\n";
const TICK: &str = "return env.input";

/// The times of runs; each must be the time of one.
fn times(values: &[Value]) -> BTreeSet<String> {
    let times = values.iter().map(|value| value["due"].as_str().unwrap());
    let times: BTreeSet<_> = times.map(str::to_owned).collect();
    assert_eq!(times.len(), values.len(), "{values:?}");
    times
}

#[tokio::test]
async fn a_schedule_starts_runs_that_are_governed_and_listed_like_others() {
    let workplace = workplace(
        "[schedules.tick]\ncron = '* * * * * *'\nscript = 'tick.ts'\nprincipal = 'clock'\ntools = ['demo.list_orders']\n[audit]\n",
    );
    workplace.file(
        "tick.ts",
        "const { items } = await tools.demo.listOrders({ limit: 1 });\nreturn { ...env.input, orders: items.length, others: 'closeTicket' in tools.demo }",
    );
    let server = serving(&workplace).await;
    let ran = at_least(&workplace, 2).await;
    times(&ran);
    for value in &ran {
        assert_eq!(value["schedule"], "tick");
        assert_eq!(
            (&value["orders"], &value["others"]),
            (&json!(1), &json!(false))
        );
    }
    let runs = lines(&workplace, &["runs", "--json"]).await;
    assert!(
        runs.iter().all(|run| run["principal"] == "clock"),
        "{runs:?}"
    );
    let row = row_with(&workplace, "tick", |row| row["outcome"] == "returned").await;
    assert_eq!(row["startedBy"], "* * * * * * UTC");
    assert!(row["next"].is_string() && row["last"].is_string(), "{row}");
    let audit = lines(&workplace, &["audit", "ls", "--json"]).await;
    let started = audit
        .iter()
        .filter(|line| line.to_string().contains("schedule tick"));
    assert!(started.count() >= 2, "{audit:?}");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test]
async fn of_two_servers_one_starts_each_run() {
    let workplace = workplace(EACH_SECOND);
    workplace.file("tick.js", TICK);
    let servers = [serving(&workplace).await, serving(&workplace).await];
    at_least(&workplace, 5).await;
    for server in servers {
        server.stopped().await;
    }
    times(&values(&workplace).await);
}

#[tokio::test]
async fn times_without_a_server_have_one_run() {
    let workplace = workplace(EACH_SECOND);
    workplace.file("tick.js", TICK);
    let server = serving(&workplace).await;
    at_least(&workplace, 1).await;
    server.stopped().await;
    let before = values(&workplace).await;
    // What is missed are seconds of the real clock.
    tokio::time::sleep(Duration::from_secs(5)).await;
    let server = serving(&workplace).await;
    let after = at_least(&workplace, before.len() + 2).await;
    server.stopped().await;
    times(&after);
    let first = &after[after.len() - before.len() - 1];
    assert!(first["missed"].as_u64().unwrap() >= 3, "{after:?}");
}

#[tokio::test]
async fn a_run_that_is_parked_keeps_its_place_over_a_restart() {
    let workplace = workplace(EACH_SECOND);
    workplace.file(
        "tick.js",
        "await new Promise(resolve => setTimeout(resolve, 3_600_000))",
    );
    let server = serving(&workplace).await;
    let is_one = |row: &Value| row["outcome"] == "under way" && row["underWay"] == 1;
    let first = row_with(&workplace, "tick", is_one).await;
    let run = first["run"].as_str().unwrap();
    let parked = async || loop {
        let runs = lines(&workplace, &["runs", "--json"]).await;
        if runs
            .iter()
            .any(|row| row["run"] == run && row["state"] == "parked")
        {
            return runs;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let runs = parked().await;
    assert_eq!(
        (runs.len(), &runs[0]["client"]),
        (1, &json!("schedule tick"))
    );
    let busy = workplace.run_at_home(&["runs", "start", "tick"]).await;
    assert_eq!(busy.code, Some(2), "{busy:?}");
    assert!(
        busy.stderr.contains("a run of `tick` is under way"),
        "{busy:?}"
    );
    server.stopped().await;
    let server = serving(&workplace).await;
    assert_eq!(parked().await.len(), 1);
    assert_eq!(row_with(&workplace, "tick", is_one).await["run"], run);
    let cancelled = workplace.run_at_home(&["runs", "cancel", run]).await;
    assert_eq!(cancelled.code, Some(0), "{cancelled:?}");
    row_with(&workplace, "tick", |row| is_one(row) && row["run"] != run).await;
    server.stopped().await;
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_goes_on_when_it_is_approved() {
    let workplace = workplace(
        "[approvals]\nask = 'demo.close_ticket'\n[schedules.tidy]\ncron = '0 0 1 1 *'\nscript = 'tidy.js'\ntools = ['demo.close_ticket']\n",
    );
    workplace.file(
        "tidy.js",
        "await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'the night did it' }); return 'closed'",
    );
    let missing = workplace.run_at_home(&["runs", "start", "tidy"]).await;
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(
        missing.stderr.contains("ampoule serve --http"),
        "{missing:?}"
    );
    let server = serving(&workplace).await;
    let started = workplace.run_at_home(&["runs", "start", "tidy"]).await;
    assert_eq!(started.code, Some(0), "{started:?}");
    let question = loop {
        let asked = lines(&workplace, &["approvals", "--json"]).await;
        if let Some(question) = asked
            .first()
            .and_then(|asked| asked[0]["question"]["id"].as_str())
        {
            break question.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let allowed = workplace
        .run_at_home(&["approvals", "allow", &question])
        .await;
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    row_with(&workplace, "tidy", |row| row["outcome"] == "returned").await;
    assert_eq!(values(&workplace).await, ["closed"]);
    server.stopped().await;
}

#[tokio::test]
async fn a_function_of_a_skill_runs_in_either_language() {
    let of = |name: &str, skill: &str, function: &str| {
        format!(
            "[schedules.{name}]\ncron = '0 0 1 1 *'\nskill = '{skill}'\nfunction = '{function}'\n"
        )
    };
    let config = format!(
        "[skills]\nfolders = ['skills']\n{}{}",
        of("script", "in-script", "when"),
        of("python", "in-python", "when")
    );
    let workplace = workplace(&config);
    for (name, file, code) in [
        (
            "in-script",
            "index.ts",
            "export async function when(input: any) { return `ts ${input.schedule}` }",
        ),
        (
            "in-python",
            "__init__.py",
            "async def when(input):\n    return 'py ' + input['schedule']\n",
        ),
    ] {
        let about = format!("---\nname: {name}\ndescription: Says when.\n---\n");
        workplace.file(&format!("skills/{name}/SKILL.md"), about);
        workplace.file(&format!("skills/{name}/{file}"), code);
    }
    let server = serving(&workplace).await;
    for name in ["script", "python"] {
        let started = workplace.run_at_home(&["runs", "start", name]).await;
        assert_eq!(started.code, Some(0), "{started:?}");
        row_with(&workplace, name, |row| row["outcome"] == "returned").await;
    }
    assert_eq!(values(&workplace).await, ["py python", "ts script"]);
    server.stopped().await;
}

#[tokio::test]
async fn what_can_not_start_is_reported_and_starts_nothing() {
    let workplace = workplace("[schedules.gone]\ncron = '0 0 1 1 *'\nscript = 'gone.js'\n");
    let server = serving(&workplace).await;
    let started = workplace.run_at_home(&["runs", "start", "gone"]).await;
    assert_eq!(started.code, Some(2), "{started:?}");
    assert!(
        started.stderr.contains("gone.js can't be read"),
        "{started:?}"
    );
    row_with(&workplace, "gone", |row| row["outcome"] == "not started").await;
    let unknown = workplace.run_at_home(&["runs", "start", "other"]).await;
    assert!(
        unknown.stderr.contains("unknown schedule `other`"),
        "{unknown:?}"
    );
    server.stopped().await;
    let narrowed = workplace
        .run_at_home(&["serve", "--http", "0", "--tools", "demo"])
        .await;
    assert_eq!(narrowed.code, Some(2), "{narrowed:?}");
}
