//! What operators do in the console of a server: they start schedules, and see who has tokens. Other
//! people see neither.

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;

use super::deeds::presses;
use super::desk::{Programs, axe};
use super::tab::{LOOKS, Tab};
use crate::principals::Principal;
use crate::serving::Serving;

const CONFIG: &str = "[records]
keep = 'all'
[audit]
[schedules.nightly]
cron = '0 6 * * *'
time-zone = 'Europe/Berlin'
script = 'report.ts'
tools = ['demo.list_*']
[hooks.github]
secret = 'a secret of a test, long enough'
script = 'report.ts'
tools = ['demo.list_*']
[serve.auth]
tokens = 'tokens'
[console]
operators = ['olga']
";

/// Opens a page in a browser whose person has to paste a token first.
async fn comes_in(tab: &Tab, page: &str, token: &str) {
    tab.open(page).await;
    tab.shows("Sign in to Ampoule").await;
    tab.tab_to("Token").await;
    tab.press(&[token, "Enter"]).await;
    tab.until(&format!("location.href === {page:?}")).await;
}

#[tokio::test]
async fn operators_start_schedules_and_see_who_has_tokens() {
    let test = "operators_start_schedules_and_see_who_has_tokens";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let workplace = Workplace::default();
    let script =
        "console.log('counted ' + (await tools.demo.listOrders({ limit: 2 })).items.length)";
    workplace.file("report.ts", script);
    let demo = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    );
    workplace.file("ampoule.toml", format!("{demo}{CONFIG}"));
    let ada = Principal::token(&workplace, "ada").await;
    let olga = Principal::token(&workplace, "olga").await;
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let at = serving.at.trim_end_matches("/mcp");
    let (schedules, people) = (
        format!("{at}/console/schedules"),
        format!("{at}/console/people"),
    );
    let tab = programs.tab().await;
    comes_in(&tab, &schedules, &olga).await;
    let shown = tab.shows("nightly").await;
    assert!(shown.contains("/hooks/github"), "{shown}");
    presses(&tab, "Start").await;
    tab.until("location.pathname.startsWith('/console/runs/')")
        .await;
    tab.shows("counted 2").await;
    tab.open(&schedules).await;
    tab.shows("returned").await;

    let mut found = Vec::new();
    for (name, page) in [("schedules-operator", &schedules), ("people", &people)] {
        tab.open(page).await;
        tab.shows(if page == &people { "ada" } else { "nightly" })
            .await;
        tab.script(&axe).await;
        for (look, how) in LOOKS {
            tab.look(how).await;
            tab.picture(&format!("{name}-{look}")).await;
            let findings = tab.findings().await.into_iter();
            found.extend(findings.map(|what| format!("{name} {look}: {what}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    presses(&tab, "Runs of ada").await;
    tab.shows("No run matches").await;

    let hers = programs.tab().await;
    comes_in(&hers, &schedules, &ada).await;
    let shown = hers.shows("No schedules yet").await;
    assert!(!shown.contains("nightly"), "{shown}");
    hers.open(&people).await;
    hers.shows("Only for operators").await;
}
