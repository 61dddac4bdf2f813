//! What a file means, and what is said of one that is wrong.

mod access;
mod accounts;
mod apis;
mod chat;
mod component_tools;
mod console;
mod entries;
mod governance;
mod outbound;
mod schedules;
mod schema;
mod secrets;
mod servers;
mod sign_in;
mod toolkits;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;

fn user() -> User {
    let variables = [
        ("TOKEN", "hunter2-hunter2"),
        ("REPOSITORY", "/srv/repository"),
        ("TOOLS", "/opt/tools"),
        ("HOME", "/home/ada"),
    ];
    User {
        environment: variables
            .map(|(name, value)| (name.to_owned(), value.into()))
            .into(),
        ..User::default()
    }
}

fn parse(text: &str) -> Result<Config, String> {
    let file = Path::new("etc/ampoule.toml");
    file::parse(file, Path::new("/srv/etc"), text, &user()).map_err(|error| error.to_string())
}

/// How a server is started.
fn command<'a>(config: &'a Config, name: &str) -> &'a Command {
    match &config.servers[name].reach {
        Reach::Process(command) => command,
        Reach::Remote(_) | Reach::Api(_) | Reach::Graphql(_) => panic!("{name} is reached by HTTP"),
    }
}

/// What is said of a file with one fault, be it the whole file's or one server's.
fn fault(text: &str) -> String {
    match parse(text) {
        Err(error) => error,
        Ok(config) => {
            let faults: Vec<_> = config.disabled.values().map(ToString::to_string).collect();
            faults.join("\n")
        }
    }
}

fn started(program: &str, cwd: Option<&str>) -> Command {
    Command {
        program: program.into(),
        cwd: cwd.map(PathBuf::from),
        ..Command::default()
    }
}

#[test]
fn a_whole_file() {
    let config = parse(
        r#"
        isolates = 20
        slot-wait = "2s"

        [servers.github]
        command = "npx"
        args = ["-y", "${PACKAGE:-server-github}", "$$5"]
        env = { GITHUB_TOKEN = "Bearer ${TOKEN}", EMPTY = "" }
        call-timeout = "2m"
        start-timeout = 60

        [servers."my files"]
        command = "${TOOLS}/files"
        cwd = "data"

        [servers.local]
        command = "./bin/local"
        cwd = "/var"

        [limits]
        fuel = 1_000_000
        wall-time = "30s"
        memory = "64 MiB"
        table-elements = "10_000"
        stack = 65536
        host-bytes = "0.5 GB"
        output-bytes = "100 kB"
        calls = 5
        calls-at-once = 2
        argument-bytes = "1MiB"
        result-bytes = "1.5 MiB"

        [ceilings]
        wall-time = "5m"
        calls = 5
        "#,
    )
    .unwrap();
    assert_eq!(config.isolates, NonZeroU32::new(20));
    assert_eq!(config.slot_wait, Some(Duration::from_secs(2)));
    let github = &config.servers["github"];
    let env = [("GITHUB_TOKEN", "Bearer hunter2-hunter2"), ("EMPTY", "")];
    let expected = Command {
        args: ["-y", "server-github", "$5"].map(str::to_owned).to_vec(),
        env: env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        variables: [("TOKEN".to_owned(), "hunter2-hunter2".to_owned())].into(),
        ..started("npx", None)
    };
    assert_eq!(*command(&config, "github"), expected);
    assert_eq!(github.call_timeout, Some(Duration::from_secs(120)));
    assert_eq!(github.start_timeout, Some(Duration::from_secs(60)));
    assert_eq!(
        *command(&config, "my files"),
        started("/opt/tools/files", Some("/srv/etc/data"))
    );
    assert_eq!(
        *command(&config, "local"),
        started("/srv/etc/./bin/local", Some("/var"))
    );
    assert_eq!(config.servers["local"].call_timeout, None);
    assert_eq!(config.servers["local"].start_timeout, None);
    let limits = LimitsConfig {
        fuel: Some(1_000_000),
        wall_time: Some(Duration::from_secs(30)),
        memory_bytes: Some(64 << 20),
        table_elements: Some(10_000),
        stack_bytes: Some(65536),
        host_bytes: Some(500_000_000),
        output_bytes: Some(100_000),
        calls: Some(5),
        calls_at_once: Some(2),
        argument_bytes: Some(1 << 20),
        result_bytes: Some(3 << 19),
    };
    assert_eq!(config.limits, limits);
    let ceilings = LimitsConfig {
        wall_time: Some(Duration::from_secs(300)),
        calls: Some(5),
        ..Default::default()
    };
    assert_eq!(config.ceilings, ceilings);
    assert!(!format!("{config:?}").contains("hunter2"));
    assert_eq!(parse("").unwrap().servers.len(), 0);
}

#[test]
fn the_example_has_every_key() {
    let config = parse(include_str!("../../../../../examples/ampoule.toml")).unwrap();
    assert!(config.isolates.is_some() && config.slot_wait.is_some());
    let ServeConfig {
        tls_cert: Some(certificate),
        session_idle: Some(_),
        stop_grace: Some(_),
        ..
    } = config.serve
    else {
        panic!("{:?}", config.serve);
    };
    assert_eq!(certificate, Path::new("/etc/ssl/mcp.pem"));
    let servers: Vec<&ServerConfig> = config.servers.values().collect();
    assert!(servers.iter().any(|server| server.call_timeout.is_some()));
    assert!(servers.iter().any(|server| server.start_timeout.is_some()));
    let commands: Vec<&Command> = servers
        .iter()
        .filter_map(|server| match &server.reach {
            Reach::Process(command) => Some(command),
            Reach::Remote(_) | Reach::Api(_) | Reach::Graphql(_) => None,
        })
        .collect();
    assert!(commands.iter().any(|command| command.cwd.is_some()));
    assert!(commands.iter().any(|command| !command.env.is_empty()));
    for limits in [config.limits, config.ceilings] {
        let LimitsConfig {
            fuel: Some(_),
            wall_time: Some(_),
            memory_bytes: Some(_),
            table_elements: Some(_),
            stack_bytes: Some(_),
            host_bytes: Some(_),
            output_bytes: Some(_),
            calls: Some(_),
            calls_at_once: Some(_),
            argument_bytes: Some(_),
            result_bytes: Some(_),
        } = limits
        else {
            panic!("a limit is missing: {limits:?}");
        };
    }
}

#[test]
fn errors_name_file_place_and_key() {
    let cases = [
        (
            "[servers.git]\ncomand = 'git'",
            "etc/ampoule.toml:2:1: servers.git: unknown key `comand`; did you mean `command`?",
        ),
        (
            "[server.git]\ncommand = 'git'",
            "etc/ampoule.toml:1:2: unknown key `server`; did you mean `servers`?",
        ),
        (
            "colour = 1",
            "etc/ampoule.toml:1:1: unknown key `colour`; the keys are isolates, slot-wait, import, servers, tls, limits, ceilings, components, sessions, records, skills, outbound, roles, policies, quotas, approvals, labels, privacy, audit, workspace, folders, telemetry, runs, python, javascript, search, serve, console, exposure, toolkits, chat, schedules, hooks",
        ),
        (
            "[limits]\nmemroy = 1",
            "etc/ampoule.toml:2:1: limits: unknown key `memroy`; did you mean `memory`?",
        ),
        (
            "[serve]\nsessions = 0",
            "etc/ampoule.toml:2:12: serve.sessions: this must be 1 to 4294967295",
        ),
        (
            "[serve]\ntls-key = 'a'",
            "etc/ampoule.toml:2:11: serve.tls-key: `tls-cert` and `tls-key` go together",
        ),
        (
            "[servers.git]\nargs = []",
            "etc/ampoule.toml:1:1: servers.git: `command` is missing, or `url` for a server that is reached by HTTP, or `openapi` or `graphql` for an HTTP API",
        ),
        (
            "[servers.web]\nurl = 'https://x.com'\nauth = { client-metadata = 'https://x.com' }",
            "etc/ampoule.toml:3:28: servers.web.auth.client-metadata: this must be the address of a document, such as `https://example.com/client.json`",
        ),
        (
            "[servers.git]\ncommand = ' '",
            "etc/ampoule.toml:2:11: servers.git.command: the command is empty",
        ),
        (
            "[servers.git]\ncommand = 'x'\nenv = { PIN = 123456 }",
            "etc/ampoule.toml:3:15: servers.git.env.PIN: this must be a string, in quotes",
        ),
        (
            "[servers.git]\ncommand = 'x'\nenv = { 'A=B' = '' }",
            "etc/ampoule.toml:3:9: servers.git.env: this is not the name of a variable",
        ),
        (
            "[servers.git]\ncommand = 'x'\nargs = [\n  'é',\n  '${SECRET}',\n]",
            "etc/ampoule.toml:5:3: servers.git.args[1]: the environment variable SECRET is not set; set it, or give a default: `${SECRET:-default}`",
        ),
        (
            "[servers.git]\ncommand = 'x'\ncwd = '${'",
            "etc/ampoule.toml:3:7: servers.git.cwd: `${` has no `}`; for a dollar sign, write `$$`",
        ),
        (
            "[servers.git]\ncommand = 'x'\ncall-timeout = 'soon'",
            "etc/ampoule.toml:3:16: servers.git.call-timeout: this is not a duration; write it like `30s`, `500ms` or `2m`",
        ),
        (
            "[limits]\nfuel = -1",
            "etc/ampoule.toml:2:8: limits.fuel: this is not a whole number; write it like `10000` or `10_000`",
        ),
        (
            "[limits]\nmemory = '3 apples'",
            "etc/ampoule.toml:2:10: limits.memory: this is not a size; write it like `64 MiB`, `1.5 GB` or `65536`",
        ),
        (
            "[limits]\ncalls = true",
            "etc/ampoule.toml:2:9: limits.calls: this must be a whole number, or a string with a unit",
        ),
        (
            "[limits]\ncalls = 6\n[ceilings]\ncalls = 5",
            "etc/ampoule.toml:2:9: limits.calls: 6 calls is above the ceiling of 5 calls; raise `ceilings.calls` too, or ask for less",
        ),
        (
            "[limits]\nwall-time = '20min'",
            "etc/ampoule.toml:2:13: limits.wall-time: 1200000 ms is above the ceiling of 600000 ms; raise `ceilings.wall-time` too, or ask for less",
        ),
        (
            "isolates = 0",
            "etc/ampoule.toml:1:12: isolates: this must be 1 to 4294967295",
        ),
        (
            "[servers.'']\ncommand = 'x'",
            "etc/ampoule.toml:1:10: servers.\"\": a server needs a name",
        ),
        (
            "[servers.'$x']\ncommand = 'x'",
            "etc/ampoule.toml:1:10: servers.\"$x\": names that begin with `$` are Ampoule's own",
        ),
        (
            "[servers.\"a\\n\"]\ncommand = 'x'",
            "etc/ampoule.toml:1:10: servers.\"a\\n\": a name may not contain control characters, or others that are invisible",
        ),
        (
            "[servers.git]\ncommand = 'x'\ncommand = 'y'",
            "etc/ampoule.toml:3:1: duplicate key",
        ),
        (
            "servers = 5",
            "etc/ampoule.toml:1:11: servers: this must be a table, in braces or below a heading in brackets",
        ),
        (
            "[servers]\ngit = 'git'",
            "etc/ampoule.toml:2:7: servers.git: this must be a table, in braces or below a heading in brackets",
        ),
        (
            "[servers.git]\ncommand = 'x'\nargs = 'y'",
            "etc/ampoule.toml:3:8: servers.git.args: this must be a list, in brackets",
        ),
        (
            "[servers.git]\ncommand = 'x'\nenv = ['A=B']",
            "etc/ampoule.toml:3:7: servers.git.env: this must be a table of variables: `env = { NAME = \"value\" }`",
        ),
        (
            "[servers.git]\ncommand = \"x\\u0000\"",
            "etc/ampoule.toml:2:11: servers.git.command: this may not contain a NUL character",
        ),
        (
            "[servers.\"a\u{202e}b\"]\ncommand = 'x'",
            "etc/ampoule.toml:1:10: servers.\"a\\u{202e}b\": a name may not contain control characters, or others that are invisible",
        ),
        (
            "[limits]\nwall-time = 1e308",
            "etc/ampoule.toml:2:13: limits.wall-time: this must be a whole number, or a string with a unit",
        ),
        (
            "[limits]\nfuel = 99999999999999999999999999",
            "etc/ampoule.toml:2:8: limits.fuel: this is not a whole number; write it like `10000` or `10_000`",
        ),
        (
            "[components]\nsent = 'yes'",
            "etc/ampoule.toml:2:8: components.sent: this must be true or false",
        ),
        (
            "[exposure]\ndirect = ['github.']",
            "etc/ampoule.toml:2:11: exposure.direct[0]: this is not a pattern for tools; write `server`, `server.tool` or `server.get_*`",
        ),
        (
            "[telemetry]\nendpoint = 'localhost:4318'",
            "etc/ampoule.toml:2:12: telemetry.endpoint: this must be an address, such as `http://localhost:4318`",
        ),
        (
            "[sessions]\nruns = 0",
            "etc/ampoule.toml:2:8: sessions.runs: this must be a whole number of at least 1",
        ),
        (
            "[telemetry]\nsample = '101%'",
            "etc/ampoule.toml:2:10: telemetry.sample: this is a share, `0%` to `100%`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(fault(text), expected, "{text}");
    }
}

#[test]
fn a_broken_file_is_not_quoted() {
    let error = parse("[servers.git]\ncommand = 'x'\nenv = { KEY = \"hunter2 }").unwrap_err();
    assert!(
        error.starts_with("etc/ampoule.toml:3:") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn a_file_that_was_chosen_must_be_there_and_be_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    let error = Config::find(Some(&file)).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{}: it can't be read: No such file or directory (os error 2)",
            file.display()
        )
    );
    std::fs::write(&file, b"\xff").unwrap();
    let error = Config::load(&file).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{}: it can't be read: stream did not contain valid UTF-8",
            file.display()
        )
    );
    std::fs::write(&file, "#".repeat(2 << 20)).unwrap();
    let error = Config::load(&file).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{}: it can't be read: it has more than 1048576 bytes",
            file.display()
        )
    );
    std::fs::write(&file, "[servers.here]\ncommand = 'bin/x'").unwrap();
    let config = Config::load(&file).unwrap();
    assert_eq!(config.source.as_deref(), Some(&*file));
    assert_eq!(
        command(&config, "here").program,
        folder.path().join("bin/x")
    );
}

#[test]
fn tools_are_counted_unless_the_file_says_otherwise() {
    let hot = |text: &str| parse(text).map(|it| it.exposure.hot);
    assert_eq!(hot("").unwrap(), None);
    assert_eq!(hot("[exposure]\nhot = false").unwrap(), Some(false));
    assert!(hot("[exposure]\nhot = 0").is_err());
}
