//! What scripts and servers say, on a terminal and in the log: none of it drives the one or forges
//! the other.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::terminal::Terminal;

#[tokio::test]
async fn what_scripts_and_servers_say_does_not_drive_the_terminal() {
    let workplace = Workplace::default();
    let script = r#"console.log("\u001b[2J\u001b[31mred\u0007\u202e"); console.error("\u009b31m"); console.log("kept\n\ttab");
        return { "a\u202e\u007f": "\u009b2J" }"#;
    let terminal = Terminal::start(
        &workplace,
        100,
        &[("NO_COLOR", "1")],
        &binary(),
        &["run", "-q", "-e", script],
    );
    let left = terminal.end().await;
    assert_eq!(
        left.rows()[..7],
        [
            r"\u{1b}[2J\u{1b}[31mred\u{7}\u{202e}",
            r"\u{9b}31m",
            "kept",
            "        tab",
            "{",
            r#"  "a\u202e\u007f": "\u009b2J""#,
            "}"
        ]
    );
    assert!(!left.is_coloured());
    let thrown = r#"throw new Error("\u001b[2J\u001b[31m")"#;
    let terminal = Terminal::start(
        &workplace,
        100,
        &[("NO_COLOR", "1")],
        &binary(),
        &["run", "-q", "-e", thrown],
    );
    let left = terminal.end().await;
    assert_eq!(left.rows()[0], r"Error: \u{1b}[2J\u{1b}[31m");
    let returned = r#"return "\u001b[2J\u001b[31mred""#;
    let arguments = ["run", "-q", "-e", returned];
    let plain = [("NO_COLOR", "1")];
    let terminal = Terminal::start(&workplace, 100, &plain, &binary(), &arguments);
    let left = terminal.end().await;
    assert_eq!(left.rows()[0], r"\u{1b}[2J\u{1b}[31mred");
    // In a pipe, what a script prints is what it printed.
    let piped = workplace.run(&["run", "-q", "-e", script]).await;
    assert!(
        piped
            .stdout
            .starts_with("\u{1b}[2J\u{1b}[31mred\u{7}\u{202e}\nkept\n\ttab\n"),
        "{piped:?}"
    );
}

/// A server that refuses its client with what would clear the screen, and one whose tool's name
/// would forge a line of the log.
fn hostile_servers(workplace: &Workplace) {
    let refusal = r#"read -r line; id=${line#*\"id\":}; id=${id%%[,\}]*}
        while :; do printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"no\\u001b[2J\\nWARN forged\\u202e\"}}"; read -r line || exit; id=${line#*\"id\":}; id=${id%%[,\}]*}; done"#;
    workplace.file("refuses.sh", refusal);
    let listed = serde_json::json!({"tools": [
        {"name": "noschema\u{1b}[31m\nWARN forged"},
        {"name": "good", "inputSchema": {"type": "object"}},
    ]});
    workplace.file("listed.json", listed.to_string());
    let config = format!(
        "[servers.refuses]\ncommand = 'sh'\nargs = ['refuses.sh']\n[servers.listed]\ncommand = '{}'\nargs = ['listed.json']\n",
        env!("CARGO_BIN_EXE_listed-server")
    );
    workplace.file("ampoule.toml", config);
}

#[tokio::test]
async fn no_line_of_the_log_is_forged() {
    let workplace = Workplace::default();
    hostile_servers(&workplace);
    let script = "const said = []; for (const server of ['refuses', 'listed']) try { await tools[server].good({}) } catch (error) { said.push(error.message) } return said.length";
    for arguments in [&["tools"][..], &["run", "-e", script]] {
        let piped = workplace.run(arguments).await;
        assert!(piped.stderr.contains("WARN"), "{piped:?}");
        let hidden = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!piped.stderr.contains(hidden), "{piped:?}");
        assert!(
            !piped
                .stderr
                .lines()
                .any(|line| line.starts_with("WARN forged")),
            "{piped:?}"
        );
        let plain = [("NO_COLOR", "1")];
        let left = Terminal::start(&workplace, 40, &plain, &binary(), arguments)
            .end()
            .await;
        assert!(
            !left.rows().iter().any(|row| row.starts_with("WARN forged")),
            "{}",
            left.text()
        );
        // It is there to be seen: the refusal, or the name, which a run of a script that has a kept
        // list may end before.
        let text = left.text();
        assert!(text.contains("[2J") || text.contains("[31m"), "{text}");
        assert!(!left.is_coloured(), "{}", left.text());
    }
}
