//! Signing in to a server and out again in the console: a principal of a team, whose sign-in is their own,
//! and the user of this machine.

use ampoule_tests::command::Workplace;

use super::deeds::presses;
use super::desk::{Desk, Programs};
use super::tab::Tab;
use crate::accounts::Team;

const SERVER: &str = "/console/servers/one?name=behind";
/// Who signs in at the authorization server with a browser that says nothing else.
const ACCOUNT: &str = "ada";

/// Signs in to the server from its page, up to the page of the authorization server.
async fn leaves_for_sign_in(tab: &Tab, server: &str) {
    tab.open(server).await;
    tab.shows("Nobody is signed in.").await;
    presses(tab, "Sign in").await;
    tab.shows("It is good for ten minutes.").await;
    presses(tab, "Go to the sign-in").await;
}

/// Signs out of the server, where its page says who is signed in.
async fn signs_out(tab: &Tab, server: &str) {
    tab.open(server).await;
    let shown = tab.shows("Sign out of the server").await;
    assert!(shown.contains(ACCOUNT), "{shown}");
    assert!(!shown.contains("Nobody is signed in."), "{shown}");
    presses(tab, "Sign out of the server").await;
    tab.shows("Nobody is signed in.").await;
    assert_eq!(tab.complaints().await, [""; 0]);
}

#[tokio::test]
async fn a_principal_signs_in_to_a_server_and_out_again() {
    let test = "a_principal_signs_in_to_a_server_and_out_again";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let beside = "[audit]\nfolder = 'audit'\n[console]\n";
    let Some(mut team) = Team::new(test, "", beside).await else {
        return;
    };
    let at = team.serving.at.trim_end_matches("/mcp").to_owned();
    let server = format!("{at}{SERVER}");
    let mut tabs = Vec::new();
    for token in &team.tokens {
        let tab = programs.tab().await;
        tab.open(&format!("{at}/console/sign-in")).await;
        let pastes = format!(
            "const field = document.querySelector('[name=token]');
             field.value = {token:?};
             field.form.requestSubmit()"
        );
        tab.script(&pastes).await;
        tab.shows("Write a script").await;
        tab.complaints().await;
        tabs.push(tab);
    }
    let [ada, bob] = <[Tab; 2]>::try_from(tabs).ok().expect("two tabs");
    leaves_for_sign_in(&ada, &server).await;
    // The page outside of the console says once more whose the sign-in will be.
    ada.shows("Scripts of ada will use the account").await;
    presses(&ada, "I am ada, sign in").await;
    ada.shows("This page can be closed.").await;
    ada.complaints().await;
    // Nothing of it is another person's.
    bob.open(&server).await;
    bob.shows("Nobody is signed in.").await;
    signs_out(&ada, &server).await;
    assert_eq!(team.told().await["revocations"], 1);
    let log = team.run(&["audit", "ls", "--json"]).await;
    for outcome in ["signed-in", "signed-out"] {
        let event = format!(r#""principal":"ada","server":"behind","outcome":"{outcome}""#);
        assert!(log.stdout.contains(&event), "{event}: {log:?}");
    }
}

#[tokio::test]
async fn the_user_of_this_machine_signs_in_to_a_server_and_out_again() {
    let test = "the_user_of_this_machine_signs_in_to_a_server_and_out_again";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let Some(mut team) = Team::new(test, "", "").await else {
        return;
    };
    let config = team.workplace.path().join("ampoule.toml");
    let config = std::fs::read_to_string(config).expect("a configuration");
    let (behind, _) = config.split_once("[serve.auth]").expect("a server");
    let desk = Desk::at(Workplace::default(), behind).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    let server = desk.page(SERVER);
    leaves_for_sign_in(&tab, &server).await;
    tab.shows("You are signed in. This page can be closed.")
        .await;
    tab.complaints().await;
    tab.open(&server).await;
    // The console connects again by itself, and knows the tools then.
    tab.shows("whoami").await;
    signs_out(&tab, &server).await;
    assert_eq!(team.told().await["revocations"], 1);
}
