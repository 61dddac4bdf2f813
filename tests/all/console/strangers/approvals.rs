//! Reasons and arguments of calls that people answer, and the words with which people deny them.

use std::path::Path;

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::super::desk::{Desk, EVERYTHING, Programs};
use super::super::pages::runs;
use super::{SERVER, are_shown, looked, strings};

/// What the script prints once each of its calls was denied.
const ALL_DENIED: &str = "60 of 60 calls were denied";

/// A server with a tool for each string, which a person is asked about. It writes each call to a log.
fn asking(log: &Path) -> Value {
    let tools = strings().into_iter().enumerate().map(|(index, string)| {
        json!({
            "name": format!("ask-{index}"),
            "description": string,
            "inputSchema": { "type": "object" },
        })
    });
    let tools: Vec<Value> = tools.collect();
    json!({ "tools": tools, "answers": {}, "log": log })
}

/// Calls each tool, all at once. Prints how many calls were denied, and what each was answered.
fn calls() -> String {
    let strings = serde_json::to_string(&strings()).expect("JSON");
    format!(
        "const strings = {strings};
const calls = strings.map((text, index) => tools.call(`foreign.ask-${{index}}`, {{ [text]: text }}).catch((error) => error));
const answers = await Promise.all(calls);
const denied = answers.filter((answer) => answer?.kind === 'denied');
console.log(`${{denied.length}} of ${{answers.length}} calls were denied`);
console.log(answers.map((answer) => answer?.message).join('\\n'));"
    )
}

/// A policy for each of these tools, whose reason is the string.
fn policies() -> String {
    let policies = strings().into_iter().enumerate().map(|(index, string)| {
        format!(
            "@id(\"ask-{index}\")\n@ask\n@reason({string:?})\nforbid(principal, action == Action::\"foreign.ask-{index}\", resource);\n"
        )
    });
    policies.collect()
}

#[tokio::test]
async fn reasons_and_arguments_of_approvals_are_text() {
    let test = "reasons_and_arguments_of_approvals_are_text";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let workplace = Workplace::default();
    let log = workplace.path().join("calls");
    let file = workplace.file("listed.json", asking(&log).to_string());
    workplace.file("policies/ask.cedar", policies());
    let config = format!(
        "[servers.foreign]\ncommand = {SERVER:?}\nargs = [{file:?}]\n[policies]\nfolder = 'policies'\n{EVERYTHING}"
    );
    let desk = Desk::at(workplace, &config).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    tab.complaints().await;
    tab.open(&desk.page("/console/servers/one?name=foreign"))
        .await;
    tab.shows("ready").await;
    let run = runs(&tab, &desk, &calls(), "waits for approval").await;
    let (mut found, mut text, mut answered) = (Vec::new(), String::new(), Vec::new());
    let open = "return [...document.querySelectorAll('#approvals tbody tr')]
        .find((row) => [...row.querySelectorAll('.tag')].some((one) => one.innerText === 'open'))
        ?.querySelector('a').getAttribute('href') ?? ''";
    // The run asks about several calls at once, and as often as it takes.
    for number in 0..2 * strings().len() {
        tab.open(&desk.page("/console/approvals")).await;
        let (traces, shown) = looked(&tab, "/console/approvals").await;
        found.extend(traces);
        text += &shown;
        let question = tab.script(open).await;
        let question = question.as_str().expect("an address").to_owned();
        if question.is_empty() {
            // The run is over, or asks again in a moment.
            tab.open(&run).await;
            let (traces, shown) = looked(&tab, &run).await;
            found.extend(traces);
            if shown.contains(ALL_DENIED) {
                break;
            }
            continue;
        }
        tab.open(&desk.page(&question)).await;
        let (traces, shown) = looked(&tab, &question).await;
        found.extend(traces);
        text += &shown;
        // The person's own words are foreign to the one who reads them later.
        let half = strings().len() / 2;
        let words = strings()[number % 2 * half..][..half].join("\n");
        let denies = format!(
            "document.querySelector('#reason').value = {words:?};
             document.querySelector('button[value=deny]').click()"
        );
        tab.script(&denies).await;
        tab.shows("denied").await;
        answered.push(question);
    }
    assert!(!answered.is_empty());
    tab.open(&run).await;
    tab.shows(ALL_DENIED).await;
    assert!(!log.exists(), "a call was made that a person denied");
    let run = run.replace(&desk.page(""), "");
    let more = [
        "/console/approvals",
        "/console/audit",
        "/console/policies",
        &run,
    ];
    for page in more.into_iter().chain(answered.iter().map(String::as_str)) {
        tab.open(&desk.page(page)).await;
        let (traces, shown) = looked(&tab, page).await;
        found.extend(traces);
        text += &shown;
    }
    assert!(found.is_empty(), "{found:#?}");
    are_shown(&text);
}
