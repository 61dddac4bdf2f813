//! Ampoule is killed while somebody signs in: afterwards, all of the sign-in is there, or nothing of it.

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

/// A run that waits for a sign-in outlives the process, and goes on in the next one. As the tool was not
/// known when it was called, its call is not repeated: the script hears that nobody knows what it did,
/// unless it was answered before.
#[tokio::test]
async fn a_run_that_waits_for_a_sign_in_outlives_the_process() {
    let test = "a_run_that_waits_for_a_sign_in_outlives_the_process";
    let beside = "[runs]\npark-after = '50ms'\n[audit]\nfolder = 'audit'";
    let Some(mut team) = Team::new(test, "", beside).await else {
        return;
    };
    let (at, token) = (team.serving.at.clone(), team.tokens[0].clone());
    let ada = Principal::new(&at, token, json!({ "elicitation": { "url": {} } }));
    let arguments = json!({ "code": WHO, "language": "javascript" });
    let mut call = json!({ "name": "execute_code", "arguments": arguments });
    let asked = ada.asks("tools/call", call.clone()).await["result"].clone();
    let requests = asked["inputRequests"].as_object().expect("a question");
    let (name, request) = requests.iter().next().expect("a question");
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({ name: { "action": "accept" } });
    let mut answer = Box::pin(ada.asks("tools/call", call));
    tokio::select! {
        answer = &mut answer => panic!("{answer}"),
        () = super::wait_for(&ada, "ampoule_runs_parked 1") => {}
    }
    let address = request["params"]["url"].as_str().expect("an address");
    let shown = Browser::of("ada-there").signs_in(address).await;
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    // Whoever asked is there until then: a run that nobody waits for is cancelled.
    team.killed().await;
    drop(answer);
    for _ in 0..600 {
        // Nobody hears of its end, but the log.
        let log = team.run(&["audit", "ls", "--json", "--all"]).await.stdout;
        let lines = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let lines: Vec<Value> = lines.collect();
        let ends = |kind: &str| {
            let ended = lines.iter().filter(|line| line["kind"] == kind);
            let ended = ended.map(|line| line["outcome"].as_str().unwrap_or_default());
            ended.collect::<Vec<_>>()
        };
        if let [outcome] = ends("run-ended")[..] {
            let answered = ends("call-ended");
            let answered = answered.iter().filter(|outcome| **outcome == "answered");
            let expected = match outcome {
                "returned" => 1,
                "threw" => 0,
                other => panic!("{other}: {log}"),
            };
            assert_eq!(answered.count(), expected, "{log}");
            team.serving.stopped().await;
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it does not go on");
}
