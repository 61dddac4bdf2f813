//! Which addresses are a private network's: where nobody from outside may send a client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is not one of the public internet's. Those by which cloud providers answer
/// their own machines count as private, wherever they lie.
pub fn is_private(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [first, second, third, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        || first == 0
        || first >= 240
        // Carriers' own, protocols' own, relays to IPv6, and benchmarks.
        || (first == 100 && second & 0xc0 == 64)
        || (first == 192 && second == 0 && third == 0)
        || (first == 192 && second == 88 && third == 99)
        || (first == 198 && second & 0xfe == 18)
        // What answers virtual machines of Azure.
        || ip.octets() == [168, 63, 129, 16]
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    let segments = ip.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b, c, d] = ((u32::from(high) << 16) | u32::from(low)).to_be_bytes();
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Addresses that stand for those of the older kind.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        // Some interfaces' own, which stand for those too (ISATAP).
        [.., 0 | 0x200, 0x5efe, high, low] if embedded(high, low) => true,
        // Protocols' own, such as Teredo, and documentation.
        [0x2001, second, ..] => second < 0x200 || second == 0xdb8,
        [0x3fff, second, ..] => second < 0x1000,
        // Nothing else is given to anybody.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "198.19.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2002:a00:1::1",
            "ff02::1",
            "::7f00:1",
            "::ffff:0:7f00:1",
            "64:ff9b:1::a00:1",
            "fec0::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "2606:4700::5efe:a00:1",
            "2606:4700::200:5efe:7f00:1",
            "fd00:ec2::254",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "192.88.99.1",
            "224.0.0.1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:4860:4860::8888",
            "2606:4700::5efe:808:808",
            "168.63.129.17",
        ] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }
}
