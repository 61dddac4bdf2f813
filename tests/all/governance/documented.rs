//! The pages on governance, each followed from the first line to the last: each configuration is
//! read, each policy held against the tools, each command run, and says what is shown of it.

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::repository;

use crate::documents::{Block, FOLLOWED, blocks_of, shell};

/// Somebody who follows the document.
struct Reader {
    workplace: Workplace,
    last: Option<Ran>,
    commands: usize,
}

/// What stands in backticks at the end of a line.
fn named(said: &str) -> &str {
    let name = said.trim_end_matches([':', '.']).rsplit('`').nth(1);
    name.unwrap_or_else(|| panic!("`{said}` names no file"))
}

/// A text as it is, however it is wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Reader {
    async fn follow(&mut self, block: &Block) {
        match block.language.as_str() {
            "toml" => {
                let server = "[servers.demo]\ncommand = \"ampoule\"\nargs = [\"demo-server\"]\n";
                self.workplace
                    .file("ampoule.toml", format!("{}\n{server}", block.text));
                // Every configuration is one whose policies fit the tools.
                let checked = self.command("ampoule policy check", block).await;
                assert_eq!(checked.code, Some(0), "{}: {checked:?}", block.place());
            }
            "cedar" | "toml cases" => {
                self.workplace.file(named(&block.said_before), &block.text);
            }
            "sh" | "sh fails" => {
                for line in block.text.lines() {
                    let ran = self.command(line, block).await;
                    let fails = block.language == "sh fails";
                    assert_eq!(ran.code != Some(0), fails, "{}: {ran:?}", block.place());
                    self.commands += 1;
                    self.last = Some(ran);
                }
            }
            "text" => {
                let ran = self.last.as_ref().expect("a command before it");
                let said = unwrapped(&format!("{}\n{}", ran.stdout, ran.stderr));
                for line in block.text.lines() {
                    let place = block.place();
                    assert!(
                        said.contains(&unwrapped(line)),
                        "{place}: `{line}` of {ran:?}"
                    );
                }
            }
            other => panic!("{}: {other}", block.place()),
        }
    }

    async fn command(&self, line: &str, block: &Block) -> Ran {
        let place = block.place();
        assert!(line.starts_with("ampoule "), "{place}: `{line}` is not run");
        shell(&self.workplace, line).await
    }
}

#[tokio::test]
async fn what_the_pages_show_is_so() {
    let mut commands = 0;
    // What is shown of requests and APIs is tested where there is somebody to answer them.
    let elsewhere = ["http-requests.md", "apis.md", "api-pages.md", "graphql.md"];
    let is_elsewhere = |page: &str| elsewhere.iter().any(|other| page.ends_with(other));
    let pages = FOLLOWED.iter().filter(|page| !is_elsewhere(page));
    for page in pages {
        let mut reader = Reader {
            workplace: Workplace::default(),
            last: None,
            commands: 0,
        };
        for block in blocks_of(&repository().join(page)) {
            reader.follow(&block).await;
        }
        assert!(reader.commands > 0, "{page} shows no command");
        commands += reader.commands;
    }
    assert!(commands > 15, "{commands}");
}
