//! Files of cases.

use super::*;
use crate::try_cases;

const POLICIES: &str = r#"
@id("no-deletes") @reason("only the sandbox")
forbid(principal, action == Action::"github.delete_repository", resource)
unless { context.arguments.owner == "sandbox" };
@id("no-mail") forbid(principal in Group::"interns", action in Action::"mail", resource);
@id("quiet") @ask forbid(principal, action == Action::"model", resource) when { context.labels.contains("secret") };
"#;

fn policies() -> Policies {
    build(&Sources {
        files: vec![file(POLICIES)],
        other_labels: vec!["secret".into()],
        ..Sources::default()
    })
    .unwrap()
}

#[test]
fn each_case_is_tried() {
    let results = try_cases(
        &policies(),
        "t.toml",
        r#"
        [[case]]
        name = "deletes"
        principal = "alice"
        call = "github.delete_repository"
        arguments = { owner = "acme", repo = "x" }
        expect = "deny"
        by = "no-deletes"
        [[case]]
        principal = "alice"
        groups = ["interns"]
        client = "cursor"
        call = "mail.send"
        expect = "absent"
        [[case]]
        principal = "alice"
        call = "model"
        labels = ["secret"]
        expect = "ask"
        by = "quiet"
        [[case]]
        name = "wrong"
        principal = "alice"
        call = "mail.read"
        expect = "deny"
        [[case]]
        principal = "alice"
        call = "mail.read"
        expect = "allow"
        by = "other"
        [[case]]
        principal = "alice"
        call = "mail.read"
        expect = "absent""#,
    )
    .unwrap();
    let failures: Vec<Option<&str>> = results
        .iter()
        .map(|result| result.failure.as_deref())
        .collect();
    assert_eq!(
        failures,
        [
            None,
            None,
            None,
            Some("expected deny, but it is allow by `default`"),
            Some("expected to be decided by `other`, but it is by `default`"),
            Some("the tool exists for this principal"),
        ]
    );
    assert_eq!(
        (results[3].name.as_str(), results[4].name.as_str()),
        ("wrong", "mail.read")
    );
    assert_eq!(results[3].place.to_string(), "t.toml:21:9");
}

#[test]
fn what_is_no_case_is_told_with_its_place() {
    for (text, place) in [
        (
            "[[case]]\nprincipal = \"a\"\ncall = \"model\"\nexpect = \"maybe\"",
            "t.toml:4:10",
        ),
        (
            "[[case]]\nprincipal = \"a\"\ncall = \"model\"\nexpcet = \"deny\"",
            "t.toml:4:1",
        ),
        (
            "\n[[case]]\nprincipal = \"a\"\ncall = \"model.\"\nexpect = \"deny\"",
            "t.toml:2:1",
        ),
        ("case = ", "t.toml:1:8"),
    ] {
        let told = try_cases(&policies(), "t.toml", text)
            .unwrap_err()
            .to_string();
        assert!(told.starts_with(place), "{told}");
    }
}

#[test]
fn calls_are_written_as_people_write_them() {
    let written: crate::ActText = " github.create_issue {\"title\": \"{x}\"} "
        .parse()
        .unwrap();
    assert_eq!(
        written.act(),
        call("github", "create_issue", &json!({"title": "{x}"}))
    );
    assert_eq!("model".parse::<crate::ActText>().unwrap().act(), Act::Model);
    for text in [
        "",
        "github",
        "github.",
        ".x",
        "github.x {",
        "github.x [1]",
        "github.x {} y",
    ] {
        assert!(text.parse::<crate::ActText>().is_err(), "{text}");
    }
}
