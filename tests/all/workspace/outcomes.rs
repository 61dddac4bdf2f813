//! All or nothing: what becomes of a run's files, by how it ended; and sessions.

use ampoule::{Ending, Limits};
use serde_json::json;

use super::*;

const WRITES: [(Language, &str); 2] = [
    (
        Language::TypeScript,
        "import fs from 'node:fs'; fs.writeFileSync('x', 'x'); ",
    ),
    (Language::Python, "open('x', 'w').write('x')\n"),
];

#[tokio::test]
async fn a_run_that_does_not_come_to_its_end_leaves_nothing() {
    let limits = Limits {
        fuel: 2_000_000_000,
        ..Limits::default()
    };
    let ends = [
        [("throw new Error('no')", "threw"), ("for (;;) {}", "limit")],
        [
            ("raise ValueError('no')", "threw"),
            ("while True: pass", "limit"),
        ],
    ];
    for ((language, writes), ends) in WRITES.into_iter().zip(ends) {
        let place = Place::new();
        for (end, how) in ends {
            let isolate = place.isolate(language, &format!("{writes}{end}"));
            let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
            match how {
                "threw" => assert!(
                    matches!(outcome.ending, Ending::Threw(_)),
                    "{}",
                    outcome.ending
                ),
                _ => assert!(
                    matches!(outcome.ending, Ending::Limit(_)),
                    "{}",
                    outcome.ending
                ),
            }
            assert_eq!(place.on_disk("x"), None);
        }
        let ending = place.run(language, writes).await.ending;
        assert!(matches!(ending, Ending::Returned(_)), "{ending}");
        assert_eq!(place.on_disk("x").unwrap(), "x");
    }
}

#[tokio::test]
async fn of_two_runs_at_once_the_later_fails_with_the_files_name() {
    let place = Place::new();
    let slow = r#"
        import fs from "node:fs/promises";
        const before = await fs.readFile("n", "utf8").catch(() => "0");
        await new Promise((done) => setTimeout(done, 200));
        await fs.writeFile("n", String(Number(before) + 1));
        await fs.writeFile("other-" + env.who, "x");"#;
    let isolate = |who: &str| {
        let script = Script::typescript(slow).env("who", who);
        place.runtime.isolate(script).workspace(place.workspace())
    };
    let (one, other) = tokio::join!(isolate("a").run(), isolate("b").run());
    let endings = [one.unwrap().ending, other.unwrap().ending];
    let failed: Vec<_> = endings
        .iter()
        .filter(|ending| matches!(ending, Ending::Threw(_)))
        .collect();
    assert_eq!(failed.len(), 1, "{endings:?}");
    let told = failed[0].to_string();
    assert!(
        told.contains(
            "WorkspaceError: The files that the script wrote are not kept: `n` changed since"
        ),
        "{told}"
    );
    assert_eq!(place.on_disk("n").unwrap(), "1");
    let both = ["other-a", "other-b"].map(|name| place.on_disk(name).is_some());
    assert_ne!(both[0], both[1]);
}

#[tokio::test]
async fn a_session_goes_on_with_files_closed() {
    let place = Place::new();
    for (language, opens, uses, told) in [
        (
            Language::TypeScript,
            "import fs from 'node:fs'; const fd = fs.openSync('log', 'w'); fs.writeSync(fd, 'one\\n'); const path = 'log'; return fd",
            "const mine = fs.openSync('other', 'w'); try { fs.writeSync(fd, 'x') } catch (error) { return [mine !== fd, error.code, error.message] }",
            json!([
                true,
                "EBADF",
                "EBADF: bad file descriptor, write. it is not open; files are closed when a run ends, open it again"
            ]),
        ),
        (
            Language::Python,
            "file = open('log', 'w'); file.write('one\\n')",
            "mine = open('other', 'w')\ntry:\n    file.write('x')\nexcept ValueError as error:\n    return str(error)",
            json!("I/O operation on closed file."),
        ),
    ] {
        let name = format!("{language:?}");
        let run = async |source: &str| {
            let isolate = place.isolate(language, source).session(name.clone());
            isolate.run().await.unwrap()
        };
        let outcome = run(opens).await;
        assert!(outcome.session.as_ref().unwrap().kept, "{outcome:?}");
        assert_eq!(place.on_disk("log").unwrap(), "one\n");
        assert_eq!(value(&run(uses).await, uses), told);
        let again = match language {
            Language::Python => "return open('log').read()",
            _ => "return fs.readFileSync(path, 'utf8')",
        };
        assert_eq!(value(&run(again).await, again), json!("one\n"));
    }
}

#[tokio::test]
async fn a_session_whose_files_can_not_be_kept_is_not_kept() {
    let place = Place::new();
    let first = place.isolate(
        Language::TypeScript,
        "import fs from 'node:fs'; let n = 1; fs.writeFileSync('n', 'n')",
    );
    assert!(
        first
            .session("s")
            .run()
            .await
            .unwrap()
            .session
            .unwrap()
            .kept
    );
    let source = "fs.writeFileSync('n', 'm'); n = 2; await new Promise((done) => setTimeout(done, 300)); return n";
    let second = place
        .isolate(Language::TypeScript, source)
        .session("s")
        .start()
        .await
        .unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    fs::write(place.path("n"), "by hand").unwrap();
    let outcome = second.outcome().await.unwrap();
    assert!(
        matches!(outcome.ending, Ending::Threw(_)),
        "{}",
        outcome.ending
    );
    assert!(!outcome.session.unwrap().kept);
    let third = place.isolate(Language::TypeScript, "return n").session("s");
    assert_eq!(value(&third.run().await.unwrap(), ""), json!(1));
}
