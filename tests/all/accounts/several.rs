//! Accounts of one server, each with an `auth` of its own: another client, another sign-in.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::browser::Browser;
use super::{Team, address, says};

#[tokio::test]
async fn each_account_has_its_own_client_and_its_own_sign_in() {
    let test = "each_account_has_its_own_client_and_its_own_sign_in";
    // One is a client that the operator registered, the other one registers itself.
    let configured = |at: &Value, _: &_| {
        format!(
            "[servers.behind]\nurl = {}\n\
             [servers.behind.accounts.work.auth]\nclient-id = 'by-hand'\nclient-secret = 'secret-by-hand'\nscopes = ['notes']\n\
             [servers.behind.accounts.home.auth]\nscopes = ['notes']\n",
            at["url"]
        )
    };
    let Some(mut team) = Team::configured(test, configured).await else {
        return;
    };
    let [ada, bob] = team.principals(&json!({}));
    let who = |account: &str| format!("return await tools.behind.as('{account}').whoami()");
    for account in ["work", "home"] {
        let said = says(&ada, &who(account)).await;
        let expected = format!("ada has to sign in to behind@{account}");
        assert!(said.contains(&expected), "{said}");
        let mut browser = Browser::of(&format!("ada-at-{account}"));
        let shown = browser.signs_in(&address(&said)).await;
        assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
        let whoami = says(&ada, &who(account)).await;
        assert_eq!(whoami, format!("ada-at-{account}"));
    }
    let said = says(&bob, &who("work")).await;
    assert!(said.contains("bob has to sign in to behind@work"), "{said}");
    let both = "const of = (account) => tools.behind.as(account).whoami();
        return (await Promise.all([of('work'), of('home')])).join(' ')";
    assert_eq!(says(&ada, both).await, "ada-at-work ada-at-home");
    let listed = team.run(&["auth", "ls"]).await;
    for account in ["work", "home"] {
        let line =
            format!("behind@{account}, principal ada: signed in as ada-at-{account}, at http");
        assert!(listed.stdout.contains(&line), "{listed:?}");
    }
    // Who signs out of one account keeps the other one.
    let arguments = ["auth", "logout", "behind@work", "--principal", "ada"];
    let ended = team.run(&arguments).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(says(&ada, &who("home")).await, "ada-at-home");
    let said = says(&ada, &who("work")).await;
    assert!(said.contains("ada has to sign in to behind@work"), "{said}");
    drop((ada, bob));
    let told = team.told().await;
    assert_eq!(told["clients"], 1, "one is registered by hand: {told}");
    team.serving.stopped().await;
}
