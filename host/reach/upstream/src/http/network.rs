//! Where a server's name leads.

use std::net::SocketAddr;

use url::{Host, Url};

/// Where a server's name leads.
///
/// # Errors
///
/// Why it leads nowhere.
pub(super) async fn addresses(url: &Url) -> std::io::Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().unwrap_or(443);
    Ok(match url.host() {
        Some(Host::Ipv4(ip)) => vec![(ip, port).into()],
        Some(Host::Ipv6(ip)) => vec![(ip, port).into()],
        Some(Host::Domain(name)) => tokio::net::lookup_host((name, port)).await?.collect(),
        None => Vec::new(),
    })
}
