//! `docs/components.md`, followed from the first line to the last: each command is run, each program built, each output compared.

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{prepared, repository};
use serde_json::{Value, json};

use crate::documents::{Block, blocks_of, shell};

const LISTED_SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

/// What a reader has done once and for all; here, `cargo xtask test` has.
const INSTALLATIONS: [&str; 3] = ["rustup target add ", "pip install ", "npm install "];

const BUILD: &str = "cargo build --release --target wasm32-wasip2";
const BUILT: &str = "target/wasm32-wasip2/release/program.wasm";

/// Somebody who follows the tutorial.
struct Reader {
    workplace: Workplace,
    /// The folders that hold the tools of other languages.
    path: String,
    /// Where the reader is, from the workplace.
    folder: PathBuf,
    last: Option<(String, Ran)>,
}

impl Reader {
    async fn follow(&mut self, block: &Block) {
        match block.language.as_str() {
            "sh" => {
                for line in block.text.lines() {
                    self.command(line, block).await;
                }
            }
            "rust" => self.write("src/lib.rs", block),
            "python" => self.write("app.py", block),
            "js" => self.write("app.js", block),
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
        self.workplace.path().join(&self.folder)
    }

    fn write(&self, file: &str, block: &Block) {
        self.workplace
            .file(self.folder.join(file).to_str().expect("UTF-8"), &block.text);
    }

    async fn command(&mut self, line: &str, block: &Block) {
        if INSTALLATIONS.iter().any(|start| line.starts_with(start)) {
            return;
        }
        if let Some(folder) = line.strip_prefix("cd ") {
            self.folder.push(folder);
            assert!(self.at().is_dir(), "{}: {line}", block.place());
            return;
        }
        let ran = if line == BUILD {
            self.build().await
        } else {
            self.shell(line).await
        };
        let may_fail = line.starts_with("ampoule run ");
        assert!(
            may_fail || ran.code == Some(0),
            "{}: {line}: {ran:?}",
            block.place()
        );
        self.last = Some((line.to_owned(), ran));
    }

    async fn shell(&self, line: &str) -> Ran {
        let line = format!(
            "cd ./{} && PATH={}:$PATH && {line}",
            self.folder.display(),
            self.path
        );
        shell(&self.workplace, &line).await
    }

    /// Builds as the tutorial says where that target is there, and by `cargo xtask component` elsewhere.
    async fn build(&self) -> Ran {
        let target = std::process::Command::new("rustc")
            .args(["--print", "target-libdir", "--target", "wasm32-wasip2"])
            .output();
        let installed = target
            .is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).exists());
        let mut cargo = if installed {
            let mut cargo = self.workplace.command(
                "cargo",
                &["build", "--release", "--target", "wasm32-wasip2"],
            );
            cargo.current_dir(self.at()).env_remove("CARGO_TARGET_DIR");
            cargo
        } else {
            let mut cargo = self.workplace.command("cargo", &["xtask", "component"]);
            cargo
                .arg(self.at())
                .arg(self.at().join(BUILT))
                .current_dir(repository());
            cargo
        };
        let output = cargo.output().await.expect("cargo runs");
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Runs the component that was built last, where products have another type by now.
    async fn with_changed_products(&self, block: &Block) -> Ran {
        let listed = self.shell("ampoule tools show demo --format json").await;
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

/// Whether a command was refused, with these words, and nothing else but what is said of the servers.
fn refused_so(ran: &Ran, block: &Block) {
    assert_eq!(ran.code, Some(2), "{}: {ran:?}", block.place());
    let said: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| !line.starts_with("ampoule: no ampoule.toml"))
        .collect();
    assert_eq!(said.join("\n"), block.text.trim_end(), "{}", block.place());
}

#[tokio::test]
async fn the_tutorial_is_followed() {
    let test = "the_tutorial_is_followed";
    let (Some(node), Some(python), Some(_)) = (
        prepared(test, "AMPOULE_TEST_NODE"),
        prepared(test, "AMPOULE_TEST_PYTHON"),
        prepared(test, "AMPOULE_TEST_GUESTS"),
    ) else {
        return;
    };
    let mut reader = Reader {
        workplace: Workplace::default(),
        path: format!(
            "{}:{}",
            node.join("node_modules/.bin").display(),
            python.join("venv/bin").display()
        ),
        folder: PathBuf::new(),
        last: None,
    };
    let blocks = blocks_of(&repository().join("docs/components.md"));
    assert!(blocks.len() > 15, "{}", blocks.len());
    for block in &blocks {
        reader.follow(block).await;
    }
}
