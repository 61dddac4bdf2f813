//! The commands of the guides, against a scripted endpoint.

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::model::{ModelReply, ModelServer, script};
use ampoule_tests::{binary, repository};

/// The lines of a page that begin a chat with a model.
fn commands(page: &str) -> Vec<String> {
    let page = repository().join(page);
    let page = std::fs::read_to_string(page).expect("the page");
    let lines = page
        .lines()
        .filter(|line| line.starts_with("ampoule chat "));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn each_command_of_the_guide_works() {
    let chats = commands("docs/guides/chat.md");
    assert!(chats.len() >= 6, "{chats:?}");
    let benches = commands("tests/agent-tasks/README.md");
    assert_eq!(benches.len(), 1, "{benches:?}");
    for command in chats.into_iter().chain(benches) {
        let expected = if command.contains(" bench ") {
            "1 of 1"
        } else {
            "40"
        };
        let workplace = Workplace::default();
        workplace.file("task.txt", "Count the products.");
        let tests = repository().join("tests");
        std::os::unix::fs::symlink(tests, workplace.path().join("tests")).expect("a link");
        let replies = [
            ModelReply::Calls(String::new(), vec![script("return 40", "typescript")]),
            ModelReply::Says("40".to_owned()),
        ];
        let model = ModelServer::playing(replies).await;
        // Whatever address the guide has, this endpoint is asked.
        let address = model.address("openai");
        let words: Vec<&str> = command.split(" --endpoint ").collect();
        let line = match words[..] {
            [before, after] => {
                let rest = after.split_once(' ').map_or("", |(_, rest)| rest);
                format!("{before} --endpoint {address} {rest}")
            }
            _ => command.clone(),
        };
        let program = binary();
        let folder = program.parent().expect("a folder").display().to_string();
        let mut shell = workplace.command("sh", &["-c", &line]);
        let path = std::env::var("PATH").unwrap_or_default();
        shell
            .env("PATH", format!("{folder}:{path}"))
            .env("AMPOULE_MODEL", "scripted")
            .env("AMPOULE_MODEL_URL", &address)
            .env("AMPOULE_MODEL_KEY", "key");
        let ran = ended(shell).await;
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        assert!(ran.stdout.contains(expected), "{line}: {ran:?}");
    }
}
