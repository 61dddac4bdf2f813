//! Foreign text in pictures, and in files that browsers save: names of tools in the picture of a run's
//! calls, and files whose names and contents would be pages.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::desk::{Desk, Programs};
use super::pages::runs;
use super::strangers::{SERVER, escaped, looked, strings};
use super::tab::Tab;

/// A server whose tools have these strings as their names.
fn named() -> Value {
    let tools = strings().into_iter().map(
        |name| json!({ "name": name, "description": name, "inputSchema": { "type": "object" } }),
    );
    let tools: Vec<Value> = tools.collect();
    json!({ "tools": tools, "answers": {} })
}

/// Calls each tool, prints each string, and writes it into a file that is named after it.
fn script() -> String {
    let strings = serde_json::to_string(&strings()).expect("JSON");
    format!(
        "import fs from 'node:fs';
for (const text of {strings}) {{
  await tools.call(`foreign.${{text}}`, {{}});
  console.log(text);
  fs.writeFileSync(text.replaceAll('/', '|'), text);
}}
console.log('all were ' + 'called');"
    )
}

/// What a browser is given to save.
struct Download {
    address: String,
    /// The status, the type, what is done with it, and whether a browser may guess.
    headers: [String; 4],
    text: String,
}

/// Fetches each address in the page, one after the other.
async fn downloads(tab: &Tab, addresses: &[String]) -> Vec<Download> {
    let addresses = serde_json::to_string(addresses).expect("JSON");
    let fetches = format!(
        "return (async () => {{
            const fetched = [];
            for (const address of {addresses}) {{
                const answer = await fetch(address);
                const header = (name) => answer.headers.get(name) ?? '';
                fetched.push([address, String(answer.status), header('content-type'),
                    header('content-disposition'), header('x-content-type-options'), await answer.text()]);
            }}
            return fetched;
        }})()"
    );
    let fetched = tab.script(&fetches).await;
    let fetched = fetched.as_array().expect("a list").iter();
    let download = |one: &Value| {
        let part = |index: usize| one[index].as_str().expect("a text").to_owned();
        Download {
            address: part(0),
            headers: [part(1), part(2), part(3), part(4)],
            text: part(5),
        }
    };
    fetched.map(download).collect()
}

/// Whether a browser saves it, and shows it in no case.
fn is_saved(download: &Download) -> bool {
    let [status, kind, disposition, guesses] = &download.headers;
    let name = disposition.strip_prefix("attachment; filename=\"");
    let name = name.and_then(|rest| rest.split_once("\"; filename*=UTF-8''"));
    let is_plain = |text: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-%~".contains(c);
        text.chars().all(plain)
    };
    status == "200"
        && kind == "application/octet-stream"
        && guesses == "nosniff"
        && name.is_some_and(|(plain, escaped)| is_plain(plain) && is_plain(escaped))
}

#[tokio::test]
async fn names_in_pictures_are_text_and_files_are_saved_and_never_shown() {
    let test = "names_in_pictures_are_text_and_files_are_saved_and_never_shown";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let workplace = Workplace::default();
    let file = workplace.file("listed.json", named().to_string());
    let config = format!(
        "[servers.foreign]\ncommand = {SERVER:?}\nargs = [{file:?}]\n[records]\nkeep = 'all'\n[workspace]\n[audit]\n"
    );
    let desk = Desk::at(workplace, &config).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    // The page that opens the console has no icon.
    tab.complaints().await;
    let run = runs(&tab, &desk, &script(), "all were called").await;
    let run = run.replace(&desk.page(""), "");

    let mut found = Vec::new();
    for page in [&*run, "/console/statistics", "/console/tools"] {
        tab.open(&desk.page(page)).await;
        found.extend(looked(&tab, page).await.0);
    }
    assert!(found.is_empty(), "{found:#?}");
    tab.open(&desk.page(&run)).await;
    let names = "return [...document.querySelectorAll('svg.calls text.name')].map((one) => one.textContent)";
    let names = tab.script(names).await;
    let names = names.as_array().expect("a list");
    assert_eq!(names.len(), strings().len());
    for (index, (name, string)) in names.iter().zip(strings()).enumerate() {
        let whole = format!("{} foreign.{string}", index + 1);
        let name = name.as_str().expect("a text").trim_end_matches('…');
        assert!(whole.starts_with(name), "{name}");
    }

    let (mut addresses, mut contents) = (Vec::new(), Vec::new());
    for string in strings() {
        let name = escaped(&string.replace('/', "|"));
        addresses.push(format!("/console/files/save?path={name}"));
        addresses.push(format!("/api/v1/files/content?path={name}"));
        contents.extend([string, string]);
    }
    let files = downloads(&tab, &addresses).await;
    for (file, content) in files.iter().zip(contents) {
        assert!(is_saved(file), "{}: {:?}", file.address, file.headers);
        assert_eq!(file.text, content, "{}", file.address);
    }
    let others = [
        format!("{run}/output"),
        "/console/audit/save".to_owned(),
        "/api/v1/audit/export?format=jsonl".to_owned(),
    ];
    for file in downloads(&tab, &others).await {
        assert!(is_saved(&file), "{}: {:?}", file.address, file.headers);
    }
}
