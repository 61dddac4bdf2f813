//! A line of the log: JSON whose last member is the hash of all before it.
//!
//! `{"v":1,"seq":7,"at":"2026-11-24T02:11:34.123Z","up":1042,"kind":…,"hash":"…"}`: the hash is that
//! of the line before, followed by this line up to where the hash begins. Nobody has to know an
//! event to check its line. A checkpoint has a signature of the same before that.

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use blake3::Hash;

use crate::keys::{Keys, PublicKey, SIGNATURE_BYTES};

/// The version of the form.
pub(crate) const VERSION: u64 = 1;
/// How long a line is at most, in bytes.
pub(crate) const MOST_LINE: usize = 260 << 10;
/// How long an event is at most, in bytes.
pub(crate) const MOST_EVENT: usize = 256 << 10;

const HASH: &[u8] = b",\"hash\":\"";
const SIGNATURE: &[u8] = b",\"signature\":\"";
const END: &[u8] = b"\"}";
const HEX: usize = 2 * blake3::OUT_LEN;
/// A signature in base64.
const SIGNATURE_TEXT: usize = (SIGNATURE_BYTES * 4).div_ceil(3);

/// A place in a chain: the number of a line, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) seq: u64,
    pub(crate) hash: Hash,
}

impl Place {
    /// Before the first line.
    pub(crate) const START: Self = Self {
        seq: 0,
        hash: Hash::from_bytes([0; blake3::OUT_LEN]),
    };
}

/// When something happened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    pub(crate) at: SystemTime,
    /// Since the log was opened.
    pub(crate) up: Duration,
}

/// Adds a line to others, after a place in its chain. `event` is an object of JSON, none of whose
/// members is named like one that every line has.
pub(crate) fn add(lines: &mut Vec<u8>, after: Place, stamp: Stamp, event: &[u8]) -> Place {
    begin(lines, after, stamp, event, |_, _| ())
}

/// The same, signed.
pub(crate) fn add_signed(
    lines: &mut Vec<u8>,
    after: Place,
    stamp: Stamp,
    event: &[u8],
    keys: &Keys,
) -> Place {
    begin(lines, after, stamp, event, |lines, from| {
        let signature = STANDARD_NO_PAD.encode(keys.sign(&lines[from..]));
        lines.extend_from_slice(SIGNATURE);
        lines.extend_from_slice(signature.as_bytes());
        lines.push(b'"');
    })
}

fn begin(
    lines: &mut Vec<u8>,
    after: Place,
    stamp: Stamp,
    event: &[u8],
    sign: impl FnOnce(&mut Vec<u8>, usize),
) -> Place {
    let seq = after.seq + 1;
    // What is hashed begins with the hash before, which is taken out again below.
    let from = lines.len();
    lines.extend_from_slice(after.hash.as_bytes());
    let at = humantime::format_rfc3339_millis(stamp.at);
    let up = stamp.up.as_micros();
    // A `Vec` takes everything.
    let _ = write!(
        lines,
        r#"{{"v":{VERSION},"seq":{seq},"at":"{at}","up":{up},"#
    );
    let inner = event.strip_prefix(b"{").unwrap_or(event);
    lines.extend_from_slice(inner.strip_suffix(b"}").unwrap_or(inner));
    sign(lines, from);
    let hash = blake3::hash(&lines[from..]);
    lines.copy_within(from + blake3::OUT_LEN.., from);
    lines.truncate(lines.len() - blake3::OUT_LEN);
    lines.extend_from_slice(HASH);
    lines.extend_from_slice(hash.to_hex().as_bytes());
    lines.extend_from_slice(END);
    lines.push(b'\n');
    Place { seq, hash }
}

/// A line, taken apart. Nothing of it has been checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'l> {
    /// What is hashed after the hash before.
    content: &'l [u8],
    /// What it says that its hash is.
    pub(crate) hash: Hash,
}

impl<'l> Parts<'l> {
    /// Of a line without its end; none if it has not the form.
    pub(crate) fn of(line: &'l [u8]) -> Option<Self> {
        let rest = line.strip_suffix(END)?;
        let (rest, hex) = rest.split_at_checked(rest.len().checked_sub(HEX)?)?;
        let content = rest.strip_suffix(HASH)?;
        // Written one way only.
        if hex.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        let hash = Hash::from_hex(hex).ok()?;
        Some(Self { content, hash })
    }

    /// Whether its hash is right after this one.
    pub(crate) fn follows(&self, before: &Hash) -> bool {
        hashed(before, self.content) == self.hash
    }

    /// Whether it is signed by that key, after this hash.
    pub(crate) fn is_signed(&self, before: &Hash, key: &PublicKey) -> bool {
        signed(self.content).is_some_and(|(content, signature)| {
            let message = [before.as_bytes(), content].concat();
            key.has_signed(&message, &signature)
        })
    }
}

fn hashed(before: &Hash, content: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes()).update(content);
    hasher.finalize()
}

/// What is signed, and the signature after it.
pub(crate) fn signed(content: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let rest = content.strip_suffix(b"\"")?;
    let (rest, text) = rest.split_at_checked(rest.len().checked_sub(SIGNATURE_TEXT)?)?;
    let content = rest.strip_suffix(SIGNATURE)?;
    Some((content, STANDARD_NO_PAD.decode(text).ok()?))
}

/// An object of JSON with its signature as its last member.
pub(crate) fn with_signature(mut object: Vec<u8>, keys: &Keys) -> Vec<u8> {
    object.pop();
    let signature = STANDARD_NO_PAD.encode(keys.sign(&object));
    object.extend_from_slice(SIGNATURE);
    object.extend_from_slice(signature.as_bytes());
    object.extend_from_slice(END);
    object
}

/// Whether such an object is signed by that key.
pub(crate) fn has_signature(object: &[u8], key: &PublicKey) -> bool {
    let inner = object.strip_suffix(b"}");
    let parts = inner.and_then(signed);
    parts.is_some_and(|(content, signature)| key.has_signed(content, &signature))
}
