//! Which calls a program asks about.

use super::*;
use crate::ToolPatterns;

fn patterns(written: &Value) -> Result<ToolPatterns, String> {
    ToolPatterns::from_json(&written.to_string()).map_err(|fault| fault.message)
}

#[test]
fn a_pattern_means_a_tool_in_every_spelling_as_in_a_configuration() {
    let asked = patterns(&json!("host.refund, github.delete_*")).expect("patterns");
    for (server, tool, is_asked) in [
        ("host", "refund", true),
        ("host", "Refund", true),
        ("host", "refunds", false),
        ("github", "delete_issue", true),
        ("github", "get_issue", false),
        ("gitlab", "delete_issue", false),
    ] {
        assert_eq!(asked.matches(server, tool), is_asked, "{server}.{tool}");
    }
    let asked = patterns(&json!(["shop.closeTicket", "jira"])).expect("patterns");
    assert!(asked.matches("shop", "close_ticket"));
    // A server's name means all of its accounts.
    assert!(asked.matches("jira@work", "create_issue"));
    assert!(!asked.matches("jira-2", "create_issue"));
    assert!(patterns(&json!("*")).expect("one").matches("a", "b"));
}

#[test]
fn what_is_not_a_pattern_is_an_error_and_not_a_rule_that_never_holds() {
    for wrong in [
        json!(""),
        json!([""]),
        json!("host.refund,"),
        json!(".refund"),
    ] {
        let told = patterns(&wrong).expect_err("no pattern");
        assert!(
            told.contains("is not a pattern for tools"),
            "{wrong}: {told}"
        );
    }
    let told = patterns(&json!(7)).expect_err("a number");
    assert!(told.contains("patterns of tools"), "{told}");
}
