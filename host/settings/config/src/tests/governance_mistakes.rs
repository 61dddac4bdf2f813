//! What is said of what is wrong, or restricts nothing, between a grant and a call.

use super::*;

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
            "[audit]\nage = 'long'",
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
