//! Every subcommand on a terminal, and what its screen shows: H0 of the first attacks was a panic
//! that only people saw.

use std::path::Path;

use ampoule_tests::command::Workplace;
use ampoule_tests::terminal::{Left, Terminal};
use ampoule_tests::{binary, repository};

/// A subcommand, and what is expected of its screen.
struct Case {
    arguments: &'static [&'static str],
    /// What is typed once the screen shows the first of them.
    typed: Option<(&'static str, &'static str)>,
    code: i32,
    shows: &'static [&'static str],
    /// Whether something is coloured where there are colours.
    coloured: bool,
}

pub(super) const CTRL_C: &str = "\u{3}";

const CASES: [Case; 18] = [
    Case {
        arguments: &[
            "run",
            "-e",
            "console.log('one'); console.warn('two'); return { three: 3 }",
        ],
        typed: None,
        code: 0,
        shows: &[
            "one\ntwo\n{\n  \"three\": 3\n}\nampoule: ",
            "million",
            "no ampoule.toml",
        ],
        coloured: true,
    },
    Case {
        arguments: &[
            "run",
            "-q",
            "-e",
            "return (await tools.demo.listProducts({})).total",
        ],
        typed: None,
        code: 0,
        shows: &["40\nampoule: no ampoule.toml"],
        coloured: true,
    },
    Case {
        arguments: &[
            "run",
            "-q",
            "-e",
            "throw new RangeError(\n'far too far away ' +\n'for anybody to go there')",
        ],
        typed: None,
        code: 1,
        shows: &["RangeError: far too far away", "1 | throw new RangeError("],
        coloured: true,
    },
    Case {
        arguments: &["serve"],
        typed: Some(("Ctrl-C stops it", CTRL_C)),
        code: 0,
        shows: &["A client starts it"],
        coloured: true,
    },
    Case {
        arguments: &["demo-server"],
        typed: Some(("Ctrl-C stops it", "\u{4}")),
        code: 0,
        shows: &["A client starts it"],
        coloured: true,
    },
    Case {
        arguments: &["tools"],
        typed: None,
        code: 0,
        shows: &["demo.createTicket", "demo.listOrders"],
        coloured: true,
    },
    Case {
        arguments: &["tools", "search", "open", "a", "ticket"],
        typed: None,
        code: 0,
        shows: &["demo.createTicket"],
        coloured: true,
    },
    Case {
        arguments: &["tools", "show", "demo.getBusiness", "--json"],
        typed: None,
        code: 0,
        shows: &["\"name\": \"get_business\""],
        coloured: true,
    },
    Case {
        arguments: &["tools", "cost"],
        typed: None,
        code: 0,
        shows: &[
            "1,973",
            "Ampoule's tools take 303 tokens instead of 1,973, 84.6 % less",
        ],
        coloured: true,
    },
    Case {
        arguments: &["servers"],
        typed: None,
        code: 0,
        shows: &["demo: ready to start\n  ampoule demo-server\n"],
        coloured: true,
    },
    Case {
        arguments: &["tools", "generate", "--lang", "python", "--out", "out"],
        typed: None,
        code: 0,
        shows: &["out: 11 changed, 0 unchanged"],
        coloured: true,
    },
    Case {
        arguments: &["policy", "check"],
        typed: None,
        code: 0,
        shows: &["no policies: every granted tool may be called."],
        coloured: false,
    },
    Case {
        arguments: &["policy", "explain", "--call", "demo.list_products"],
        typed: None,
        code: 0,
        shows: &["allow", "no policies: everything is allowed"],
        coloured: true,
    },
    Case {
        arguments: &["approvals"],
        typed: None,
        code: 0,
        shows: &["no open questions"],
        coloured: true,
    },
    Case {
        arguments: &["audit", "stats"],
        typed: None,
        code: 2,
        shows: &["the audit log is off: add the line `[audit]` to ampoule.toml"],
        coloured: true,
    },
    Case {
        arguments: &["warm", "--language", "javascript"],
        typed: None,
        code: 0,
        shows: &["the JavaScript guest:", "compiled code is in"],
        coloured: false,
    },
    Case {
        arguments: &["--help"],
        typed: None,
        code: 0,
        shows: &["Usage: ampoule", "servers"],
        coloured: true,
    },
    Case {
        arguments: &["run", "--nope"],
        typed: None,
        code: 2,
        shows: &["unexpected argument '--nope'"],
        coloured: true,
    },
];

async fn screen(columns: u16, variables: &[(&str, &str)], case: &Case, more: &[&str]) -> Left {
    let workplace = Workplace::default();
    let arguments: Vec<&str> = case.arguments.iter().chain(more).copied().collect();
    let mut terminal = Terminal::start(&workplace, columns, variables, &binary(), &arguments);
    if let Some((shown, keys)) = case.typed {
        // A sentence may be broken anywhere.
        let last = shown.split(' ').next_back().expect("a word");
        terminal.shows(last).await;
        terminal.types(keys).await;
    }
    terminal.end().await
}

/// Text as it is before it is wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn every_subcommand_is_readable_at_any_width() {
    for case in &CASES {
        for columns in [40, 200] {
            let left = screen(columns, &[], case, &[]).await;
            let told = format!("{:?} at {columns}:\n{}", case.arguments, left.text());
            assert_eq!(left.code, Some(case.code), "{told}");
            for shown in case.shows {
                assert!(
                    unwrapped(&left.text()).contains(&unwrapped(shown)),
                    "`{shown}` of {told}"
                );
            }
            assert_eq!(left.is_coloured(), case.coloured, "{told}");
            assert!(left.is_restored(), "{told}");
            // Code stays as it is, to be copied.
            let is_code = case.arguments.starts_with(&["tools", "show"]);
            assert!(is_code || !left.is_ragged(), "{told}");
        }
    }
}

#[tokio::test]
async fn help_is_readable_on_a_narrow_terminal() {
    let workplace = Workplace::default();
    for help in ["-h", "--help"] {
        let terminal = Terminal::start(&workplace, 40, &[], &binary(), &["run", help]);
        let left = terminal.end().await;
        assert!(!left.is_ragged(), "{}", left.text());
        let rows = left.rows();
        let said = rows.iter().map(|row| row.trim()).collect::<Vec<_>>();
        for row in ["The script itself", "The component's arguments."] {
            assert!(said.contains(&row), "{}", left.text());
        }
    }
}

/// Variables and flags that decide about colours.
type Setting = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

#[tokio::test]
async fn there_is_one_rule_for_colours() {
    let plain: [Setting; 4] = [
        (&[("NO_COLOR", "1")], &[]),
        (&[("TERM", "dumb")], &[]),
        (&[("CLICOLOR_FORCE", "1")], &["--color", "never"]),
        (&[], &["--color=never"]),
    ];
    let coloured: [Setting; 2] = [
        (&[("NO_COLOR", "1")], &["--color", "always"]),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], &[]),
    ];
    for case in CASES.iter().filter(|case| case.coloured) {
        for (variables, flags) in plain {
            let left = screen(200, variables, case, flags).await;
            let told = format!("{:?} {variables:?} {flags:?}", case.arguments);
            assert!(!left.is_coloured(), "{told}:\n{}", left.text());
        }
        for (variables, flags) in coloured {
            let left = screen(200, variables, case, flags).await;
            let told = format!("{:?} {variables:?} {flags:?}", case.arguments);
            assert!(left.is_coloured(), "{told}:\n{}", left.text());
        }
    }
    // Pipes are plain, unless colours are asked for.
    let workplace = Workplace::default();
    let piped = workplace.run(&["run", "-e", "return 1"]).await;
    assert!(!piped.stderr.contains('\u{1b}'), "{piped:?}");
    let asked = workplace
        .run(&["run", "-e", "return 1", "--color", "always"])
        .await;
    assert!(asked.stderr.contains("\u{1b}[2m"), "{asked:?}");
    assert_eq!(asked.stdout, "1\n");
}

#[tokio::test]
async fn ctrl_c_leaves_the_terminal_as_it_was() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.deaf]\ncommand = 'sleep'\nargs = ['600']\nstart-timeout = '60s'\n",
    );
    let wait = "await new Promise(() => setTimeout(() => {}, 60_000))";
    let cases: [(&[&str], &str); 5] = [
        (&["run", "-e", wait], "running"),
        (&["run", "-e", "for (;;);"], "running"),
        (
            &["run", "-e", "await tools.deaf.hear({})"],
            "waiting for server `deaf` to start",
        ),
        (&["tools"], "waiting for the servers' tools"),
        (
            &["tools", "generate", "--lang", "wit", "--out", "out"],
            "waiting for the servers' tools",
        ),
    ];
    for (arguments, doing) in cases {
        let mut terminal = Terminal::start(&workplace, 60, &[], &binary(), arguments);
        terminal.shows(doing).await;
        terminal.types(CTRL_C).await;
        let left = terminal.end().await;
        assert_eq!(left.code, Some(130), "{arguments:?}: {}", left.text());
        assert!(left.is_restored(), "{arguments:?}: {}", left.text());
        assert!(
            !left.text().contains(doing),
            "{arguments:?}: {}",
            left.text()
        );
    }
}

#[tokio::test]
async fn the_readmes_first_command_on_a_terminal() {
    let workplace = Workplace::without_compiled_code();
    let report = repository().join("examples/quarterly-report.ts");
    let report = report.to_str().expect("a path");
    let mut terminal = Terminal::start(&workplace, 100, &[], &binary(), &["run", report]);
    terminal
        .shows("compiling the JavaScript guest, once on this machine")
        .await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    let rows = left.rows();
    assert_eq!(
        rows[0],
        "Birch & Bolt, 2026-Q3: 534 of 570 orders sold, 2,516,208.02 EUR"
    );
    assert!(
        left.text().contains("\"overdueAccounts\": 9"),
        "{}",
        left.text()
    );
    assert!(
        left.text().contains("\n}\nampoule: no ampoule.toml"),
        "{}",
        left.text()
    );
    assert!(
        unwrapped(&left.text()).contains("tokens for a model that makes these 16 calls itself"),
        "{}",
        left.text()
    );
}

#[tokio::test]
async fn the_readmes_client_command_on_a_terminal() {
    let workplace = Workplace::default();
    workplace.file(
        "home/ampoule.toml",
        "[servers.demo]\ncommand = 'ampoule'\nargs = ['demo-server']\n",
    );
    let arguments = ["serve", "--config", "home/ampoule.toml"];
    let mut terminal = Terminal::start(&workplace, 40, &[], &binary(), &arguments);
    terminal.shows("stops it").await;
    terminal
        .types("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\u{4}")
        .await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    assert!(left.is_restored());
}

#[tokio::test]
async fn a_shell_sees_its_terminal_again() {
    // What follows on the same terminal is written where it should be.
    let workplace = Workplace::default();
    let script = format!("{} run -q -e 'return 1'; echo after", binary().display());
    let left = Terminal::start(&workplace, 80, &[], Path::new("sh"), &["-c", &script])
        .end()
        .await;
    assert_eq!(
        left.rows().last().map(String::as_str),
        Some("after"),
        "{}",
        left.text()
    );
}
