//! How requests travel: the way of scripts' own, with room for what APIs send.

use std::env;

use ampoule_network::Tls;
use ampoule_outbound::{OutboundOptions, Rule, RuleError, Rules};

/// How large a body may be, in either direction, in bytes, and so may a description. What a run may
/// be told holds besides.
pub const MAX_BODY: u64 = 64 << 20;

/// How much, and how.
pub fn options(tls: &Tls) -> OutboundOptions {
    OutboundOptions {
        request_bytes: MAX_BODY,
        response_bytes: MAX_BODY,
        through_proxy: has_proxy(),
        tls: tls.clone(),
        ..OutboundOptions::default()
    }
}

/// Whether requests go through a proxy: it looks names up itself, so that nobody here sees where
/// they lead.
fn has_proxy() -> bool {
    const NAMES: [&str; 3] = ["https_proxy", "all_proxy", "http_proxy"];
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    NAMES
        .iter()
        .any(|name| is_set(name) || is_set(&name.to_ascii_uppercase()))
}

/// These rules, and reading from where a server sends the client on to: downloads are often
/// elsewhere. Nothing confidential goes there, nor does anything into a private network.
/// Where Ampoule has a certificate, requests only go to the server itself: whoever asks for a
/// certificate gets it.
///
/// # Errors
///
/// The rule can't be made.
pub fn elsewhere(rules: Rules, tls: &Tls) -> Result<Rules, RuleError> {
    match has_proxy() || tls.certificate.is_some() {
        true => Ok(rules),
        false => Ok(rules.and(Rule::to(["https://*:*"])?)),
    }
}

/// What is said of a description that has too many bytes.
pub fn too_long() -> String {
    format!("it has more than {} MiB", MAX_BODY >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_shown_to_nobody_else() {
        let tls = Tls {
            certificate: Some("client.pem".into()),
            ..Tls::default()
        };
        let rules = |tls: &Tls| elsewhere(Rules::default(), tls).unwrap().allow.len();
        assert_eq!(rules(&tls), 0);
        assert_eq!(rules(&Tls::default()), usize::from(!has_proxy()));
    }
}
