//! Some inputs, tried in each run.

use ampoule_mutated::Inputs;

// No command is among the words: a text that is needed at once would start it.
#[test]
fn whole_files_are_read_or_their_mistakes_are_said_without_values() {
    let inputs = Inputs {
        right: &[
            include_bytes!("../../../../../tests/fuzz/seeds/configuration/many.toml"),
            b"[servers.a]\ncommand = 'a'\n",
            b"[servers.a]\nurl = 'https://${TOKEN}'\nheaders = { A = '${TOKEN}' }\n",
            b"[schedules.a]\ncron = '* * * * *'\nscript = 'a.js'\n",
        ],
        words: &[
            "${TOKEN}",
            "${file:x}",
            "${NO}",
            "${",
            "$$",
            "[",
            "]",
            "[[",
            "\"",
            "'''",
            " = ",
            ", ",
            "\n[servers.",
            "url",
            "env",
            "args",
            "headers",
            "tools",
            "* * * * *",
            "0 0 30 2 *",
            "30s",
            "-1",
            "1e9",
            "1979-05-27T07:32:00Z",
            "true",
            "inf",
            "a.*",
            "*",
            "#",
            "\\u0000",
            "\\ud800",
            "{ a = 1 }",
            "clients",
            "import = 'x.json'\n",
            "cron",
            "time-zone",
            "disabled = true\n",
        ],
        cases: 2_000,
    };
    inputs.tried(super::configuration);
}

#[test]
fn texts_are_replaced_once_and_references_stay_what_they_are() {
    let inputs = Inputs {
        right: &[
            b"Bearer ${TOKEN}",
            b"${NO:-a}$$ $x",
            b"${file:keys/a b}",
            b"file:/run/secrets/x",
            b"keyring:a/b",
            b"command:pass show 'a b'",
            b"op://Work/GitHub/token",
            b"${keyring:a/b} ${op://a/b/c}",
            b"file:~/x",
        ],
        words: &[
            "${", "}", "$$", ":-", "TOKEN", "EMPTY", "file:", "keyring:", "command:", "op://", "/",
            "'", "\"", "\\", " ", "~/", "..", "\u{fdd0}", "\u{fdd1}", "\n", "-", "./a",
        ],
        cases: 4_000,
    };
    inputs.tried(super::text);
}

#[test]
fn the_console_shows_no_secret() {
    let inputs = Inputs {
        right: &[
            b"\x00a\nb",
            b"\x03Authorization: Bearer \n",
            b"\x09https\nada\na.example:1\nhooks/\nkey",
            b"\x0bdb\nada\n${HOST}\nx\ny",
            b"\x09https\nada\n${HOST}\nx\ny\n/z",
            b"\x10https\n\na.example\nx\ny",
        ],
        words: &[
            "https",
            "db",
            "${A:-",
            "}",
            "//",
            "\\",
            "@",
            ":",
            "/",
            "?",
            "#",
            "[",
            "]",
            "%40",
            " ",
            "\t",
            ",",
            "'",
            "\"",
            "://",
            "file",
            "localhost",
            "::1",
            ".",
        ],
        cases: 2_000,
    };
    inputs.tried(super::shown);
}
