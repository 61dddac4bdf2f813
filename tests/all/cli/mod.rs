//! The command line.
//!
//! - `run`: `ampoule run`; `machine`: the same where the machine gives less than it should
//! - `clients`: other clients' files and `ampoule.toml`, changed by commands
//! - `help`: what the program says of its commands
//! - `dev`: `ampoule dev`: a server's tools at each save
//! - `tools`: `ampoule tools`; `cost`: what they cost; `servers`: servers that can't be used,
//!   whatever is done with the others; `answers`: what tools answer, and what becomes of it
//! - `policies`: policies, checked and tried; `governance`: their effect, the audit log and its numbers; `asked`: calls that a person must allow
//! - `sign_in`: a server behind a sign-in
//! - `terminal`: every subcommand on a terminal, `progress`: while something takes long; `foreign`: what others say there and in the log;
//!   `unread`: output that nobody reads

mod answers;
mod asked;
mod checks;
mod clients;
mod cost;
mod dev;
mod foreign;
pub(crate) mod governance;
mod help;
mod machine;
mod meaning;
mod policies;
mod progress;
mod run;
mod servers;
mod sign_in;
mod terminal;
mod tools;
mod unread;

use ampoule_tests::command::Workplace;

#[tokio::test]
async fn wrong_usage_has_a_code_of_its_own_and_says_what_is_wrong() {
    let workplace = Workplace::default();
    workplace.file("latin1.ts", b"return '\xe9'");
    let cases: [(&[&str], &str); 15] = [
        (&["run"], "<FILE|--eval <CODE>>"),
        (&["run", "--nope", "-e", "1"], "'--nope'"),
        (&["run", "file.ts", "-e", "1"], "cannot be used with"),
        (&["run", "missing.ts"], "missing.ts can't be read"),
        (&["run", "latin1.ts"], "UTF-8"),
        (
            &["run", "--timeout", "soon", "-e", "1"],
            "this is not a duration; write it like `30s`",
        ),
        (&["run", "--memory", "4 apples", "-e", "1"], "is not a size"),
        (
            &["run", "--fuel", "x", "-e", "1"],
            "this is not a whole number",
        ),
        (
            &["run", "--memory", "4GiB", "-e", "1"],
            "above the ceiling of 1073741824 bytes",
        ),
        (&["run", "--env", "novalue", "-e", "1"], "write KEY=VALUE"),
        (
            &["run", "--string", "notext", "-e", "1"],
            "'--string <NAME=TEXT>': write NAME=TEXT, or NAME=@FILE",
        ),
        (
            &["run", "--arguments", "{id: 1}", "-e", "1"],
            "'--arguments <JSON>': this is not JSON: line 1, column 2: expected a key in double quotes",
        ),
        (
            &["run", "--tools", "demmo", "-e", "1"],
            "unknown server `demmo` in a grant; did you mean `demo`? Servers: demo",
        ),
        (
            &["run", "--config", "missing.toml", "-e", "1"],
            "missing.toml: it can't be read",
        ),
        (&["walk"], "unrecognized subcommand 'walk'"),
    ];
    for (arguments, message) in cases {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(
            ran.stderr.contains(message),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[tokio::test]
async fn shells_and_the_manual_are_told_of_each_command() {
    let workplace = Workplace::default();
    for shell in ["bash", "zsh", "fish"] {
        let told = workplace.run(&["completions", shell]).await;
        assert_eq!(told.code, Some(0), "{told:?}");
        assert!(told.stdout.contains("demo-server"), "{shell}: {told:?}");
    }
    let written = workplace.run(&["manual", "pages"]).await;
    assert_eq!(written.code, Some(0), "{written:?}");
    let page = |name: &str| std::fs::read_to_string(workplace.path().join("pages").join(name));
    assert!(
        page("ampoule.1")
            .expect("a page")
            .contains("ampoule\\-run(1)")
    );
    assert!(
        page("ampoule-sessions-fork.1")
            .expect("a page")
            .contains(".SH NAME")
    );
    let unknown = workplace.run(&["completions", "cmd"]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
}
