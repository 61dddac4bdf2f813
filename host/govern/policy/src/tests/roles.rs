//! Roles, as the configuration has them.

use super::*;

fn in_group(group: &str) -> Caller {
    Caller {
        groups: vec![group.into()],
        ..alice()
    }
}

#[test]
fn roles_allow_their_tools_to_whose_they_are() {
    let policies = of_config(
        "[roles.support]
        tools = ['github', '!github.delete_*', 'mail.read']
        groups = ['support']
        principals = ['carol']
        redact = ['email', 'customers.*.phone']
        [roles.mailer]
        tools = ['mail.send']
        clients = ['cursor']",
    )
    .unwrap();
    let effect = |caller: &Caller, call| decide(&policies, caller, call).effect;
    let support = in_group("support");
    for (call, expected) in [
        ("github.get_issue", crate::Effect::Allow),
        ("github.delete_repository", crate::Effect::Deny),
        ("mail.read", crate::Effect::Allow),
        ("mail.send", crate::Effect::Deny),
        ("model", crate::Effect::Allow),
    ] {
        assert_eq!(effect(&support, call), expected, "{call}");
        assert_eq!(effect(&Caller::new("carol"), call), expected, "{call}");
    }
    assert_eq!(effect(&alice(), "mail.read"), crate::Effect::Deny);
    let by_cursor = Caller {
        client: "cursor".into(),
        ..alice()
    };
    assert_eq!(effect(&by_cursor, "mail.send"), crate::Effect::Allow);
    let decision = decide(&policies, &support, "mail.read");
    let duties: Vec<String> = decision
        .obligations
        .iter()
        .map(|duty| duty.obligation.to_string())
        .collect();
    assert_eq!(duties, ["redact email, customers.*.phone in the result"]);
    assert_eq!(decision.by, ["support".into()]);
    assert!(!policies.may_ever(&support, "github", "delete_repository"));
    assert!(policies.may_ever(&support, "github", "get_issue"));
    assert!(!policies.may_ever(&alice(), "mail", "send"));
}

#[test]
fn a_role_of_toolkits_holds_within_them_alone() {
    let policies = of_config(
        "[roles.support]
        tools = ['github']
        toolkits = ['support', 'night']
        [roles.all]
        tools = ['mail.read']",
    )
    .unwrap();
    let within = |toolkit: &str| Caller {
        toolkit: toolkit.into(),
        ..alice()
    };
    for (toolkit, is_there) in [
        ("support", true),
        ("night", true),
        ("sales", false),
        ("Support", false),
        ("", false),
    ] {
        let caller = within(toolkit);
        let may = policies.may_ever(&caller, "github", "get_issue");
        assert_eq!(may, is_there, "{toolkit}");
        let decided = decide(&policies, &caller, "github.get_issue").effect;
        assert_eq!(decided == crate::Effect::Allow, is_there, "{toolkit}");
        assert!(policies.may_ever(&caller, "mail", "read"), "{toolkit}");
    }
}

#[test]
fn policies_see_the_toolkit() {
    let text = "permit(principal, action, resource);
        @id(\"elsewhere\")
        forbid(principal, action == Action::\"mail.send\", resource)
        unless { context.toolkit == \"support\" };";
    let policies = of_file(text).unwrap();
    let support = Caller {
        toolkit: "support".into(),
        ..alice()
    };
    assert_eq!(
        decide(&policies, &support, "mail.send").effect,
        crate::Effect::Allow
    );
    let denied = decide(&policies, &alice(), "mail.send");
    assert_eq!(denied.effect, crate::Effect::Deny);
    assert_eq!(denied.by, ["elsewhere".into()]);
    assert!(!policies.may_ever(&alice(), "mail", "send"));
}

#[test]
fn one_line_asks_before_what_destroys() {
    let policies = of_config("roles.everybody = { tools = ['*'], destructive = 'ask' }").unwrap();
    assert_eq!(
        told(&decide(&policies, &alice(), "github.get_issue")),
        "allow by everybody"
    );
    assert_eq!(
        told(&decide(&policies, &alice(), "github.create_issue")),
        "allow by everybody"
    );
    assert_eq!(
        told(&decide(&policies, &alice(), "github.delete_repository")),
        "ask by everybody: destructive: this may destroy or overwrite something"
    );
}

#[test]
fn roles_add_up() {
    let policies = of_config(
        "[roles.reader]
        tools = ['*']
        read-only = true
        [roles.careful]
        tools = ['github']
        destructive = 'ask'
        groups = ['g']
        [roles.admin]
        tools = ['github']
        groups = ['admins']
        [roles.timid]
        tools = ['github']
        groups = ['admins']
        destructive = 'deny'",
    )
    .unwrap();
    let effect =
        |caller: &Caller, tool: &str| decide(&policies, caller, &format!("github.{tool}")).effect;
    for (caller, expected) in [
        (
            alice(),
            [
                crate::Effect::Allow,
                crate::Effect::Deny,
                crate::Effect::Deny,
            ],
        ),
        (
            in_group("g"),
            [
                crate::Effect::Allow,
                crate::Effect::Allow,
                crate::Effect::Ask,
            ],
        ),
        (in_group("admins"), [crate::Effect::Allow; 3]),
    ] {
        let tools = ["get_issue", "create_issue", "delete_repository"];
        assert_eq!(
            tools.map(|tool| effect(&caller, tool)),
            expected,
            "{caller:?}"
        );
    }
}

#[test]
fn names_are_written_as_grants_write_them() {
    let policies = of_config("roles.a.tools = ['GitHub.getIssue']").unwrap();
    assert_eq!(
        told(&decide(&policies, &alice(), "github.get_issue")),
        "allow by a"
    );
    assert_eq!(
        decide(&policies, &alice(), "github.create_issue").effect,
        crate::Effect::Deny
    );
}

#[test]
fn names_that_mean_nothing_are_told() {
    // The configuration has no empty name; an embedder may.
    let mut sources = config(
        "roles.a.tools = ['github.get_isue', 'gitlab.x', '!github.drop_*', 'crm.any', 'crm.get_*']",
    );
    let role = sources.roles.0.get_mut("a").unwrap();
    role.tools.insert(2, String::new());
    let problems = problems(build(&sources));
    assert_eq!(problems[..3], [
        "[roles.a]: the server `github` has no tool `get_isue`; did you mean `github.get_issue` or `github.create_issue`?",
        "[roles.a]: there is no server `gitlab`; did you mean `github`?",
        "[roles.a]: `` is not a pattern for tools; write `server`, `server.tool` or `server.get_*`",
    ].map(str::to_owned));
    assert!(problems[3].contains("warning: `github.drop_*` matches no known tool"));
}

#[test]
fn a_role_whose_tools_are_not_there_yet_does_not_make_everything_allowed() {
    let policies = of_config("roles.a.tools = ['crm.read']").unwrap();
    assert_eq!(policies.warnings().len(), 1);
    assert_eq!(
        decide(&policies, &alice(), "github.get_issue").effect,
        crate::Effect::Deny
    );
}

#[test]
fn roles_are_cedar_that_can_be_read_back() {
    let policies = of_config(
        "[roles.\"a \\\"quoted\\\"\\nname\"]
        tools = ['github.*', '!github.delete_*']
        destructive = 'ask'
        reason = 'say \"yes\"'",
    )
    .unwrap();
    let text = policies.to_cedar();
    assert!(text.contains(r#"@id("a \"quoted\"\nname")"#), "{text}");
    assert!(
        text.contains(r#"principal in Role::"a \"quoted\"\nname""#),
        "{text}"
    );
    let read: cedar_policy::PolicySet = text.parse().unwrap();
    assert_eq!(read.num_of_policies(), 3);
    assert!(
        text.contains(r#"action in [Action::"github.delete_*"]"#),
        "{text}"
    );
}

#[test]
fn what_is_no_role_is_refused() {
    for text in [
        "tools = ['*']\ntolls = 1",
        "tools = 'x'",
        "read-only = true",
        "tools = []\ndestructive = 'maybe'",
        "tools = ['*']\nrate = '5/minute'",
        "tools = ['*']\ndry-run = true",
    ] {
        assert!(toml::from_str::<crate::Role>(text).is_err(), "{text}");
    }
    let schema = serde_json::to_value(schemars::schema_for!(crate::Roles)).unwrap();
    assert_eq!(schema["$defs"]["Role"]["required"], json!(["tools"]));
    assert_eq!(schema["$defs"]["Role"]["additionalProperties"], false);
}
