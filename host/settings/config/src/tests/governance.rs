//! What stands between a grant and a call: what is read, and what is said of what is wrong.

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
fn mistakes_have_their_places_and_hide_no_others() {
    for (text, why) in [
        (
            "[roles.a]\nread-only = true",
            "1:1: roles.a: the key `tools` is missing",
        ),
        (
            "[roles.a]\ntools = ['x']\nprincipals = []",
            "3:14: roles.a.principals: this list is empty",
        ),
        (
            "[roles.a]\ntools = ['x']\nrate = '30/minute'",
            "3:1: roles.a: unknown key `rate`: a quota counts calls, such as `[quotas.support]`",
        ),
        (
            "[roles.a]\ntools = ['x']\ndestructive = 'maybe'",
            "this must be `allow`, `ask` or `deny`",
        ),
        (
            "[roles.a]\ntools = ['x']\ndry-run = true",
            "3:1: roles.a: unknown key `dry-run`: to try runs out, use `ampoule run --preview`",
        ),
        (
            "[roles.a]\ntools = ['x']\nprincipal = ['y']",
            "unknown key `principal`; did you mean `principals`?",
        ),
        (
            "[quotas.a]\ntool = 'mail.'",
            "2:8: quotas.a.tool: this is not a pattern for tools",
        ),
        (
            "[quotas.a]\ncalls-per-minute = 'hunter2'",
            "quotas.a.calls-per-minute: this is not a whole number",
        ),
        (
            "[labels.refuses]\ncrm.read = 'x'",
            "labels.refuses.crm: write tools in quotes",
        ),
        (
            "[labels.refuses]\n'a.b' = { labels = 'x', resaon = 'y' }",
            "labels.refuses.\"a.b\": unknown key `resaon`; did you mean `reason`?",
        ),
        (
            "[labels.refuses]\nmodel = { labels = 'x', then = 'redact' }",
            "2:32: labels.refuses.model.then: this must be `deny` or `ask`; `[privacy]` masks",
        ),
        (
            "[labels.refuses]\n'a.b' = [{ labels = 'x', fields = ['y'] }]",
            "2:26: labels.refuses.\"a.b\"[0]: unknown key `fields`: `[privacy]` masks",
        ),
        (
            "[labels.refuses]\n'a.b' = ['x', { labels = 'y' }]",
            "this must be a list of labels, or a list of tables",
        ),
        ("[policies]\nfile = 'x'", "policies: unknown key `file`"),
        (
            "[quotas.a]\nclass = 'x'",
            "quotas.a.class: this must be `read-only`",
        ),
        (
            "[quotas.a]\ncalls-per-minute = 5_000_000_000",
            "at most 4294967295",
        ),
        ("[approvals]\nask = []", "approvals.ask: this names nothing"),
        (
            "[approvals]\nask = 5",
            "this must be a string, or a list of strings",
        ),
        ("[approvals]\nask = 'a\"b'", "tools have no quotes"),
        (
            "[approvals]\npage = 'here'",
            "approvals.page: this must be an address that begins with https://",
        ),
        (
            "[approvals]\nplaces = ['phone']",
            "approvals.places[0]: this must be `dialogue`",
        ),
        ("[approvals]\nwebhook = {}", "the key `url` is missing"),
        (
            "[approvals]\nwebhook = { url = 'ftp://x', secret = 'y' }",
            "begins with https://",
        ),
        (
            "[labels.gives]\ncrm.read = 'x'",
            "labels.gives.crm: write tools in quotes, such as \"crm.*\"",
        ),
        ("[labels.gives]\n'crm.*' = []", "this names nothing"),
        (
            "[labels.refuses]\nmodel = { then = 'ask' }",
            "labels.refuses.model: the key `labels` is missing",
        ),
        (
            "[labels]\npreset = 'x'",
            "labels.preset: this must be `untrusted-content`",
        ),
        (
            "[privacy]\nmode = 'on'",
            "privacy.mode: this must be `off`, `detect`",
        ),
        (
            "[privacy]\nto = [{ kinds = ['email'] }]",
            "the key `tools` is missing",
        ),
        (
            "[audit]\nkeep = 'long'",
            "write it like `90d`, `7y` or `forever`",
        ),
        (
            "[audit]\narguments = { crm.read = 'full' }",
            "write tools in quotes",
        ),
        (
            "[[audit.export]]\npath = 'x'",
            "audit.export[0]: the key `to` is missing",
        ),
        (
            "[[audit.export]]\nto = 'otlp'\npath = 'x'",
            "audit.export[0]: the key `path` is not for this kind of target, which takes endpoint and headers",
        ),
        (
            "[[audit.export]]\nto = 'syslog'\naddress = 'udp://logs:514'",
            "2:6: audit.export[0].to: syslog is not a target any more; write `to = \"otlp\"` for a collector, which can pass the log on to syslog, or `to = \"file\"`",
        ),
        ("[[audit.export]]\nto = 'file'", "the key `path` is missing"),
        (
            "[audit.arguments]\n'crm.' = 'full'",
            "2:1: audit.arguments: this is not a pattern for tools",
        ),
        (
            "[audit.arguments]\n'crm.*' = 'some'",
            "2:11: audit.arguments.\"crm.*\": this must be `digest`, `full` or `redacted`",
        ),
        (
            "[[audit.export]]\nto = 'otlp'\nendpoint = '${NO}'",
            "variable NO is not set",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
    let all = parse("roles.a = {}\nprivacy.mode = 'x'\naudit.age = 'x'\n").unwrap_err();
    assert_eq!(all.lines().count(), 3, "{all}");
    let all = parse(
        "[roles.a]\ntools = [5, 'x', ' ']\nprincipals = [5]\nreason = 30\nclient = 'x'\n[roles.b]\n[roles.c]\ntools = 'x'\n",
    );
    let all = all.unwrap_err();
    let expected = [
        "2:10: roles.a.tools[0]: this must be a string, in quotes",
        "2:18: roles.a.tools[2]: this is empty; name something, or remove it",
        "3:15: roles.a.principals[0]: this must be a string, in quotes",
        "4:10: roles.a.reason: this must be a string, in quotes",
        "5:1: roles.a: unknown key `client`; did you mean `clients`?",
        "6:1: roles.b: the key `tools` is missing",
        "8:9: roles.c.tools: this must be a list, in brackets",
    ];
    let expected = expected.map(|line| format!("etc/ampoule.toml:{line}"));
    assert_eq!(all.lines().collect::<Vec<_>>(), expected);
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

#[test]
fn a_table_that_restricts_nothing_says_so() {
    for (text, said) in [
        ("[roles]", "`[roles]` is empty"),
        ("[policies]", "`[policies]` is empty"),
        ("[quotas]", "`[quotas]` is empty"),
        ("[approvals]", "`[approvals]` is empty"),
        ("[labels]", "`[labels]` is empty"),
        ("[privacy]\nkinds = []", "`privacy.kinds` is empty"),
        ("[privacy]\nfrom = []", "`privacy.from` is empty"),
        ("[privacy]\nmode = 'off'", "`privacy.mode` is `off`"),
        (
            "[servers.a]\ncommand = 'a'\n[servers.a.tools]",
            "`[servers.a.tools]` is empty",
        ),
        (
            "[servers.a]\nurl = 'https://a.example'\n[servers.a.accounts.b]\ntools = {}\n[servers.a.accounts.c]\ntools.allow = ['x']",
            "`[servers.a.accounts.b.tools]` is empty",
        ),
    ] {
        let notes = parse(text).unwrap().notes;
        assert_eq!(notes.len(), 1, "{text}: {notes:?}");
        assert!(notes[0].starts_with(said), "{text}: {notes:?}");
    }
    for text in [
        "",
        "[audit]",
        "[privacy]",
        "approvals.ask = 'destructive'",
        "[servers.a]\ncommand = 'a'\ntools.deny = ['x']",
    ] {
        assert_eq!(parse(text).unwrap().notes, [""; 0], "{text}");
    }
}
