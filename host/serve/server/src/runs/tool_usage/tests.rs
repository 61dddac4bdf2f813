use ampoule::{CallError, DirectCall, Functions, Grant, Runtime, ToolResult};

use super::*;

fn used(tools: &[&str]) -> BTreeSet<ToolName> {
    let named = tools.iter().map(|tool| ToolName {
        server: "s".to_owned(),
        tool: (*tool).to_owned(),
    });
    named.collect()
}

fn names(hot: &[ToolName]) -> Vec<&str> {
    hot.iter().map(|it| &*it.tool).collect()
}

#[test]
fn each_principal_has_its_own_and_the_most_used_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let usage = ToolUsage::new(folder.path().join("tools"));
    let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
    for tools in [&["a", "b"][..], &["b"], &["c", "b"], &["c"]] {
        usage.add(Some(&ada), used(tools)).unwrap();
    }
    usage.add(None, used(&["z"])).unwrap();
    assert_eq!(names(&usage.hot(Some(&ada))), ["b", "c", "a"]);
    assert_eq!(names(&usage.hot(None)), ["z"]);
    assert!(usage.hot(Some(&bob)).is_empty());
}

/// The outcome of a run that called this tool.
async fn outcome(tool: &str) -> Outcome {
    let listed = |name: &str| {
        let tool = serde_json::json!({ "name": name, "inputSchema": { "type": "object" } });
        serde_json::from_value::<ampoule::Tool>(tool).unwrap()
    };
    let answers = async |_, _| Ok(ToolResult::default());
    let fails = async |_, _| Err(CallError::Refused("no".to_owned()));
    let tools = Functions::new("s")
        .raw(listed("labelled"), answers)
        .raw(listed("plain"), answers)
        .raw(listed("other"), answers)
        .raw(listed("failed"), fails);
    let runtime = Runtime::builder().binding(tools).build().unwrap();
    let arguments = serde_json::value::to_raw_value(&serde_json::json!({})).unwrap();
    let run = runtime.isolate(DirectCall::new("s", tool, arguments));
    run.grant(Grant::all()).run().await.unwrap()
}

#[tokio::test]
async fn what_a_run_with_labels_used_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let usage = ToolUsage::new(folder.path().join("tools"));
    let mut labelled = outcome("labelled").await;
    labelled.carried = Some(serde_json::json!(["customers"]));
    usage.count(None, &labelled, |_, _| true);
    usage.count(None, &outcome("failed").await, |_, _| true);
    usage.count(None, &outcome("other").await, |_, tool| tool != "other");
    usage.count(None, &outcome("plain").await, |_, _| true);
    let counted = async {
        while usage.hot(None).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), counted)
        .await
        .unwrap();
    assert_eq!(names(&usage.hot(None)), ["plain"]);
}

#[test]
fn what_was_used_long_ago_gives_way() {
    let mut all = Vec::new();
    for _ in 0..60 {
        all = added(all, used(&["old"]));
    }
    for _ in 0..60 {
        all = added(all, used(&["new"]));
    }
    assert_eq!(all[0].tool, "new");
    for tool in 0..2 * TOOLS {
        all = added(all, used(&[&format!("t{tool}")]));
    }
    assert_eq!(all.len(), TOOLS);
    assert!(all.iter().all(|it| it.runs < MOST_RUNS));
}

#[test]
fn of_many_principals_and_after_long_the_oldest_are_forgotten() {
    let place = tempfile::tempdir().unwrap();
    let usage = ToolUsage::new(place.path().join("tools"));
    let principal = |number: u64| Principal::new(format!("p{number}"));
    let now = SystemTime::now();
    for number in 0..10 {
        usage.add(Some(&principal(number)), used(&["a"])).unwrap();
        let file = place
            .path()
            .join("tools")
            .join(name_of(Some(&principal(number))));
        let file = std::fs::File::options().write(true).open(file).unwrap();
        let last = now - Duration::from_secs(100 - number);
        file.set_modified(last).unwrap();
    }
    let folder = usage.folder().unwrap();
    let known = || -> Vec<u64> {
        let has = |number: &u64| !usage.hot(Some(&principal(*number))).is_empty();
        (0..10).filter(has).collect()
    };
    give_way(&folder, 11, now).unwrap();
    assert_eq!(known().len(), 10);
    give_way(&folder, 5, now).unwrap();
    assert_eq!(known(), [6, 7, 8, 9]);
    give_way(&folder, 100, now + AGE - Duration::from_secs(92)).unwrap();
    assert_eq!(known(), [8, 9]);
}

#[test]
fn what_is_kept_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let usage = ToolUsage::new(folder.path().join("tools"));
    let long = |number: usize| format!("{number}{}", "x".repeat(10_000));
    let names: Vec<String> = (0..TOOLS).map(long).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    usage.add(None, used(&names)).unwrap();
    let kept = usage.hot(None).len();
    assert!((10..TOOLS).contains(&kept), "{kept}");
}

#[test]
fn what_is_damaged_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let usage = ToolUsage::new(folder.path().join("tools"));
    usage.add(None, used(&["a"])).unwrap();
    std::fs::write(folder.path().join("tools/local.json"), "{").unwrap();
    assert!(usage.hot(None).is_empty());
    usage.add(None, used(&["b"])).unwrap();
    assert_eq!(names(&usage.hot(None)), ["b"]);
}
