//! Text of servers and scripts that would be markup: in each place where it can come from, it is
//! text. No script of it runs, and no element is made of it.

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
/// errors.
fn listed() -> Value {
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
    json!({ "tools": tools, "answers": answers })
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

/// Calls each tool with each string as an argument, prints each, and ends with an error made of all.
fn calls() -> String {
    let strings = serde_json::to_string(&strings()).expect("JSON");
    format!(
        "const strings = {strings};
for (const [index, text] of strings.entries()) {{
  try {{
    await tools.call(`foreign.tool-${{index}}`, {{ [text]: text, choice: text }});
  }} catch (error) {{
    console.log(error.message);
  }}
  console.log(text);
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
    let file = workplace.file("listed.json", listed().to_string());
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
    for page in &pages {
        tab.open(&desk.page(page)).await;
        let (traces, shown) = looked(&tab, page).await;
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

/// A server with a tool for each string, which a person is asked about.
fn asking() -> Value {
    let tools = strings().into_iter().enumerate().map(|(index, string)| {
        json!({
            "name": format!("ask-{index}"),
            "description": string,
            "inputSchema": { "type": "object" },
        })
    });
    let tools: Vec<Value> = tools.collect();
    json!({ "tools": tools, "answers": {} })
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
    let file = workplace.file("listed.json", asking().to_string());
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
    let code = format!(
        "const strings = {};
const calls = strings.map((text, index) => tools.call(`foreign.ask-${{index}}`, {{ [text]: text }}).catch((error) => error.message));
console.log((await Promise.all(calls)).join('\\n'));
console.log('all were answered');",
        serde_json::to_string(&strings()).expect("JSON")
    );
    let run = runs(&tab, &desk, &code, "waits for approval").await;
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
            break;
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
    tab.shows("all were answered").await;
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

#[tokio::test]
async fn names_of_sessions_skills_and_toolkits_are_text() {
    let test = "names_of_sessions_skills_and_toolkits_are_text";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let toolkits = strings().into_iter().enumerate().map(|(index, string)| {
        let string = serde_json::to_string(string).expect("JSON");
        format!("[toolkits.foreign-{index}]\ntools = ['demo.*']\ndescription = {string}\n")
    });
    let toolkits: String = toolkits.collect();
    let desk = Desk::start(&format!("{EVERYTHING}{toolkits}")).await;
    let tab = programs.tab().await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    tab.complaints().await;
    let (mut found, mut text) = (Vec::new(), String::new());
    tab.until("document.querySelector('.editor[data-ready]')")
        .await;
    for string in strings() {
        // The answer is put into this page: where the name can't be one, what says so.
        let begins = format!(
            "document.querySelector('#code').value = 'let kept = 1';
             document.querySelector('#session').value = {string:?};
             const form = document.querySelector('#code').form;
             form.requestSubmit(form.querySelector('button.main'))"
        );
        tab.script(&begins).await;
        tab.until("!document.querySelector('button.main').disabled")
            .await;
        let (traces, shown) = looked(&tab, &format!("a session named {string}")).await;
        found.extend(traces);
        text += &shown;
    }
    // Descriptions of skills, and the code of each.
    let strings_json = serde_json::to_string(&strings()).expect("JSON");
    let saves = format!(
        "return fetch('/api/v1/me').then(async (me) => {{
            const csrf = me.headers.get('x-ampoule-csrf');
            const statuses = [];
            for (const [index, text] of {strings_json}.entries()) {{
                const code = `// ${{text}}\nexport const said = ${{JSON.stringify(text)}};\nexport function say() {{ return said }}`;
                const body = JSON.stringify({{ name: `foreign-${{index}}`, description: text, language: 'javascript', code }});
                const answer = await fetch('/api/v1/skills', {{ method: 'POST', body, headers: {{ 'content-type': 'application/json', 'x-ampoule-csrf': csrf }} }});
                statuses.push(answer.status);
            }}
            return statuses;
        }})"
    );
    let statuses = tab.script(&saves).await;
    assert_eq!(statuses, json!(vec![201; 60]), "each is a skill");
    let skills =
        (0..strings().len()).map(|index| format!("/console/skills/one?name=foreign-{index}"));
    let lists = [
        "/console/skills",
        "/console/toolkits",
        "/console/sessions",
        "/console/runs",
    ];
    for page in lists.map(ToOwned::to_owned).into_iter().chain(skills) {
        tab.open(&desk.page(&page)).await;
        let (traces, shown) = looked(&tab, &page).await;
        found.extend(traces);
        text += &shown;
    }
    assert!(found.is_empty(), "{found:#?}");
    are_shown(&text);
}
