//! `ampoule check`: scripts compared with the tools, without running them.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use serde_json::json;

const RIGHT: &str = "const page = await tools.demo.listOrders({ limit: 5 });\nreturn page.items";
const WRONG: &str = "await tools.demo.closeTicket({ ticketId: 'TIC-0001', resolution: 'done' });
await tools.demo.getOrder({});
await tools.demo.listOrders({ limit: 'many' });
";

#[tokio::test]
async fn mistakes_have_a_line_each_and_a_code() {
    let workplace = Workplace::default();
    workplace.file("right.ts", RIGHT);
    workplace.file("wrong.ts", WRONG);
    workplace.file("wrong.py", "await tools.demo.get_order()\n");
    let right = workplace.run(&["check", "right.ts"]).await;
    assert_eq!((right.code, &*right.stdout), (Some(0), ""), "{right:?}");
    let all = ["check", "right.ts", "wrong.ts", "wrong.py"];
    let wrong = workplace.run(&all).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    let lines: Vec<&str> = wrong.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    for (line, start, part) in [
        (lines[0], "wrong.ts:2:", "`orderId` is missing"),
        (lines[1], "wrong.ts:3:", "`limit` must be an integer"),
        (lines[2], "wrong.py:1:", "`orderId` is missing"),
    ] {
        assert!(line.starts_with(start) && line.contains(part), "{line}");
    }
    let listed = workplace
        .run(&["check", "wrong.ts", "right.ts", "--json"])
        .await;
    assert_eq!(listed.code, Some(1), "{listed:?}");
    let listed = listed.json();
    assert_eq!(listed[0]["file"], "wrong.ts");
    assert_eq!(listed[0]["mistakes"][0]["line"], 2);
    assert_eq!(listed[0]["mistakes"][1]["line"], 3);
    assert_eq!(listed[1]["mistakes"], json!([]));
}

#[tokio::test]
async fn the_language_and_the_tools_are_as_for_a_run() {
    let workplace = Workplace::default();
    workplace.file("script", "await tools.demo.get_order()");
    let named = ["check", "script", "--language", "python"];
    let wrong = workplace.run(&named).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    workplace.file("right.ts", RIGHT);
    let fewer = ["check", "right.ts", "--tools", "demo.get_*"];
    let not_granted = workplace.run(&fewer).await;
    assert_eq!(not_granted.code, Some(1), "{not_granted:?}");
    assert!(
        not_granted.stdout.contains("`listOrders`"),
        "{not_granted:?}"
    );
    let twice = workplace.run(&["check", "-", "-"]).await;
    assert_eq!(twice.code, Some(2), "{twice:?}");
    assert!(twice.stderr.contains("name it once"), "{twice:?}");
    // What does not parse is a mistake; a file that is not there is wrong usage.
    workplace.file("broken.ts", "const = 1");
    let broken = workplace.run(&["check", "broken.ts"]).await;
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stdout.starts_with("broken.ts:1:"), "{broken:?}");
    let missing = workplace.run(&["check", "nothing.ts"]).await;
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

#[tokio::test]
async fn a_file_that_can_not_be_read_is_named_and_the_others_are_checked() {
    let workplace = Workplace::default();
    workplace.file("wrong.ts", WRONG);
    workplace.file("latin.ts", b"return '\xe9'");
    let files = ["check", "nothing.ts", "latin.ts", "wrong.ts"];
    let checked = workplace.run(&files).await;
    assert_eq!(checked.code, Some(2), "{checked:?}");
    assert!(checked.stdout.contains("wrong.ts:2:"), "{checked:?}");
    for said in [
        "nothing.ts can't be read",
        "latin.ts: the script is not UTF-8",
    ] {
        assert!(checked.stderr.contains(said), "{checked:?}");
    }
    let listed = workplace.run(&[&files[..], &["--json"]].concat()).await;
    assert_eq!(listed.code, Some(2), "{listed:?}");
    let listed = listed.json();
    assert!(listed[0]["error"].is_string() && listed[1]["error"].is_string());
    assert_eq!(listed[2]["mistakes"][0]["line"], 2);
}

#[tokio::test]
async fn a_server_that_can_not_be_reached_is_no_silent_success() {
    let workplace = Workplace::default();
    let binary = ampoule_tests::binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    let broken = "[servers.broken]\ncommand = \"./not-there\"\n";
    workplace.file("ampoule.toml", format!("{demo}{broken}"));
    workplace.file("right.ts", RIGHT);
    workplace.file("calls.ts", "return await tools.broken.send({ to: 1 })");
    // Nobody calls it.
    let right = workplace.run(&["check", "right.ts"]).await;
    assert_eq!((right.code, &*right.stdout), (Some(0), ""), "{right:?}");
    assert!(!right.stderr.contains("broken"), "{right:?}");
    let calls = workplace.run(&["check", "right.ts", "calls.ts"]).await;
    assert_eq!(calls.code, Some(1), "{calls:?}");
    let said = "calls of server `broken` were not compared with its tools: ";
    assert!(calls.stderr.contains(said), "{calls:?}");
    let listed = workplace.run(&["check", "calls.ts", "--json"]).await;
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(listed.json()[0]["notCompared"]["broken"].is_string());
}

#[tokio::test]
async fn a_run_is_checked_unless_it_says_otherwise() {
    let workplace = Workplace::default();
    let script = "console.log('ran'); await tools.demo.getOrder({})";
    let checked = workplace.run(&["run", "-e", script]).await;
    assert_eq!(
        (checked.code, &*checked.stdout),
        (Some(1), ""),
        "{checked:?}"
    );
    assert!(checked.stderr.contains("Nothing was called"), "{checked:?}");
    let unchecked = workplace.run(&["run", "--no-check", "-e", script]).await;
    assert_eq!(unchecked.code, Some(1), "{unchecked:?}");
    assert_eq!(unchecked.stdout, "ran\n");
}

#[tokio::test]
async fn an_operator_turns_the_check_off_for_all_scripts() {
    let workplace = Workplace::default();
    workplace.file("wrong.ts", WRONG);
    let demo = format!(
        "[servers.demo]\ncommand = {:?}\nargs = [\"demo-server\"]\n",
        binary()
    );
    let run = ["run", "wrong.ts", "--tools", "demo", "--config", "a.toml"];
    for (check, calls) in [("check = true\n", 0), ("", 0), ("check = false\n", 2)] {
        workplace.file("a.toml", format!("[runs]\n{check}{demo}"));
        let ran = workplace.run(&[&run[..], &["--json"]].concat()).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let used = ran.json()["usage"]["calls"].as_array().map(Vec::len);
        assert_eq!(used, Some(calls), "{check}: {ran:?}");
    }
    // A check that is asked for is made all the same.
    let checked = workplace
        .run(&["check", "wrong.ts", "--config", "a.toml"])
        .await;
    assert_eq!(checked.stdout.lines().count(), 2, "{checked:?}");
}
