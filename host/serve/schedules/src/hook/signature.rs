//! Whether a message is from its sender: HMAC-SHA-256 under a secret that both sides know.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use ring::hmac;

/// How many signatures of a message are looked at: senders that change their secret send two.
const SIGNATURES: usize = 8;
/// The shortest secret, in bytes.
pub const LEAST_SECRET: usize = 16;
/// What a secret begins with that is written in base64, as Standard Webhooks have it: their
/// signatures are in base64, too. Stripe's secrets begin so and are taken as they are.
const IN_BASE64: &str = "whsec_";
/// What stands for parts of the message in what is signed.
const PARTS: [(&str, Part); 3] = [
    ("{body}", Part::Body),
    ("{timestamp}", Part::Timestamp),
    ("{id}", Part::Id),
];

/// How a sender signs its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureForm {
    /// The header with the signature.
    pub header: String,
    /// What stands before the signature in the header.
    pub prefix: String,
    /// How the signature is written.
    pub encoding: Encoding,
    /// What is signed.
    pub content: SignedContent,
    /// Where the sender says when it sent the message, if it does.
    pub timestamp: Option<TimestampForm>,
    /// The header with the message's id, if there is one.
    pub id_header: Option<String>,
}

/// Where a sender says when it sent a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimestampForm {
    /// The header with the time: seconds since 1970.
    pub header: String,
    /// What stands before the time in the header.
    pub prefix: String,
    /// How far it may be from now.
    pub tolerance: Duration,
}

/// How signatures are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Hexadecimal digits.
    Hex,
    /// Base64.
    Base64,
}

/// What is signed: texts, and parts of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedContent(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Body,
    Timestamp,
    Id,
}

/// A message that is from its sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedMessage {
    /// What no other message has: of what is signed.
    pub digest: String,
    /// Until when its timestamp is accepted, if it has one.
    pub until: Option<Timestamp>,
}

/// Why a message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header is missing.
    #[error("the message has no signature")]
    Missing,
    /// No signature is right.
    #[error("the message's signature is not valid")]
    Wrong,
    /// The timestamp is missing or unreadable.
    #[error("the message has no timestamp in seconds")]
    NoTimestamp,
    /// The timestamp is too far from now.
    #[error("the message was signed too long ago, or by a clock that is wrong")]
    Old,
    /// The id is missing, or has characters that ids don't have.
    #[error("the message has no id of letters, digits, `_` and `-`")]
    NoId,
    /// The operator's secret is not one.
    #[error("the hook's secret is shorter than 16 bytes, or not valid base64 after `whsec_`")]
    Secret,
}

impl SignedContent {
    /// Reads what is signed, such as `v0:{timestamp}:{body}`.
    pub fn read(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let found = PARTS
                .iter()
                .filter_map(|(written, part)| Some((rest.find(written)?, *written, part)))
                .min_by_key(|(at, ..)| *at);
            let Some((at, written, part)) = found else {
                parts.push(Part::Text(rest.to_owned()));
                break;
            };
            if at > 0 {
                parts.push(Part::Text(rest[..at].to_owned()));
            }
            parts.push(part.clone());
            rest = &rest[at + written.len()..];
        }
        Self(parts)
    }

    fn of(&self, body: &[u8], timestamp: &str, id: &str) -> Vec<u8> {
        let mut content = Vec::with_capacity(body.len() + 64);
        for part in &self.0 {
            content.extend_from_slice(match part {
                Part::Text(text) => text.as_bytes(),
                Part::Body => body,
                Part::Timestamp => timestamp.as_bytes(),
                Part::Id => id.as_bytes(),
            });
        }
        content
    }
}

impl SignatureForm {
    /// Checks a message.
    ///
    /// # Errors
    ///
    /// [`SignatureError`]: the message is not from the sender, or too old.
    pub fn check(
        &self,
        secret: &str,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<SignedMessage, SignatureError> {
        let key = key(secret, self.encoding)?;
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let signatures = header(&self.header).ok_or(SignatureError::Missing)?;
        let (timestamp, sent) = match &self.timestamp {
            Some(form) => {
                let text = header(&form.header).unwrap_or_default();
                timestamp(pieces(text, &form.prefix).next())?
            }
            None => ("", now),
        };
        let id = match &self.id_header {
            Some(name) => id(header(name))?,
            None => "",
        };
        let content = self.content.of(body, timestamp, id);
        let mut signatures = pieces(signatures, &self.prefix).take(SIGNATURES);
        let is_right = signatures.any(|signature| {
            let tag = self.encoding.decoded(signature);
            tag.is_some_and(|tag| hmac::verify(&key, &content, &tag).is_ok())
        });
        if !is_right {
            return Err(SignatureError::Wrong);
        }
        // After the signature: what is said of the time is the sender's then.
        let until = match &self.timestamp {
            Some(form) => Some(accepted_until(sent, form.tolerance, now)?),
            None => None,
        };
        let digest = blake3::hash(&content).to_hex()[..32].to_owned();
        Ok(SignedMessage { digest, until })
    }
}

impl Encoding {
    fn decoded(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Hex => hex::decode(text).ok(),
            Self::Base64 => STANDARD.decode(text).ok(),
        }
    }
}

/// The values in a header that begin with a prefix, without the prefix: a header may have several,
/// with spaces or commas between them.
fn pieces<'h>(header: &'h str, prefix: &str) -> impl Iterator<Item = &'h str> {
    let by_commas = !prefix.contains(',');
    let pieces = header.split(move |sign| sign == ' ' || (sign == ',' && by_commas));
    pieces.filter_map(move |piece| piece.strip_prefix(prefix))
}

fn key(secret: &str, encoding: Encoding) -> Result<hmac::Key, SignatureError> {
    let decoded;
    let in_base64 = secret.strip_prefix(IN_BASE64);
    let bytes = match in_base64.filter(|_| encoding == Encoding::Base64) {
        Some(text) => {
            decoded = STANDARD.decode(text).map_err(|_| SignatureError::Secret)?;
            &*decoded
        }
        None => secret.as_bytes(),
    };
    match bytes.len() >= LEAST_SECRET {
        true => Ok(hmac::Key::new(hmac::HMAC_SHA256, bytes)),
        false => Err(SignatureError::Secret),
    }
}

fn timestamp(text: Option<&str>) -> Result<(&str, Timestamp), SignatureError> {
    // Digits alone: another sign could move what is signed.
    let text = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let sent = text.and_then(|text| Some((text, text.parse().ok()?)));
    let sent = sent.and_then(|(text, second)| Some((text, Timestamp::from_second(second).ok()?)));
    sent.ok_or(SignatureError::NoTimestamp)
}

fn id(text: Option<&str>) -> Result<&str, SignatureError> {
    let is_of_ids = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let text = text.filter(|text| !text.is_empty() && text.bytes().all(is_of_ids));
    text.ok_or(SignatureError::NoId)
}

fn accepted_until(
    sent: Timestamp,
    tolerance: Duration,
    now: Timestamp,
) -> Result<Timestamp, SignatureError> {
    let tolerance = SignedDuration::try_from(tolerance).map_err(|_| SignatureError::Old)?;
    if now.duration_since(sent).abs() > tolerance {
        return Err(SignatureError::Old);
    }
    sent.checked_add(tolerance).map_err(|_| SignatureError::Old)
}
