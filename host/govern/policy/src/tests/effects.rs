//! What annotations make of policies, and which policy wins.

use super::*;

const GET: &str = r#"github.get_issue {"owner": "x", "number": 1}"#;

fn decided(text: &str) -> String {
    told(&decide(&of_file(text).unwrap(), &alice(), GET))
}

#[test]
fn a_hard_forbid_wins_over_asking_and_asking_over_allowing() {
    let forbid = r#"@id("f") forbid(principal, action, resource);"#;
    let ask = r#"@id("a") @ask @reason("sure?") forbid(principal, action, resource);"#;
    let oblige = r#"@id("o") @redact("x") forbid(principal, action, resource);"#;
    let permit = r#"@id("p") permit(principal, action, resource);"#;
    let permit_asked = r#"@id("pa") @ask("may it?") permit(principal, action, resource);"#;
    for (policies, expected) in [
        (
            vec![permit, ask, forbid],
            "deny by f: a policy forbids `github.get_issue`",
        ),
        (vec![permit, ask, oblige], "ask by a: sure?"),
        (vec![ask], "ask by a: sure?"),
        (vec![permit, permit_asked], "allow by p"),
        (vec![permit_asked], "ask by pa: may it?"),
        (
            vec![permit_asked, forbid],
            "deny by f: a policy forbids `github.get_issue`",
        ),
        (vec![permit_asked, ask], "ask by a: sure?"),
        (vec![permit, oblige], "allow by p, o"),
    ] {
        assert_eq!(decided(&policies.concat()), expected, "{policies:?}");
    }
}

#[test]
fn asking_does_not_allow_what_nothing_permits() {
    let text = r#"@ask forbid(principal, action, resource);
        permit(principal == User::"bob", action, resource);"#;
    assert_eq!(
        decided(text),
        "deny by : no policy permits `github.get_issue`"
    );
}

#[test]
fn obligations_of_all_that_decide_add_up() {
    let text = r#"
        @id("one") @redact("n") permit(principal, action, resource);
        @id("two") @redact("email, c.*.phone") @redact_arguments("w") permit(principal, action in Action::"read-only", resource);
        @id("three") @redact_arguments("z") forbid(principal, action in Action::"github", resource);
        @id("not") @redact("x") permit(principal, action in Action::"mail", resource);
        @id("asked") @ask @redact("y") permit(principal, action, resource);"#;
    let decision = decide(&of_file(text).unwrap(), &alice(), GET);
    let duties: Vec<String> = decision
        .obligations
        .iter()
        .map(|duty| format!("{} by {}", duty.obligation, duty.by))
        .collect();
    assert_eq!(
        duties,
        [
            "redact n in the result by one",
            "redact email, c.*.phone in the result by two",
            "redact w in the arguments by two",
            "redact z in the arguments by three",
        ]
    );
    assert_eq!(decision.effect, crate::Effect::Allow);
}

#[test]
fn wrong_annotations_are_errors() {
    let problems = problems(of_file(
        r#"@id("p") @redcat("email") @rate("3/hour") permit(principal, action, resource);"#,
    ));
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem.starts_with("a.cedar:1:1: policy `p`: "))
    );
}

#[test]
fn a_forbid_that_can_not_be_judged_stands() {
    let text = r#"@id("large") @reason("too large") forbid(principal, action == Action::"github.get_issue", resource)
        when { context.arguments.number * 1000 > 5000 };
        @id("ask") @ask forbid(principal, action == Action::"mail.send", resource)
        when { context.arguments.cost.greaterThan(decimal("100.0")) };"#;
    let policies = of_file(text).unwrap();
    let get = |number: &str| {
        told(&decide(
            &policies,
            &alice(),
            &format!(r#"github.get_issue {{"owner": "x", "number": {number}}}"#),
        ))
    };
    assert_eq!(get("5"), "allow by default");
    assert_eq!(get("6"), "deny by large: too large");
    assert_eq!(get("6.0"), "deny by large: too large");
    let overflown = get("9223372036854775807");
    assert!(
        overflown.starts_with("deny by large: a policy could not be judged: integer overflow"),
        "{overflown}"
    );
    let beyond = get("1e300");
    assert!(
        beyond.starts_with(
            "deny by large: a policy could not be judged: the argument `number` is beyond"
        ),
        "{beyond}"
    );
    let send = |cost: &str| {
        told(&decide(
            &policies,
            &alice(),
            &format!(r#"mail.send {{"to": [], "body": "", "cost": {cost}}}"#),
        ))
    };
    assert_eq!(send("100"), "allow by default");
    assert_eq!(
        send("100.0001"),
        "ask by ask: a person has to agree to `mail.send`"
    );
    assert_eq!(send("-7.25"), "allow by default");
    for cost in ["100.00001", "1e300", "1e-9"] {
        assert!(
            send(cost).starts_with("ask by ask: a policy could not be judged: the argument `cost`"),
            "{cost}"
        );
    }
}

#[test]
fn a_permit_that_can_not_be_judged_permits_nothing() {
    let text = r#"permit(principal, action == Action::"github.get_issue", resource) when { context.arguments.number + 1 > 0 };"#;
    let policies = of_file(text).unwrap();
    let denied = decide(
        &policies,
        &alice(),
        r#"github.get_issue {"owner": "x", "number": 9223372036854775807}"#,
    );
    assert_eq!(denied.effect, crate::Effect::Deny);
}

#[test]
fn what_no_policy_reads_need_not_fit() {
    let text = r#"forbid(principal, action == Action::"github.get_issue", resource) when { context.arguments.owner == "x" };"#;
    let policies = of_file(text).unwrap();
    let decision = decide(
        &policies,
        &alice(),
        r#"github.get_issue {"owner": "y", "number": 1e300}"#,
    );
    assert_eq!(decision.effect, crate::Effect::Allow);
}

#[test]
fn a_tool_that_may_never_be_called_is_told_from_one_that_might() {
    for (text, may) in [
        (
            r#"forbid(principal, action == Action::"github.get_issue", resource);"#,
            false,
        ),
        (
            r#"forbid(principal == User::"bob", action, resource);"#,
            true,
        ),
        (
            r#"forbid(principal in Group::"g", action, resource);"#,
            false,
        ),
        (
            r#"forbid(principal, action, resource) when { context.client == "cursor" };"#,
            false,
        ),
        (
            r#"forbid(principal, action, resource) unless { context.client == "cursor" };"#,
            true,
        ),
        (
            r#"forbid(principal, action in Action::"github", resource) when { context.hints has readOnly && context.hints.readOnly };"#,
            false,
        ),
        (r#"@ask forbid(principal, action, resource);"#, true),
        (
            r#"forbid(principal, action in Action::"github", resource) when { context.arguments.owner == "x" };"#,
            true,
        ),
        (
            r#"forbid(principal, action, resource) when { !(context.labels.contains("l")) };"#,
            true,
        ),
        (
            r#"forbid(principal, action, resource) when { context has arguments };"#,
            true,
        ),
        (
            r#"permit(principal == User::"bob", action, resource);"#,
            false,
        ),
        (
            r#"permit(principal, action in Action::"mail", resource);"#,
            false,
        ),
        (
            r#"permit(principal, action in Action::"github", resource) when { context.arguments.owner == "x" };"#,
            true,
        ),
        (
            r#"permit(principal, action in Action::"github", resource) when { context.client == "other" };"#,
            false,
        ),
        (r#"@ask permit(principal, action, resource);"#, true),
    ] {
        let policies = build(&Sources {
            files: vec![file(text)],
            other_labels: vec!["l".into()],
            ..Sources::default()
        });
        let caller = Caller {
            groups: vec!["g".into(), "h".into()],
            client: "cursor".into(),
            ..alice()
        };
        assert_eq!(
            policies.unwrap().may_ever(&caller, "github", "get_issue"),
            may,
            "{text}"
        );
    }
}

#[test]
fn an_explanation_tells_places_texts_and_what_put_labels_there() {
    let text = "@id(\"quiet\")\n@reason(\"not after mail\")\nforbid(principal, action in Action::\"github\", resource)\nwhen { context.labels.contains(\"untrusted\") };\n@id(\"other\") forbid(principal, action, resource) when { context.client == \"x\" };";
    let policies = build(&Sources {
        files: vec![file(text)],
        other_labels: vec!["untrusted".into()],
        ..Sources::default()
    })
    .unwrap();
    let arguments = json!({"owner": "x", "number": 1});
    let explanation = policies.explain(&Request {
        caller: &alice(),
        act: call("github", "get_issue", &arguments),
        labels: &labels(&["untrusted"]),
    });
    assert_eq!(
        explanation.to_string(),
        r#"deny: not after mail

a.cedar:1:1: `quiet` holds
  | @id("quiet")
  | @reason("not after mail")
  | forbid(principal, action in Action::"github", resource)
  | when { context.labels.contains("untrusted") };
  the label `untrusted` is from call 7, mail.read

considered too:
  a.cedar:5:1: `other` does not hold
  default: `default` holds
"#
    );
}

#[test]
fn a_call_that_takes_another_back_counts_as_destructive() {
    let text = r#"
        @id("ask") @ask forbid(principal, action in Action::"destructive", resource);
        @id("hinted") @ask forbid(principal, action, resource) when {
            context has hints && context.hints has destructive && context.hints.destructive };
        @id("read") @redact("x") forbid(principal, action, resource) when { action in Action::"read-only" };
        @id("sends") @redact("y") forbid(principal, action in Action::"outgoing", resource);"#;
    let policies = std::sync::Arc::new(of_file(text).unwrap());
    let (caller, labels) = (alice(), std::sync::Arc::new(RunLabels::new()));
    let (server, tool) = ("github".into(), "get_issue".into());
    let told = |decision: Option<crate::ToolDecision>| {
        let decision = decision
            .unwrap()
            .decide(&json!({"owner": "x", "number": 1}));
        let mut by: Vec<String> = decision.by.iter().map(ToString::to_string).collect();
        by.sort();
        (decision.effect, by.join(" "))
    };
    let usual = told(policies.tool_decision(&caller, &server, &tool, &labels));
    assert_eq!(usual, (crate::Effect::Allow, "default read".to_owned()));
    let undo = told(policies.undo_decision(&caller, &server, &tool, &labels));
    assert_eq!(undo, (crate::Effect::Ask, "ask hinted".to_owned()));
    let unknown = "get_issues".into();
    assert!(
        policies
            .undo_decision(&caller, &server, &unknown, &labels)
            .is_none()
    );
}
