//! Several accounts of one server: a program that others would write, started for each with its own
//! variables.

use ampoule_tests::command::{Ran, Served, Workplace};
use ampoule_tests::repository;
use serde_json::{Value, json};

use super::principals::{Principal, text};
use super::serving::Serving;

/// `more` is added to the server's table, `beside` stands after it.
pub(crate) fn workplace(more: &str, beside: &str) -> Workplace {
    let server = repository().join("tests/servers/account.py");
    let config = format!(
        r#"[servers.jira]
command = "python3"
args = [{server:?}]
{more}

[servers.jira.accounts.work]
env = {{ ACCOUNT = "work" }}

[servers.jira.accounts.home]
env = {{ ACCOUNT = "home" }}

{beside}
"#
    );
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", config);
    workplace
}

pub(crate) const DEFAULT: &str = "account = 'work'";

pub(crate) async fn run(workplace: &Workplace, grant: &str, code: &str) -> Ran {
    let arguments = ["run", "--tools", grant, "-e", code];
    workplace.run_at_home(&arguments).await
}

async fn python(workplace: &Workplace, grant: &str, code: &str) -> Ran {
    let arguments = ["run", "--tools", grant, "--language", "python", "-e", code];
    workplace.run_at_home(&arguments).await
}

/// What a script returns.
pub(crate) fn value(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let text = ran.stdout.trim_end();
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

#[tokio::test]
async fn scripts_choose_an_account_and_have_a_default() {
    let workplace = workplace(DEFAULT, "");
    let javascript = r#"
        const home = tools.jira.as("home");
        const all = await Promise.all([
            tools.jira.getIssue({ key: "a" }),
            tools.jira.as("home").getIssue({ key: "b" }),
            tools.jira.as("work").getIssue({ key: "c" }),
            home.getIssue({ key: "d" }),
            home.as("work").getIssue(),
            tools["jira@home"].getIssue(),
            callTool("jira@home.get_issue", {}),
            callTool("jira@home", "get_issue", {}),
            callTool("jira.get_issue", {}),
            callTool("jira__get_issue", {}),
            callTool("mcp__jira@home__get_issue", {}),
            callTool("get_issue", {}),
        ]);
        return all.map((one) => one.account).join(" ");
    "#;
    let expected = json!("work home work home work home home home work work home work");
    assert_eq!(value(&run(&workplace, "jira", javascript).await), expected);
    let in_python = r#"
home = tools.jira.as_("home")
every = await asyncio.gather(
    tools.jira.get_issue(key="a"),
    tools.jira.as_("home").get_issue(key="b"),
    tools.jira.as_("work").get_issue(key="c"),
    home.get_issue(key="d"),
    home.as_("work").get_issue(),
    tools["jira@home"].get_issue(),
    call_tool("jira@home.get_issue", {}),
    call_tool("jira@home", "get_issue", {}),
    call_tool("jira.get_issue", {}),
    call_tool("jira__get_issue", {}),
    call_tool("mcp__jira@home__get_issue", {}),
    call_tool("get_issue", {}),
)
return " ".join(one["account"] for one in every)
"#;
    let in_python = format!("import asyncio\n{in_python}");
    assert_eq!(
        value(&python(&workplace, "jira", &in_python).await),
        expected
    );
}

#[tokio::test]
async fn without_a_default_a_script_names_an_account_or_has_one_alone() {
    let workplace = workplace("", "");
    for code in [
        "return await tools.jira.getIssue()",
        "return await callTool('jira.get_issue', {})",
        "const name = 'jira'; return await tools[name].getIssue()",
    ] {
        let ran = run(&workplace, "jira", code).await;
        assert_ne!(ran.code, Some(0), "{ran:?}");
        let told = "server `jira` has several accounts; say which, as in `tools.jira.as(\"home\")`: `home`, `work`";
        assert!(ran.stderr.contains(told), "{code}: {ran:?}");
    }
    let ran = python(&workplace, "jira", "return await tools.jira.get_issue()").await;
    assert!(ran.stderr.contains("tools.jira.as_(\"home\")"), "{ran:?}");
    let chosen = "return (await tools.jira.as('home').getIssue()).account";
    assert_eq!(value(&run(&workplace, "jira", chosen).await), json!("home"));
    let only = "return (await tools.jira.getIssue()).account";
    assert_eq!(
        value(&run(&workplace, "jira@home", only).await),
        json!("home")
    );
}

#[tokio::test]
async fn an_account_that_is_not_granted_is_reached_by_no_spelling() {
    let workplace = workplace(DEFAULT, "");
    let javascript = r#"
        const tries = [
            () => tools.jira.as("work").getIssue(),
            () => tools["jira@work"].getIssue(),
            () => tools["Jira@Work"].getIssue(),
            () => tools.jiraWork.getIssue(),
            () => tools.jira_at_work.getIssue(),
            () => tools.jira.as("home").as("work").getIssue(),
            () => callTool("jira@work.get_issue", {}),
            () => callTool("jira@work", "get_issue", {}),
            () => callTool("mcp__jira@work__get_issue", {}),
            () => callTool("jira_work__get_issue", {}),
            () => codemode["jira@work__get_issue"]({}),
            () => import("servers/jira@work").then((it) => it.getIssue()),
            () => tools.jira.as("work\u0000").getIssue(),
            () => tools.jira.as("home@work").getIssue(),
            () => tools.jira.as("").getIssue(),
            () => tools.jira.as("!!").getIssue(),
        ];
        const told = [];
        for (const one of tries) {
            try {
                told.push((await one()).account);
            } catch (error) {
                told.push(/Its accounts:.*work|Servers:.*work/.test(String(error.message)) ? error.message : "no");
            }
        }
        const plain = (await tools.jira.getIssue()).account;
        const found = tools.$search("issue").map((it) => it.server);
        return { told: [...new Set(told)], plain, found: [...new Set(found)], all: Object.keys(tools) };
    "#;
    let told = value(&run(&workplace, "jira@home", javascript).await);
    let expected =
        json!({ "told": ["no"], "plain": "home", "found": ["jira@home"], "all": ["jira@home"] });
    assert_eq!(told, expected);
    let ran = run(
        &workplace,
        "jira@home",
        "return await tools.jira.as('work').getIssue()",
    )
    .await;
    let expected = "server `jira` has no account `work`. Its accounts: home";
    assert!(ran.stderr.contains(expected), "{ran:?}");
    assert!(ran.stderr.contains("Nothing was called"), "{ran:?}");
    let code = "return await tools.jira.as_('work').get_issue()";
    let ran = python(&workplace, "jira@home", code).await;
    assert!(ran.stderr.contains(expected), "{ran:?}");
    let one = run(
        &workplace,
        "jira@home.get_issue",
        "return await tools.jira.deleteIssue()",
    )
    .await;
    assert!(one.stderr.contains("has no tool `deleteIssue`"), "{one:?}");
    let unknown = run(&workplace, "jira@hme", "return 1").await;
    assert!(
        unknown
            .stderr
            .contains("unknown server `jira@hme` in a grant"),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn arguments_of_a_call_by_account_are_checked_before_the_run() {
    let workplace = workplace(DEFAULT, "");
    let wrong = "await tools.jira.as('home').getIssue({ key: 1 })";
    let ran = run(&workplace, "jira", wrong).await;
    assert!(ran.stderr.contains("Nothing was called"), "{ran:?}");
    let ran = python(
        &workplace,
        "jira",
        "await tools.jira.as_('home').get_issue(key=1)",
    )
    .await;
    assert!(ran.stderr.contains("Nothing was called"), "{ran:?}");
    let misspelt = run(
        &workplace,
        "jira",
        "await tools.jira.as('hme').getIssue({})",
    )
    .await;
    assert!(
        misspelt.stderr.contains("did you mean `home`?"),
        "{misspelt:?}"
    );
    let never = run(
        &workplace,
        "jira",
        "await tools.jira.as('home').closeIssue({})",
    )
    .await;
    assert!(never.stderr.contains("Nothing was called"), "{never:?}");
}

#[tokio::test]
async fn a_tool_that_is_called_as_stays_reachable() {
    let workplace = workplace("account = 'work'\nenv = { TOOLS = 'as' }", "");
    let code = r#"
        const all = [
            await tools.jira.as({ key: "x" }),
            await tools.jira.as("home").as({ key: "y" }),
            await callTool("jira@home.as", { key: "z" }),
        ];
        return all.map((it) => `${it.tool} ${it.account} ${it.key}`);
    "#;
    let expected = json!(["as work x", "as home y", "as home z"]);
    assert_eq!(value(&run(&workplace, "jira", code).await), expected);
    let code = r#"
all = [
    await tools.jira.as_(key="x"),
    await tools.jira.as_("home").as_(key="y"),
    await call_tool("jira@home.as", {"key": "z"}),
]
return [f"{it['tool']} {it['account']} {it['key']}" for it in all]
"#;
    assert_eq!(value(&python(&workplace, "jira", code).await), expected);
}

#[tokio::test]
async fn the_description_has_the_tools_once_and_names_the_accounts() {
    let same = described(&workplace(DEFAULT, "")).await;
    assert_eq!(same.matches("getIssue").count(), 1, "{same}");
    assert!(same.contains("\n- jira.getIssue("), "{same}");
    let line = "\n- jira.as(\"home\"|\"work\") (Python: `as_`) is an account; without it, \"work\"";
    assert!(same.contains(line), "{same}");
    let more = "[servers.jira.accounts.home.tools]\nallow = ['get_*']";
    let different = described(&workplace(DEFAULT, more)).await;
    assert!(
        different.contains("\n- jira.as(\"home\").getIssue("),
        "{different}"
    );
    assert!(
        !different.contains("jira.as(\"home\").deleteIssue("),
        "{different}"
    );
    // What a second account adds: one line.
    let added = same.split(line).collect::<String>();
    assert_eq!(added.len() + line.len(), same.len());
}

/// The description of `execute_code`, once the tools are known.
async fn described(workplace: &Workplace) -> String {
    let mut server = Served::greeted(workplace, &[]).await;
    for account in ["work", "home"] {
        let code = format!("return (await tools.jira.as('{account}').getIssue()).account");
        let arguments = json!({ "code": code, "language": "javascript" });
        let params = json!({ "name": "execute_code", "arguments": arguments });
        let asked = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        let answer = server.ask(asked).await;
        assert!(answer.to_string().contains(account), "{answer}");
    }
    let list = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/list" });
    let list = server.ask(list).await;
    let tools = list["result"]["tools"].as_array().expect("tools").clone();
    let execute = tools.iter().find(|it| it["name"] == "execute_code");
    let text = execute.expect("the tool")["description"]
        .as_str()
        .expect("text")
        .to_owned();
    server.close().await;
    text
}

const ROLES: &str = r#"
[serve.auth]
tokens = "tokens"

[roles.worker]
principals = ["ada"]
tools = ["jira@work"]

[roles.reader]
principals = ["bob"]
tools = ["jira", "!jira@home.delete_*"]

[approvals]
ask = "jira@work.delete_*"

[audit]
"#;

#[tokio::test]
async fn limits_of_calls_hold_for_each_account_by_itself() {
    let more = "account = 'work'\nconcurrency = 1\nrate = '1/d'\ncall-timeout = '1s'";
    let workplace = workplace(more, "");
    // Each has a call left; the second one of either would have to wait until tomorrow.
    let code = "const first = await Promise.all([tools.jira.getIssue(), tools.jira.as('home').getIssue()]);
        const second = await Promise.allSettled([tools.jira.getIssue(), tools.jira.as('home').getIssue()]);
        return [...first.map((one) => one.account), ...second.map((one) => one.status)].join(' ')";
    assert_eq!(
        value(&run(&workplace, "jira", code).await),
        json!("work home rejected rejected")
    );
}

#[tokio::test]
async fn roles_approvals_and_the_audit_log_name_the_account_over_http() {
    let workplace = workplace(DEFAULT, ROLES);
    let tokens = [
        Principal::token(&workplace, "ada").await,
        Principal::token(&workplace, "bob").await,
    ];
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let [ada, bob] = tokens.map(|token| Principal::new(&serving.at, token, json!({})));
    let says = async |who: &Principal<'_>, code: &str, language: &str| {
        let result = who
            .executes(json!({ "code": code, "language": language }))
            .await;
        text(&result).to_owned()
    };
    let told = says(
        &ada,
        "return (await tools.jira.getIssue()).account",
        "javascript",
    )
    .await;
    assert!(told.contains("work"), "{told}");
    let told = says(
        &ada,
        "return (await tools.jira.as('home').getIssue()).account",
        "javascript",
    )
    .await;
    assert!(
        told.contains("no account `home`") && told.contains("Its accounts: work"),
        "{told}"
    );
    let told = says(
        &bob,
        "return (await tools.jira.as_('home').get_issue())['account']",
        "python",
    )
    .await;
    assert!(told.contains("home"), "{told}");
    let told = says(
        &bob,
        "return await tools.jira.as('home').deleteIssue()",
        "javascript",
    )
    .await;
    assert!(told.contains("has no tool `deleteIssue`"), "{told}");
    // Somebody would have to allow it, and nobody does.
    let deletes = "return await tools.jira.deleteIssue({ key: 'k' })";
    let waits = json!({ "code": deletes, "language": "javascript", "wait": 3 });
    let told = text(&ada.executes(waits).await).to_owned();
    assert!(told.contains("jira@work.delete_issue"), "{told}");
    let log = workplace
        .run_at_home(&["audit", "ls", "--json", "--all"])
        .await
        .stdout;
    let calls: Vec<Value> = (log.lines())
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    for (server, account) in [("jira@work", "work"), ("jira@home", "home")] {
        let is_it = |it: &&Value| {
            it.to_string()
                .contains(&format!("\"account\":\"{account}\""))
        };
        let ended = calls.iter().find(is_it).unwrap_or_else(|| panic!("{log}"));
        assert!(ended.to_string().contains(server), "{ended}");
    }
}
