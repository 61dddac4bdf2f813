//! What patterns of personal data mean where several servers or tools are alike: what restricts,
//! restricts each of them, and what gives, gives to none.

use crate::known_servers::Tools;
use crate::patterns::{Lists, Patterns};

use super::*;

fn server(name: &str, tools: Option<&[&str]>) -> KnownServer {
    let of = |name: &&str| tool(name, json!({}), None);
    KnownServer {
        name: name.into(),
        says_it_is: None,
        tools: tools.map(|tools| tools.iter().map(of).collect()),
        offered: [tool("$read", json!({}), None)].into(),
    }
}

fn lists(pattern: &str) -> Lists {
    Lists::from([(pattern.to_owned(), vec![pattern.parse().unwrap()])])
}

/// Whether a tool's data is looked at by a pattern, and whether it gets real values by it.
fn is_of(pattern: &str, server_name: &str, tool: &str) -> (bool, bool) {
    let servers = vec![
        server("acme-mail", Some(&["send_it", "sendIt", "send", "read"])),
        server("AcmeMail", Some(&["send"])),
        server("crm", Some(&["get"])),
        server("later", None),
    ];
    let patterns = Patterns {
        from: lists(pattern),
        to: lists(pattern),
        ..Patterns::default()
    };
    let state = Tools::new(None, servers, patterns).unwrap().state();
    (
        state.is_looked_at(server_name, tool, pattern),
        state.receives(server_name, tool, pattern),
    )
}

#[test]
fn a_pattern_that_may_mean_several_has_each_looked_at_and_gives_to_none() {
    let (both, neither, looked_at) = ((true, true), (false, false), (true, false));
    for (pattern, server, tool, expected) in [
        ("acme-mail.send", "acme-mail", "send", both),
        ("acme-mail.send", "AcmeMail", "send", neither),
        ("crm", "crm", "get", both),
        ("CRM.Get", "crm", "get", both),
        ("crm.*", "crm", "get", both),
        ("*", "AcmeMail", "send", both),
        ("a*.send", "acme-mail", "send", both),
        // Of two servers that are alike.
        ("acme_mail.send", "acme-mail", "send", looked_at),
        ("acme_mail.send", "AcmeMail", "send", looked_at),
        ("acme_mail", "AcmeMail", "send", looked_at),
        // Of two tools that are alike.
        ("acme-mail.send-it", "acme-mail", "send_it", looked_at),
        ("acme-mail.send-it", "acme-mail", "sendIt", looked_at),
        ("acme-mail.sendIt", "acme-mail", "sendIt", both),
        // What a server offers besides is not a tool of a similar name.
        ("crm.read", "crm", "$read", looked_at),
        ("crm.$read", "crm", "$read", both),
        // Nothing is known of the tools: which others there are is not, either.
        ("later.send", "later", "send", both),
        ("later.send-it", "later", "send_it", looked_at),
        ("later.s*", "later", "send_it", both),
        ("later", "later", "send_it", both),
        ("crm.gone", "crm", "Gone", looked_at),
        ("crm.get", "nobody", "get", neither),
    ] {
        let found = is_of(pattern, server, tool);
        assert_eq!(found, expected, "{pattern} {server}.{tool}");
    }
}

#[test]
fn a_pattern_that_may_mean_several_servers_is_reported() {
    let builder =
        Governance::builder().servers(vec![server("acme-mail", None), server("AcmeMail", None)]);
    let settings = ampoule_privacy::Settings {
        mode: ampoule_privacy::Mode::Tokens,
        to: Some(vec![ampoule_privacy::Receiver::All(
            "acme_mail.send".into(),
        )]),
        ..ampoule_privacy::Settings::default()
    };
    let governance = builder.privacy(settings, None).build().unwrap();
    assert_eq!(
        governance.warnings(),
        [
            "privacy.to: `acme_mail` may be any of the servers `AcmeMail` and `acme-mail`; write its whole name"
        ]
    );
}
