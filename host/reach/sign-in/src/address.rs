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
pub(crate) struct Reachable(Arc<Rule>);

#[derive(Debug)]
struct Rule {
    own: String,
    own_is_loopback: bool,
    own_is_plain: bool,
    private: bool,
    /// Proxies' hosts, whose names go through the same resolver.
    proxies: Vec<String>,
}

impl Reachable {
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

impl Resolve for Reachable {
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
mod tests {
    use super::*;

    fn allows(resource: &str, private: bool, url: &str) -> bool {
        let parsed = |url| Url::parse(url).expect("a test's address is one");
        Reachable::from(&parsed(resource), private).allows(&parsed(url))
    }

    #[test]
    fn metadata_leads_into_no_private_network() {
        let public = "https://mcp.example.com/mcp";
        for refused in [
            "https://169.254.169.254/latest/meta-data",
            "https://[::ffff:169.254.169.254]/",
            "https://[64:ff9b::a9fe:a9fe]/",
            "https://[fd00:ec2::254]/",
            "https://10.0.0.1/",
            "https://100.64.0.1/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://[fe80::1]/",
            "https://[fc00::1]/",
            "https://[2002:0a00:0001::]/",
            "https://0.0.0.0/",
            "http://auth.example.com/",
            "http://mcp.example.com/",
            "file:///etc/passwd",
        ] {
            assert!(!allows(public, false, refused), "{refused}");
        }
        for allowed in ["https://auth.example.com/", "https://93.184.215.14/"] {
            assert!(allows(public, false, allowed), "{allowed}");
        }
    }

    /// How many addresses of a name are left, or why none is.
    async fn resolved(resource: &str, name: &str) -> Result<usize, String> {
        let rule = Reachable::from(&Url::parse(resource).expect("an address"), false);
        let name = name.parse().expect("a name");
        let found = rule.resolve(name).await;
        found
            .map(Iterator::count)
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_name_leads_no_further_than_its_addresses() {
        let refused = resolved("https://mcp.example.com/mcp", "localhost").await;
        assert_eq!(
            refused,
            Err(
                "localhost is in a private network, where a server's metadata may not lead"
                    .to_owned()
            )
        );
        // It is the operator's own.
        for own in ["http://localhost:3000/mcp", "http://127.0.0.1:3000/mcp"] {
            assert!(resolved(own, "localhost").await.is_ok_and(|left| left > 0));
        }
    }

    #[test]
    fn of_a_names_addresses_the_public_ones_are_left() {
        let rule = Reachable::from(&Url::parse("https://mcp.example.com/").unwrap(), false);
        let found = |addresses: &[&str]| -> Vec<SocketAddr> {
            let addresses = addresses.iter();
            addresses.map(|it| it.parse().expect("one")).collect()
        };
        let mixed = found(&["10.0.0.1:0", "93.184.215.14:0", "[fd00:ec2::254]:0"]);
        assert_eq!(
            rule.allowed("auth.example.com", mixed.into_iter()),
            Ok(found(&["93.184.215.14:0"]))
        );
        let inside = found(&["192.168.0.1:0", "169.254.169.254:0", "[::1]:0"]);
        assert!(
            rule.allowed("auth.example.com", inside.clone().into_iter())
                .is_err()
        );
        // The operator named this one; instance metadata is nobody's server.
        assert_eq!(
            rule.allowed("mcp.example.com", inside.into_iter()),
            Ok(found(&["192.168.0.1:0", "[::1]:0"]))
        );
    }

    #[test]
    fn what_the_operator_configured_is_reached_wherever_it_is() {
        assert!(allows("http://10.0.0.5/mcp", false, "http://10.0.0.5:9/x"));
        assert!(!allows("http://10.0.0.5/mcp", false, "https://10.0.0.6/"));
        assert!(allows("http://10.0.0.5/mcp", true, "https://10.0.0.6/"));
        assert!(!allows("http://10.0.0.5/mcp", true, "https://127.0.0.1/"));
        let local = "http://127.0.0.1:3000/mcp";
        for allowed in ["http://127.0.0.1:4000/", "http://localhost:1/"] {
            assert!(allows(local, false, allowed), "{allowed}");
        }
        // Not even there, and not even where the operator allows private networks.
        for resource in [local, "http://169.254.169.254/mcp"] {
            assert!(!allows(resource, true, "http://169.254.169.254/"));
        }
        assert!(!allows(local, false, "http://10.0.0.1/"));
    }
}
