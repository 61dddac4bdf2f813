//! Sign-ins where roles are in force, and the server's tools are not known before somebody signed in:
//! whoever might be permitted a call is shown the way, and nobody else.

use ampoule_tests::command::Ran;

use super::browser::Browser;
use super::{Team, WHO, address, says};

/// Ada may call all tools but one, Bob one alone.
const ROLES: &str = "[audit]
folder = 'audit'

[roles.staff]
principals = ['ada']
tools = ['behind', '!behind.leak']

[roles.guests]
principals = ['bob']
tools = ['behind.repeat']
";

#[tokio::test]
async fn whoever_might_call_a_tool_may_sign_in_by_calling_it() {
    let test = "whoever_might_call_a_tool_may_sign_in_by_calling_it";
    let Some(mut team) = Team::new(test, "", ROLES).await else {
        return;
    };
    let [ada, bob] = team.principals(&serde_json::json!({}));
    // Who may never call it is denied as before, and the server hears nothing.
    for (principal, code) in [
        (&bob, WHO),
        (&bob, "return await tools.behind.sign_in()"),
        (&bob, "return await tools.behind.re_peet()"),
        (&ada, "return await tools.behind.leak()"),
        (&ada, "return await tools.behind.Leak()"),
        (&ada, "return await callTool('behind', 'leak', {})"),
    ] {
        let said = says(principal, code).await;
        assert!(said.contains("was not called"), "{code}: {said}");
        assert!(!said.contains("/auth/start/"), "{code}: {said}");
    }
    let said = says(&bob, "return await tools.behind.repeat()").await;
    assert!(said.contains("bob has to sign in to behind"), "{said}");
    // Any name does: what is meant is known once somebody has signed in.
    let said = says(&ada, "return await tools.behind.sign_in()").await;
    assert!(said.contains("ada has to sign in to behind"), "{said}");
    Browser::of("ada-there").signs_in(&address(&said)).await;
    assert_eq!(says(&ada, WHO).await, "ada-there");
    let said = says(&ada, "return await tools.behind.leak()").await;
    assert!(said.contains("has no tool `leak`"), "{said}");
    let said = says(&bob, WHO).await;
    assert!(said.contains("has no tool `whoami`"), "{said}");
    let said = says(&bob, "return await tools.behind.repeat()").await;
    assert!(said.contains("bob has to sign in to behind"), "{said}");

    let told = team.told().await;
    assert_eq!(told["clients"], 1);
    let log: Ran = team.run(&["audit", "ls", "--json", "--all"]).await;
    assert!(log.stdout.contains("needs-sign-in"), "{log:?}");
    team.serving.stopped().await;
}
