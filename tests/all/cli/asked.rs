//! Calls that a person must allow: at the terminal, and by `ampoule approvals`.

use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::terminal::{Left, Terminal};
use serde_json::Value;

use super::governance::governed;

const CLOSE: &str =
    "return (await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'x' })).status";

/// What the screen shows, before it is wrapped.
fn unwrapped(left: &Left) -> String {
    let text = left.text();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn asking(workplace: &Workplace, script: &str) -> Terminal {
    let arguments = ["run", "-q", "-e", script];
    Terminal::start(workplace, 100, &[], &binary(), &arguments)
}

#[tokio::test]
async fn the_person_at_the_terminal_is_asked_there() {
    let workplace = Workplace::default();
    governed(&workplace, "approvals.ask = 'destructive'");
    let mut terminal = asking(&workplace, CLOSE);
    terminal.shows("Allow it?").await;
    let shown = terminal.screen().contents();
    assert!(shown.contains("demo.close_ticket"), "{shown}");
    assert!(shown.contains("TIC-0002"), "{shown}");
    terminal.types("what?\n").await;
    terminal.shows("y or n:").await;
    terminal.types("y\n").await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    assert!(left.text().contains("closed"), "{}", left.text());
    assert!(left.is_restored(), "{}", left.text());
}

#[tokio::test]
async fn the_script_sees_the_reason() {
    let workplace = Workplace::default();
    governed(&workplace, "approvals.ask = 'destructive'");
    let mut terminal = asking(&workplace, CLOSE);
    terminal.shows("Allow it?").await;
    terminal.types("n not on a Friday\n").await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(1), "{}", left.text());
    let told = "a person did not allow this call: not on a Friday";
    assert!(unwrapped(&left).contains(told), "{}", left.text());
    // Ctrl-C answers, too.
    let mut terminal = asking(&workplace, CLOSE);
    terminal.shows("Allow it?").await;
    terminal.types("\u{3}").await;
    let left = terminal.end().await;
    let told = "the person at the terminal did not answer";
    assert!(unwrapped(&left).contains(told), "{}", left.text());
    assert!(left.is_restored(), "{}", left.text());
}

#[tokio::test]
async fn a_run_may_be_allowed_as_a_whole() {
    let workplace = Workplace::default();
    governed(&workplace, "approvals.ask = 'destructive'");
    let script = "let closed = 0;\nfor (const ticketId of ['TIC-0002', 'TIC-0012', 'TIC-0003']) { await tools.demo.closeTicket({ ticketId, resolution: 'x' }); closed++ }\nreturn `all ${closed}`";
    let mut terminal = asking(&workplace, script);
    terminal.shows("Allow it?").await;
    terminal.types("r\n").await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    assert!(left.text().contains("all 3"), "{}", left.text());
    assert_eq!(left.text().matches("Allow it?").count(), 1);
}

/// The question that waits, once it does.
async fn waits(workplace: &Workplace) -> Value {
    for _ in 0..1_200 {
        let listed = workplace.run(&["approvals", "--json"]).await;
        assert_eq!(listed.code, Some(0), "{listed:?}");
        if let Some(question) = listed.json().get(0) {
            return question.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nobody is asked");
}

#[tokio::test]
async fn another_process_answers() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "approvals = { ask = 'destructive', places = ['command-line'] }",
    );
    for allowed in [true, false] {
        let command = workplace.command(binary(), &["run", "-q", "-e", CLOSE]);
        let run = tokio::spawn(ended(command));
        let question = waits(&workplace).await;
        let id = question["question"]["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let short = &id[..8];
        let listed = workplace.run(&["approvals"]).await;
        assert!(listed.stdout.contains("demo.close_ticket"), "{listed:?}");
        let shown = workplace.run(&["approvals", "show", short]).await;
        assert!(shown.stdout.contains("TIC-0002"), "{shown:?}");
        let other = ["approvals", "allow", short, "--seen", "0000000000000000"];
        let changed = workplace.run(&other).await;
        assert_eq!(changed.code, Some(2), "{changed:?}");
        let in_session = ["approvals", "allow", short, "--session", "1h"];
        let refused = workplace.run(&in_session).await;
        assert!(
            refused.stderr.contains("the run is in no session"),
            "{refused:?}"
        );
        let seen = workplace
            .run(&["approvals", "show", short, "--json"])
            .await
            .json();
        let seen = seen["seen"].as_str().expect("a code").to_owned();
        let answer: &[&str] = match allowed {
            true => &["approvals", "allow", short, "--seen", &seen],
            false => &["approvals", "deny", short, "--reason", "no"],
        };
        let answered = workplace.run(answer).await;
        assert_eq!(answered.code, Some(0), "{answered:?}");
        let ran = run.await.expect("it ends");
        match allowed {
            true => assert_eq!((ran.code, &*ran.stdout), (Some(0), "closed\n"), "{ran:?}"),
            false => assert!(
                ran.stderr.contains("did not allow this call: no"),
                "{ran:?}"
            ),
        }
        // An answer is good once.
        let again = workplace.run(answer).await;
        assert_eq!(again.code, Some(2), "{again:?}");
        assert_eq!(workplace.run(&["approvals"]).await.stdout, "");
        let all = workplace.run(&["approvals", "ls", "--all"]).await;
        assert!(all.stdout.contains(short), "{all:?}");
    }
}
