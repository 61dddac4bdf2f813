//! A command that adds a package is killed at some moment.

use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::prepared;
use tokio::time::sleep;

use super::npm::greeting;
use crate::killed_commands::kills;

/// How often it is killed in the quick tests, each time a little later.
const FEW: u64 = 4;

#[tokio::test]
async fn a_command_that_is_killed_adds_a_package_or_changes_nothing() {
    let test = "a_command_that_is_killed_adds_a_package_or_changes_nothing";
    if prepared(test, "AMPOULE_TEST_NODE").is_none() {
        return;
    }
    let workplace = Workplace::default();
    let before = "# mine\n[limits]\ncalls = 5\n";
    workplace.file("ampoule.toml", before);
    workplace.file("greeting.tgz", greeting().bytes());
    let command = |arguments: &[&str]| {
        let mut command = workplace.command(binary(), arguments);
        command.env("npm_config_registry", "http://127.0.0.1:9");
        command
    };
    let add = ["javascript", "add", "./greeting.tgz"];
    let began = std::time::Instant::now();
    let added = ended(command(&add)).await;
    let whole = began.elapsed();
    assert_eq!(added.code, Some(0), "{added:?}");
    let config = workplace.path().join("ampoule.toml");
    let after = std::fs::read_to_string(&config).expect("a file");
    let packages = workplace.path().join("data/ampoule/packages");
    let kills = u32::try_from(kills(FEW)).expect("as many as there is time for");
    for kill in 0..kills {
        workplace.file("ampoule.toml", before);
        // As if nothing was there yet.
        let _ = std::fs::remove_dir_all(&packages);
        let mut child = command(&add).spawn().expect("it starts");
        sleep(whole * kill / kills + Duration::from_millis(5)).await;
        child.kill().await.expect("it is killed, or over");
        let left = std::fs::read_to_string(&config).expect("a file");
        assert!(left == before || left == after, "{left}");
        if left == after {
            let listed = ended(command(&["javascript"])).await;
            assert_eq!(listed.stdout, "greeting 1.0.0\n", "{listed:?}");
        }
    }
    workplace.file("ampoule.toml", before);
    let added = ended(command(&add)).await;
    assert_eq!(
        added.code,
        Some(0),
        "what is left hinders nothing: {added:?}"
    );
}
