//! What the program says of its own commands.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::terminal::Terminal;

/// A terminal of 24 lines has room for the help, and for the prompt below it.
#[tokio::test]
async fn all_commands_fit_on_a_screen() {
    let workplace = Workplace::default();
    for help in ["--help", "-h", "help"] {
        let terminal = Terminal::start(&workplace, 80, &[], &binary(), &[help]);
        let left = terminal.end().await;
        assert_eq!(left.code, Some(0));
        let text = left.text();
        let rows = text.trim_end().lines().count();
        assert!((15..24).contains(&rows), "{help}: {rows} rows:\n{text}");
        // A description that is broken into two rows would leave an indented one.
        let is_whole =
            |row: &str| row.is_empty() || row.split("  ").count() > 1 || !row.starts_with(' ');
        assert!(text.lines().all(is_whole), "{text}");
    }
}

#[tokio::test]
async fn groups_have_help_by_their_name_too() {
    let workplace = Workplace::default();
    let ran = workplace.run(&["help", "runs", "replay"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("ampoule runs replay"), "{ran:?}");
}

#[tokio::test]
async fn former_names_are_errors_that_name_the_command_of_today() {
    let workplace = Workplace::default();
    let cases = [
        ("replay d365-1", "runs replay"),
        ("bench tokens", "tools cost"),
        ("stats --by tool", "audit stats"),
        ("token new ada", "auth token"),
        ("auth token new ada", "add"),
        ("login linear", "auth login"),
        ("install cursor", "clients install"),
        ("servers import cursor", "clients import"),
        ("servers test", "doctor"),
        ("servers remove x", "rm"),
        ("sessions list", "ls"),
        ("audit show", "audit ls"),
        ("generate --lang wit", "tools generate"),
    ];
    for (typed, today) in cases {
        let arguments: Vec<_> = typed.split(' ').collect();
        let ran = workplace.run(&arguments).await;
        assert_eq!(ran.code, Some(2), "{typed}: {ran:?}");
        let tip = format!("the command is now `{today}`");
        assert!(ran.stderr.contains(&tip), "{typed}: {}", ran.stderr);
    }
}

/// Each command that prints data has `--json`, before and behind the subcommand.
#[tokio::test]
async fn json_is_asked_for_in_one_way() {
    let workplace = Workplace::default();
    let cases = [
        "run -e 42 --json",
        "tools --json",
        "tools ls --json",
        "tools search ticket --json",
        "tools show demo --json",
        "tools cost --json",
        "--color never tools --json show demo.createTicket",
        "servers --json",
        "servers ls --json",
        "doctor --json",
        "doctor demo --json",
        "sessions --json",
        "sessions ls --json",
        "approvals ls --json",
        "auth ls --json",
    ];
    for typed in cases {
        let arguments: Vec<_> = typed.split(' ').collect();
        let ran = workplace.run(&arguments).await;
        assert_eq!(ran.code, Some(0), "{typed}: {ran:?}");
        assert!(
            serde_json::from_str::<serde_json::Value>(&ran.stdout).is_ok(),
            "{typed}: {}",
            ran.stdout
        );
    }
}

#[tokio::test]
async fn tokens_are_listed_as_json_too() {
    let workplace = Workplace::default();
    let file = ["--file", "tokens"];
    let add = ["auth", "token", "add", "ada", "--group", "support"];
    let made = workplace.run_at_home(&[&add[..], &file].concat()).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    let list = ["auth", "token", "ls", "--json"];
    let listed = workplace.run_at_home(&[&list[..], &file].concat()).await;
    let listed = listed.json();
    assert_eq!(listed[0]["name"], "ada");
    assert_eq!(listed[0]["groups"][0], "support");
    assert_eq!(listed[0]["expired"], false);
}
