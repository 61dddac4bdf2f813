//! Names of sessions, and descriptions and code of skills and toolkits.

use serde_json::json;

use super::super::desk::{Desk, EVERYTHING, Programs};
use super::{are_shown, looked, strings};

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
