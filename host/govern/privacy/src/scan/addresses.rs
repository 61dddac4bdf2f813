//! Addresses of the internet: IPv4 and IPv6.

use std::net::Ipv6Addr;

use super::Scan;
use super::numbers::{Gap, Groups};
use crate::fields::Field;

/// The longest form of an IPv6 address, in bytes.
const LONGEST: usize = 45;

impl Scan<'_> {
    /// Whether groups have the form of an IPv4 address: four numbers up to 255.
    pub(super) fn is_ipv4(&self, groups: &Groups) -> bool {
        let dots = (0..3).all(|index| groups.gap(index) == Some(Gap::Dot));
        dots && groups.count >= 4 && (0..4).all(|index| groups.length(index) <= 3)
    }

    /// Whether such groups are an address of somebody.
    pub(super) fn is_address(&self, groups: &Groups) -> bool {
        let start = groups.start();
        let mut parts = [0_u16; 4];
        for (index, part) in parts.iter_mut().enumerate() {
            let digits = &groups.digits(index + 1)[groups.total(index)..];
            if digits.len() > 1 && digits[0] == b'0' {
                return false;
            }
            *part = digits
                .iter()
                .fold(0, |n, digit| 10 * n + u16::from(digit - b'0'));
        }
        let before = self.before(start);
        let joined = matches!(before, b'.' | b'-' | b'v' | b'V') || self.goes_on(groups);
        // Here, nowhere, everybody, a mask.
        let nobody = matches!(parts[0], 0 | 127 | 224..) || parts.iter().any(|part| *part > 255);
        // Four small numbers are a version rather.
        let small = parts.iter().all(|part| *part < 10) && self.field != Some(Field::Ip);
        let version = self.cues.version(self.text, start) || self.field == Some(Field::Code);
        !joined && !nobody && !version && (!small || self.is_public_dns(parts))
    }

    /// `1.1.1.1`, `8.8.8.8` and the like are known as addresses.
    fn is_public_dns(&self, parts: [u16; 4]) -> bool {
        matches!(
            parts,
            [1, 1, 1, 1] | [1, 0, 0, 1] | [8, 8, 8, 8] | [8, 8, 4, 4] | [9, 9, 9, 9]
        )
    }

    /// Whether it continues after four numbers, as `1.2.3.4.5`, `1.2.3.4-rc`, `0.0.0.0/8` do.
    fn goes_on(&self, groups: &Groups) -> bool {
        let end = groups.end(4);
        let (next, after) = (self.byte(end), self.byte(end + 1));
        let more = matches!(next, b'.' | b'-' | b'/' | b'+') && after.is_ascii_alphanumeric();
        more && !(next == b'/' && after.is_ascii_alphabetic())
    }

    /// Where an IPv6 address ends that begins with this word.
    pub(super) fn ipv6(&self, start: usize, end: usize) -> Option<usize> {
        let bytes = self.bytes();
        let hex = end - start <= 4 && bytes[start..end].iter().all(u8::is_ascii_hexdigit);
        if !hex || self.byte(end) != b':' || matches!(self.before(start), b':' | b'.') {
            return None;
        }
        let in_it = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
        let length = bytes[start..]
            .iter()
            .take(LONGEST + 1)
            .take_while(in_it)
            .count();
        let run = bytes[start..start + length].trim_ascii_end();
        let run = std::str::from_utf8(run).ok()?;
        let run = match run.ends_with("::") {
            true => run,
            false => run.trim_end_matches([':', '.']),
        };
        // Times have two colons, too.
        if run.matches(':').count() < 3 && !run.contains("::") || self.is_word(start + run.len()) {
            return None;
        }
        let address: Ipv6Addr = run.parse().ok()?;
        let nobody = address.is_loopback() || address.is_unspecified() || address.is_multicast();
        (!nobody).then_some(start + run.len())
    }
}
