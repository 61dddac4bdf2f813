//! `docs/reference/errors.md`: what scripts and models get when something fails.

use ampoule_tests::repository;

use super::{cell, holds};

const HEAD: &str = "\
# Errors

An error reaches the one who can act on it:

- **The script** gets a `ToolError` from a call that failed. It can catch it.
- **The model** gets the error that no line caught, with its place in the script and what to write
  instead, and all output until then.
- **You**, the operator, get what is wrong with the host in the log, and at once from
  `ampoule doctor`.

## What a `ToolError` says

`error.message` says what happened and what to do, `error.kind` which kind of failure it is, and
`error.data` has what the tool said as data, if it did. In Python it is `tools.ToolError`, in a
component `tool-error`. The data pass everything that a result passes: labels, tokens for personal
data, limits, the record and the audit log.

| kind | what happened | what to do |
| --- | --- | --- |
| `failed` | the tool says that it failed | read the message and `error.data` |
| `arguments` | the arguments do not fit the tool's schema; nothing was sent | write what the message says |
| `denied` | a policy, a quota or a person did not allow the call | the message names the rule |
| `needs-sign-in` | the server wants a sign-in | run `ampoule auth login SERVER` |
| `not-reached` | the server does not run, or does not answer | `ampoule doctor SERVER` says why |
| `refused` | the server refused the request | read the message |
| `protocol` | the server broke MCP's rules | report it to the server's author |
| `timed-out` | the server took longer than its `call-timeout` | raise `call-timeout`, or ask for less |
| `cancelled` | the run, or the script, gave the call up | |
| `lost` | the connection broke after the call was sent, or an HTTP server answered 500, 502 or 504; whether the tool did it is unknown | look before you retry |

## How a run ends

| outcome | exit code of `ampoule run` | what it means |
| --- | --- | --- |
| returned | 0 | the script came to its end |
| threw | 1 | an error that the script did not catch |
| limit | 3 | a [limit](limits.md) was hit; the outcome names it, what was used and what was allowed |
| trapped | 4 | the interpreter, or a component, broke a rule of WebAssembly |
| cancelled | 130 | somebody cancelled the run |
| interrupted | | a parked run could not be resumed |

## What models read

Each row is a mistake that models make, and the first line of the error that they get. The scripts
and the whole texts are in
";

/// The mistakes of a file: a name, and the first line of what a model reads.
fn rows(file: &str) -> Vec<(String, String)> {
    let sections = file.split("\n## ").skip(1);
    let rows = sections.map(|section| {
        let (name, rest) = section.split_once('\n').expect("a name");
        let mut blocks = rest.split("\n```").skip(1).step_by(2);
        let text = blocks.nth(1).expect("a script and a text");
        let mut lines = text.lines().skip(1);
        (name.to_owned(), lines.next().unwrap_or_default().to_owned())
    });
    rows.collect()
}

#[test]
fn every_mistake_is_on_the_page() {
    let mut page = HEAD.to_owned();
    let files = [("TypeScript", "typescript.md"), ("Python", "python.md")];
    let links =
        files.map(|(_, file)| format!("[tests/mistakes/{file}](../../tests/mistakes/{file})"));
    page += &format!("{}.\n", links.join(" and "));
    for (language, file) in files {
        let path = repository().join("tests/mistakes").join(file);
        let text = std::fs::read_to_string(path).expect("the mistakes");
        let rows = rows(&text);
        assert!(rows.len() > 50, "{}", rows.len());
        page += &format!(
            "\n### {language}: {} mistakes\n\n| mistake | error |\n| --- | --- |\n",
            rows.len()
        );
        for (name, line) in rows {
            let line = cell(&line).replace('`', "'");
            page += &format!("| {} | `{line}` |\n", cell(&name));
        }
    }
    holds("errors.md", &page);
}
