//! Skills by those who mean harm.

use std::time::{Duration, Instant};

use ampoule::Language::TypeScript;
use ampoule::{Limits, Script};
use serde_json::json;

use super::{Kept, saving};

#[tokio::test]
async fn nothing_that_scripts_have_approves_a_skill() {
    let kept = Kept::new();
    let tools = kept.typescript("const found = []; for (const server of await tools.$search('')) found.push(`${server.server}.${server.name}`); return found").await;
    let mine: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool.as_str()?.strip_prefix("skills."))
        .collect();
    assert_eq!(mine, ["save", "list"]);
    let source = r#"return await skills.save("a", { description: "x", code: "export const a = 1", approval: { from: null, version: 1, at: 0 } })"#;
    let thrown = kept.thrown(TypeScript, source).await;
    assert!(thrown.contains("approval"), "{thrown}");
    // As the principal whose name is that of the folder of what was approved.
    let outcome = kept
        .isolate(TypeScript, &saving("a", "export const a = 1", None))
        .principal("shared")
        .run()
        .await
        .unwrap();
    assert!(outcome.value::<serde_json::Value>().is_ok());
    assert!(kept.sees(None).is_empty());
}

#[tokio::test]
async fn what_saving_takes_is_bounded() {
    let kept = Kept::new();
    // An example can't save skills itself.
    let example = "await skills.save('b', { description: 'x', code: 'export const b = 1' })";
    let thrown = kept
        .thrown(
            TypeScript,
            &saving("a", "export const a = 1", Some(example)),
        )
        .await;
    assert!(thrown.contains("the example fails"), "{thrown}");
    let source = "let n = 0; try { for (;; n++) await skills.save(`s${n}`, { description: 'x', code: 'export const a = 1' }) } catch (error) { return [n, error.message] }";
    let value = kept.typescript(source).await;
    assert_eq!(value, json!([20, "one run saves at most 20 skills"]));
    // A loop takes no longer than the limits of a trial, and those are at most the run's.
    let limits = Limits {
        fuel: 50_000_000,
        ..Limits::default()
    };
    let began = Instant::now();
    let endless = saving("endless", "while (true) {} export const a = 1", None);
    let run = kept
        .isolate(TypeScript, &endless)
        .limits(limits)
        .unwrap()
        .run();
    let thrown = run.await.unwrap().ending.to_string();
    assert!(thrown.contains("the code does not load: "), "{thrown}");
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(!kept.sees(None).contains(&"endless".to_owned()));
}

#[tokio::test]
async fn names_lead_nowhere_else() {
    let kept = Kept::new();
    std::fs::write(
        kept.folder.path().join("secret.ts"),
        "export const a = 'secret'",
    )
    .unwrap();
    for path in [
        "./skills/../secret",
        "./skills/../../secret.ts",
        "skills/%2e%2e/secret",
        "./skills/a\\u0000b",
        "./skills/",
    ] {
        let source = format!(
            "try {{ return await import(\"{path}\") }} catch (error) {{ return error.name }}"
        );
        let value = kept.typescript(&source).await;
        assert!(!value.to_string().contains("secret"), "{path}: {value}");
    }
    // Many mentions cost little, whether or not there is such a skill.
    kept.typescript(&saving("a", "export const a = 1", None))
        .await;
    let many: String = (0..50_000)
        .map(|n| format!("// skills/x{n} skills/a ../a from skills import a, b\n"))
        .collect();
    let began = Instant::now();
    let script = Script::typescript(format!("{many}import {{ a }} from './skills/a'; return a"));
    let outcome = kept.runtime.isolate(script).run().await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn two_that_save_at_once_make_two_versions() {
    let kept = Kept::new();
    let source = saving("a", "export const a = 1", None);
    let runs = (0..8).map(|_| kept.isolate(TypeScript, &source).run());
    let outcomes = futures::future::join_all(runs).await;
    let mut versions: Vec<u32> = outcomes
        .into_iter()
        .map(|outcome| {
            outcome.unwrap().value::<serde_json::Value>().unwrap()["version"]
                .as_u64()
                .unwrap() as u32
        })
        .collect();
    versions.sort();
    assert_eq!(versions, (1..=8).collect::<Vec<_>>());
}
