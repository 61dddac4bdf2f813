//! Accounts of servers: `jira@work` is the account `work` of the server `jira`.

/// What stands between a server's name and an account's.
pub const ACCOUNT: char = '@';

/// A name as that of a server, and of one of its accounts if it names one. A name may begin with
/// `@`: what stands before an account is a name. An address has no account: that is of letters,
/// digits, `-` and `_`, or a pattern of such.
pub fn server_and_account(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once(ACCOUNT) {
        Some((server, account))
            if !server.is_empty() && !account.is_empty() && account.bytes().all(is_usual) =>
        {
            (server, Some(account))
        }
        _ => (name, None),
    }
}

fn is_usual(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'*')
}

#[cfg(test)]
mod tests {
    use super::server_and_account;

    #[test]
    fn an_account_stands_after_the_last_sign() {
        let parted = [
            ("jira@work", ("jira", Some("work"))),
            ("@acme/jira@work", ("@acme/jira", Some("work"))),
            ("jira", ("jira", None)),
            ("@acme/jira", ("@acme/jira", None)),
            ("jira@", ("jira@", None)),
            ("jira@*", ("jira", Some("*"))),
            (
                "https://somebody@example.com/",
                ("https://somebody@example.com/", None),
            ),
            ("@", ("@", None)),
            ("", ("", None)),
        ];
        for (name, expected) in parted {
            assert_eq!(server_and_account(name), expected, "{name:?}");
        }
    }
}
