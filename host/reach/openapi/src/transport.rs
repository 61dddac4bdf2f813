//! How requests travel: the way of scripts' own, with room for what APIs send.

use std::env;

use ampoule_outbound::{OutboundOptions, Rule, RuleError, Rules};
use ampoule_tools::{CallContext, CallError};
use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use url::Url;

use crate::document::MAX_BYTES;
use crate::options::ApiServer;
use ampoule_outbound::{Requests, ServerRequest};

/// How large a body may be, in either direction, in bytes. What a run may be told holds besides.
const MAX_BODY: u64 = 64 << 20;

/// How much, and how.
pub(crate) fn options(server: &ApiServer) -> OutboundOptions {
    OutboundOptions {
        request_bytes: MAX_BODY,
        response_bytes: MAX_BODY.max(MAX_BYTES),
        through_proxy: has_proxy(),
        tls: server.tls.clone(),
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
pub(crate) fn elsewhere(rules: Rules, server: &ApiServer) -> Result<Rules, RuleError> {
    match has_proxy() || server.tls.certificate.is_some() {
        true => Ok(rules),
        false => Ok(rules.and(Rule::to(["https://*:*"])?)),
    }
}

/// The text at the address of a document. `confidential`: headers that its server may know.
pub(crate) async fn document(
    url: &Url,
    confidential: HeaderMap,
    server: &ApiServer,
) -> Result<String, String> {
    let rule = Rule::to([url.origin().ascii_serialization()]).map_err(|error| error.to_string())?;
    let rules = elsewhere(Rules::default().and(rule.private()), server)
        .map_err(|error| error.to_string())?;
    let requests = Requests::new(rules, options(server));
    let request = ServerRequest {
        method: Method::GET,
        url: url.clone(),
        headers: HeaderMap::from_iter([(
            http::header::ACCEPT,
            http::HeaderValue::from_static("application/json, application/yaml, */*;q=0.5"),
        )]),
        confidential,
        body: Bytes::new(),
    };
    let context = CallContext::without_a_run("openapi", "document", MAX_BYTES);
    let response = requests.send(request, &context).await;
    let response: Response<Bytes> = response.map_err(|error| match error {
        CallError::ResultTooLarge { .. } => crate::document::too_long(),
        error => format!("it can't be read: {error}"),
    })?;
    if !response.status().is_success() {
        return Err(format!(
            "it can't be read: HTTP status {}",
            response.status()
        ));
    }
    String::from_utf8(response.into_body().into()).map_err(|_| "it is not text in UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use ampoule_network::Tls;

    use super::*;
    use crate::document::Source;

    #[test]
    fn a_certificate_is_shown_to_nobody_else() {
        let mut server = ApiServer::new(Source::File("api.yaml".into()));
        server.tls = Tls {
            certificate: Some("client.pem".into()),
            ..Tls::default()
        };
        let rules = |server: &ApiServer| elsewhere(Rules::default(), server).unwrap().allow.len();
        assert_eq!(rules(&server), 0);
        server.tls = Tls::default();
        assert_eq!(rules(&server), usize::from(!has_proxy()));
    }
}
