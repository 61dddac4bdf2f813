//! `docs/reference/exit-codes.md`: the command is brought to end with each code of the page's table.

use std::collections::BTreeSet;

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::components::component;
use ampoule_tests::{binary, repository};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};

/// The first cells of the page's table.
fn codes() -> BTreeSet<String> {
    let path = repository().join("docs/reference/exit-codes.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split_once(" | "));
    let codes = cells.filter(|(code, _)| code.starts_with(|first: char| first.is_ascii_digit()));
    codes.map(|(code, _)| code.to_owned()).collect()
}

/// A run of a script.
async fn script(source: &str) -> Ran {
    Workplace::default().run(&["run", "-q", "-e", source]).await
}

/// A run that gets a signal once its script runs.
async fn stopped(signal: Signal) -> Option<i32> {
    let workplace = Workplace::default();
    let endless = "console.log('begun'); for (;;) await new Promise((go) => setTimeout(go, 20))";
    let mut child = workplace
        .command(binary(), &["run", "-q", "-e", endless])
        .spawn()
        .expect("a process");
    let stdout = child.stdout.take().expect("its output");
    let mut lines = BufReader::new(stdout).lines();
    let line = lines.next_line().await.expect("output");
    assert_eq!(line.as_deref(), Some("begun"));
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    kill_process(id.expect("its id"), signal).expect("it is there");
    child.wait().await.expect("its end").code()
}

/// A run that ends with a code of the table.
async fn code_of(code: &str) -> Option<i32> {
    let workplace = Workplace::default();
    match code {
        "0" => script("return 1").await.code,
        "1" => script("throw new Error('no')").await.code,
        "2" => {
            workplace.file("ampoule.toml", "[runs]\nno-such-key = 1\n");
            workplace.run(&["run", "-e", "return 1"]).await.code
        }
        "3" => {
            let endless = ["run", "-q", "--timeout", "300ms", "-e", "for (;;);"];
            workplace.run(&endless).await.code
        }
        "4" => {
            workplace.file("program.wasm", component("unreachable"));
            workplace.run(&["run", "-q", "program.wasm"]).await.code
        }
        "5" => {
            let folder = std::fs::File::open(workplace.path()).expect("a folder");
            let mut command = workplace.command(binary(), &["run", "-"]);
            command.stdin(folder);
            ended(command).await.code
        }
        other => panic!("no test has exit code {other} of the page"),
    }
}

#[tokio::test]
async fn the_command_ends_with_each_code_of_the_page() {
    let codes = codes();
    assert_eq!(codes.len(), 7, "{codes:?}");
    for code in codes {
        if code == "128 + n" {
            for (signal, n) in [(Signal::HUP, 1), (Signal::INT, 2), (Signal::TERM, 15)] {
                assert_eq!(stopped(signal).await, Some(128 + n), "{signal:?}");
            }
        } else {
            let expected = code.parse().expect("a number");
            assert_eq!(code_of(&code).await, Some(expected), "{code}");
        }
    }
}

#[tokio::test]
async fn output_that_nobody_reads_in_time_has_the_code_of_a_limit() {
    let workplace = Workplace::default();
    let print = "for (let i = 0; i < 50; i++) console.log('x'.repeat(10_000))";
    let mut child = workplace
        .command(binary(), &["run", "-q", "--timeout", "2s", "-e", print])
        .spawn()
        .expect("a process");
    assert_eq!(child.wait().await.expect("its end").code(), Some(3));
}
