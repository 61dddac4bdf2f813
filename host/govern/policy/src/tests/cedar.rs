//! Files of Cedar, held against the tools.

use super::*;

#[test]
fn without_policies_everything_is_allowed() {
    let policies = build(&Sources::default()).unwrap();
    assert!(policies.are_none());
    assert_eq!(
        told(&decide(&policies, &alice(), "github.delete_repository")),
        "allow by "
    );
    assert!(policies.may_ever(&alice(), "any", "tool"));
    assert_eq!(Policies::default().fingerprint(), "");
}

#[test]
fn a_forbid_alone_leaves_the_rest_allowed() {
    let policies = of_file(
        r#"@id("no-deletes") @reason("only the sandbox")
        forbid(principal, action == Action::"github.delete_repository", resource)
        unless { context.arguments.owner == "sandbox" };"#,
    )
    .unwrap();
    for (call, expected) in [
        (
            r#"github.delete_repository {"owner": "acme", "repo": "x"}"#,
            "deny by no-deletes: only the sandbox",
        ),
        (
            r#"github.delete_repository {"owner": "sandbox", "repo": "x"}"#,
            "allow by default",
        ),
        (r#"mail.read {"id": "1"}"#, "allow by default"),
        ("model", "allow by default: model"),
    ] {
        assert_eq!(told(&decide(&policies, &alice(), call)), expected, "{call}");
    }
}

#[test]
fn a_permit_makes_all_else_denied_but_the_model() {
    let policies =
        of_file(r#"permit(principal == User::"alice", action in Action::"github", resource);"#)
            .unwrap();
    let get = r#"github.get_issue {"owner": "x", "number": 1}"#;
    assert_eq!(
        told(&decide(&policies, &alice(), get)),
        "allow by a.cedar:1:1"
    );
    let denied = "deny by : no policy permits `github.get_issue`";
    assert_eq!(told(&decide(&policies, &Caller::new("bob"), get)), denied);
    assert_eq!(
        decide(&policies, &alice(), "mail.read {}").effect,
        crate::Effect::Deny
    );
    assert_eq!(
        told(&decide(&policies, &alice(), "model")),
        "allow by default: model"
    );
}

#[test]
fn the_fallback_can_be_said() {
    let permits = r#"permit(principal == User::"alice", action in Action::"github", resource);"#;
    let said = |text: &str, fallback| {
        let policies = build(&Sources {
            files: vec![file(text)],
            fallback: Some(fallback),
            ..Sources::default()
        });
        decide(&policies.unwrap(), &alice(), "mail.read {}").effect
    };
    assert_eq!(said(permits, crate::Fallback::Allow), crate::Effect::Allow);
    assert_eq!(said(permits, crate::Fallback::Deny), crate::Effect::Deny);
    assert_eq!(said("", crate::Fallback::Deny), crate::Effect::Deny);
    assert_eq!(said("", crate::Fallback::Allow), crate::Effect::Allow);
}

#[test]
fn a_tool_that_is_missing_is_an_error_with_its_place() {
    for (action, told) in [
        (
            "github.delete_repo",
            "the server `github` has no tool `delete_repo`; did you mean `github.delete_repository`?",
        ),
        (
            "githb.get_issue",
            "there is no server `githb`, so no tool `githb.get_issue`; did you mean `github.get_issue`?",
        ),
        (
            "destructve",
            "there is no server, and no group of tools, `destructve`; did you mean `destructive`?",
        ),
    ] {
        let text =
            format!("\n  @id(\"p\")\nforbid(principal, action == Action::\"{action}\", resource);");
        let problems = problems(of_file(&text));
        assert_eq!(problems[0], format!("a.cedar:3:37: policy `p`: {told}"));
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn an_argument_that_is_missing_is_an_error_with_its_place() {
    for (condition, place, told) in [
        (
            "context.arguments.ownr == \"x\"",
            "2:8",
            "the tool `github.create_issue` has no argument `ownr`; did you mean `owner`?",
        ),
        (
            "context.arguments has ownr && context.arguments.owner == \"x\"",
            "2:30",
            "the tool `github.create_issue` has no argument `ownr`; did you mean `owner`?",
        ),
        ("context.arguments.owner == 5", "2:8", "the types "),
        (
            "context.arguments.owner",
            "2:8",
            "unexpected type: expected Bool but saw String",
        ),
        (
            "context.arguments.body == \"x\"",
            "2:8",
            "unable to guarantee safety of access to optional attribute `arguments.body`",
        ),
        ("context.arguments.labels == [1]", "2:8", ""),
        (
            "principal.name == \"x\"",
            "2:8",
            "attribute `name` on entity type `User` not found",
        ),
        ("context.labels.contains(5)", "2:8", "the types "),
    ] {
        let text = format!(
            "forbid(principal, action == Action::\"github.create_issue\", resource)\nwhen {{ {condition} }};"
        );
        let problems = problems(of_file(&text));
        let expected = format!("a.cedar:{place}: policy `a.cedar:1:1`: {told}");
        assert!(
            problems[0].starts_with(&expected),
            "{problems:?}\n{expected}"
        );
    }
}

#[test]
fn what_some_tools_lack_is_asked_for_first() {
    let guarded = r#"forbid(principal, action, resource)
        when { context has arguments && context.arguments has owner && context.arguments.owner == "x" };"#;
    let policies = of_file(guarded).unwrap();
    let denied = decide(
        &policies,
        &alice(),
        r#"github.get_issue {"owner": "x", "number": 1}"#,
    );
    assert_eq!(denied.effect, crate::Effect::Deny);
    assert_eq!(
        decide(&policies, &alice(), r#"mail.read {"id": "x"}"#).effect,
        crate::Effect::Allow
    );
    // Whether it would be denied can't be told beforehand.
    assert!(policies.may_ever(&alice(), "github", "get_issue"));
    let bare = r#"forbid(principal, action in Action::"*.*", resource) when { context.arguments.owner == "x" };"#;
    let problems = problems(of_file(bare));
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("not every tool that this is about has it"),
        "{problems:?}"
    );
}

#[test]
fn patterns_are_groups_of_tools() {
    let policies = of_file(
        r#"forbid(principal, action in [Action::"github.get_*", Action::"*.send"], resource);"#,
    )
    .unwrap();
    let effect = |call| decide(&policies, &alice(), call).effect;
    assert_eq!(effect("github.get_issue"), crate::Effect::Deny);
    assert_eq!(effect("mail.send"), crate::Effect::Deny);
    assert_eq!(effect("github.create_issue"), crate::Effect::Allow);
    // A pattern may mean nothing today.
    let policies =
        of_file(r#"forbid(principal, action in Action::"github.drop_*", resource);"#).unwrap();
    let warnings: Vec<String> = policies
        .warnings()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        ["a.cedar:1:37: warning: policy `a.cedar:1:1`: `github.drop_*` matches no known tool"]
    );
}

#[test]
fn a_policy_that_can_never_hold_is_an_error() {
    for text in [
        r#"forbid(principal, action == Action::"github.get_*", resource);"#,
        r#"forbid(principal, action == Action::"destructive", resource);"#,
        r#"forbid(principal, action == Action::"github.get_issue", resource == Client::"x");"#,
    ] {
        let problems = problems(of_file(text));
        assert!(problems[0].contains("can never hold"), "{problems:?}");
    }
}

#[test]
fn tools_that_are_not_listed_yet_wait() {
    let text = r#"forbid(principal, action in [Action::"crm.get", Action::"github.get_issue"], resource);
        forbid(principal, action == Action::"crm.put", resource) when { context.arguments.x == 1 };"#;
    let policies = of_file(text).unwrap();
    assert!(
        policies.warnings()[0]
            .to_string()
            .contains("the tools of `crm` are not listed")
    );
    assert_eq!(
        decide(&policies, &alice(), "github.get_issue").effect,
        crate::Effect::Deny
    );
    let unknown = decide(&policies, &alice(), "crm.get");
    assert!(
        unknown
            .reason
            .unwrap()
            .starts_with("the policies don't know the tool `crm.get`")
    );
    assert!(!policies.may_ever(&alice(), "crm", "get"));
}

#[test]
fn all_problems_of_all_files_are_told() {
    let sources = Sources {
        files: vec![
            file("permit(principal, action, resource\n);forbid(principal, action == Action::\"x.y\", resource);"),
            File { name: "b.cedar".into(), text: "\n permit(principal action, resource);".into() },
            File { name: "c.cedar".into(), text: "@id(\"q\")permit(principal, action, resource);\n@id(\"q\")forbid(principal == ?principal, action, resource);\n@id(\"q\") permit(principal, action, resource);".into() },
        ],
        ..Sources::default()
    };
    let problems = problems(build(&sources));
    let starts = |start: &str| {
        problems
            .iter()
            .filter(|problem| problem.starts_with(start))
            .count()
    };
    assert_eq!(starts("a.cedar:2:39: "), 1, "{problems:#?}");
    assert_eq!(starts("b.cedar:2:19: "), 1, "{problems:#?}");
    assert_eq!(starts("c.cedar:2:29: "), 1, "{problems:#?}");
    assert_eq!(
        starts("c.cedar:3:1: policy `q`: another policy has this id"),
        1,
        "{problems:#?}"
    );
}

#[test]
fn roles_and_labels_that_nobody_has_are_errors() {
    let text = r#"forbid(principal in Role::"suport", action, resource) when { context.labels.containsAny(["untrustd", "x"]) };"#;
    let sources = Sources {
        files: vec![file(text)],
        other_labels: vec!["untrusted".into()],
        ..config("roles.support.tools = ['*']")
    };
    let problems = problems(build(&sources));
    assert_eq!(problems, [
        "a.cedar:1:27: policy `a.cedar:1:1`: there is no role `suport`; did you mean `support`?",
        "a.cedar:1:90: policy `a.cedar:1:1`: nothing gives the label `untrustd`; did you mean `untrusted`?",
        "a.cedar:1:102: policy `a.cedar:1:1`: nothing gives the label `x`",
    ].map(str::to_owned));
}

#[test]
fn the_fingerprint_is_that_of_the_sources() {
    let one = of_file("permit(principal, action, resource);").unwrap();
    let same = Policies::new(
        &Sources {
            files: vec![file("permit(principal, action, resource);")],
            ..Sources::default()
        },
        &[],
    );
    let other = of_file("permit(principal, action, resource); ").unwrap();
    assert_eq!(one.fingerprint().len(), 64);
    assert_eq!(one.fingerprint(), same.unwrap().fingerprint());
    assert_ne!(one.fingerprint(), other.fingerprint());
    let role = |field: &str| {
        of_config(&format!(
            "roles.a = {{ tools = ['*'], redact = ['{field}'] }}"
        ))
        .unwrap()
        .fingerprint()
        .to_owned()
    };
    assert_ne!(role("email"), role("phone"));
}
