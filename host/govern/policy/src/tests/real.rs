//! Tools of real servers.

use std::path::Path;

use super::*;
use crate::Effect;

fn real() -> Vec<(String, Vec<Tool>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpora/tools");
    let mut servers: Vec<(String, Vec<Tool>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let mut list: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_value(list["tools"].take()).unwrap())
        })
        .collect();
    servers.sort_by(|a, b| a.0.cmp(&b.0));
    servers
}

fn with(sources: &Sources, servers: &[(String, Vec<Tool>)]) -> Result<Policies, PolicyError> {
    let servers = servers.iter().map(|(name, tools)| Server {
        name,
        says_it_is: None,
        tools: Some(tools),
    });
    Policies::new(sources, &servers.collect::<Vec<_>>())
}

#[test]
fn most_arguments_have_types() {
    let servers = real();
    let policies = with(&config("roles.a.tools = ['*']"), &servers).unwrap();
    let actions = policies.actions.all();
    let arguments = actions.iter().flat_map(|action| action.arguments.values());
    let (typed, untyped): (Vec<_>, Vec<_>) =
        arguments.partition(|attribute| attribute.shape.is_ok());
    assert!(actions.len() > 300, "{}", actions.len());
    assert!(
        typed.len() > 20 * untyped.len(),
        "{} {}",
        typed.len(),
        untyped.len()
    );
}

#[test]
fn the_policy_of_the_documentation_is_checked() {
    let servers = real();
    let of = |text: &str| {
        let sources = Sources {
            files: vec![file(text)],
            ..Sources::default()
        };
        with(&sources, &servers)
    };
    let text = r#"forbid(principal, action == Action::"github-official.create_or_update_file", resource)
        unless { context.arguments.owner == "sandbox" };"#;
    assert!(of(text).is_ok());
    let told = problems(of(&text.replace(".owner", ".onwer")));
    assert!(
        told[0].ends_with("has no argument `onwer`; did you mean `owner`?"),
        "{told:?}"
    );
}

#[test]
fn what_strangers_wrote_is_known() {
    let servers = real();
    let policies = with(&config("labels.preset = 'untrusted-content'"), &servers).unwrap();
    let untrusted = |server, tool| policies.labels_of(server, tool).next().is_some();
    for (server, tool) in [
        ("github-official", "issue_read"),
        ("github-official", "search_pull_requests"),
        ("github-official", "get_file_contents"),
        ("notion", "API-retrieve-a-page"),
        ("notion", "API-post-search"),
        ("playwright", "browser_snapshot"),
        ("playwright", "browser_navigate"),
    ] {
        assert!(untrusted(server, tool), "{server}.{tool}");
    }
    for (server, tool) in [
        ("github-official", "get_me"),
        ("github-official", "create_issue"),
        ("time", "get_current_time"),
        ("filesystem", "read_file"),
        ("sqlite", "read_query"),
        ("memory", "read_graph"),
        ("playwright", "browser_close"),
    ] {
        assert!(!untrusted(server, tool), "{server}.{tool}");
    }
    let effect = |call: &str| decide_labelled(&policies, &alice(), call, &["untrusted"]).effect;
    assert_eq!(effect("github-official.issue_read"), Effect::Allow);
    assert_eq!(effect("github-official.create_issue"), Effect::Ask);
    assert_eq!(effect("playwright.browser_navigate"), Effect::Ask);
    assert_eq!(effect("git.git_reset"), Effect::Ask);
    assert_eq!(effect("time.get_current_time"), Effect::Allow);
}

#[test]
fn servers_are_known_by_what_they_say_they_are() {
    let tools = [tool("issue_read", json!({}), json!({"readOnlyHint": true}))];
    let of = |name, says_it_is| {
        let server = Server {
            name,
            says_it_is,
            tools: Some(&tools),
        };
        let policies =
            Policies::new(&config("labels.preset = 'untrusted-content'"), &[server]).unwrap();
        policies.labels_of(name, "issue_read").next().is_some()
    };
    assert!(!of("work", None));
    assert!(of("work", Some("GitHub MCP Server")));
    assert!(of("My-GitHub", Some("other")));
}
