//! The editor of the playground: what it completes, and the mistakes that it marks before a run; and
//! the examples that stand in it for somebody who comes for the first time.

use std::time::Duration;

use serde_json::{Value, json};

use super::deeds::presses;
use super::desk::{Desk, EVERYTHING, Programs};
use super::tab::Tab;

/// What is in the editor, which has a shadow root.
const INSIDE: &str = "[...document.querySelector('.editor').shadowRoot.querySelectorAll";

async fn begun(test: &str) -> Option<(Desk, Tab)> {
    let programs = Programs::find(test)?;
    let desk = Desk::start(EVERYTHING).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    Some((desk, tab))
}

/// Writes a script in place of what stands in the editor.
async fn writes(tab: &Tab, code: &str) {
    let focuses =
        "document.querySelector('.editor').shadowRoot.querySelector('.cm-content').focus()";
    tab.script(focuses).await;
    tab.press_with_ctrl("a").await;
    tab.press(&["Delete", code]).await;
}

/// Waits until the editor offers this first.
async fn offers(tab: &Tab, name: &str) {
    let first = format!("{INSIDE}('.cm-tooltip-autocomplete li')][0]?.innerText === '{name}'");
    tab.until(&first).await;
}

/// Waits until this is marked in the editor, and gives all that is marked.
async fn marks(tab: &Tab, part: &str) -> Value {
    let marked = format!("{INSIDE}('.cm-lintRange-warning')].map((one) => one.innerText)");
    tab.until(&format!("{marked}.includes('{part}')")).await;
    tab.script(&format!("return {marked}")).await
}

#[tokio::test]
async fn tools_are_completed_and_mistakes_are_marked_before_a_run() {
    let test = "tools_are_completed_and_mistakes_are_marked_before_a_run";
    let Some((_desk, tab)) = begun(test).await else {
        return;
    };
    writes(&tab, "await tools.demo.getOr").await;
    offers(&tab, "getOrder").await;
    // An offer is not taken by a key that was pressed before it could be seen.
    tokio::time::sleep(Duration::from_millis(300)).await;
    tab.press(&["Enter"]).await;
    tab.until(
        "document.querySelector('#code').value.startsWith('await tools.demo.getOrder({ orderId:')",
    )
    .await;

    writes(&tab, "await tools.demo.getOrdr({ orderId: 'a' })").await;
    tab.press(&["Escape"]).await;
    marks(&tab, "getOrdr").await;
    writes(&tab, "await tools.demo.getOrder({ order: 'a' })").await;
    tab.press(&["Escape"]).await;
    let marked = marks(&tab, "order").await;
    assert_eq!(marked, json!(["getOrder", "order"]));
    tab.press_with_ctrl_and_shift("m").await;
    let why = format!("{INSIDE}('.cm-diagnostic')].map((one) => one.innerText)");
    tab.until(&format!("{why}.length === 2")).await;
    let why = tab.script(&format!("return {why}")).await;
    let expected = ["Missing: orderId.", "`getOrder` takes no argument `order`."];
    assert_eq!(why, json!(expected));

    let python = "const one = document.querySelector('#language');
        one.value = 'python';
        one.dispatchEvent(new Event('change', { bubbles: true }))";
    tab.script(python).await;
    tab.until("document.querySelector('.editor[data-ready=python]')")
        .await;
    writes(&tab, "tools.demo.list_o").await;
    offers(&tab, "list_orders").await;
    tab.press(&["Escape"]).await;
    writes(&tab, "await tools.demo.list_ordrs()").await;
    tab.press(&["Escape"]).await;
    marks(&tab, "list_ordrs").await;
    let complaints = tab.complaints().await;
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[tokio::test]
async fn each_example_does_what_it_says_in_both_languages() {
    let test = "each_example_does_what_it_says_in_both_languages";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    let examples = [
        ("unpaid", "\"customers\": 8"),
        ("at-once", "11 tickets of 10 customers"),
        ("mistake", "The script failed in line 5"),
    ];
    for language in ["typescript", "python"] {
        let mut shown = Vec::new();
        for (example, shows) in examples {
            let page = format!("/console?example={example}&language={language}");
            tab.open(&desk.page(&page)).await;
            tab.until("document.querySelector('.editor[data-ready]')")
                .await;
            presses(&tab, "Run").await;
            shown.push(tab.shows(shows).await);
        }
        assert!(shown[0].contains("\"cents\": 7159119"), "{}", shown[0]);
        assert!(shown[1].contains("11 calls"), "{}", shown[1]);
    }
}
