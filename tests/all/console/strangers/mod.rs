//! Text of servers and scripts that would be markup: in each place where it can come from, it is
//! text. No script of it runs, and no element is made of it.
//!
//! - `approvals`: reasons and arguments of calls that people answer; `names`: names of sessions, and
//!   what skills and toolkits say

mod approvals;
mod names;

use std::path::Path;

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::desk::{Desk, EVERYTHING, Programs};
use super::pages::runs;
use super::tab::Tab;

pub(super) const SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

/// A line each. All of them would call `foreign`, or show something of theirs.
pub(super) fn strings() -> Vec<&'static str> {
    include_str!("markup.txt").lines().collect()
}

/// A server whose tools say these strings everywhere: in names, descriptions, schemas, answers and
/// errors. It writes each call to a log.
fn listed(log: &Path) -> Value {
    let (mut tools, mut answers) = (Vec::new(), serde_json::Map::new());
    for (index, string) in strings().into_iter().enumerate() {
        let name = format!("tool-{index}");
        tools.push(json!({
            "name": name,
            "title": string,
            "description": string,
            "inputSchema": {
                "type": "object",
                "title": string,
                "properties": {
                    string: { "type": "string", "description": string },
                    "choice": { "enum": [string], "description": string, "default": string },
                },
            },
        }));
        let answer = json!({
            "content": [{ "type": "text", "text": string }],
            "isError": index % 2 == 1,
        });
        answers.insert(name, answer);
        tools.push(
            json!({ "name": string, "description": string, "inputSchema": { "type": "object" } }),
        );
    }
    json!({ "tools": tools, "answers": answers, "log": log })
}

/// The server got one call for each string, which is the name and the value of an argument.
fn were_called(log: &Path) {
    let calls = std::fs::read_to_string(log).expect("the server got calls");
    let calls = calls.lines().map(|line| {
        let (tool, arguments) = line.split_once(' ').expect("a tool and its arguments");
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        (tool.to_owned(), arguments)
    });
    let expected = strings().into_iter().enumerate().map(|(index, string)| {
        let arguments = json!({ string: string, "choice": string });
        (format!("tool-{index}"), arguments)
    });
    let (calls, expected): (Vec<_>, Vec<_>) = (calls.collect(), expected.collect());
    assert_eq!(calls, expected);
}

/// Writes a file named after each string. A run that fails leaves no files, so it must not.
fn writes() -> String {
    let strings = serde_json::to_string(&strings()).expect("JSON");
    format!(
        "import fs from 'node:fs';
for (const text of {strings}) fs.writeFileSync(text.replaceAll('/', '|'), text);
console.log('all written');"
    )
}

/// Calls each tool with its string as an argument, prints the answers, and ends with an error made of
/// all strings. A call without the tool's own answer ends the script without an error.
fn calls() -> String {
    let strings = serde_json::to_string(&strings()).expect("JSON");
    format!(
        "const strings = {strings};
for (const [index, text] of strings.entries()) {{
  let answer;
  try {{
    answer = await tools.call(`foreign.tool-${{index}}`, {{ [text]: text, choice: text }});
  }} catch (error) {{
    answer = error.message;
  }}
  console.log(answer);
  if (!String(answer).includes(text)) return 'this is not the answer of the tool';
}}
throw new Error(strings.join('\\n'));"
    )
}

/// What of a page is from the strings, if anything is.
async fn traces(tab: &Tab, page: &str) -> Vec<String> {
    let mut traces = Vec::new();
    if tab.has_dialog().await {
        traces.push("a dialogue".to_owned());
    }
    let made = "const made = 'img, iframe, object, embed, base, math, video, audio, marquee, style, template, '
          + 'noscript, foreignObject, animate, [onload], [onerror], [onfocus], [onmouseover], [ontoggle], '
          + '[style], script:not([src]), meta[http-equiv], x, form[action*=\"foreign.example\"], '
          + '[href^=\"javascript:\" i], link[href*=\"foreign.example\"], [data-live=\"/foreign\"]';
        return [...document.querySelectorAll(made)].map((one) => one.outerHTML.slice(0, 200))";
    let made = tab.script(made).await;
    traces.extend(
        made.as_array()
            .expect("a list")
            .iter()
            .map(ToString::to_string),
    );
    traces.extend(tab.complaints().await);
    traces
        .into_iter()
        .map(|trace| format!("{page}: {trace}"))
        .collect()
}

#[tokio::test]
async fn text_of_strangers_is_text_on_each_page() {
    let test = "text_of_strangers_is_text_on_each_page";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    assert_eq!(strings().len(), 60);
    let workplace = Workplace::default();
    let log = workplace.path().join("calls");
    let file = workplace.file("listed.json", listed(&log).to_string());
    let config =
        format!("[servers.foreign]\ncommand = {SERVER:?}\nargs = [{file:?}]\n{EVERYTHING}");
    let config = config.replace("ask = \"destructive\"", "ask = \"foreign.ask_*\"");
    let desk = Desk::at(workplace, &config).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    runs(&tab, &desk, &writes(), "all written").await;
    let run = runs(&tab, &desk, &calls(), "The script failed").await;
    were_called(&log);
    let run = run.replace(&desk.page(""), "");
    let mut pages = vec![
        format!("/console?run={}", run.replace("/console/runs/", "")),
        format!("{run}/replay"),
        format!("{run}/calls/0"),
        format!("{run}/calls/1"),
        run,
        "/console/runs".to_owned(),
        "/console/servers".to_owned(),
        "/console/servers/one?name=foreign".to_owned(),
        "/console/tools?query=foreign".to_owned(),
        "/console/files".to_owned(),
        "/console/audit".to_owned(),
        "/console/statistics".to_owned(),
        "/console/policies".to_owned(),
    ];
    let existing = pages.len();
    let places = [
        "/console/runs?search=",
        "/console/tools?query=",
        "/console/tools?server=",
        "/console/tools/one?name=",
        "/console/servers/one?name=",
        "/console/sessions/one?name=",
        "/console/skills/one?name=",
        "/console/files/one?path=",
        "/console/approvals/one?id=",
        "/console/policies?call=",
        "/console/audit?tool=",
        "/console/configuration?search=",
    ];
    for (index, string) in strings().into_iter().enumerate() {
        pages.push(format!("/console/tools/one?name=foreign.tool-{index}"));
        // Each string comes in an address somewhere, and each place gets five of them.
        let place = places[index % places.len()];
        pages.push(format!("{place}{}", escaped(string)));
        // Some of the files that a run wrote.
        if index % 4 == 0 {
            let name = escaped(&string.replace('/', "|"));
            pages.push(format!("/console/files/one?path={name}"));
        }
    }
    let (mut found, mut text) = (Vec::new(), String::new());
    for (number, page) in pages.iter().enumerate() {
        tab.open(&desk.page(page)).await;
        let (traces, shown) = looked(&tab, page).await;
        if number < existing {
            let status = "return performance.getEntriesByType('navigation')[0].responseStatus";
            assert_eq!(tab.script(status).await, 200, "{page}");
        }
        found.extend(traces);
        text += &shown;
    }
    assert!(found.is_empty(), "{found:#?}");
    are_shown(&text);
}

/// Each of the strings stands somewhere in a text.
fn are_shown(text: &str) {
    let strings = strings().into_iter();
    let missing: Vec<_> = strings.filter(|it| !text.contains(it)).collect();
    assert!(missing.is_empty(), "not seen as text: {missing:#?}");
}

/// What a page that is open has of the strings, and all of its text.
pub(super) async fn looked(tab: &Tab, page: &str) -> (Vec<String>, String) {
    tab.until("document.readyState === 'complete' && document.querySelector('main')")
        .await;
    tab.script("for (const one of document.querySelectorAll('details')) one.open = true")
        .await;
    let found = traces(tab, page).await.into_iter();
    let all = "return [document.body.textContent,
        ...[...document.querySelectorAll('input, textarea')].map((one) => one.value),
        document.title].join(' ')";
    let text = tab.script(all).await;
    let text = text.as_str().expect("a text").to_owned();
    (found.filter(|it| !is_status(it)).collect(), text)
}

/// The browser also says that a page was not found: some of these pages are not.
fn is_status(complaint: &str) -> bool {
    complaint.contains("Failed to load resource: the server responded with a status of 4")
}

pub(super) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
