//! Each page: it opens without a complaint of the browser, axe finds nothing, and it is small.

use super::deeds::saves_skill;
use super::desk::{Desk, EVERYTHING, Programs, axe};
use super::tab::{LOOKS, Tab};

/// Pages that always are, with something that each shows.
const PAGES: [(&str, &str, &str); 17] = [
    ("playground", "/console", "Write a script"),
    ("runs", "/console/runs", "Runs"),
    ("approvals", "/console/approvals", "Calls that wait"),
    ("schedules", "/console/schedules", "nightly"),
    ("servers", "/console/servers", "demo"),
    (
        "server",
        "/console/servers/one?name=demo",
        "demo.listOrders",
    ),
    ("tools", "/console/tools", "demo.closeTicket"),
    (
        "tool",
        "/console/tools/one?name=demo.list_orders",
        "Declarations",
    ),
    ("toolkits", "/console/toolkits", "Reads the shop"),
    ("sessions", "/console/sessions", "basket"),
    (
        "session",
        "/console/sessions/one?name=basket",
        "After run 1",
    ),
    ("files", "/console/files", "notes.txt"),
    ("file", "/console/files/one?path=notes.txt", "one"),
    ("skills", "/console/skills", "twice"),
    ("skill", "/console/skills/one?name=twice", "About the skill"),
    ("audit", "/console/audit", "Audit"),
    ("configuration", "/console/configuration", "ampoule.toml"),
];
/// Pages about what was counted and decided.
const OPERATION: [(&str, &str, &str); 5] = [
    ("policies", "/console/policies", "Test a case"),
    (
        "decision",
        "/console/policies?call=demo.close_ticket+%7B%22ticketId%22%3A%22TIC-0002%22%7D",
        "ask",
    ),
    ("chain", "/console/audit/chain", "The log is intact"),
    ("statistics", "/console/statistics", "Runs and calls"),
    ("people", "/console/people", "principals"),
];
/// Pages before anything has happened. Each says what to do.
const EMPTY: [(&str, &str, &str); 8] = [
    ("no-runs", "/console/runs", "Start one in the"),
    ("no-approvals", "/console/approvals", "says which calls do"),
    ("no-schedules", "/console/schedules", "[schedules.NAME]"),
    ("no-toolkits", "/console/toolkits", "[toolkits.NAME]"),
    ("no-sessions", "/console/sessions", "Give a run a session"),
    ("no-files", "/console/files", "A script writes one"),
    ("no-skills", "/console/skills", "A script saves one"),
    ("no-statistics", "/console/statistics", "Run a script"),
];
/// What the configuration turns on for them.
const TURNED_ON: &str = "[skills]\n[workspace]\n[audit]\n[approvals]\nask = 'destructive'\n";
/// Pages of a console whose configuration turns nothing on. Each says what to add.
const NOT_SET_UP: [(&str, &str, &str); 7] = [
    ("approvals-off", "/console/approvals", "add `[approvals]`"),
    ("files-off", "/console/files", "add `[workspace]`"),
    ("skills-off", "/console/skills", "add `[skills]`"),
    ("audit-off", "/console/audit", "add `[audit]`"),
    ("statistics-off", "/console/statistics", "add `[audit]`"),
    ("policies-off", "/console/policies", "No policy is set up"),
    ("nothing", "/console/nothing", "not found"),
];

/// Runs a script in the playground, and gives the address of its run once this is shown.
pub(super) async fn runs(tab: &Tab, desk: &Desk, code: &str, shows: &str) -> String {
    runs_in(tab, desk, code, "").await;
    tab.shows(shows).await;
    let link = "return document.querySelector('#result header a').href";
    tab.script(link)
        .await
        .as_str()
        .expect("an address")
        .to_owned()
}

/// The same in a session. Gives nothing, as soon as the run is there.
pub(super) async fn runs_in(tab: &Tab, desk: &Desk, code: &str, session: &str) {
    runs_at(tab, &desk.page("/console"), code, session).await;
}

/// The same in the playground at this address.
pub(super) async fn runs_at(tab: &Tab, playground: &str, code: &str, session: &str) {
    tab.open(playground).await;
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    let set = format!(
        "document.querySelector('#code').value = {code:?};
         document.querySelector('#session').value = {session:?};
         const form = document.querySelector('#code').form;
         form.requestSubmit(form.querySelector('button.main'))"
    );
    tab.script(&set).await;
    tab.until("document.querySelector('#result header a')")
        .await;
}

/// A page to look at.
struct Seen {
    name: &'static str,
    path: String,
    /// Something that it shows.
    shows: &'static str,
}

fn fixed(pages: &[(&'static str, &str, &'static str)]) -> Vec<Seen> {
    let seen = pages.iter().map(|&(name, path, shows)| Seen {
        name,
        path: path.to_owned(),
        shows,
    });
    seen.collect()
}

/// Looks at each page in all ways, and collects what is wrong.
async fn problems(tab: &Tab, desk: &Desk, pages: Vec<Seen>, axe: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for Seen { name, path, shows } in pages {
        tab.open(&desk.page(&path)).await;
        tab.shows(shows).await;
        tab.until("[...document.querySelectorAll('[data-editor]')].length === document.querySelectorAll('.editor[data-ready]').length")
            .await;
        tab.script(axe).await;
        for (look, how) in LOOKS {
            tab.look(how).await;
            tab.picture(&format!("{name}-{look}")).await;
            let page = format!("{name} {look}");
            problems.extend(found(tab, &page).await);
        }
    }
    problems
}

#[tokio::test]
async fn each_page_of_what_there_is_is_clean_for_every_reader() {
    let test = "each_page_of_what_there_is_is_clean_for_every_reader";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let desk = Desk::start(EVERYTHING).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    let names = "let basket = [1, 2]; let owner = 'ada'";
    runs_in(&tab, &desk, names, "basket").await;
    let writes =
        "import fs from 'node:fs'; fs.writeFileSync('notes.txt', 'one'); console.log('written')";
    runs(&tab, &desk, writes, "written").await;
    saves_skill(&tab, &desk, "export function twice(n) { return 2 * n }").await;
    let problems = problems(&tab, &desk, fixed(&PAGES), &axe).await;
    assert!(problems.is_empty(), "{problems:#?}");
}

#[tokio::test]
async fn each_page_of_what_happened_is_clean_for_every_reader() {
    let test = "each_page_of_what_happened_is_clean_for_every_reader";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let desk = Desk::start(EVERYTHING).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    let calls = "console.log('counted'); return (await tools.demo.listTickets({ limit: 2 })).items";
    let fine = runs(&tab, &desk, calls, "counted").await;
    let fails = "const { items } = await tools.demo.listTickets({ status: 'open' });\nreturn items[0].ticket.id";
    let failed = runs(&tab, &desk, fails, "The script failed").await;
    let asks =
        "return (await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'x' })).status";
    let waits = runs(&tab, &desk, asks, "waits for approval").await;
    tab.open(&desk.page("/console/approvals")).await;
    tab.shows("demo.close_ticket").await;
    let link = "return document.querySelector('#approvals a').getAttribute('href')";
    let question = tab.script(link).await;
    let question = question.as_str().expect("an address").to_owned();

    let path = |address: &str| address.replace(&desk.page(""), "");
    let result = path(&failed).replace("/console/runs/", "/console?run=");
    let replay = format!("{}/replay", path(&failed));
    let more = [
        ("run", path(&fine), "counted"),
        ("run-failed", path(&failed), "The script failed"),
        ("run-waits", path(&waits), "waits for approval"),
        ("replay", replay, "Replay of run"),
        ("approval", question, "Allow this call?"),
        ("result", result, "The script failed"),
        ("call", format!("{}/calls/0", path(&fine)), "Arguments"),
    ];
    let more = more.map(|(name, path, shows)| Seen { name, path, shows });
    let pages = fixed(&OPERATION).into_iter().chain(more).collect();
    let problems = problems(&tab, &desk, pages, &axe).await;
    assert!(problems.is_empty(), "{problems:#?}");
}

#[tokio::test]
async fn each_page_without_content_says_what_to_do() {
    let test = "each_page_without_content_says_what_to_do";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let mut wrong = Vec::new();
    for (lines, pages) in [(TURNED_ON, &EMPTY[..]), ("", &NOT_SET_UP[..])] {
        let desk = Desk::start(lines).await;
        let tab = programs.tab().await;
        tab.open(&desk.opening).await;
        tab.shows("Write a script").await;
        // The page that opens the console has no icon.
        tab.complaints().await;
        wrong.extend(problems(&tab, &desk, fixed(pages), &axe).await);
    }
    // The browser says so of what is not there.
    wrong.retain(|it| !it.contains("the server responded with a status of 404"));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn times_are_those_of_the_readers_zone() {
    let test = "times_are_those_of_the_readers_zone";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let desk = Desk::start("[records]\nkeep = 'all'\n").await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    let run = runs(&tab, &desk, "console.log('do' + 'ne')", "done").await;
    for zone in ["Asia/Tokyo", "America/New_York"] {
        tab.is_in(zone).await;
        tab.open(&run).await;
        let is_theirs = format!(
            "[...document.querySelectorAll('main time')].map((one) => one.innerText === new Intl.DateTimeFormat(
                undefined, {{ dateStyle: 'medium', timeStyle: 'medium', timeZone: '{zone}' }},
            ).format(new Date(one.dateTime))).join() === 'true'"
        );
        tab.until(&is_theirs).await;
    }
}

/// What is wrong with a page as it is seen now. It has axe.
async fn found(tab: &Tab, page: &str) -> Vec<String> {
    let mut found: Vec<String> = tab.complaints().await;
    found.extend(tab.findings().await);
    let wider =
        "return document.documentElement.scrollWidth > document.documentElement.clientWidth";
    if tab.script(wider).await == true {
        found.push("it is wider than the screen".to_owned());
    }
    let inline = "return document.querySelectorAll('[style], style, script:not([src])').length";
    if tab.script(inline).await != 0 {
        found.push("it has inline styles or scripts".to_owned());
    }
    found
        .into_iter()
        .map(|what| format!("{page}: {what}"))
        .collect()
}
