//! What programs really said on their stderr when they failed: Node 20, npm 10, CPython 3.11, a
//! panic of Rust 1.95, `sh`. In `stderr/`, with other paths.

use super::*;

fn shown(said: &str) -> Vec<String> {
    let lines: Vec<String> = said.lines().map(ToOwned::to_owned).collect();
    let lines: Vec<String> = lines
        .into_iter()
        .filter(|it| !it.trim().is_empty())
        .collect();
    let telling = telling(&lines);
    telling.into_iter().map(ToOwned::to_owned).collect()
}

#[test]
fn of_many_lines_those_are_shown_that_say_why() {
    let cases: [(&str, &[&str]); 11] = [
        (
            include_str!("stderr/node-uncaught.txt"),
            &["TypeError: Cannot read properties of undefined (reading 'port')"],
        ),
        (
            include_str!("stderr/node-missing-module.txt"),
            &["Error: Cannot find module './missing-module'"],
        ),
        (
            include_str!("stderr/npx-404.txt"),
            &[
                "npm error code E404",
                "npm error 404 Not Found - GET https://registry.example/@ampoule-absent%2fno-such-package-x",
                "npm error 404  The requested resource '@ampoule-absent/no-such-package-x@*' could not be found or you do not have permission to access it.",
                "npm error 404 Note that you can also install from a",
                "npm error 404 tarball, folder, http url, or git url.",
            ],
        ),
        (
            include_str!("stderr/npm-no-package.txt"),
            &[
                "npm error syscall open",
                "npm error path /srv/notes/package.json",
                "npm error errno -2",
                "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/srv/notes/package.json'",
                "npm error enoent This is related to npm not being able to find a file.",
            ],
        ),
        (
            include_str!("stderr/python-traceback.txt"),
            &[
                "FileNotFoundError: [Errno 2] No such file or directory: 'config.json'",
                "NoKey: no key in the environment",
            ],
        ),
        (
            include_str!("stderr/python-no-module.txt"),
            &["ModuleNotFoundError: No module named 'mcp_server_nothing'"],
        ),
        (
            include_str!("stderr/python-no-package.txt"),
            &["/usr/bin/python3: No module named mcp_server_absent"],
        ),
        (
            include_str!("stderr/python-usage.txt"),
            &["mcp-server-sqlite: error: the following arguments are required: --db-path"],
        ),
        (
            include_str!("stderr/rust-panic.txt"),
            &[
                "thread 'main' (1234) panicked at p.rs:1:106:",
                "PORT must be set",
            ],
        ),
        (
            include_str!("stderr/rust-backtrace.txt"),
            &[
                "thread 'main' (1234) panicked at p.rs:1:106:",
                "PORT must be set",
            ],
        ),
        (
            include_str!("stderr/shell.txt"),
            &["sh: 1: mcp-server-absent: not found"],
        ),
    ];
    for (said, expected) in cases {
        assert_eq!(shown(said), expected);
    }
}

#[test]
fn where_nothing_is_wrong_the_last_line_is_shown() {
    assert_eq!(shown("Listening on stdio\nReady.\n}\n"), ["Ready."]);
    assert_eq!(shown("}\n"), ["}"]);
    assert!(shown("").is_empty());
}

#[test]
fn the_latest_of_many_errors_are_shown() {
    let many: String = (0..100)
        .map(|n| format!("error: number {n}\nat once\n"))
        .collect();
    let expected: Vec<String> = (95..100).map(|n| format!("error: number {n}")).collect();
    assert_eq!(shown(&many), expected);
}
