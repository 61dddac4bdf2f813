//! Lists in files that change, and those that commands print.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time;

use super::{line, token};
use crate::tests::Log;
use crate::tokens::{Source, TokenLookup, Tokens};

/// A folder with a list.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Self { folder };
        place.write(text, 0o600);
        place
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tokens")
    }

    fn write(&self, text: &str, mode: u32) {
        fs::write(self.file(), text).expect("it is written");
        fs::set_permissions(self.file(), Permissions::from_mode(mode)).expect("it is ours");
    }
}

async fn open(file: &Path) -> Result<Tokens, String> {
    let opened = Tokens::open(Source::File(file.to_owned())).await;
    opened.map_err(|error| error.to_string())
}

async fn whose(tokens: &Tokens, of: &str) -> Option<String> {
    match tokens.find(token(of).expose()).await {
        TokenLookup::Of(principal) => Some(principal.to_string()),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_changes_is_read_again_within_a_second() {
    let log = Log::default();
    let _guard = log.hears_all();
    let place = Fixture::new(&line("ada", "a"));
    let tokens = open(&place.file()).await.expect("a list");
    assert_eq!(whose(&tokens, "a").await.as_deref(), Some("ada"));

    place.write(&line("bob", "b"), 0o600);
    // It is not looked at more often than it is to be.
    assert_eq!(whose(&tokens, "b").await, None);
    time::advance(Duration::from_secs(1)).await;
    assert_eq!(whose(&tokens, "b").await.as_deref(), Some("bob"));
    assert_eq!(whose(&tokens, "a").await, None);

    // What is wrong with a new one is said once, and the old one stays.
    for (text, mode, why) in [
        (
            "bob hunter2-hunter2-hunter2",
            0o600,
            "line 1: what follows the name is not a digest",
        ),
        (
            &*line("carol", "c"),
            0o604,
            "others can read or change it; `chmod 600` it",
        ),
    ] {
        place.write(text, mode);
        for _ in 0..3 {
            time::advance(Duration::from_secs(1)).await;
            assert_eq!(whose(&tokens, "b").await.as_deref(), Some("bob"));
            assert_eq!(whose(&tokens, "c").await, None);
        }
        let said = log.take();
        assert_eq!(said.matches("can't be used").count(), 1, "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    fs::remove_file(place.file()).expect("it is there");
    time::advance(Duration::from_secs(1)).await;
    assert_eq!(whose(&tokens, "b").await.as_deref(), Some("bob"));
    assert!(log.take().contains("the file does not exist"));
    place.write("", 0o640);
    time::advance(Duration::from_secs(1)).await;
    assert_eq!(whose(&tokens, "b").await, None);
}

#[tokio::test]
async fn a_list_that_can_not_be_used_is_refused_at_the_start() {
    let place = Fixture::new("");
    assert!(open(&place.file()).await.is_ok());
    place.write("", 0o620);
    assert!(open(&place.file()).await.is_err());
    place.write("", 0o644);
    let refused = open(&place.file()).await.expect_err("others can read it");
    let file = place.file();
    assert_eq!(
        refused,
        format!(
            "{}: others can read or change it; `chmod 600` it",
            file.display()
        )
    );
    let missing = open(&place.folder.path().join("none")).await;
    assert!(
        missing
            .expect_err("there is none")
            .contains("`ampoule auth token add NAME` makes it")
    );
    let folder = open(place.folder.path()).await;
    assert!(
        folder
            .expect_err("a folder")
            .contains("it is not a regular file")
    );
    let pipe = place.folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    assert!(
        open(&pipe)
            .await
            .expect_err("a pipe")
            .contains("it is not a regular file")
    );
    place.write(&"#\n".repeat(2 << 20), 0o600);
    assert!(open(&file).await.is_ok());
    place.write(&"#\n".repeat((2 << 20) + 1), 0o600);
    assert!(
        open(&file)
            .await
            .expect_err("too long")
            .contains("more than 4194304 bytes")
    );
}

async fn printed(script: &str) -> Result<Tokens, String> {
    let words = ["sh", "-c", script].map(ToOwned::to_owned);
    let opened = Tokens::open(Source::Command(words.into())).await;
    opened.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_command_prints_the_list_again_and_again() {
    let log = Log::default();
    let _guard = log.hears_all();
    let place = Fixture::new(&line("ada", "a"));
    let script = format!("cat {}", place.file().display());
    let tokens = printed(&script).await.expect("a list");
    assert_eq!(whose(&tokens, "a").await.as_deref(), Some("ada"));
    place.write(&line("bob", "b"), 0o600);
    assert_eq!(whose(&tokens, "b").await, None);
    time::pause();
    time::advance(Duration::from_secs(60)).await;
    time::resume();
    // Nobody waits for it, so who asks first is still told of the old list.
    while whose(&tokens, "b").await.is_none() {
        time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(whose(&tokens, "a").await, None);

    fs::remove_file(place.file()).expect("it is there");
    time::pause();
    time::advance(Duration::from_secs(60)).await;
    time::resume();
    while !log.seen("it failed (exit status: 1)") {
        assert_eq!(whose(&tokens, "b").await.as_deref(), Some("bob"));
        time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_command_that_fails_says_why() {
    for (script, why) in [
        (
            "echo the vault is sealed >&2; exit 3",
            "it failed (exit status: 3): the vault is sealed",
        ),
        ("exit 3", "it failed (exit status: 3): it did not say why"),
        (
            "echo ada hunter2-hunter2",
            "line 1: what follows the name is not a digest",
        ),
        ("printf '\\377'", "it printed bytes that are not text"),
        ("yes '#'", "it printed more than 4194304 bytes"),
        (
            "printf '\\033[2Jx' >&2; exit 1",
            "(exit status: 1): \\u{1b}[2Jx",
        ),
    ] {
        let refused = printed(script).await.expect_err("it is of no use");
        assert!(refused.starts_with("`tokens-command`: "), "{refused}");
        assert!(
            refused.contains(why) && !refused.contains("hunter2"),
            "{refused}"
        );
    }
}
