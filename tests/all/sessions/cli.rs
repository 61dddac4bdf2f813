//! `ampoule run --session` and `ampoule sessions`.

use std::fs;
use std::os::unix::fs::PermissionsExt;

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
        ran.stderr.contains("session shop: saved run 1, "),
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
            .contains("session shop stays at run 3; the script threw an error"),
        "{ran:?}"
    );

    let ran = workplace.run(&["sessions"]).await;
    assert!(
        ran.stdout.starts_with("shop  run 3, 3 runs stored in "),
        "{ran:?}"
    );
    let ran = workplace.run(&["sessions", "ls", "--json"]).await;
    let listed = ran.json();
    assert_eq!(listed[0]["name"], "shop");
    assert_eq!(listed[0]["run"], 3);
    let shown = workplace.run(&["sessions", "show", "shop", "--json"]).await;
    assert_eq!(listed[0]["back"], 3);
    assert_eq!(shown.json()["back"], 3);
    let ran = workplace.run(&["sessions", "show", "shop"]).await;
    assert_eq!(ran.stdout, "prices: Object (1)\nsold: number\n");
    assert!(ran.stderr.contains("JavaScript, run 3, "), "{ran:?}");

    let ran = workplace.run(&["sessions", "fork", "shop", "copy"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace.run(&["sessions", "rewind", "copy", "2"]).await;
    assert_eq!(ran.stdout, "copy is back at run 1\n");
    let sold = ["run", "--session", "copy", "--json", "-e", "return sold"];
    let document = workplace.run(&sold).await.json();
    assert_eq!(document["value"], 1);
    assert_eq!(document["session"]["kept"], true);
    assert_eq!(document["session"]["run"], 2);
    let rewind = ["sessions", "rewind", "copy", "1", "--json"];
    let rewound = workplace.run(&rewind).await.json();
    assert_eq!(rewound["name"], "copy");
    assert_eq!(rewound["run"], 1);
    let ran = workplace.run(&["sessions", "show", "copy"]).await;
    assert!(ran.stderr.contains("can be rewound by 1 run\n"), "{ran:?}");

    let ran = workplace.run(&["sessions", "rewind", "shop", "7"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("the session `shop` can be rewound by 3 runs at most"),
        "{ran:?}"
    );
    let ran = workplace.run(&["sessions", "rm", "shop"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = workplace.run(&["sessions", "show", "shop"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("unknown session `shop`"), "{ran:?}");
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
    // Not even where it was another's to read.
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let name = file.to_str().unwrap();
    let ran = here.run(&["sessions", "export", "a", name]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let file = name;

    let ran = there.run(&["sessions", "import", file, "b"]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("was not signed by this store"),
        "{ran:?}"
    );
    let no_key = ["sessions", "import", file, "b", "--key", "no.key"];
    let ran = there.run(&no_key).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(
        ran.stderr,
        "ampoule: no.key can't be read: No such file or directory (os error 2)\n"
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
async fn what_is_no_file_is_not_imported() {
    let workplace = Workplace::default();
    let pipe = workplace.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for file in ["/dev/zero", pipe.to_str().unwrap()] {
        let ran = workplace.run(&["sessions", "import", file, "a"]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let said = format!("ampoule: {file} can't be read: it is not a file\n");
        assert_eq!(ran.stderr, said);
    }
}

#[tokio::test]
async fn a_damaged_session_says_which_one_and_what_helps() {
    let workplace = Workplace::default();
    let run = ["run", "--session", "a", "-e", "globalThis.n = 1"];
    for _ in 0..2 {
        assert_eq!(workplace.run(&run).await.code, Some(0));
    }
    let head = "data/ampoule/sessions/local/a/00000002.head";
    let mut bytes = fs::read(workplace.path().join(head)).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    workplace.file(head, bytes);
    for command in [&run[..], &["sessions", "show", "a"]] {
        let ran = workplace.run(command).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert_eq!(
            ran.stderr.lines().last().unwrap(),
            "ampoule: the stored state of the session `a` is damaged: it was not signed by this store, or was changed since; `ampoule sessions rewind a 1` goes back to the run before, `ampoule sessions rm a` removes it"
        );
    }
    let ran = workplace.run(&["sessions", "rewind", "a", "1"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(workplace.run(&run).await.code, Some(0));
}

#[tokio::test]
async fn the_cause_is_told_once() {
    let workplace = Workplace::default();
    workplace.file("data/ampoule/sessions", "in the way");
    let ran = workplace.run(&["sessions"]).await;
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert_eq!(ran.stderr.matches("Not a directory").count(), 1, "{ran:?}");
}

#[tokio::test]
async fn what_is_lost_is_said_to_those_who_want_to_hear_nothing() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "sessions = { each = '1 MiB' }");
    let said = async |source: &str| {
        let run = ["run", "-q", "--session", "a", "-e", source];
        workplace.run(&run).await.stderr
    };
    let lost = said("const large = Array.from({ length: 500_000 }, (_, i) => i / 3)").await;
    assert!(lost.contains("session a stays at run 0; "), "{lost}");
    for other in ["let n = 1", "throw new Error('no')", "session.rewind(1)"] {
        let said = said(other).await;
        assert!(!said.contains("session a"), "{other}: {said}");
    }
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
        "sessions = { folder = 'kept', runs = 2, most = 1, each = '1 MiB' }",
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
    let listed = workplace.run(&["sessions", "ls", "--json"]).await.json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["name"], "b");
    assert!(workplace.path().join("kept/key").is_file());
}
