//! Accounts of servers where it is not a script that names them alone: in components, records,
//! previews and policies.

use ampoule_projection::Tool;
use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::lowered;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::accounts_of_servers::{DEFAULT, run, value, workplace};
use super::serving::PATIENCE;

/// A component that imports a server as it is called in WIT, and calls its `get_issue`.
fn component(workplace: &Workplace, package: &str) -> &'static str {
    let tool = json!({
        "name": "get_issue",
        "inputSchema": { "type": "object", "properties": { "key": { "type": "string" } } },
    });
    let tool: Tool = serde_json::from_value(tool).expect("a tool");
    let called = lowered::calling(package, &tool, &json!({ "key": "a" }));
    workplace.file("program.wasm", called.expect("a component"));
    "program.wasm"
}

/// The servers that a run called, as its usage has them.
fn called(ran: &Ran) -> Vec<String> {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = ran.json();
    let calls = ran["usage"]["calls"].as_array().expect("calls").iter();
    let calls = calls.map(|call| {
        assert_eq!(call["end"], "returned", "{ran}");
        call["server"].as_str().expect("a name").to_owned()
    });
    calls.collect()
}

#[tokio::test]
async fn a_component_imports_the_account_that_it_calls() {
    let workplace = workplace(DEFAULT, "");
    for (package, grant, account) in [
        ("jira-at-home", "jira", "jira@home"),
        ("jira-at-work", "jira", "jira@work"),
        ("jira-at-home", "jira@home", "jira@home"),
        ("jira", "jira", "jira@work"),
        ("jira", "jira@home", "jira@home"),
    ] {
        let program = component(&workplace, package);
        let arguments = ["run", program, "--tools", grant, "--json"];
        let ran = workplace.run_at_home(&arguments).await;
        assert_eq!(called(&ran), [account], "{package} {grant}");
    }
    let program = component(&workplace, "jira-at-home");
    let arguments = ["run", program, "--tools", "jira@work"];
    let refused = workplace.run_at_home(&arguments).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("jira-at-home"), "{refused:?}");
    assert!(!refused.stderr.contains("jira@home"), "{refused:?}");
}

#[tokio::test]
async fn a_component_without_a_default_names_the_account() {
    let workplace = workplace("", "");
    let program = component(&workplace, "jira");
    let refused = workplace.run_at_home(&["run", program]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = "server `jira` has several accounts";
    assert!(refused.stderr.contains(told), "{refused:?}");
    for account in [
        "`mcp:jira-at-home/jira-at-home`",
        "`mcp:jira-at-work/jira-at-work`",
    ] {
        assert!(refused.stderr.contains(account), "{refused:?}");
    }
}

#[tokio::test]
async fn a_record_of_calls_by_account_is_replayed_without_the_accounts() {
    let workplace = workplace(DEFAULT, "");
    let code = "const all = await Promise.all([
            tools.jira.as('work').getIssue({ key: 'a' }),
            tools.jira.as('home').getIssue({ key: 'b' }),
            tools.jira.getIssue({ key: 'c' }),
        ]);
        const found = await tools.$search('issue', { limit: 9 });
        return [all.map((one) => one.account + one.key), found.map((one) => one.server), Object.keys(tools)]";
    let arguments = ["run", "--record", "--json", "-e", code];
    let ran = workplace.run_at_home(&arguments).await.json();
    assert_eq!(ran["value"][0], json!(["worka", "homeb", "workc"]), "{ran}");
    let record = ran["record"].as_str().expect("a record").to_owned();
    // Nothing of the servers is there any more.
    workplace.file("ampoule.toml", "");
    let arguments = ["runs", "replay", &record, "--json"];
    let replayed = workplace.run_at_home(&arguments).await.json();
    assert_eq!(replayed["outcome"]["value"], ran["value"], "{replayed}");
    let shown = workplace.run_at_home(&["runs", "show", &record]).await;
    for account in ["jira@work", "jira@home"] {
        assert!(shown.stdout.contains(account), "{shown:?}");
    }
}

#[tokio::test]
async fn a_preview_shows_each_account_that_a_run_would_change() {
    let asks = "[approvals]\nask = 'jira.delete_*'\nplaces = ['command-line']\n";
    let workplace = workplace(DEFAULT, asks);
    // The tool gives no example of a result, so it fails in the preview.
    let code = "const accounts = [];
        for (const jira of [tools.jira.as('home'), tools.jira]) {
            try { accounts.push((await jira.deleteIssue({ key: 'b' })).account) } catch {}
        }
        return [...accounts, (await tools.jira.as('home').getIssue()).account]";
    let arguments = ["run", "--preview", "-e", code];
    let answering = timeout(PATIENCE, allowed(&workplace));
    let (ran, shown) = tokio::join!(workplace.run_at_home(&arguments), answering);
    let shown = shown.expect("a question in time");
    assert_eq!(value(&ran), json!(["home", "work", "home"]));
    let calls = shown.to_string();
    for call in ["jira@home", "jira@work"] {
        assert!(calls.contains(call), "{calls}");
    }
}

/// Allows what a person is asked, and gives what they are shown.
async fn allowed(workplace: &Workplace) -> Value {
    loop {
        let listed = workplace.run_at_home(&["approvals", "--json"]).await.json();
        let Some(id) = listed[0]["question"]["id"].as_str() else {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let arguments = ["approvals", "show", id, "--json"];
        let shown = workplace.run_at_home(&arguments).await.json();
        let seen = shown["seen"].as_str().expect("a code");
        let arguments = ["approvals", "allow", id, "--seen", seen];
        let allowed = workplace.run_at_home(&arguments).await;
        assert_eq!(allowed.code, Some(0), "{allowed:?}");
        return shown;
    }
}

/// Which accounts a script may delete an issue of.
const DELETES: &str = "const told = [];
    for (const account of ['work', 'home']) {
        try { told.push((await tools.jira.as(account).deleteIssue()).account) }
        catch (error) { told.push(error.kind ?? 'unknown') }
        told.push((await tools.jira.as(account).getIssue()).account);
    }
    return told.join(' ')";

#[tokio::test]
async fn policies_name_an_account_or_all_of_a_server() {
    let workplace = workplace(DEFAULT, "");
    for (action, expected) in [
        (
            r#"action == Action::"jira@home.delete_issue""#,
            "work work unknown home",
        ),
        (
            r#"action in Action::"jira@*.delete_issue""#,
            "unknown work unknown home",
        ),
        (
            r#"action in Action::"jira@work.delete_*""#,
            "unknown work home home",
        ),
    ] {
        let policy = format!("forbid(principal, {action}, resource);\n");
        workplace.file("policies/accounts.cedar", policy);
        let checked = workplace.run_at_home(&["policy", "check"]).await;
        assert_eq!(checked.code, Some(0), "{action}: {checked:?}");
        let ran = run(&workplace, "jira", DELETES).await;
        assert_eq!(value(&ran), json!(expected), "{action}");
    }
    let policy = "forbid(principal, action in Action::\"jira@home\", resource);\n";
    workplace.file("policies/accounts.cedar", policy);
    for (call, verdict) in [
        ("jira@home.get_issue", "deny"),
        ("jira@work.get_issue", "allow"),
    ] {
        let arguments = ["policy", "explain", "--principal", "ada", "--call", call];
        let explained = workplace.run_at_home(&arguments).await;
        assert!(explained.stdout.starts_with(verdict), "{explained:?}");
    }
    // Without an account, the name is not a tool's: the policy would never hold.
    let policy = "forbid(principal, action == Action::\"jira.delete_issue\", resource);\n";
    workplace.file("policies/accounts.cedar", policy);
    let refused = run(&workplace, "jira", "return 1").await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let meant = "did you mean `jira@home.delete_issue` or `jira@work.delete_issue`?";
    assert!(refused.stderr.contains(meant), "{refused:?}");
}
