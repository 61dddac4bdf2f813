//! People who are asked whether calls may be made: with the official client, in both eras, and on
//! the page, in a real browser.

pub(crate) mod browser;

use std::net::TcpListener;

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{binary, installed, prepared, repository};
use serde_json::{Value, json};

use super::serving::{Serving, client, script, text};
use browser::Browser;

/// A folder whose configuration has the demo server, and these lines.
fn configured(lines: &str) -> Workplace {
    let workplace = Workplace::default();
    let binary = binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    workplace.file("ampoule.toml", format!("{demo}\n{lines}\n"));
    workplace
}

/// Asked in their clients alone.
const IN_CLIENTS: &str = "[approvals]\nask = \"destructive\"\nplaces = [\"dialogue\"]";

/// What the official client saw.
async fn saw(test: &str, workplace: &Workplace, at: &str) -> Option<Ran> {
    let python = prepared(test, "AMPOULE_TEST_PYTHON")?.join("venv/bin/python");
    let mut command = workplace.command(python, &[]);
    let driver = repository().join("tests/servers/people.py");
    command.arg(driver).arg(at);
    workplace.at_home(&mut command);
    Some(ended(command).await)
}

fn is_as_it_must_be(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let saw = ran.json();
    let versions: Vec<_> = saw.as_array().expect("a list").iter().collect();
    for (era, version) in versions.iter().zip(["2025-11-25", "2026-07-28"]) {
        assert_eq!(era["version"], version);
        let said: Vec<&str> = texts(&era["said"]).collect();
        assert_eq!(said[0], "closed", "{era}");
        let denied = "a person did not allow this call: she called again";
        assert!(said[1].contains(denied), "{era}");
        assert!(
            said[2].contains("a person did not allow this call"),
            "{era}"
        );
        assert_eq!(said[3], "2", "{era}");
        let asked = era["asked"].as_array().expect("a list");
        assert_eq!(asked.len(), 4, "{era}");
        let shown = asked[0][0].as_str().expect("a text");
        for part in ["demo.close_ticket", "TIC-0002", "done"] {
            assert!(shown.contains(part), "{shown}");
        }
        assert_eq!(asked[0][1], json!(["allow-once", "allow-run", "deny"]));
        // What comes at once is one question.
        let both = asked[3][0].as_str().expect("a text");
        assert!(
            both.contains("TIC-0005") && both.contains("TIC-0006"),
            "{both}"
        );
    }
    assert_eq!(versions.len(), 2);
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    let list = list.as_array().expect("a list");
    list.iter().map(|text| text.as_str().expect("a text"))
}

#[tokio::test]
async fn the_official_client_asks_its_person_over_stdio() {
    let test = "the_official_client_asks_its_person_over_stdio";
    let workplace = configured(IN_CLIENTS);
    let at = binary().to_str().expect("UTF-8").to_owned();
    if let Some(ran) = saw(test, &workplace, &at).await {
        is_as_it_must_be(&ran);
    }
}

#[tokio::test]
async fn the_official_client_asks_its_person_over_http() {
    let test = "the_official_client_asks_its_person_over_http";
    let workplace = configured(IN_CLIENTS);
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    if let Some(ran) = saw(test, &workplace, &serving.at).await {
        is_as_it_must_be(&ran);
    }
}

/// The call of a script that closes a ticket.
fn closes(at: &str, ticket: &str) -> tokio::task::JoinHandle<String> {
    let code = format!(
        "return (await tools.demo.closeTicket({{ ticketId: '{ticket}', resolution: '<i>done</i>' }})).status"
    );
    let (client, at) = (client(), at.to_owned());
    tokio::spawn(async move { text(script(&client, &at, &code)).await })
}

#[tokio::test]
async fn a_person_answers_in_a_browser_that_runs_no_scripts() {
    let test = "a_person_answers_in_a_browser_that_runs_no_scripts";
    let (Some(chromium), Some(driver)) =
        (installed(test, "chromium"), installed(test, "chromedriver"))
    else {
        return;
    };
    // A port that is free, and known before the server is there: it is in addresses.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port.expect("a port").port().to_string();
    let page = "[approvals]\nask = \"destructive\"\nplaces = [\"page\"]\npage = true";
    let workplace = configured(page);
    let mut serving = Serving::start(&workplace, &["serve", "--http", &port]).await;
    let browser = Browser::start(&driver, &chromium).await;

    let run = closes(&serving.at, "TIC-0002");
    let asked = serving.page().await;
    browser.open(&asked).await;
    let shown = browser.shows("A script waits for an answer").await;
    assert!(!shown.contains("TIC-0002"), "{shown}");
    browser.click("button").await;
    let shown = browser.shows("Allow this call?").await;
    for part in ["demo.close_ticket", "TIC-0002", "<i>done</i>"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Its style is there, so the policy lets that in; and no script.
    assert_ne!(browser.css("button", "padding-top").await, "1px");

    // Another holder of the address finds it taken.
    let thief = Browser::start(&driver, &chromium).await;
    thief.open(&asked).await;
    let shown = thief.shows("Another browser").await;
    assert!(!shown.contains("TIC-0002"), "{shown}");

    // Another site's form is sent with the cookie of the browser that has the address, or without.
    let form = browser.hidden_fields().await;
    let evil = format!(
        "data:text/html,<form method=post action='{asked}'>{form}<input name=answer value=allow-once><button>Win</button></form>"
    );
    browser.open(&evil).await;
    browser.click("button").await;
    browser.shows("The form was not sent from this page").await;

    browser.open(&asked).await;
    browser.click("input[value=allow-once]").await;
    browser.click("button").await;
    browser.shows("allowed once").await;
    assert_eq!(run.await.expect("an answer"), "closed");

    // And no.
    let run = closes(&serving.at, "TIC-0003");
    let asked = serving.page().await;
    browser.open(&asked).await;
    browser.click("button").await;
    browser.shows("Allow this call?").await;
    browser.click("input[value=deny]").await;
    browser.types("textarea", "not today").await;
    browser.click("button").await;
    let told = run.await.expect("an answer");
    assert!(
        told.contains("did not allow this call: not today"),
        "{told}"
    );
}
