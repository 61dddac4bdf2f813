//! Addresses of servers' resources, as clients see them: the server's name before the server's own
//! address. That of an app keeps the scheme by which clients know apps.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What the address of a server's resource begins with.
pub(crate) const ADDRESS: &str = "ampoule://servers/";
/// The same of an app.
const APP_ADDRESS: &str = "ui://ampoule/";
/// What an app's address begins with, as its server has it.
pub(crate) const APP: &str = "ui://";
/// What stands for itself in a server's name there.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The address of a server's resource, or a template of it.
pub(crate) fn address(server: &str, own: &str) -> String {
    let server = utf8_percent_encode(server, PLAIN);
    match own.strip_prefix(APP) {
        Some(app) => format!("{APP_ADDRESS}{server}/{app}"),
        None => format!("{ADDRESS}{server}/{own}"),
    }
}

/// The server of an address, and its own address there.
pub(crate) fn own_address(address: &str) -> Option<(String, Cow<'_, str>)> {
    let (rest, is_app) = match address.strip_prefix(APP_ADDRESS) {
        Some(rest) => (rest, true),
        None => (address.strip_prefix(ADDRESS)?, false),
    };
    let (server, own) = rest.split_once('/')?;
    let server = percent_decode_str(server).decode_utf8().ok()?;
    let own = match is_app {
        true => format!("{APP}{own}").into(),
        false => own.into(),
    };
    Some((server.into_owned(), own))
}

/// Whether an address may come from a template: it begins and ends as that does.
pub(crate) fn fits(template: &str, address: &str) -> bool {
    let (Some((first, _)), Some((_, last))) = (template.split_once('{'), template.rsplit_once('}'))
    else {
        return template == address;
    };
    let rest = address.strip_prefix(first).filter(|_| !first.is_empty());
    rest.is_some_and(|rest| rest.len() > last.len() && rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_server_and_an_app_stays_one() {
        for (own, shown) in [
            ("file:///a/b", "ampoule://servers/my%20files/file:///a/b"),
            ("ui://weather/now", "ui://ampoule/my%20files/weather/now"),
        ] {
            assert_eq!(address("my files", own), shown);
            let (server, there) = own_address(shown).unwrap();
            assert_eq!((&*server, &*there), ("my files", own));
        }
        let nested = address("outer", "ui://ampoule/inner/app");
        assert_eq!(own_address(&nested).unwrap().1, "ui://ampoule/inner/app");
        assert_eq!(own_address("ui://weather/now"), None);
    }
}
