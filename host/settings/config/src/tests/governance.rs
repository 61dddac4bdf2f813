//! What stands between a grant and a call, as it is read.

use std::time::Duration;

use ampoule_approvals::{PageSetting, PlaceName};
use ampoule_audit::{ArgumentForm, Export, Format, OnFailure, Retention, Rule};
use ampoule_policy::{Destructive, Fallback, Names, Preset, Refusal, Refusals, Then};
use ampoule_privacy::Mode;
use ampoule_quota::{Class, Per};

use super::super::GovernanceConfig;
use super::*;

fn governed(text: &str) -> GovernanceConfig {
    parse(text).unwrap().governance
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn one_line_asks_before_destructive_calls() {
    let approvals = governed("approvals.ask = 'destructive'").approvals;
    assert_eq!(approvals.ask, ["destructive"]);
    assert_eq!(approvals.places, None);
    let several = governed("[approvals]\nask = ['outgoing', 'github.delete_*']").approvals;
    assert_eq!(several.ask, ["outgoing", "github.delete_*"]);
    assert_eq!(governed(""), GovernanceConfig::default());
    let page = |text: &str| governed(&format!("approvals.page = {text}")).approvals.page;
    assert_eq!(page("true"), PageSetting::Here);
    assert_eq!(page("false"), PageSetting::Nowhere);
    let address = "https://a.example.com";
    assert_eq!(
        page(&format!("'{address}'")),
        PageSetting::At(address.to_owned())
    );
    assert_eq!(governed("").audit, None);
    assert!(governed("audit = {}").audit.is_some());
}

#[test]
fn roles_and_quotas_are_read() {
    let config = governed(
        r#"
        [roles.support]
        tools = ["crm.get_*", "!crm.get_all"]
        principals = ["ada"]
        groups = ["support"]
        clients = ["cursor"]
        read-only = true
        destructive = "ask"
        redact = ["email"]
        reason = "who asks"

        [quotas.night]
        principal = "ci-*"
        group = "staff"
        client = "cursor"
        tool = "mail.*"
        class = "destructive"
        per = "everybody"
        calls-per-hour = 3
        bytes-per-day = "1 MiB"

        [quotas.runs]
        runs-per-day = 1_000
        isolate-time-per-day = "1h"

        [policies]
        folder = "cedar"
        fallback = "deny"
        "#,
    );
    let role = &config.roles.0["support"];
    assert_eq!(role.tools, ["crm.get_*", "!crm.get_all"]);
    assert_eq!(
        (&role.principals, &role.groups),
        (&texts(&["ada"]), &texts(&["support"]))
    );
    assert!(role.read_only);
    assert_eq!(role.destructive, Destructive::Ask);
    let night = &config.quotas["night"];
    assert_eq!(night.class, Some(Class::Destructive));
    assert_eq!(night.per, Per::Everybody);
    assert_eq!(
        (night.group.to_string(), night.client.to_string()),
        ("staff".into(), "cursor".into())
    );
    assert_eq!(
        (night.calls_per_hour, night.bytes_per_day),
        (Some(3), Some(1 << 20))
    );
    let runs = &config.quotas["runs"];
    assert_eq!(runs.isolate_time_per_day, Some(Duration::from_hours(1)));
    let folder = config.policies.folder.as_deref();
    assert_eq!(folder, Some(Path::new("/srv/etc/cedar")));
    assert_eq!(config.policies.fallback, Some(Fallback::Deny));
}

#[test]
fn labels_are_read_in_each_form() {
    let labels = governed(
        r#"
        [labels]
        preset = "untrusted-content"
        [labels.gives]
        "crm.*" = "customer-data"
        "mail.read" = ["untrusted", "mail"]
        [labels.refuses]
        "slack.post" = "customer-data"
        "pay.*" = ["untrusted", "mail"]
        "web.*" = [{ labels = "mail", then = "ask" }, { labels = "untrusted" }]
        model = { labels = "customer-data", then = "ask", reason = "no" }
        "#,
    )
    .labels;
    assert_eq!(labels.preset, Some(Preset::UntrustedContent));
    assert_eq!(labels.gives["mail.read"].all(), ["untrusted", "mail"]);
    let of = |labels: &[&str], then| Refusal {
        labels: Names::Several(texts(labels)),
        then,
        reason: None,
    };
    let all = |labels: &[&str]| Refusals::Labels(Names::Several(texts(labels)));
    let refuses = &labels.refuses;
    assert_eq!(refuses["slack.post"], all(&["customer-data"]));
    assert_eq!(refuses["pay.*"], all(&["untrusted", "mail"]));
    let both = vec![of(&["mail"], Then::Ask), of(&["untrusted"], Then::Deny)];
    assert_eq!(refuses["web.*"], Refusals::Several(both));
    let model = Refusal {
        reason: Some("no".to_owned()),
        ..of(&["customer-data"], Then::Ask)
    };
    assert_eq!(refuses["model"], Refusals::One(model));
}

#[test]
fn secrets_of_approvals_and_exports_are_not_shown() {
    let text = r#"
        [approvals]
        places = ["command-line", "page"]
        expires = "1h"
        [approvals.webhook]
        url = "https://chat.example.com/${TOKEN}"
        secret = ["${TOKEN}", "b"]
        [[audit.export]]
        to = "otlp"
        endpoint = "https://${TOKEN}@collector"
        headers = { X-Key = "${TOKEN}" }
    "#;
    let config = governed(text);
    let approvals = &config.approvals;
    assert_eq!(
        approvals.places,
        Some(vec![PlaceName::CommandLine, PlaceName::Page])
    );
    assert_eq!(approvals.expires, Some(Duration::from_hours(1)));
    let webhook = approvals.webhook.as_ref().unwrap();
    assert_eq!(webhook.url, "https://chat.example.com/hunter2-hunter2");
    assert_eq!(webhook.secrets, ["hunter2-hunter2", "b"]);
    assert_eq!(webhook.answer_secret, None);
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn personal_data_and_the_record_are_read() {
    let config = governed(
        r#"
        [privacy]
        mode = "tokens"
        kinds = ["email"]
        patterns = { order = "ORD-[0-9]+" }
        from = ["crm.*"]
        to = ["mail.*", { tools = "crm.*", kinds = ["email"] }]
        [audit]
        folder = "log"
        age = "7y"
        on-failure = "go-on"
        arguments = { "mail.*" = "redacted", "*" = "full" }
        [[audit.export]]
        to = "file"
        path = "events"
        format = "ocsf"
        "#,
    );
    let privacy = config.privacy;
    assert_eq!(privacy.mode, Mode::Tokens);
    let to = privacy.to.unwrap();
    assert_eq!((to[0].tools(), to[0].kinds()), ("mail.*", None));
    assert_eq!(to[1].kinds(), Some(&*texts(&["email"])));
    let audit = config.audit.unwrap();
    assert_eq!(audit.folder.as_deref(), Some(Path::new("/srv/etc/log")));
    assert!(
        matches!(audit.age, Some(Retention::For(kept)) if kept > Duration::from_hours(6 * 365 * 24))
    );
    assert_eq!(audit.on_failure, OnFailure::GoOn);
    // In the order of the file: the first that fits counts.
    let rule = |tools: &str, how| Rule {
        tools: tools.parse().unwrap(),
        how,
    };
    let first = rule("mail.*", ArgumentForm::Redacted);
    assert_eq!(audit.arguments[0], first);
    let file = Export::File {
        path: "/srv/etc/events".into(),
        format: Format::Ocsf,
    };
    assert_eq!(audit.export[0], file);
    let whole = governed("audit = { arguments = 'full', age = 'forever' }").audit;
    let whole = whole.unwrap();
    assert_eq!(whole.arguments, [rule("*", ArgumentForm::Full)]);
    assert_eq!(whole.age, Some(Retention::Forever));
}

#[test]
fn a_table_of_personal_data_protects_where_it_does_not_say_what_is_done() {
    let mode = |text: &str| governed(text).privacy.mode;
    assert_eq!(mode("[privacy]"), Mode::Tokens);
    assert_eq!(
        mode("[privacy.patterns]\norder = 'ORD-[0-9]{5}'"),
        Mode::Tokens
    );
    assert_eq!(mode("[privacy]\nmode = 'off'"), Mode::Off);
    assert_eq!(mode(""), Mode::Off);
}
