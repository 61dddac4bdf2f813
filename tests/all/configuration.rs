//! `ampoule.toml`, as the command line finds and heeds it.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use serde_json::json;

/// A configuration with one server, which is the demo server by another name.
fn configuration(name: &str) -> String {
    format!(
        "[servers.{name}]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    )
}

#[tokio::test]
async fn the_configuration_is_looked_for_where_it_says() {
    let workplace = Workplace::default();
    let servers = [
        "run",
        "-e",
        "return (await tools.$servers()).map((server) => server.name)",
    ];
    assert_eq!(workplace.run(&servers).await.json(), json!(["demo"]));
    workplace.file("config/ampoule/ampoule.toml", configuration("user"));
    assert_eq!(workplace.run(&servers).await.json(), json!(["user"]));
    workplace.file("ampoule.toml", configuration("here"));
    let here = workplace.run(&servers).await;
    assert_eq!(here.json(), json!(["here"]));
    let said = "the servers are those of ampoule.toml in this folder";
    assert!(here.stderr.contains(said), "{here:?}");
    workplace.file("other/mine.toml", configuration("chosen"));
    let chosen: Vec<&str> = servers
        .iter()
        .copied()
        .chain(["--config", "other/mine.toml"])
        .collect();
    let ran = workplace.run(&chosen).await;
    assert_eq!(ran.json(), json!(["chosen"]));
    assert!(!ran.stderr.contains(said), "{ran:?}");
    let name = [
        "run",
        "-e",
        "return (await tools.here.getBusiness({})).name",
    ];
    assert_eq!(workplace.run(&name).await.json(), "Birch & Bolt");
    // Every command takes it, before or behind its own arguments.
    let listed = workplace
        .run(&["tools", "--config", "other/mine.toml", "search", "orders"])
        .await;
    assert!(listed.stdout.starts_with("chosen."), "{listed:?}");
}

#[tokio::test]
async fn a_broken_configuration_is_named_with_file_line_and_key() {
    let workplace = Workplace::default();
    for (content, message) in [
        (
            "[servers.git]\ncomand = 'git'",
            "broken.toml:2:1: servers.git: there is no key `comand`; did you mean `command`?",
        ),
        (
            "[limits]\n\nwall-time = 'soon'",
            "broken.toml:3:13: limits.wall-time: `soon` is not a duration",
        ),
        (
            "[servers.git]\ncommand = 'git'\nargs = ['${AMPOULE_TEST_UNSET}']",
            "broken.toml:3:9: servers.git.args[0]: the environment variable AMPOULE_TEST_UNSET is not set",
        ),
        ("[servers.git", "broken.toml:1:"),
    ] {
        workplace.file("broken.toml", content);
        for command in [&["run", "-e", "1"][..], &["tools"], &["serve"]] {
            let arguments: Vec<&str> = command
                .iter()
                .copied()
                .chain(["--config", "broken.toml"])
                .collect();
            let ran = workplace.run(&arguments).await;
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert_eq!(ran.stdout, "");
        }
    }
}

#[tokio::test]
async fn limits_and_ceilings_are_taken_from_the_configuration() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[limits]\nwall-time = '100ms'\n[ceilings]\nwall-time = '1s'",
    );
    let hang = "await new Promise((done) => setTimeout(done, 300)); return 1";
    let ran = workplace.run(&["run", "-e", hang]).await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let ran = workplace
        .run(&["run", "--timeout", "900ms", "-e", hang])
        .await;
    assert_eq!(ran.json(), 1);
    let ran = workplace.run(&["run", "--timeout", "2s", "-e", hang]).await;
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("above the ceiling of 1000 ms"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn a_server_that_can_not_be_started_is_an_error_of_the_call() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[servers.absent]\ncommand = 'ampoule-no-such-program'",
    );
    let script = "try { await tools.absent.anything({}) } catch (error) { return error.message }";
    let message = workplace.run(&["run", "-e", script]).await.json();
    let missing = "there is no command `ampoule-no-such-program` in PATH";
    assert!(
        message
            .as_str()
            .is_some_and(|message| message.contains(missing)),
        "{message}"
    );
    // It is tried once for each of these, and told of once.
    for arguments in [&["tools"][..], &["tools", "search", "anything"]] {
        let listed = workplace.run(arguments).await;
        assert_eq!(listed.code, Some(1), "{listed:?}");
        assert_eq!(listed.stderr.matches(missing).count(), 2, "{listed:?}");
    }
}
