//! Ampoule is killed while somebody signs in: afterwards, all of the sign-in is there, or nothing of it.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::super::principals::Principal;
use super::super::serving::Serving;
use super::browser::{Browser, url};
use super::{Team, WHO, address, says};

/// When it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Somebody was given the address, and has not opened it.
    Invited,
    /// Their browser is at the authorization server.
    Away,
    /// Their browser came back, and the authorization server gives tokens at this moment.
    Redeeming,
    /// It is done.
    Done,
}

impl Team {
    /// Kills Ampoule, and starts it anew at the same address.
    async fn killed(&mut self) {
        self.serving.process.kill().await.expect("it is killed");
        let arguments = ["serve", "--http", &*self.port];
        self.serving = Serving::start(&self.workplace, &arguments).await;
    }

    /// Waits until the authorization server has given a token for a code.
    async fn redeems(&mut self) {
        for _ in 0..1_200 {
            let told = self.told_that("holds").await;
            if told["given"].as_u64() > Some(0) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("no code is redeemed");
    }
}

#[tokio::test]
async fn whenever_it_is_killed_a_sign_in_is_there_wholly_or_not_at_all() {
    let test = "whenever_it_is_killed_a_sign_in_is_there_wholly_or_not_at_all";
    for moment in [
        Moment::Invited,
        Moment::Away,
        Moment::Redeeming,
        Moment::Done,
    ] {
        let Some(mut team) = Team::new(test, "", "").await else {
            return;
        };
        let invitation = {
            let [ada, _] = team.principals(&json!({}));
            address(&says(&ada, WHO).await)
        };
        let mut browser = Browser::of("ada-there");
        let back = match moment {
            Moment::Invited => None,
            _ => Some(browser.goes_away(&invitation).await),
        };
        match (moment, back.clone()) {
            (Moment::Redeeming, Some(back)) => {
                team.told_that("holds").await;
                let mut coming = Box::pin(browser.open(back, None, ""));
                tokio::select! {
                    _ = &mut coming => panic!("the authorization server does not answer"),
                    () = team.redeems() => {}
                }
                drop(coming);
            }
            (Moment::Done, Some(back)) => {
                let shown = browser.open(back, None, "").await;
                assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
            }
            _ => {}
        }
        team.killed().await;
        team.told().await;
        // What was begun before is over, and says so.
        let shown = browser.open(url(&invitation), None, "").await;
        assert_eq!(shown.status, StatusCode::NOT_FOUND, "{moment:?}: {shown:?}");
        assert!(
            shown.text.contains("This address is not valid"),
            "{shown:?}"
        );
        if let Some(back) = back {
            let shown = browser.open(back, None, "").await;
            assert_eq!(shown.status, StatusCode::FORBIDDEN, "{moment:?}: {shown:?}");
            assert!(shown.text.contains("Nothing was changed"), "{shown:?}");
        }
        let listed = team.run(&["auth", "ls"]).await.stdout;
        {
            let [ada, bob] = team.principals(&json!({}));
            if moment == Moment::Done {
                assert!(
                    listed.contains("behind, principal ada: signed in as ada-there"),
                    "{listed}"
                );
            } else {
                assert_eq!(listed, "nobody is signed in to any server\n", "{moment:?}");
                let said = says(&ada, WHO).await;
                assert!(
                    said.contains("ada has to sign in to behind"),
                    "{moment:?}: {said}"
                );
                let shown = Browser::of("ada-there").signs_in(&address(&said)).await;
                assert_eq!(shown.status, StatusCode::OK, "{moment:?}: {shown:?}");
            }
            assert_eq!(says(&ada, WHO).await, "ada-there", "{moment:?}");
            let said = says(&bob, WHO).await;
            assert!(said.contains("bob has to sign in"), "{moment:?}: {said}");
        }
        team.serving.stopped().await;
    }
}

/// Whether the server's tools are known when a script calls one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tools {
    Known,
    Unknown,
}

/// A run that waits for a sign-in outlives the process. Nothing of its call has left, so the next
/// process makes the call, with the sign-in that is there by then.
#[tokio::test]
async fn a_run_that_waits_for_a_sign_in_outlives_the_process() {
    let test = "a_run_that_waits_for_a_sign_in_outlives_the_process";
    let beside = "[runs]\npark-after = '50ms'\n[audit]\nfolder = 'audit'";
    for tools in [Tools::Known, Tools::Unknown] {
        let Some(mut team) = Team::new(test, "", beside).await else {
            return;
        };
        let token = team.tokens[0].clone();
        let stored = StoredFile::taken(&mut team).await;
        if tools == Tools::Unknown {
            let config = team.workplace.path().join("ampoule.toml");
            let text = std::fs::read_to_string(&config).expect("it is there");
            let other = text.replace(
                "[servers.behind]",
                "[servers.behind]\nheaders = { x-a = 'b' }",
            );
            std::fs::write(&config, other).expect("it is written");
        }
        team.killed().await;
        let at = team.serving.at.clone();
        let ada = Principal::new(&at, token, json!({ "elicitation": { "url": {} } }));
        if tools == Tools::Known {
            let [_, bob] = team.principals(&json!({}));
            assert_eq!(says(&bob, WHO).await, "bob-there");
        }
        let arguments = json!({ "code": REPEATS, "language": "javascript" });
        let mut call = json!({ "name": "execute_code", "arguments": arguments });
        let asked = ada.asks("tools/call", call.clone()).await["result"].clone();
        let requests = asked["inputRequests"].as_object().expect("a question");
        let (name, _) = requests.iter().next().expect("a question");
        call["requestState"] = asked["requestState"].clone();
        call["inputResponses"] = json!({ name: { "action": "accept" } });
        let mut answer = Box::pin(ada.asks("tools/call", call));
        tokio::select! {
            answer = &mut answer => panic!("{answer}"),
            () = super::wait_for(&ada, "ampoule_runs_parked 1") => {}
        }
        // The client that asked stays until then: a run without a waiting client is cancelled.
        let before = ended(&team).await;
        team.serving.process.kill().await.expect("it is killed");
        stored.comes_back();
        team.killed().await;
        drop(answer);
        let (run, outcome) = next_end(&team, before).await;
        assert_eq!(outcome, "returned", "{tools:?}");
        let events = events(&team).await;
        let calls = events
            .iter()
            .filter(|it| it["kind"] == "call-ended" && it["run"] == run);
        let outcomes: Vec<_> = calls.map(|it| &it["outcome"]).collect();
        assert_eq!(outcomes, ["answered"], "{tools:?}");
        team.serving.stopped().await;
    }
}

/// The tool does not say that it may be called twice.
const REPEATS: &str = "return await tools.behind.repeat()";

/// The file with Ada's sign-in, and what is in it.
struct StoredFile {
    path: PathBuf,
    content: Vec<u8>,
}

impl StoredFile {
    /// The sign-ins of principals.
    fn all(team: &Team) -> Vec<PathBuf> {
        let folder = (team.workplace.path()).join("data/ampoule/sign-in/principals");
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    }

    /// Signs both in, and Ada out again by taking the file away, with which she was signed in.
    async fn taken(team: &mut Team) -> Self {
        let mut before = Vec::new();
        // Bob is the first, so that the key and the client are there before Ada's sign-in.
        for (at, account) in [(1, "bob-there"), (0, "ada-there")] {
            before = Self::all(team);
            let principal = &team.principals(&json!({}))[at];
            let invitation = address(&says(principal, WHO).await);
            let shown = Browser::of(account).signs_in(&invitation).await;
            assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
            assert_eq!(says(principal, WHO).await, account);
        }
        team.serving.process.kill().await.expect("it is killed");
        let mut added = Self::all(team);
        // Beside it is its lock.
        added.retain(|path| {
            !before.contains(path) && path.extension().is_some_and(|it| it == "sealed")
        });
        let [path] = <[PathBuf; 1]>::try_from(added).expect("one file");
        let content = std::fs::read(&path).expect("it is there");
        std::fs::remove_file(&path).expect("it is there");
        Self { path, content }
    }

    fn comes_back(&self) {
        let mut options = std::fs::OpenOptions::new();
        let file = options.mode(0o600).create_new(true).write(true);
        let mut file = file.open(&self.path).expect("a file");
        file.write_all(&self.content).expect("it is written");
    }
}

/// What the audit log says.
async fn events(team: &Team) -> Vec<Value> {
    let log = team.run(&["audit", "ls", "--json", "--all"]).await.stdout;
    let lines = log.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// How many runs are over.
async fn ended(team: &Team) -> usize {
    let events = events(team).await;
    let ended = events.iter().filter(|it| it["kind"] == "run-ended");
    ended.count()
}

/// The next run that is over after so many, and how it ended. Nobody hears of its end, but the log.
async fn next_end(team: &Team, before: usize) -> (Value, Value) {
    for _ in 0..600 {
        let events = events(team).await;
        let mut ended = events.iter().filter(|it| it["kind"] == "run-ended");
        if let Some(end) = ended.nth(before) {
            return (end["run"].clone(), end["outcome"].clone());
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it does not go on");
}
