//! `docs/guides/components.md`, followed from the first line to the last, as somebody types it into one
//! shell in a clean folder: each command is run, installations too, each program built, each output
//! compared.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};

use crate::documents::{Block, blocks_of};

const LISTED_SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

const BUILT: &str = "target/wasm32-wasip2/release/program.wasm";

/// Somebody who follows the tutorial.
struct Reader {
    workplace: Workplace,
    /// What the shell knows from one command to the next, and programs of this test, out of the
    /// reader's sight.
    shell: Workplace,
    last: Option<(String, Ran)>,
}

impl Reader {
    fn new() -> Self {
        let reader = Self {
            workplace: Workplace::default(),
            shell: Workplace::default(),
            last: None,
        };
        let start = reader.workplace.path().display();
        reader.shell.file("folder", format!("{start}\n"));
        reader.shell.file("environment", "");
        if !builds_for_wasip2() {
            reader.lend_a_target();
        }
        reader
    }

    /// Where the toolchain can't build for `wasm32-wasip2`, these stand before it, and build by
    /// what `cargo xtask component` finds.
    fn lend_a_target(&self) {
        let cargo = env!("CARGO");
        let repository = repository().display();
        let build = format!(
            "#!/bin/sh\n[ \"$*\" = 'build --release --target wasm32-wasip2' ] || exec {cargo} \"$@\"\nhere=$PWD\ncd {repository} && exec {cargo} xtask component \
             \"$here\" \"$here/{BUILT}\"\n"
        );
        let add = "#!/bin/sh\n[ \"$*\" = 'target add wasm32-wasip2' ]\n";
        for (name, script) in [("cargo", &*build), ("rustup", add)] {
            let path = self.shell.file(&format!("programs/{name}"), script);
            let runs = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(path, runs).expect("a program");
        }
    }

    async fn follow(&mut self, block: &Block) {
        match block.language.as_str() {
            "sh" => {
                for line in block.text.lines() {
                    self.command(line, block).await;
                }
            }
            "rust" | "python" | "js" => self.write(block),
            "json" => {
                let wanted: Value = serde_json::from_str(&block.text).expect("JSON");
                let (_, ran) = self.last(block);
                assert_eq!(
                    (ran.code, ran.json()),
                    (Some(0), wanted),
                    "{}: {ran:?}",
                    block.place()
                );
            }
            "text output" => {
                let (_, ran) = self.last(block);
                let printed = (ran.code, &*ran.stdout);
                assert_eq!(printed, (Some(0), &*block.text), "{}", block.place());
            }
            "text" => {
                let (_, ran) = self.last(block);
                refused_so(ran, block);
            }
            "text changed" => {
                let ran = self.with_changed_products(block).await;
                refused_so(&ran, block);
            }
            other => panic!("{}: what to do with {other}?", block.place()),
        }
    }

    fn last(&self, block: &Block) -> &(String, Ran) {
        self.last
            .as_ref()
            .unwrap_or_else(|| panic!("{}: of what?", block.place()))
    }

    fn at(&self) -> PathBuf {
        let folder = std::fs::read_to_string(self.shell.path().join("folder"));
        PathBuf::from(folder.expect("the shell's folder").trim_end())
    }

    /// Writes a program into the file that is named before it.
    fn write(&self, block: &Block) {
        let file = block.said_before.rsplit('`').nth(1);
        let file = file.unwrap_or_else(|| panic!("{}: into which file?", block.place()));
        std::fs::write(self.at().join(file), &block.text).expect("a file");
    }

    async fn command(&mut self, line: &str, block: &Block) {
        let ran = self.shell(line).await;
        // The next block has their result.
        let may_fail = line.starts_with("ampoule run ");
        assert!(
            may_fail || ran.code == Some(0),
            "{}: {line}: {ran:?}",
            block.place()
        );
        self.last = Some((line.to_owned(), ran));
    }

    /// Runs a command as the shell does that ran the ones before: in the folder and with the
    /// variables that they left.
    async fn shell(&self, line: &str) -> Ran {
        let state = self.shell.path().display();
        let session = format!(
            "cd \"$(cat {state}/folder)\" && . {state}/environment\n{line}\nended=$?\npwd > {state}/folder\nexport -p > {state}/environment\nexit $ended\n"
        );
        let binary = binary();
        let ampoule = binary.parent().expect("a folder").display();
        let path = std::env::var("PATH").expect("PATH");
        let mut command = self.workplace.command("sh", &["-c", &session]);
        command
            .env("PATH", format!("{state}/programs:{ampoule}:{path}"))
            .env_remove("CARGO_TARGET_DIR");
        let output = command.output().await.expect("a shell");
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Runs the component that was built last, where products have another type by now.
    async fn with_changed_products(&self, block: &Block) -> Ran {
        let listed = self.shell("ampoule tools show demo --json").await;
        let mut listed: Value = listed.json();
        let tools = listed["tools"].as_array_mut().expect("tools");
        let products = tools
            .iter_mut()
            .find(|tool| tool["name"] == "list_products")
            .expect("the tool");
        let text = products.to_string();
        let changed = text.replace(r#""accessories""#, r#""accessories","lamps""#);
        assert_ne!(changed, text);
        *products = serde_json::from_str(&changed).expect("JSON");
        let product = products
            .pointer_mut("/outputSchema/$defs/Product")
            .expect("its type");
        let removed = product["properties"]
            .as_object_mut()
            .and_then(|properties| properties.remove("stock"));
        assert!(removed.is_some(), "{}", block.place());
        product["required"]
            .as_array_mut()
            .expect("names")
            .retain(|name| name != "stock");
        let list = self.workplace.file("changed.json", listed.to_string());
        let config = format!(
            "[servers.demo]\ncommand = {}\nargs = [{}]\n",
            json!(LISTED_SERVER),
            json!(list)
        );
        let config = self.workplace.file("changed.toml", config);
        self.shell(&format!(
            "ampoule run --config {} {BUILT}",
            config.display()
        ))
        .await
    }
}

/// Whether a command was refused, with these words, and nothing else but what is said of the
/// servers.
fn refused_so(ran: &Ran, block: &Block) {
    assert_eq!(ran.code, Some(2), "{}: {ran:?}", block.place());
    let said: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| !line.starts_with("ampoule: no ampoule.toml"))
        .collect();
    assert_eq!(said.join("\n"), block.text.trim_end(), "{}", block.place());
}

/// Whether this machine's Rust can build for that target.
fn builds_for_wasip2() -> bool {
    let target = std::process::Command::new("rustc")
        .args(["--print", "target-libdir", "--target", "wasm32-wasip2"])
        .output();
    target.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).exists())
}

#[tokio::test]
async fn the_tutorial_is_followed() {
    let test = "the_tutorial_is_followed";
    // Where there are npm's and PyPI's packages, what the tutorial installs can be had as well.
    let (Some(_), Some(_), Some(_)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
        prepared(test, "AMPOULE_TEST_GUESTS"),
    ) else {
        return;
    };
    let mut reader = Reader::new();
    let blocks = blocks_of(&repository().join("docs/guides/components.md"));
    assert!(blocks.len() > 15, "{}", blocks.len());
    for block in &blocks {
        reader.follow(block).await;
    }
}

#[test]
fn the_module_for_javascript_is_the_example() {
    let example = repository().join("guests/examples/javascript/ampoule.js");
    let example = std::fs::read_to_string(example).expect("the module");
    let (_, example) = example.split_once('\n').expect("a comment before it");
    let blocks = blocks_of(&repository().join("docs/guides/components.md"));
    let module = blocks.iter().find(|block| block.language == "js");
    assert_eq!(module.expect("the module").text, example);
}
