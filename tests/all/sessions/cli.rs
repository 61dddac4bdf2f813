//! `ampoule run --session` and `ampoule sessions`.

use ampoule_tests::command::Workplace;
use serde_json::json;

#[tokio::test]
async fn a_session_from_the_command_line() {
    let workplace = Workplace::default();
    let run = async |source: &str| {
        let ran = workplace
            .run(&["run", "--session", "shop", "-e", source])
            .await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    };
    let ran = run("const prices = { tea: 3 }; let sold = 1").await;
    assert!(
        ran.stderr.contains("session shop: run 1 is kept, "),
        "{ran:?}"
    );
    run("return ++sold").await;
    assert_eq!(run("return sold * prices.tea").await.stdout, "6\n");

    let threw = [
        "run",
        "--session",
        "shop",
        "-e",
        "sold = 9; throw new Error('no')",
    ];
    let ran = workplace.run(&threw).await;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .contains("session shop is as run 3 left it; the script threw an error"),
        "{ran:?}"
    );

    let ran = workplace.run(&["sessions"]).await;
    assert!(
        ran.stdout.starts_with("shop  run 3, 3 runs are kept in "),
        "{ran:?}"
    );
    let ran = workplace.run(&["sessions", "list", "--json"]).await;
    let listed = ran.json();
    assert_eq!(listed[0]["name"], "shop");
    assert_eq!(listed[0]["run"], 3);
    let ran = workplace.run(&["sessions", "show", "shop"]).await;
    assert_eq!(ran.stdout, "prices: Object (1)\nsold: number\n");
    assert!(ran.stderr.contains("JavaScript, run 3, "), "{ran:?}");

    let ran = workplace.run(&["sessions", "fork", "shop", "copy"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace.run(&["sessions", "rewind", "copy", "2"]).await;
    assert_eq!(ran.stdout, "copy is as run 1 left it\n");
    let sold = ["run", "--session", "copy", "--json", "-e", "return sold"];
    let document = workplace.run(&sold).await.json();
    assert_eq!(document["value"], 1);
    assert_eq!(document["session"]["kept"], true);
    assert_eq!(document["session"]["run"], 2);

    let ran = workplace.run(&["sessions", "rewind", "shop", "7"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("the session `shop` can go back by 3 at most"),
        "{ran:?}"
    );
    let ran = workplace.run(&["sessions", "rm", "shop"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace.run(&["sessions", "show", "shop"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("there is no session `shop`"), "{ran:?}");
    assert_eq!(run("return typeof sold").await.stdout, "undefined\n");
}

#[tokio::test]
async fn a_session_moves_to_another_machine() {
    let (here, there) = (Workplace::default(), Workplace::default());
    let made = [
        "run",
        "--session",
        "a",
        "--language",
        "python",
        "-e",
        "def half(n):\n    return n / 2",
    ];
    assert_eq!(here.run(&made).await.code, Some(0));
    let file = here.path().join("a.session");
    let file = file.to_str().unwrap();
    let ran = here.run(&["sessions", "export", "a", file]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");

    let ran = there.run(&["sessions", "import", file, "b"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("was not signed by this store"),
        "{ran:?}"
    );
    let key = here.path().join("data/ampoule/sessions/key");
    let key = key.to_str().unwrap();
    let ran = there
        .run(&["sessions", "import", file, "b", "--key", key])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let calls = [
        "run",
        "--session",
        "b",
        "--language",
        "python",
        "-e",
        "half(5)",
    ];
    assert_eq!(there.run(&calls).await.stdout, "2.5\n");
}

#[tokio::test]
async fn what_scripts_call_their_names_drives_no_terminal() {
    let workplace = Workplace::default();
    let source = "globals()['\\u001b]0;x\\u0007\\nforged: int'] = 1";
    let ran = workplace
        .run(&[
            "run",
            "--session",
            "a",
            "--language",
            "python",
            "-e",
            source,
        ])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace.run(&["sessions", "show", "a"]).await;
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
    let ran = workplace.run(&["sessions", "show", "a", "--json"]).await;
    assert_eq!(
        ran.json()["head"]["names"][0]["name"],
        json!("\u{1b}]0;x\u{7}\nforged: int")
    );
}

#[tokio::test]
async fn code_that_could_be_either_is_in_the_language_of_its_session() {
    let workplace = Workplace::default();
    for source in ["rows = [1, 2]\nprint(len(rows))", "rows", "x = rows"] {
        let ran = workplace
            .run(&["run", "--session", "py", "-e", source])
            .await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

#[tokio::test]
async fn what_sessions_may_take_is_configured() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "sessions = { folder = 'kept', runs = 2, most = 1, bytes = '1 MiB' }",
    );
    let run = async |session: &str, source: &str| {
        let run = ["run", "--session", session, "--json", "-e", source];
        workplace.run(&run).await.json()["session"].clone()
    };
    for n in 1..=4 {
        assert_eq!(run("a", "globalThis.n ??= 0; return ++n").await["run"], n);
    }
    let shown = workplace.run(&["sessions", "show", "a", "--json"]).await;
    assert_eq!(shown.json()["back"], 1);
    let large = "globalThis.large = Array.from({ length: 500_000 }, (_, i) => i / 3)";
    assert_eq!(run("a", large).await["kept"], false);
    run("b", "let n = 1").await;
    let listed = workplace.run(&["sessions", "list", "--json"]).await.json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["name"], "b");
    assert!(workplace.path().join("kept/key").is_file());
}
