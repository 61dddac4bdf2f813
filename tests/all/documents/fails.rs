//! What the documents say does not work is shown by scripts that fail, and what is shown of their
//! errors is what a reader gets.

use ampoule_tests::command::Workplace;

use super::{Block, blocks_of, documents};

/// How few such scripts the documents may have.
const LEAST: usize = 3;

/// A text as it is, however it is wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a script that must throw, and holds the block below it against what the command says.
async fn fails(script: &Block, ending: &str, shown: Option<&Block>) {
    let workplace = Workplace::default();
    let file = workplace.file(&format!("block.{ending}"), &script.text);
    let file = file.to_str().expect("a path");
    let ran = workplace.run_at_home(&["run", "--quiet", file]).await;
    let place = script.place();
    assert_eq!(ran.code, Some(1), "{place}: {ran:?}");
    let shown = shown.filter(|block| block.language == "text");
    let shown = shown.unwrap_or_else(|| panic!("{place}: below it, show its error as `text`"));
    let said = unwrapped(&ran.stderr);
    assert!(
        said.contains(&unwrapped(&shown.text)),
        "{}: {ran:?}",
        shown.place()
    );
}

#[tokio::test]
async fn scripts_that_are_said_to_fail_do() {
    let mut scripts = 0;
    for file in documents() {
        let blocks = blocks_of(&file);
        for (at, block) in blocks.iter().enumerate() {
            if let Some(ending) = block.language.strip_suffix(" fails")
                && ["ts", "py"].contains(&ending)
            {
                fails(block, ending, blocks.get(at + 1)).await;
                scripts += 1;
            }
        }
    }
    assert!(scripts >= LEAST, "only {scripts} scripts are to fail");
}
