use super::*;

#[test]
fn stars_stand_for_any_text() {
    for (pattern, text, expected) in [
        ("*", "", true),
        ("get_*", "get_", true),
        ("get_*", "forget_it", false),
        ("*_issue", "create_issue", true),
        ("*_issue", "create_issues", false),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "a-c-b", false),
        ("ab*ba", "aba", false),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn tools_are_named_as_servers_and_as_scripts_name_them() {
    for (pattern, server, tool, expected) in [
        ("*", "mail", "send", true),
        ("mail", "mail", "send", true),
        ("mail", "mailbox", "send", false),
        ("Mail", "mail", "send", true),
        ("googleDrive.*", "google-drive", "get", true),
        ("mail.send", "mail", "send", true),
        ("mail.send", "mail", "send_all", false),
        ("mail.sendAll", "mail", "send_all", true),
        ("mail.send-all", "mail", "send_all", true),
        ("mail.send*", "mail", "send_all", true),
        ("mail.sendA*", "mail", "send_all", true),
        ("*.delete_*", "files", "delete_all", true),
        ("*.delete_*", "files", "undelete", false),
        ("m*.send", "mail", "send", true),
        ("files.v1.read", "files", "v1.read", true),
    ] {
        let parsed: ToolPattern = pattern.parse().unwrap();
        assert_eq!(
            parsed.matches(server, tool),
            expected,
            "{pattern} {server}.{tool}"
        );
    }
}

#[test]
fn a_server_that_is_named_exactly_is_meant_alone() {
    let servers = Names::new(
        ["my server", "my-server", "other"],
        super::super::Style::Camel,
    );
    let means = |pattern: &str| {
        let pattern = pattern.parse::<ToolPattern>().unwrap().among(&servers);
        let names = servers.names().iter();
        names
            .filter(|name| pattern.is_of(name))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(means("my-server"), ["my-server"]);
    assert_eq!(means("my server.send"), ["my server"]);
    assert_eq!(means("Other"), ["other"]);
    // It may be either: what restricts restricts both.
    assert_eq!(means("myServer"), ["my server", "my-server"]);
    assert_eq!(means("my*"), ["my server", "my-server"]);
}

#[test]
fn what_restricts_restricts_all_that_it_may_mean() {
    let tools = Names::new(["get-x", "get_x", "other"], super::super::Style::Camel);
    let on = |tool: &str| ToolPattern::on_server("a.b*", tool).unwrap();
    for (pattern, places, restricted) in [
        ("get-x", vec![0], vec![0]),
        ("getX", vec![], vec![0, 1]),
        ("*x", vec![0, 1], vec![0, 1]),
        ("*", vec![0, 1, 2], vec![0, 1, 2]),
        ("nothing", vec![], vec![]),
    ] {
        assert_eq!(on(pattern).places(&tools), places, "{pattern}");
        assert_eq!(on(pattern).restricted_places(&tools), restricted);
    }
    assert!(on("get").is_of("a.b*") && !on("get").is_of("a.bc"));
    assert!(ToolPattern::on_server("a", "").is_err());
}

#[test]
fn a_pattern_is_a_text_and_was_two_names() {
    let pattern: ToolPattern = "mail.send".parse().unwrap();
    assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""mail.send""#);
    for written in [r#""mail.send""#, r#"{"server":"mail","tool":"send"}"#] {
        assert_eq!(
            serde_json::from_str::<ToolPattern>(written).unwrap(),
            pattern
        );
    }
    for bad in [
        "\"\"".to_owned(),
        "\"mail.\"".to_owned(),
        "\".send\"".to_owned(),
        format!("\"{}\"", "x".repeat(2000)),
    ] {
        assert!(serde_json::from_str::<ToolPattern>(&bad).is_err(), "{bad}");
    }
}

#[test]
fn an_account_is_meant_by_its_server_and_by_its_own_name() {
    let means = |pattern: &str, server: &str| {
        let pattern: ToolPattern = pattern.parse().unwrap();
        pattern.matches(server, "create_issue")
    };
    for (pattern, servers) in [
        ("jira", vec!["jira@work", "jira@home", "jira"]),
        ("Jira.create_*", vec!["jira@work", "jira@home", "jira"]),
        ("j*.create_issue", vec!["jira@work", "jira@home", "jira"]),
        ("jira@work", vec!["jira@work"]),
        ("jira@Work.createIssue", vec!["jira@work"]),
        ("jira@*.create_issue", vec!["jira@work", "jira@home"]),
        ("*@home", vec!["jira@home"]),
        ("jira@", vec![]),
        ("jirawork", vec![]),
        ("jira-work", vec![]),
        ("jira@w", vec![]),
        ("work", vec![]),
    ] {
        if pattern == "jira@" {
            assert!(pattern.parse::<ToolPattern>().is_err());
            continue;
        }
        for server in ["jira@work", "jira@home", "jira"] {
            let expected = servers.contains(&server);
            assert_eq!(means(pattern, server), expected, "{pattern} {server}");
        }
    }
}

#[test]
fn a_resolved_pattern_means_accounts_and_nothing_that_is_alike() {
    let servers = ["jira-work", "jira@work", "Jira@home"];
    let names = Names::new(servers, super::super::Style::Camel);
    let means = |pattern: &str| {
        let pattern = pattern.parse::<ToolPattern>().unwrap().among(&names);
        let meant = servers.into_iter().filter(|server| pattern.is_of(server));
        meant.collect::<Vec<_>>()
    };
    assert_eq!(means("jira-work"), ["jira-work"]);
    assert_eq!(means("jiraWork"), ["jira-work"]);
    assert_eq!(means("jira@work"), ["jira@work"]);
    assert_eq!(means("jira"), ["jira@work", "Jira@home"]);
    let mut resolved = ToolPattern::of_server("x");
    resolved.set_server("jira");
    assert!(resolved.is_of("jira@work") && resolved.is_of("jira"));
    assert!(!resolved.is_of("Jira@home") && !resolved.is_of("jira-work"));
}
