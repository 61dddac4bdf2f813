//! Names of prompts and addresses of resources: those of servers, with the server's name before them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands between the names of a server and its prompt.
const SEPARATOR: &str = "__";
/// What the address of a server's resource begins with.
pub(super) const ADDRESS: &str = "ampoule://servers/";
/// What stands for itself in a server's name there.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The name of a server's prompt.
pub(super) fn prompt(server: &str, prompt: &str) -> String {
    format!("{server}{SEPARATOR}{prompt}")
}

/// The server's own name of a prompt, if it may be a prompt of this server.
pub(super) fn own_prompt<'a>(server: &str, name: &'a str) -> Option<&'a str> {
    name.strip_prefix(server)?.strip_prefix(SEPARATOR)
}

/// The address of a server's resource, or a template of it.
pub(super) fn address(server: &str, own: &str) -> String {
    format!("{ADDRESS}{}/{own}", utf8_percent_encode(server, PLAIN))
}

/// The server of an address, and its own address there.
pub(super) fn own_address(address: &str) -> Option<(String, &str)> {
    let (server, own) = address.strip_prefix(ADDRESS)?.split_once('/')?;
    let server = percent_decode_str(server).decode_utf8().ok()?;
    Some((server.into_owned(), own))
}

/// Whether an address may come from a template: it begins and ends as that does.
pub(super) fn fits(template: &str, address: &str) -> bool {
    let (Some((first, _)), Some((_, last))) = (template.split_once('{'), template.rsplit_once('}'))
    else {
        return template == address;
    };
    let rest = address.strip_prefix(first).filter(|_| !first.is_empty());
    rest.is_some_and(|rest| rest.len() > last.len() && rest.ends_with(last))
}
