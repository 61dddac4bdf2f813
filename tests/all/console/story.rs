//! A story, by keyboard alone: a run fails, a person sees why, edits and replays it, runs it with
//! real calls, allows the call that waits, and the run goes on.

use super::desk::{Desk, EVERYTHING, Programs};
use super::tab::Tab;

const FIXED: &str = "const open = await tools.demo.listTickets({ status: 'open', limit: 5 }); \
    return (await tools.demo.closeTicket({ ticketId: open.items[0].id, resolution: 'Answered' })).status";

/// In the playground, runs the example with a mistake, and finds out why it failed.
pub(super) async fn fails(tab: &Tab) {
    // The example with a mistake.
    tab.tab_to("A mistake to fix").await;
    tab.press(&["Enter"]).await;
    tab.until("location.search.includes('mistake')").await;
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    tab.tab_to("Code").await;
    tab.press_with_ctrl("Enter").await;
    let shown = tab.shows("The script failed").await;
    assert!(shown.contains("line 5"), "{shown}");

    // Why it failed.
    tab.tab_to("Everything about this run").await;
    tab.press(&["Enter"]).await;
    tab.until("location.pathname.startsWith('/console/runs/')")
        .await;
    tab.until("document.querySelector('.line.wrong')?.textContent.includes('oldest.ticket.id')")
        .await;
    tab.tab_to("line 5, column 69").await;
}

/// From the page of the failed run, replays a script without the mistake, and runs it with real calls.
/// The page is that of the new run then, which waits for approval.
pub(super) async fn is_fixed(tab: &Tab) {
    // Another script against the recorded answers.
    tab.tab_to_from_top("Edit and replay").await;
    tab.press(&["Enter"]).await;
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    tab.tab_to("Code").await;
    tab.press_with_ctrl("a").await;
    tab.press(&["Delete", FIXED]).await;
    let typed = tab
        .script("return document.querySelector('#code').value")
        .await;
    assert_eq!(typed, FIXED);
    // Completions may be open.
    tab.press(&["Escape"]).await;
    tab.tab_to("Replay").await;
    tab.press(&["Enter"]).await;
    let shown = tab.shows("Answers used").await;
    assert!(shown.contains("demo.close_ticket"), "{shown}");

    // The same with real calls waits for a person.
    tab.tab_to("Run with real calls").await;
    tab.press(&["Enter"]).await;
    tab.until(
        "location.pathname.startsWith('/console/runs/') && !location.pathname.endsWith('replay')",
    )
    .await;
    tab.shows("The run waits for approval").await;
}

#[tokio::test]
async fn a_failed_run_is_understood_and_fixed_by_keyboard() {
    let test = "a_failed_run_is_understood_and_fixed_by_keyboard";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let desk = Desk::start(EVERYTHING).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    tab.press(&["Tab"]).await;
    let first = tab
        .script("return document.activeElement.textContent")
        .await;
    assert_eq!(first, "Skip to the content");

    fails(&tab).await;
    is_fixed(&tab).await;
    let run = tab.address().await;

    // Another window allows it.
    let window = tab.other_window().await;
    tab.open(&desk.page("/console/approvals")).await;
    tab.shows("Calls that wait").await;
    let link = tab
        .script("return document.querySelector('#approvals a').innerText.trim()")
        .await;
    tab.tab_to(link.as_str().expect("a text")).await;
    tab.press(&["Enter"]).await;
    let shown = tab.shows("Allow this call?").await;
    for part in ["demo.close_ticket", "Answered", "TIC-"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    tab.tab_to("Allow once").await;
    tab.press(&["Enter"]).await;
    tab.shows("allowed once").await;

    // The first window shows by itself that the run went on.
    tab.to_window(&window).await;
    assert_eq!(tab.address().await, run);
    tab.shows("closed").await;
    let complaints = tab.complaints().await;
    assert!(complaints.is_empty(), "{complaints:?}");
}
