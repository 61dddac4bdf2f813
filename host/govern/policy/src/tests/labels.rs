//! Labels, as the configuration has them.

use super::*;

const LABELS: &str = "[labels.gives]
    'crm.*' = 'customer-data'
    'mail.read' = ['untrusted', 'private']
    [labels.refuses]
    'mail.send' = 'private'
    'github.create_issue' = { labels = ['untrusted', 'private'], then = 'ask', reason = 'what was in it?' }
    model = [{ labels = 'private', reason = 'it stays here' }, { labels = 'untrusted', then = 'ask' }]";

#[test]
fn tools_give_labels() {
    let policies = of_config(LABELS).unwrap();
    let of = |server, tool| -> Vec<String> {
        policies
            .labels_of(server, tool)
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(of("mail", "read"), ["private", "untrusted"]);
    assert_eq!(of("mail", "send"), [""; 0]);
    assert_eq!(of("no", "tool"), [""; 0]);
}

#[test]
fn sinks_refuse_labels() {
    let policies = of_config(LABELS).unwrap();
    let told =
        |call: &str, labels: &[&str]| told(&decide_labelled(&policies, &alice(), call, labels));
    assert_eq!(told("mail.send", &[]), "allow by default");
    assert_eq!(told("mail.send", &["untrusted"]), "allow by default");
    assert_eq!(
        told("mail.send", &["private"]),
        "deny by labels: mail.send refuses private: `mail.send` takes nothing of a run that has read private"
    );
    assert_eq!(
        told("github.create_issue", &["untrusted"]),
        "ask by labels: github.create_issue refuses untrusted, private: what was in it?"
    );
    assert_eq!(
        told("github.delete_repository", &["untrusted", "private"]),
        "allow by default"
    );
    assert!(policies.may_ever(&alice(), "mail", "send"));
}

#[test]
fn the_model_is_a_sink_too() {
    let policies = of_config(LABELS).unwrap();
    let model = |labels: &[&str]| decide_labelled(&policies, &alice(), "model", labels);
    assert_eq!(told(&model(&[])), "allow by default: model");
    assert_eq!(model(&["untrusted"]).effect, crate::Effect::Ask);
    assert_eq!(
        told(&model(&["private", "untrusted"])),
        "deny by labels: model refuses private: it stays here"
    );
}

#[test]
fn labels_and_names_that_mean_nothing_are_told() {
    let mut sources = config(
        "[labels.gives]
        'mail.raed' = 'untrusted'
        [labels.refuses]
        'mail.send' = 'untrustd'",
    );
    // The configuration has no empty list; an embedder may.
    let none = crate::Refusals::Labels(crate::Names::Several(Vec::new()));
    sources.labels.refuses.insert("github".to_owned(), none);
    let problems = problems(build(&sources));
    assert_eq!(problems, [
        "[labels.gives]: the server `mail` has no tool `raed`; did you mean `mail.read`?",
        "[labels.refuses]: `github` refuses no label; name one, or remove it",
        "[labels.refuses]: policy `labels: mail.send refuses untrustd`: nothing gives the label `untrustd`; did you mean `untrusted`?",
    ].map(str::to_owned));
}

#[test]
fn the_preset_asks_after_what_strangers_wrote() {
    let policies = of_config("labels.preset = 'untrusted-content'").unwrap();
    let of = |server, tool| {
        policies
            .labels_of(server, tool)
            .next()
            .map(ToString::to_string)
    };
    assert_eq!(of("mail", "read").as_deref(), Some("untrusted"));
    assert_eq!(of("github", "get_issue").as_deref(), Some("untrusted"));
    assert_eq!(of("mail", "send"), None);
    let effect =
        |call: &str, labels: &[&str]| decide_labelled(&policies, &alice(), call, labels).effect;
    for (call, after) in [
        ("mail.read", crate::Effect::Allow),
        ("github.get_issue", crate::Effect::Allow),
        ("mail.send", crate::Effect::Ask),
        ("github.create_issue", crate::Effect::Ask),
        ("github.delete_repository", crate::Effect::Ask),
    ] {
        assert_eq!(effect(call, &[]), crate::Effect::Allow, "{call}");
        assert_eq!(effect(call, &["untrusted"]), after, "{call}");
    }
}

#[test]
fn policies_may_look_for_labels_that_are_given() {
    let sources = Sources {
        files: vec![file(
            r#"@id("p") forbid(principal, action in Action::"github", resource) when { context.labels.contains("customer-data") };"#,
        )],
        ..config("labels.gives.mail = 'customer-data'")
    };
    let policies = build(&sources).unwrap();
    let decision = decide_labelled(&policies, &alice(), "github.get_issue", &["customer-data"]);
    assert_eq!(
        told(&decision),
        "deny by p: a policy forbids `github.get_issue`"
    );
}

#[test]
fn what_is_no_label_is_refused() {
    for text in [
        "preset = 'other'",
        "gives = 1",
        "refuses.model = { labels = 'x', than = 'ask' }",
        "refuses.model = { labels = 'x', then = 'redact' }",
        "refuses.model = { labels = 'x', fields = ['email'] }",
        "rules = {}",
    ] {
        assert!(toml::from_str::<crate::Labels>(text).is_err(), "{text}");
    }
}
