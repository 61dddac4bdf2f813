//! What policies and `[privacy]` withhold from a model: its client's token does not show it, either.

use ampoule::{Principal, SkillName};

use super::*;

/// Reads what is withheld, and leaves it everywhere. The script itself does not contain the text.
const LEAVES: &str = "import fs from 'node:fs';
const text = (await tools.demo.echo({ text: BEGINNING + END })).text;
await tools.demo.echo({ text });
fs.writeFileSync('list.txt', text);
console.log(text);
return text";

fn leaves(beginning: &str, end: &str) -> String {
    let text = LEAVES.replace("BEGINNING", &format!("'{beginning}'"));
    text.replace("END", &format!("'{end}'"))
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_withhold_from_a_token_what_they_withhold_from_the_model() {
    let fixture = Fixture::withholding(Withholding::Labels).await;
    let run = fixture.run(&fixture.ada, &leaves("cust", "omer")).await;
    let id = run["run"].as_str().unwrap();
    save_skill(&fixture).await;
    for path in [
        format!("/api/v1/runs/{id}/calls/0"),
        format!("/api/v1/runs/{id}/calls/1"),
        "/api/v1/files".to_owned(),
        "/api/v1/files/content?path=list.txt".to_owned(),
        "/api/v1/skills/twice".to_owned(),
        "/api/v1/skills/twice?version=2".to_owned(),
    ] {
        let refused = fixture.get(&fixture.ada, &path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}: {refused:?}");
        assert!(refused.text.contains("withheld"), "{path}: {refused:?}");
        let seen = fixture
            .get(&fixture.olga, &format!("{path}{}", of_ada(&path)))
            .await;
        assert_eq!(seen.status, StatusCode::OK, "{path}: {seen:?}");
    }
    let everything = [
        format!("/api/v1/runs/{id}"),
        format!("/api/v1/runs/{id}/events"),
        "/api/v1/skills".to_owned(),
        "/api/v1/audit".to_owned(),
    ];
    for path in everything {
        let shown = fixture.get(&fixture.ada, &path).await;
        assert_eq!(shown.status, StatusCode::OK, "{path}: {shown:?}");
        for text in ["customer\"", "customer\\n", "customer\\\""] {
            assert!(!shown.text.contains(text), "{path}: {shown:?}");
        }
    }
    assert_eq!(run["withheld"], true, "{run}");
    assert_eq!(run["output"], "", "{run}");
    assert!(run["calls"][0]["arguments"].get("text").is_none(), "{run}");
    let all = fixture
        .get(&fixture.olga, &format!("/api/v1/runs/{id}"))
        .await
        .json();
    assert_eq!(all["withheld"], false, "{all}");
    assert_eq!(all["calls"][0]["arguments"]["text"], "customer", "{all}");
    // Runs that read nothing of that kind are shown.
    let other = fixture
        .run(&fixture.ada, "console.log('open'); return 1")
        .await;
    assert_eq!(
        (&other["output"], &other["withheld"]),
        (&json!("open\n"), &json!(false))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn personal_data_is_withheld_from_a_token_and_the_rest_is_shown() {
    let fixture = Fixture::withholding(Withholding::Personal).await;
    let run = fixture
        .run(&fixture.ada, &leaves("eve", "@example.com"))
        .await;
    let id = run["run"].as_str().unwrap();
    assert!(!run.to_string().contains("eve@example.com"), "{run}");
    assert_eq!(run["withheld"], true, "{run}");
    for path in [
        format!("/api/v1/runs/{id}/calls/1"),
        "/api/v1/files/content?path=list.txt".to_owned(),
    ] {
        let refused = fixture.get(&fixture.ada, &path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}: {refused:?}");
        let seen = fixture
            .get(&fixture.olga, &format!("{path}{}", of_ada(&path)))
            .await;
        assert!(seen.text.contains("eve@example.com"), "{path}: {seen:?}");
    }
    let files = fixture.get(&fixture.ada, "/api/v1/files").await.json();
    assert_eq!(files["items"][0]["path"], "list.txt", "{files}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_files_had_is_withheld_where_nobody_knows_what_their_writers_had_read() {
    let fixture = Fixture::withholding(Withholding::Labels).await;
    let writes =
        |text: &str| format!("import fs from 'node:fs';\nfs.writeFileSync('list.txt', '{text}')");
    fixture.run(&fixture.ada, &writes("before")).await;
    let run = fixture.run(&fixture.ada, &writes("after")).await;
    assert_eq!(run["withheld"], false, "{run}");
    assert!(run["files"].to_string().contains("-before"), "{run}");
    let mut broken = 0;
    for folder in std::fs::read_dir(fixture.folder.path().join("files")).unwrap() {
        let own = folder.unwrap().path().join(".ampoule");
        if own.is_dir() {
            std::fs::write(own.join("carried"), "{").unwrap();
            broken += 1;
        }
    }
    assert_eq!(broken, 1, "ada's workspace");
    let path = format!("/api/v1/runs/{}", run["run"].as_str().unwrap());
    let seen = fixture.get(&fixture.ada, &path).await.json();
    assert_eq!(
        (&seen["files"], &seen["withheld"]),
        (&json!([]), &json!(true))
    );
    let all = fixture.get(&fixture.olga, &path).await.json();
    assert!(all["files"].to_string().contains("-before"), "{all}");
}

/// A skill of ada's that was saved by a run which had read what is now withheld: the policy came later.
async fn save_skill(fixture: &Fixture) {
    let saves = "await skills.save('twice', { description: 'Doubles a number.', code: 'export function twice(n) { return 2 * n }' })";
    let saved = fixture.run(&fixture.ada, saves).await;
    assert_eq!(saved["state"], "returned", "{saved}");
    let (runtime, ada) = (fixture.console.sources().runtime(), Principal::new("ada"));
    let shelf = runtime.skills(Some(&ada)).unwrap();
    let mut skill = shelf.get(&SkillName::new("twice").unwrap(), None).unwrap();
    let workspace = runtime.workspace(Some(&ada)).unwrap().unwrap();
    skill.carried = workspace.carried().unwrap();
    assert!(skill.carried.is_some());
    shelf.keep(&mut skill).unwrap();
}

/// What an operator adds to an address for something of ada's.
fn of_ada(path: &str) -> &'static str {
    match (path.contains("/runs/"), path.contains('?')) {
        (true, _) => "",
        (false, true) => "&principal=ada",
        (false, false) => "?principal=ada",
    }
}
