//! Who may have a server asked for its tools, as long as they are not known.

use super::*;

/// Policies of these roles and this text; `crm` is not listed yet.
fn policies(roles: Value, text: &str) -> Policies {
    let sources = Sources {
        roles: serde_json::from_value(roles).unwrap(),
        files: vec![file(text)],
        ..Sources::default()
    };
    build(&sources).unwrap()
}

fn may(policies: &Policies, who: &str, server: &str, tool: &str) -> bool {
    policies.may_learn(&Caller::new(who), server, tool)
}

#[test]
fn roles_are_asked_as_they_are_written() {
    let roles = json!({
        "staff": { "principals": ["alice"], "tools": ["crm.get_*", "crm.addNote", "!crm.get_secret"] },
        "readers": { "principals": ["carol"], "tools": ["*"], "read-only": true },
        "others": { "principals": ["bob"], "tools": ["github"] },
    });
    let policies = policies(roles, "");
    for (tool, expected) in [
        ("get_customer", true),
        ("getCustomer", true),
        ("add_note", true),
        ("addNote", true),
        ("get_secret", false),
        ("getSecret", false),
        ("Get-Secret", false),
        ("sign_in", false),
        ("delete", false),
        ("*", false),
        ("", false),
    ] {
        assert_eq!(may(&policies, "alice", "crm", tool), expected, "{tool}");
        assert!(!may(&policies, "bob", "crm", tool), "{tool}");
        assert!(!may(&policies, "nobody", "crm", tool), "{tool}");
    }
    assert!(may(&policies, "carol", "crm", "whatever"));
    // No call is permitted by that, and of what is known more is known than its name.
    assert!(!policies.may_ever(&Caller::new("alice"), "crm", "get_customer"));
    assert!(!may(&policies, "bob", "github", "get_issue"));
    assert!(!may(&policies, "bob", "absent", "get_issue"));
}

#[test]
fn cedar_is_asked_about_what_the_tool_may_be() {
    let text = r#"
        permit(principal == User::"alice", action in Action::"crm", resource);
        permit(principal == User::"bob", action in Action::"read-only", resource);
        permit(principal == User::"carol", action in Action::"crm.get_*", resource);
        permit(principal == User::"dave", action == Action::"crm.get", resource);
        permit(principal == User::"eve", action, resource);
        forbid(principal == User::"eve", action in Action::"crm", resource);
        forbid(principal, action in Action::"crm.delete_*", resource);
        forbid(principal, action in Action::"destructive", resource);"#;
    let policies = policies(json!({}), text);
    for (who, tool, expected) in [
        ("alice", "anything", true),
        ("alice", "delete_all", false),
        ("bob", "anything", true),
        ("carol", "get_it", true),
        ("carol", "put_it", false),
        ("dave", "get", true),
        ("dave", "put", false),
        ("eve", "get", false),
        ("mallory", "get", false),
        (
            "mallory",
            "x\"; permit(principal, action, resource); //",
            false,
        ),
    ] {
        assert_eq!(may(&policies, who, "crm", tool), expected, "{who}: {tool}");
    }
    // Without policies, there is nothing to find out first.
    assert!(!may(&Policies::default(), "alice", "crm", "get"));
}
