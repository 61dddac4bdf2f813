//! Progress on a terminal.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::terminal::Terminal;

use super::terminal::CTRL_C;

const HOSTILE_SERVER: &str = env!("CARGO_BIN_EXE_hostile-server");

#[tokio::test]
async fn progress_is_redrawn_in_place_and_gone_before_the_result() {
    let workplace = Workplace::default();
    let script =
        "await new Promise((done) => setTimeout(done, 3_500)); console.log('done'); return 1";
    let mut terminal = Terminal::start(&workplace, 40, &[], &binary(), &["run", "-e", script]);
    terminal.shows("running 1 s").await;
    let row = |terminal: &Terminal| {
        let (_, columns) = terminal.screen().size();
        terminal
            .screen()
            .rows(0, columns)
            .position(|row| row.contains("running"))
    };
    assert_eq!(row(&terminal), Some(0));
    terminal.resize(16);
    terminal.shows("running 2 s").await;
    assert_eq!(row(&terminal), Some(0));
    terminal.resize(200);
    terminal.shows("running 3 s").await;
    assert_eq!(row(&terminal), Some(0));
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0));
    assert_eq!(
        left.rows()[..3],
        [
            "done",
            "1",
            "ampoule: no ampoule.toml, so scripts may call only the built-in server `demo`, a made-up business"
        ]
    );
}

#[tokio::test]
async fn a_server_that_is_just_starting_is_what_is_said_to_be_waited_for() {
    let workplace = Workplace::default();
    let start = format!(
        "sleep 3; exec {HOSTILE_SERVER} {}",
        workplace.path().display()
    );
    let configuration = format!("[servers.slow]\ncommand = 'sh'\nargs = ['-c', {start:?}]\n");
    workplace.file("ampoule.toml", configuration);
    let script = "await tools.slow.late({}); await tools.slow.hang({})";
    // In the first run it is its tools that are asked for. Those are known by the second, and the
    // first call needs it.
    for of in ["tools", "a call"] {
        let mut terminal = Terminal::start(&workplace, 80, &[], &binary(), &["run", "-e", script]);
        for second in [1, 2] {
            let said = format!("waiting for server `slow` to start ({second} s)");
            terminal.shows(&said).await;
            assert!(!terminal.screen().contents().contains("running"), "{of}");
        }
        terminal.shows("waiting for slow.hang").await;
        terminal.types(CTRL_C).await;
        assert_eq!(terminal.end().await.code, Some(130), "{of}");
    }
}

#[tokio::test]
async fn a_terminal_that_can_not_be_redrawn_shows_no_progress() {
    let workplace = Workplace::default();
    let script = "await new Promise((done) => setTimeout(done, 1_500)); return 1";
    let dumb = [("TERM", "dumb")];
    let terminal = Terminal::start(&workplace, 80, &dumb, &binary(), &["run", "-e", script]);
    let left = terminal.end().await;
    assert_eq!(left.rows()[0], "1", "{}", left.text());
    assert!(!left.text().contains("running"), "{}", left.text());
}
