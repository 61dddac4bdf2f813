//! `ampoule javascript`, and packages of a configuration. npm asks no registry here: what packages
//! need is among the files that it is given.

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Served, Workplace, ended};
use serde_json::json;

use super::{Tarball, greeting};

fn workplace(tarballs: &[(&str, Tarball)]) -> Workplace {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "# mine\n[limits]\ncalls = 5 # few\n");
    for (file, tarball) in tarballs {
        workplace.file(file, tarball.bytes());
    }
    workplace
}

/// Only the settings of the user count, since npm runs in a folder of its own.
#[tokio::test]
async fn the_registry_that_npm_asks_is_named_without_its_credentials() {
    let test = "the_registry_that_npm_asks_is_named_without_its_credentials";
    if ampoule_tests::prepared(test, "AMPOULE_TEST_NODE").is_none() {
        return;
    }
    let place = workplace(&[]);
    place.file("package.json", "{}");
    place.file(".npmrc", "registry=http://127.0.0.1:1/project/\n");
    let mut command = place.command(binary(), &["javascript", "add", "@scope/one", "two"]);
    command.env("npm_config_registry", "http://me:secret@127.0.0.1:9/mine/");
    command.env("npm_config_@scope:registry", "http://127.0.0.1:9/scope/");
    command.env("npm_config_fetch_retries", "0");
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    for says in [
        "npm asks a registry whose address it does not show, as your own",
        "npm asks http://127.0.0.1:9/scope/ for packages of @scope, as your own",
    ] {
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    assert!(!ran.stderr.contains("project/"), "{ran:?}");
    assert!(!ran.stderr.contains("secret"), "{ran:?}");
}

async fn run(workplace: &Workplace, arguments: &[&str]) -> Ran {
    let mut command = workplace.command(binary(), arguments);
    // Whatever is not among the files can't be found, and no test waits for a network.
    command.env("npm_config_registry", "http://127.0.0.1:9");
    command.env("npm_config_fetch_retries", "0");
    ended(command).await
}

fn configuration(workplace: &Workplace) -> String {
    std::fs::read_to_string(workplace.path().join("ampoule.toml")).expect("a file")
}

#[tokio::test]
async fn a_package_of_npm_is_added_listed_used_served_and_removed() {
    let test = "a_package_of_npm_is_added_listed_used_served_and_removed";
    if ampoule_tests::prepared(test, "AMPOULE_TEST_NODE").is_none() {
        return;
    }
    let keys = r#""main":"a.js","dependencies":{"greeting":"^1.0.0"}"#;
    let needs = Tarball::new("@scope/needs", keys)
        .file("a.js", "exports.text = require('greeting').greet('you')");
    let place = workplace(&[("greeting.tgz", greeting()), ("needs.tgz", needs)]);
    let missing = run(&place, &["javascript", "add", "./needs.tgz"]).await;
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(missing.stderr.contains("npm can't download"), "{missing:?}");
    let says =
        "npm asks http://127.0.0.1:9/, as your own settings say; a project's .npmrc does not count";
    assert!(missing.stderr.contains(says), "{missing:?}");
    let added = ["javascript", "add", "./needs.tgz", "./greeting.tgz"];
    let added = run(&place, &added).await;
    assert_eq!(added.code, Some(0), "{added:?}");
    let written = configuration(&place);
    let head = "# mine\n[limits]\ncalls = 5 # few\n\n[javascript]\npackages = [\n";
    assert!(written.starts_with(head), "{written}");
    for name in ["@scope/needs", "greeting"] {
        let line = format!("\n    \"{name}@1.0.0 --hash=sha256:");
        assert!(written.contains(&line), "{written}");
    }

    let listed = run(&place, &["javascript"]).await;
    let expected = "@scope/needs 1.0.0\ngreeting 1.0.0\n";
    assert_eq!(listed.stdout, expected, "{listed:?}");
    let listed = run(&place, &["javascript", "--json"]).await.json();
    assert_eq!(listed[1]["name"], json!("greeting"));
    let doctor = run(&place, &["doctor"]).await;
    let says = "package of JavaScript: @scope/needs 1.0.0";
    assert!(doctor.stdout.contains(says), "{doctor:?}");

    let source = "import { text } from '@scope/needs'; return text";
    let script = ["run", "-q", "-e", source];
    assert_eq!(run(&place, &script).await.stdout, "Hello, you\n");
    let warmed = run(&place, &["warm", "--language", "javascript"]).await;
    assert!(warmed.stdout.contains("was already compiled"), "{warmed:?}");
    let mut served = Served::greeted(&place, &[]).await;
    let tools = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let tools = served.ask(tools).await["result"]["tools"].to_string();
    let says = "npm packages: @scope/needs, greeting;";
    assert!(tools.contains(says), "{tools}");
    drop(served);

    let more = Tarball::new("more", r#""main":"a.js""#).file("a.js", "module.exports = 7");
    place.file("more.tgz", more.bytes());
    let added = run(&place, &["javascript", "add", "./more.tgz"]).await;
    assert_eq!(
        added.code,
        Some(0),
        "what is there stays, without a registry: {added:?}"
    );
    let other = Tarball::new("more", r#""main":"a.js""#).file("a.js", "module.exports = 8");
    place.file("other.tgz", other.bytes());
    let other = run(&place, &["javascript", "add", "./other.tgz"]).await;
    assert_eq!(other.code, Some(2), "{other:?}");
    let says = "the tarball of more@1.0.0 has another digest than ampoule.toml says";
    assert!(other.stderr.contains(says), "{other:?}");
    let address = format!(
        r#""dependencies":{{"far":"git+file://{}"}}"#,
        place.path().display()
    );
    let git = Tarball::new("git", &address);
    place.file("git.tgz", git.bytes());
    let git = run(&place, &["javascript", "add", "./git.tgz"]).await;
    assert_eq!(git.code, Some(2), "{git:?}");
    assert!(git.stderr.contains("EALLOWGIT"), "{git:?}");
    let broken = Tarball::new("broken", r#""main":"a.js""#).file("a.js", "throw 1");
    place.file("broken.tgz", broken.bytes());
    let written = configuration(&place);
    let refused = run(&place, &["javascript", "add", "./broken.tgz"]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("the package `broken` can't be used"),
        "{refused:?}"
    );
    let needed = run(&place, &["javascript", "rm", "greeting"]).await;
    assert_eq!(needed.code, Some(2), "{needed:?}");
    let unknown = run(&place, &["javascript", "rm", "other"]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert_eq!(configuration(&place), written, "nothing was changed");
    let all = ["javascript", "rm", "greeting", "more", "@scope/needs"];
    let removed = run(&place, &all).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(configuration(&place), "# mine\n[limits]\ncalls = 5 # few\n");
    let gone = run(&place, &script).await;
    let says = "ampoule javascript add @scope/needs";
    assert!(gone.stderr.contains(says), "{gone:?}");
}

#[tokio::test]
async fn what_is_no_package_of_a_registry_is_refused() {
    let place = workplace(&[]);
    for wrong in [
        "git+https://example.com/a.git",
        "github:a/b",
        "a/b",
        "./folder",
        "https://example.com/a",
        "a@npm:b",
        "a@file:../b",
        "--registry=x",
    ] {
        let ran = run(&place, &["javascript", "add", "--", wrong]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let says = "is not the name of a package";
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    assert!(!configuration(&place).contains("javascript"));
}

#[tokio::test]
async fn a_configuration_with_a_wrong_package_of_npm_is_refused_with_its_place() {
    let place = Workplace::default();
    let digest = "0".repeat(64);
    for (packages, says) in [
        (
            "'dayjs'".to_owned(),
            "this is not a package with its digest",
        ),
        (
            format!("'a@1.0.0 --hash=sha256:{digest}', 'a@2.0.0 --hash=sha256:{digest}'"),
            "the package `a` is named twice",
        ),
    ] {
        place.file(
            "ampoule.toml",
            format!("[javascript]\npackages = [{packages}]\n"),
        );
        let ran = place.run(&["javascript"]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("ampoule.toml:2:"), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    let missing = format!("[javascript]\npackages = ['a@1.0.0 --hash=sha256:{digest}']\n");
    place.file("ampoule.toml", missing);
    let listed = place.run(&["javascript"]).await;
    assert_eq!(listed.code, Some(1), "{listed:?}");
    let says = "the tarball of a@1.0.0 is not in";
    assert!(listed.stdout.contains(says), "{listed:?}");
    let ran = place.run(&["run", "-e", "return 1"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let says = "run `ampoule javascript add a@1.0.0`";
    assert!(ran.stderr.contains(says), "{ran:?}");
}
