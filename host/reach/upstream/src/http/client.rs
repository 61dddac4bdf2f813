//! The client beneath: TLS with the system's authorities, proxies of the environment, HTTP/2,
//! compression.

use std::net::SocketAddr;
use std::time::Duration;

use ampoule_network::Tls;
use reqwest::Client;
use reqwest::redirect::Policy;
use url::Url;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);

/// How long a connection is kept that nothing is sent on. Many servers close theirs after five
/// seconds: a call that is sent just then may or may not be carried out. Tests wait until no
/// connection is left, again and again.
const IDLE: Duration = Duration::from_millis(if cfg!(test) { 400 } else { 4000 });

/// How often a connection is tried on which nothing comes.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How long the headers of an answer may be in HTTP/2, in bytes.
const MAX_HEADERS: u32 = 64 * 1024;

/// Makes a client for a server; where addresses are given, its host leads there and nowhere else.
/// Reads files.
///
/// # Errors
///
/// What is wrong with the files.
pub(super) fn client(
    url: &Url,
    tls: &Tls,
    pinned: Option<&[SocketAddr]>,
) -> Result<Client, String> {
    let builder = Client::builder()
        .tls_backend_preconfigured(tls.configured(url.scheme() == "https")?)
        .user_agent(concat!("ampoule/", env!("CARGO_PKG_VERSION")))
        // They are followed by hand, without credentials to other origins.
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .tcp_keepalive(KEEP_ALIVE)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .http2_max_header_list_size(MAX_HEADERS);
    let builder = match (pinned, url.host_str()) {
        (Some(addresses), Some(host)) => builder.resolve_to_addrs(host, addresses),
        _ => builder,
    };
    builder.build().map_err(|error| explained(&error))
}

/// Why a request failed, in words.
pub(super) fn explained(error: &reqwest::Error) -> String {
    ampoule_network::explained(error, CONNECT)
}
