//! `ampoule python`, and packages of a configuration.

use ampoule_tests::command::{Ran, Served, Workplace, ended};
use ampoule_tests::{binary, prepared};
use serde_json::json;

use super::{Wheel, greeting};
use crate::serving::{self, Serving};

/// A workplace with a folder of wheels, and Python with pip; none where that is not prepared.
struct Place {
    workplace: Workplace,
    path: std::ffi::OsString,
}

impl Place {
    fn new(test: &str, wheels: &[Wheel]) -> Option<Self> {
        let programs = prepared(test, "AMPOULE_TEST_PYTHON")?.join("venv/bin");
        let workplace = Workplace::default();
        workplace.file("ampoule.toml", "# mine\n[limits]\ncalls = 5 # few\n");
        for wheel in wheels {
            workplace.file(&format!("wheels/{}", wheel.file_name()), wheel.bytes());
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let all = [programs].into_iter().chain(std::env::split_paths(&old));
        let path = std::env::join_paths(all).expect("paths");
        Some(Self { workplace, path })
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.workplace.command(binary(), arguments);
        command.env("PATH", &self.path);
        ended(command).await
    }

    fn configuration(&self) -> String {
        std::fs::read_to_string(self.workplace.path().join("ampoule.toml")).expect("a file")
    }
}

/// The guest with numpy and pandas imports packages by itself, and may be unable to.
#[tokio::test]
async fn packages_are_tried_in_each_guest_of_python() {
    let test = "packages_are_tried_in_each_guest_of_python";
    let Some(place) = Place::new(test, &[greeting()]) else {
        return;
    };
    let file = format!("parts/{}", ampoule::DataGuest::FILE);
    place.workplace.file(&file, crate::data::stand_in());
    let python = format!("[python]\ndata-guest = \"{file}\"\n");
    place.workplace.file("ampoule.toml", python);
    let added = place
        .run(&["python", "add", "greeting", "--from", "wheels"])
        .await;
    assert_eq!(added.code, Some(0), "{added:?}");
    let warmed = place.run(&["warm", "--language", "python"]).await;
    let there = warmed.stdout.matches("was already compiled").count();
    assert_eq!(there, 2, "{warmed:?}");
}

#[tokio::test]
async fn a_package_is_added_listed_used_served_and_removed() {
    let test = "a_package_is_added_listed_used_served_and_removed";
    let needs = "Metadata-Version: 2.1\nName: needs\nVersion: 1.0\nRequires-Dist: greeting\n";
    let needs = Wheel::bare("needs")
        .file("needs-1.0.dist-info/METADATA", needs)
        .file(
            "needs.py",
            "import greeting\nTEXT = greeting.greet('you')\n",
        );
    let Some(place) = Place::new(test, &[greeting(), needs]) else {
        return;
    };
    let added = place
        .run(&["python", "add", "needs", "--from", "wheels"])
        .await;
    assert_eq!(added.code, Some(0), "{added:?}");
    let written = place.configuration();
    assert!(
        written.starts_with("# mine\n[limits]\ncalls = 5 # few\n"),
        "{written}"
    );
    for name in ["greeting", "needs"] {
        assert!(
            written.contains(&format!("\n    \"{name}==1.0 --hash=sha256:")),
            "{written}"
        );
    }

    let listed = place.run(&["python"]).await;
    assert_eq!(listed.stdout, "greeting 1.0\nneeds 1.0\n", "{listed:?}");
    let listed = place.run(&["python", "--json"]).await.json();
    assert_eq!(
        (&listed[1]["name"], &listed[1]["problem"]),
        (&json!("needs"), &json!(null))
    );
    let doctor = place.run(&["doctor"]).await;
    assert!(
        doctor.stdout.contains("package of Python: needs 1.0"),
        "{doctor:?}"
    );

    let script = [
        "run",
        "-q",
        "--language",
        "python",
        "-e",
        "import needs\nreturn needs.TEXT",
    ];
    assert_eq!(place.run(&script).await.stdout, "Hello, you\n");
    let warmed = place.run(&["warm", "--language", "python"]).await;
    assert!(warmed.stdout.contains("was already compiled"), "{warmed:?}");

    let mut served = Served::greeted(&place.workplace, &[]).await;
    let tools = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let tools = served.ask(tools).await["result"]["tools"].take();
    let mut tools = tools.as_array().expect("tools").iter();
    let execute = tools
        .find(|tool| tool["name"] == "execute_code")
        .expect("it is there");
    let said = execute["description"].as_str().expect("a description");
    assert!(said.contains("Python packages: greeting, needs;"), "{said}");
    let call = json!({"name": "execute_code", "arguments": {"code": "import needs\nreturn needs.TEXT", "language": "python"}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call});
    let answer = served.ask(call).await.to_string();
    assert!(answer.contains("Hello, you"), "{answer}");
    drop(served);
    let serving = Serving::start(&place.workplace, &["serve", "--http", "0"]).await;
    let code = json!({"code": "import needs\nreturn needs.TEXT", "language": "python"});
    let answer = serving::text(serving::call(&serving::client(), &serving.at, &code)).await;
    assert!(answer.contains("Hello, you"), "{answer}");
    drop(serving);

    // What is there already need not be in the folder, and a wheel's own file names it.
    let more = Wheel::bare("more")
        .file(
            "more-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: more\nVersion: 1.0\nRequires-Dist: greeting\n",
        )
        .file("more.py", "import greeting\n");
    let file = format!("other/{}", more.file_name());
    place.workplace.file(&file, more.bytes());
    for named in ["more", &file] {
        let added = place
            .run(&["python", "add", named, "--from", "other"])
            .await;
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    let removed = place.run(&["python", "rm", "more"]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(place.configuration(), written);

    let unknown = place.run(&["python", "rm", "other"]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    // What another package needs is missed when the rest is imported.
    let needed = place.run(&["python", "rm", "greeting"]).await;
    assert_eq!(needed.code, Some(2), "{needed:?}");
    assert!(
        needed
            .stderr
            .contains("its module `needs` can't be imported here"),
        "{needed:?}"
    );
    assert_eq!(place.configuration(), written, "nothing was changed");
    let removed = place.run(&["python", "rm", "greeting", "Needs"]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(place.configuration(), "# mine\n[limits]\ncalls = 5 # few\n");
    let gone = place.run(&script).await;
    assert!(
        gone.stderr.contains("There is no module `needs` here"),
        "{gone:?}"
    );
}

#[tokio::test]
async fn what_has_compiled_parts_is_refused_and_names_the_wheel() {
    let test = "what_has_compiled_parts_is_refused_and_names_the_wheel";
    let Some(place) = Place::new(test, &[]) else {
        return;
    };
    let compiled = "fast-1.0-cp314-cp314-manylinux_2_17_x86_64.whl";
    place.workplace.file(&format!("wheels/{compiled}"), "");
    for arguments in [
        &["python", "add", "fast", "--from", "wheels"][..],
        &["python", "add", &format!("wheels/{compiled}")],
    ] {
        let ran = place.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(
            ran.stderr.contains("cp314-cp314-manylinux_2_17_x86_64"),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("pure Python"), "{ran:?}");
    }
    for wrong in [
        "git+https://example.com/a.git",
        "--index-url=x",
        "./folder",
        "a @ file:///b",
    ] {
        let ran = place.run(&["python", "add", "--", wrong]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(
            ran.stderr.contains("is not the name of a package"),
            "{ran:?}"
        );
    }
    assert!(!place.configuration().contains("python"));
}

#[tokio::test]
async fn a_configuration_with_a_wrong_package_is_refused_with_its_place() {
    let workplace = Workplace::default();
    let digest = "0".repeat(64);
    for (packages, says) in [
        (
            "'tabulate'".to_owned(),
            "this is not a package with its digest",
        ),
        (
            format!("'a==1 --hash=sha256:{digest}', 'A==2 --hash=sha256:{digest}'"),
            "the package `a` is named twice",
        ),
    ] {
        workplace.file(
            "ampoule.toml",
            format!("[python]\npackages = [{packages}]\n"),
        );
        let ran = workplace.run(&["python"]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("ampoule.toml:2:"), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    let missing = format!("[python]\npackages = ['a==1 --hash=sha256:{digest}']\n");
    workplace.file("ampoule.toml", missing);
    let listed = workplace.run(&["python"]).await;
    assert_eq!(listed.code, Some(1), "{listed:?}");
    assert!(
        listed.stdout.contains("the wheel of a==1 is not in"),
        "{listed:?}"
    );
    let ran = workplace
        .run(&["run", "--language", "python", "-e", "1"])
        .await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("run `ampoule python add a==1`"),
        "{ran:?}"
    );
    // Where none can be imported, each can be taken out.
    let two = format!(
        "[python]\npackages = ['a==1 --hash=sha256:{digest}', 'b==1 --hash=sha256:{digest}']\n"
    );
    workplace.file("ampoule.toml", two);
    let removed = workplace.run(&["python", "rm", "a"]).await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(
        removed.stderr.contains("the wheel of b==1 is not in"),
        "{removed:?}"
    );
    // Scripts in the other language need no package.
    let other = workplace.run(&["run", "-q", "-e", "return 1"]).await;
    assert_eq!(other.stdout, "1\n", "{other:?}");
}

#[tokio::test]
async fn without_packages_nothing_needs_a_folder_for_them() {
    let workplace = Workplace::default();
    let mut doctor = workplace.command(binary(), &["doctor"]);
    // Nobody has a home folder there.
    doctor.env("HOME", "").env("XDG_DATA_HOME", "");
    let ran = ended(doctor).await;
    assert!(!ran.stderr.contains("python.folder"), "{ran:?}");
    assert!(ran.stdout.contains("demo: ready"), "{ran:?}");
}
