//! Where a server's metadata may lead.
//!
//! The operator configured the server's own host, so that is reached wherever it is. Everything
//! else is named by a server: it is reached in public networks, and in private ones only where the
//! operator allowed that. Addresses that belong to no host, and those of a cloud's instance
//! metadata, are never reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Variables that name a proxy. The operator set them.
const PROXIES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    Public,
    Private,
    Loopback,
    /// Link-local, multicast and reserved: where instance metadata is, and no server.
    Never,
}

/// The rule for one server. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AddressPolicy(Arc<Rule>);

#[derive(Debug)]
struct Rule {
    own: String,
    own_is_loopback: bool,
    own_is_plain: bool,
    private: bool,
    /// Proxies' hosts, whose names go through the same resolver.
    proxies: Vec<String>,
}

impl AddressPolicy {
    pub(crate) fn from(resource: &Url, private: bool) -> Self {
        let proxies = PROXIES.iter().filter_map(|name| std::env::var(name).ok());
        let proxies = proxies.filter_map(|proxy| {
            let url = Url::parse(&proxy).or_else(|_| Url::parse(&format!("http://{proxy}")));
            url.ok()?.host_str().map(bare)
        });
        Self(Arc::new(Rule {
            own: resource.host_str().map(bare).unwrap_or_default(),
            own_is_loopback: resource.host().is_some_and(|host| is_loopback(&host)),
            own_is_plain: resource.scheme() == "http",
            private,
            proxies: proxies.collect(),
        }))
    }

    /// Whether a request may go there, as far as its address tells: names are looked at again when
    /// they are resolved. Without TLS, only to where the operator did without it too.
    pub(crate) fn allows(&self, url: &Url) -> bool {
        let Some(host) = url.host() else {
            return false;
        };
        let name = bare(&host.to_string());
        let plainly = self.0.own_is_plain && (name == self.0.own || is_loopback(&host));
        if url.scheme() != "https" && !(url.scheme() == "http" && plainly) {
            return false;
        }
        match host {
            Host::Domain(_) => true,
            Host::Ipv4(address) => self.allows_address(&name, address.into()),
            Host::Ipv6(address) => self.allows_address(&name, address.into()),
        }
    }

    /// Those of a host's addresses that may be reached.
    fn allowed(
        &self,
        host: &str,
        found: impl Iterator<Item = SocketAddr>,
    ) -> Result<Vec<SocketAddr>, String> {
        let allowed: Vec<_> = found
            .filter(|address| self.allows_address(host, address.ip()))
            .collect();
        if allowed.is_empty() {
            return Err(format!(
                "{host} is in a private network, where a server's metadata may not lead"
            ));
        }
        Ok(allowed)
    }

    fn allows_address(&self, host: &str, address: IpAddr) -> bool {
        let own = host == self.0.own || self.0.proxies.iter().any(|proxy| proxy == host);
        match network(address) {
            Network::Public => true,
            Network::Private => own || self.0.private,
            Network::Loopback => own || self.0.own_is_loopback,
            Network::Never => false,
        }
    }
}

impl Resolve for AddressPolicy {
    fn resolve(&self, name: Name) -> Resolving {
        let rule = self.clone();
        Box::pin(async move {
            let host = bare(name.as_str());
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed = rule.allowed(&host, found)?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// A host's name as names are compared.
fn bare(host: &str) -> String {
    host.trim_matches(['[', ']'])
        .trim_end_matches('.')
        .to_ascii_lowercase()
}

fn is_loopback<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = bare(name.as_ref());
            name == "localhost" || name.ends_with(".localhost")
        }
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

fn network(address: IpAddr) -> Network {
    match address {
        IpAddr::V4(address) => network_v4(address),
        IpAddr::V6(address) => network_v6(address),
    }
}

fn network_v4(address: Ipv4Addr) -> Network {
    let [a, b, c, _] = address.octets();
    let carrier = a == 100 && (64..128).contains(&b);
    // 0.0.0.0/8, protocol assignments, benchmarks, and 240.0.0.0/4 with broadcast.
    let reserved =
        a == 0 || (a, b, c) == (192, 0, 0) || (a == 198 && matches!(b, 18 | 19)) || a >= 240;
    if address.is_loopback() {
        Network::Loopback
    } else if address.is_link_local() || address.is_multicast() || reserved {
        Network::Never
    } else if address.is_private() || carrier {
        Network::Private
    } else {
        Network::Public
    }
}

fn network_v6(address: Ipv6Addr) -> Network {
    let parts = address.segments();
    let [.., high, low] = parts;
    let last = Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match parts {
        _ if address.is_loopback() => Network::Loopback,
        _ if address.is_unspecified() || address.is_multicast() => Network::Never,
        // IPv4 in IPv6: mapped, compatible, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => network_v4(last),
        [0x2002, high, low, ..] => {
            network_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        // Local NAT64 and Teredo hold IPv4 addresses that can't be read from them.
        [0x64, 0xff9b, 1, ..] | [0x2001, 0, ..] => Network::Never,
        // Amazon's instance metadata, within unique local addresses.
        [0xfd00, 0xec2, ..] => Network::Never,
        [first, ..] if first & 0xffc0 == 0xfe80 => Network::Never,
        [first, ..] if first & 0xfe00 == 0xfc00 => Network::Private,
        _ => Network::Public,
    }
}

#[cfg(test)]
mod tests;
