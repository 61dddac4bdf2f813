//! What runs leave: changed files, skills, statistics; and what open pages and answers take.

use ampoule::Principal;

use super::*;
use crate::model::Viewer;

/// Writes, changes and removes files.
const CHANGES: [&str; 2] = [
    "import fs from 'node:fs';
fs.writeFileSync('kept.txt', 'one\\ntwo\\n');
fs.writeFileSync('gone.txt', 'gone\\n')",
    "import fs from 'node:fs';
fs.writeFileSync('kept.txt', 'one\\n2\\n');
fs.unlinkSync('gone.txt');
fs.writeFileSync('new.bin', new Uint8Array([255, 0, 254]))",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_run_is_shown_with_how_its_files_differ() {
    let fixture = Fixture::principals().await;
    let first = fixture.run(&fixture.ada, CHANGES[0]).await;
    assert_eq!(first["state"], "returned", "{first}");
    assert_eq!(
        first["files"][1],
        json!({ "path": "kept.txt", "change": "created", "bytes": 8, "diff": "@@ -0,0 +1,2 @@\n+one\n+two\n" })
    );
    let second = fixture.run(&fixture.ada, CHANGES[1]).await;
    let wanted = json!([
        { "path": "gone.txt", "change": "removed", "diff": "@@ -1 +0,0 @@\n-gone\n" },
        { "path": "kept.txt", "change": "changed", "bytes": 6, "diff": "@@ -1,2 +1,2 @@\n one\n-two\n+2\n" },
        { "path": "new.bin", "change": "created", "bytes": 3 },
    ]);
    assert_eq!(second["files"], wanted, "{second}");
    // What threw left no files.
    let threw = format!("{};\nthrow new Error('no')", CHANGES[0]);
    let threw = fixture.run(&fixture.ada, &threw).await;
    assert_eq!(
        (&threw["state"], &threw["files"]),
        (&json!("threw"), &json!([]))
    );
    // A replay has the same record, and changes nothing.
    let path = format!("/api/v1/runs/{}/replay", second["run"].as_str().unwrap());
    let same = fixture.post(&fixture.ada, &path, &json!({})).await.json();
    assert_eq!(same["same"], true, "{same}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_with_the_variables_that_it_changed_while_another_run_has_the_session() {
    let fixture = Fixture::principals().await;
    let run = async |code: &str| {
        let body = json!({ "code": code, "language": "javascript", "session": "work" });
        let started = fixture.post(&fixture.ada, "/api/v1/runs", &body).await;
        let run = started.json()["run"].as_str().unwrap().to_owned();
        fixture.events(&fixture.ada, &run).await;
        run
    };
    run("const first = [1]").await;
    let second = run("const second = [1, 2]").await;
    let owner = Principal::new("ada");
    let runtime = fixture.console.sources().runtime();
    let shelf = runtime.sessions(Some(&owner)).unwrap();
    let take = async {
        loop {
            match shelf.take("work") {
                Ok(taken) => return taken,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let _taken = tokio::time::timeout(PATIENCE, take).await.expect("in time");
    let path = format!("/api/v1/runs/{second}");
    let shown = fixture.get(&fixture.ada, &path).await.json();
    let variables = shown["session"]["variables"].as_array();
    let variables = variables.unwrap_or_else(|| panic!("{shown}"));
    let names = variables.iter().map(|it| (&it["name"], &it["change"]));
    let names: Vec<_> = names.collect();
    assert_eq!(names, [(&json!("second"), &json!("created"))], "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_becomes_a_skill_and_the_version_that_was_shown_is_approved() {
    let fixture = Fixture::principals().await;
    let save = async |code: &str| {
        let new = json!({ "name": "echoes", "description": "Says a text again.", "language": "javascript", "code": code });
        fixture.post(&fixture.ada, "/api/v1/skills", &new).await
    };
    let saved = save("return (await tools.demo.echo({ text: 'x' })).text").await;
    assert_eq!(saved.status, StatusCode::CREATED, "{saved:?}");
    assert_eq!(saved.json()["functions"][0]["name"], "run", "{saved:?}");
    let used = "import { run } from './skills/echoes'; return await run()";
    let used = fixture.run(&fixture.ada, used).await;
    assert_eq!(used["value"], "x", "{used}");
    let wrong = save("this is not a script").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{wrong:?}");
    save("export function run() { return 'second' }").await;
    // An operator was shown the first version.
    let approve = "/api/v1/skills/echoes/approve?principal=ada";
    let unnamed = fixture.post(&fixture.olga, approve, &json!({})).await;
    assert_eq!(unnamed.status, StatusCode::BAD_REQUEST, "{unnamed:?}");
    let approved = fixture
        .post(&fixture.olga, approve, &json!({ "version": 1 }))
        .await;
    assert_eq!(approved.json()["approved"], 1, "{approved:?}");
    let audit = fixture
        .get(&fixture.olga, "/api/v1/audit?kind=skill")
        .await
        .json();
    let event = &audit["items"][0]["event"];
    assert_eq!(
        (
            &event["action"],
            &event["version"],
            &event["principal"],
            &event["by"]
        ),
        (&json!("approved"), &json!(1), &json!("ada"), &json!("olga")),
        "{audit}"
    );
    // Bob's own skill of this name is another one: it is not approved.
    let new = json!({ "name": "echoes", "description": "Another.", "language": "javascript", "code": "export const two = 2" });
    let other = fixture.post(&fixture.bob, "/api/v1/skills", &new).await;
    assert_eq!(other.status, StatusCode::CREATED, "{other:?}");
    assert!(other.json().get("approved").is_none(), "{other:?}");
    let mine = fixture
        .get(&fixture.ada, "/api/v1/skills/echoes?version=2")
        .await
        .json();
    assert_eq!(mine["approved"], 1, "{mine}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_saves_a_skill_where_no_script_may() {
    let fixture = Fixture::withholding(Withholding::SavingSkills).await;
    let new = json!({ "name": "two", "description": "Two.", "language": "javascript", "code": "export const two = 2" });
    for token in [&fixture.ada, &fixture.olga] {
        let refused = fixture.post(token, "/api/v1/skills", &new).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{refused:?}");
        assert!(refused.text.contains("may not save skills"), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_until_it_has_been_read() {
    let fixture = Fixture::principals().await;
    let ask = || bearer(&fixture.ada, Method::GET, "/api/v1/me", None);
    let mut open = Vec::new();
    for _ in 0..32 {
        open.push(fixture.response(ask()).await);
    }
    assert!(open.iter().all(|answer| answer.status() == StatusCode::OK));
    let full = fixture.send(ask()).await;
    assert_eq!(full.status, StatusCode::TOO_MANY_REQUESTS, "{full:?}");
    drop(open.pop());
    let again = fixture.send(ask()).await;
    assert_eq!(again.status, StatusCode::OK, "{again:?}");
    // Files take a share besides: each is held in memory.
    drop(open);
    fixture.run(&fixture.ada, CHANGES[0]).await;
    let file = || {
        bearer(
            &fixture.ada,
            Method::GET,
            "/api/v1/files/content?path=kept.txt",
            None,
        )
    };
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(fixture.response(file()).await);
    }
    let full = fixture.send(file()).await;
    assert_eq!(full.status, StatusCode::TOO_MANY_REQUESTS, "{full:?}");
    drop(open);
    assert_eq!(fixture.send(file()).await.text, "one\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_have_percentiles() {
    let fixture = Fixture::principals().await;
    for _ in 0..3 {
        fixture
            .run(&fixture.ada, "await tools.demo.echo({ text: 'x' })")
            .await;
    }
    let counted = fixture.get(&fixture.ada, "/api/v1/statistics").await.json();
    for row in [
        &counted["all"],
        &counted["tools"][0],
        &counted["principals"][0],
    ] {
        let [p50, p95, p99] = ["p50Ms", "p95Ms", "p99Ms"].map(|key| row[key].as_f64().unwrap());
        assert!(p50 > 0.0 && p50 <= p95 && p95 <= p99, "{row}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fingerprint_changes_with_a_run_and_reads_no_record() {
    let fixture = Fixture::principals().await;
    let ada = Viewer::principal(Principal::new("ada"), false);
    let look = async || {
        // One answer is that of all pages of a viewer for a moment.
        tokio::time::sleep(Duration::from_millis(1600)).await;
        fixture.console.fingerprint(&ada).await.unwrap().hash
    };
    let first = look().await;
    assert_eq!(look().await, first);
    fixture.run(&fixture.ada, "return 1").await;
    let second = look().await;
    assert_ne!(second, first);
    fixture.run(&fixture.bob, "return 1").await;
    assert_eq!(look().await, second, "what others do is not told");
}
