//! What people do in the console, each deed in a real browser and by keyboard: a button is pressed, and
//! the page shows that it is done.

use super::desk::{Desk, EVERYTHING, Programs};
use super::pages::{runs, runs_in};
use super::tab::Tab;

const TICKET: &str =
    "await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'Answered' })";

/// A console with everything, and a browser that it let in.
async fn begun(test: &str) -> Option<(Desk, Tab)> {
    let programs = Programs::find(test)?;
    let desk = Desk::start(EVERYTHING).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    Some((desk, tab))
}

/// Goes to a button or a link by the key Tab, from the beginning of the page, and presses it.
pub(super) async fn presses(tab: &Tab, label: &str) {
    tab.tab_to_from_top(label).await;
    tab.press(&["Enter"]).await;
}

/// Writes into a field.
async fn writes(tab: &Tab, label: &str, text: &str) {
    tab.tab_to_from_top(label).await;
    tab.press(&[text]).await;
}

/// How the browser is told to take what is at an address: as a file, never as a page.
async fn disposition(tab: &Tab, address: &str) -> String {
    let fetched = format!(
        "return fetch({address:?}).then((it) => `${{it.status}} ${{it.headers.get('content-disposition')}}`)"
    );
    let said = tab.script(&fetched).await;
    said.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn runs_are_repeated_replayed_stepped_through_and_cancelled() {
    let test = "runs_are_repeated_replayed_stepped_through_and_cancelled";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    let code = "console.log('first'); const { items } = await tools.demo.listTickets({ limit: 1 }); console.log('second'); return items.length";
    let run = runs(&tab, &desk, code, "second").await;

    tab.open(&run).await;
    presses(&tab, "Run again").await;
    tab.until(&format!(
        "location.pathname.startsWith('/console/runs/') && location.href !== {run:?}"
    ))
    .await;
    tab.shows("second").await;

    tab.open(&run).await;
    presses(&tab, "Replay").await;
    tab.shows("The replay ended in the same way").await;
    presses(&tab, "Stop before the first call").await;
    let shown = tab.shows("Next is call 1 of 1").await;
    assert!(shown.contains("Stopped before call 0"), "{shown}");
    assert!(
        shown.contains("first"),
        "what was printed until then: {shown}"
    );

    tab.open(&run).await;
    let saved = "return document.querySelector('a[download]').getAttribute('href')";
    let saved = tab.script(saved).await;
    let saved = disposition(&tab, saved.as_str().expect("an address")).await;
    assert!(saved.starts_with("200 attachment; "), "{saved}");

    let endless = "console.log('still ' + 'here'); for (;;) await new Promise((done) => setTimeout(done, 50))";
    runs_in(&tab, &desk, endless, "").await;
    tab.shows("still here").await;
    presses(&tab, "Everything about this run").await;
    tab.until("location.pathname.startsWith('/console/runs/')")
        .await;
    let shown = tab.shows("still here").await;
    assert!(shown.contains("running"), "output as it comes: {shown}");
    presses(&tab, "Cancel").await;
    tab.shows("The run was cancelled").await;

    tab.open(&desk.page("/console/runs")).await;
    writes(&tab, "Search by id, client or principal", "zzz").await;
    tab.press(&["Enter"]).await;
    tab.shows("No run matches").await;
    presses(&tab, "Show all runs").await;
    tab.shows("returned").await;
    let complaints = tab.complaints().await;
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[tokio::test]
async fn calls_are_denied_with_a_word_and_allowed_for_an_hour() {
    let test = "calls_are_denied_with_a_word_and_allowed_for_an_hour";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    let tries =
        format!("try {{ {TICKET} }} catch (error) {{ return 'not done: ' + error.message }}");
    let denied = runs(&tab, &desk, &tries, "waits for approval").await;
    opens_question(&tab, &desk).await;
    writes(&tab, "Reason of a denial", "not on a Friday").await;
    presses(&tab, "Deny").await;
    tab.shows("denied").await;
    tab.open(&denied).await;
    let shown = tab.shows("not done:").await;
    assert!(shown.contains("not on a Friday"), "{shown}");

    let closes = format!("const ticket = {TICKET}; console.log(ticket.status + ' now')");
    runs_in(&tab, &desk, &closes, "work").await;
    tab.shows("waits for approval").await;
    opens_question(&tab, &desk).await;
    presses(&tab, "Allow for an hour").await;
    tab.shows("allowed").await;
    // The next run of the session is not asked about.
    let again = closes.replace("TIC-0002", "TIC-0003");
    runs_in(&tab, &desk, &again, "work").await;
    tab.shows("closed now").await;
    tab.open(&desk.page("/console/approvals")).await;
    tab.shows("answered").await;
    let open = "return [...document.querySelectorAll('#approvals .tag')].filter((one) => one.innerText === 'open').length";
    assert_eq!(tab.script(open).await, 0);
}

/// Opens the question that waits.
async fn opens_question(tab: &Tab, desk: &Desk) {
    tab.open(&desk.page("/console/approvals")).await;
    tab.shows("demo.close_ticket").await;
    let link = "return document.querySelector('#approvals a').innerText.trim()";
    let link = tab.script(link).await;
    presses(tab, link.as_str().expect("a text")).await;
    tab.shows("Allow this call?").await;
}

#[tokio::test]
async fn tools_are_called_servers_restarted_and_cases_tested() {
    let test = "tools_are_called_servers_restarted_and_cases_tested";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    tab.open(&desk.page("/console/tools/one?name=demo.list_orders"))
        .await;
    tab.shows("Call it").await;
    writes(&tab, "limit", "1").await;
    presses(&tab, "Call").await;
    tab.until("location.pathname.startsWith('/console/runs/')")
        .await;
    tab.shows("returned").await;

    tab.open(&desk.page("/console/servers/one?name=demo")).await;
    tab.shows("ready").await;
    presses(&tab, "Restart").await;
    // The next call starts it.
    tab.shows("not started").await;

    tab.open(&desk.page("/console/policies")).await;
    tab.shows("Test a case").await;
    let case = r#"demo.close_ticket {"ticketId": "TIC-0002"}"#;
    writes(&tab, "Call", case).await;
    presses(&tab, "Test").await;
    tab.until("document.querySelector('#result .tag')?.innerText === 'ask'")
        .await;

    tab.open(&desk.page("/console/audit")).await;
    tab.shows("Audit").await;
    let saved = disposition(&tab, "/console/audit/save").await;
    assert!(
        saved.starts_with("200 attachment; filename=\"audit.jsonl\""),
        "{saved}"
    );
    presses(&tab, "Check the chain").await;
    tab.shows("The log is intact").await;

    tab.open(&desk.page("/console/statistics")).await;
    presses(&tab, "A week").await;
    tab.until("location.search === '?span=week'").await;
    tab.shows("Median run").await;
    tab.open(&desk.page("/console/configuration")).await;
    writes(&tab, "Search keys", "records").await;
    tab.press(&["Enter"]).await;
    tab.until("location.search === '?search=records'").await;
    tab.shows("records.keep").await;
    let complaints = tab.complaints().await;
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[tokio::test]
async fn sessions_go_back_and_fork_and_files_are_saved() {
    let test = "sessions_go_back_and_fork_and_files_are_saved";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    runs_in(
        &tab,
        &desk,
        "let basket = [1]; console.log('kept one')",
        "basket",
    )
    .await;
    tab.shows("kept one").await;
    runs_in(
        &tab,
        &desk,
        "basket.push(2); console.log('kept two')",
        "basket",
    )
    .await;
    tab.shows("kept two").await;
    presses(&tab, "Everything about this run").await;
    tab.until("location.pathname.startsWith('/console/runs/')")
        .await;
    let shown = tab.shows("its run 2").await;
    assert!(
        shown.contains("basket") && shown.contains("changed"),
        "{shown}"
    );

    let session = desk.page("/console/sessions/one?name=basket");
    tab.open(&session).await;
    writes(&tab, "Name of the copy", "copy").await;
    presses(&tab, "Fork").await;
    tab.until("new URLSearchParams(location.search).get('name') === 'copy'")
        .await;
    tab.open(&session).await;
    tab.script("document.querySelector('#state-1').open = true")
        .await;
    presses(&tab, "Rewind to here").await;
    tab.until("document.querySelector('.figures dd')?.innerText === '1'")
        .await;
    tab.open(&desk.page("/console/sessions")).await;
    tab.shows("copy").await;

    let code =
        "import fs from 'node:fs'; fs.writeFileSync('notes.txt', 'one'); console.log('written')";
    runs(&tab, &desk, code, "written").await;
    tab.open(&desk.page("/console/files")).await;
    presses(&tab, "notes.txt").await;
    tab.shows("one").await;
    let saved = disposition(&tab, "/console/files/save?path=notes.txt").await;
    assert!(
        saved.starts_with("200 attachment; filename=\"notes.txt\""),
        "{saved}"
    );
}

#[tokio::test]
async fn skills_are_saved_tested_approved_and_rolled_back() {
    let test = "skills_are_saved_tested_approved_and_rolled_back";
    let Some((desk, tab)) = begun(test).await else {
        return;
    };
    saves_skill(&tab, &desk, "export function twice(n) { return 2 * n }").await;
    tab.shows("version 1").await;
    presses(&tab, "Test").await;
    tab.shows("The code loads; the skill has no example").await;
    presses(&tab, "Approve this version").await;
    tab.until(&is_approved(1)).await;
    saves_skill(&tab, &desk, "export function twice(n) { return n + n }").await;
    let shown = tab.shows("version 2").await;
    assert!(
        shown.contains("+export function twice(n) { return n + n }"),
        "{shown}"
    );
    presses(&tab, "Approve this version").await;
    tab.until(&is_approved(2)).await;
    presses(&tab, "Roll back").await;
    tab.until(&is_approved(1)).await;
    let complaints = tab.complaints().await;
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Whether the page says that this version is approved.
fn is_approved(version: u32) -> String {
    format!(
        "[...document.querySelectorAll('dt')].some((one) => one.innerText === 'Approved' && one.nextElementSibling.innerText.trim() === 'version {version}')"
    )
}

/// Saves a script of the playground.
pub(super) async fn saves_skill(tab: &Tab, desk: &Desk, code: &str) {
    tab.open(&desk.page("/console")).await;
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    tab.script(&format!("document.querySelector('#code').value = {code:?}"))
        .await;
    presses(tab, "Save as a skill").await;
    writes(tab, "Name", "twice").await;
    writes(tab, "What it is for, and when", "Doubles a number.").await;
    presses(tab, "Save").await;
    tab.until("location.pathname === '/console/skills/one'")
        .await;
}
