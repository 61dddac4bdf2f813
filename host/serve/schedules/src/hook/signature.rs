//! Whether a message is from its sender: HMAC-SHA-256 under a secret that both sides know.

use std::time::Duration;

use ampoule_secrets::LEAST_SIGNING_SECRET;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use ring::hmac;

/// How many signatures of a message are looked at: senders that change their secret send two.
const SIGNATURES: usize = 8;
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
    /// What no other message has: of its id, if it has one, else of what is signed.
    pub digest: String,
    /// Whether it has an id: the sender may send it again, signed at another time.
    pub has_id: bool,
    /// When it was signed, if the sender says that; of one with an id, else when it came.
    pub signed: Option<Timestamp>,
    /// How far that may be from now.
    pub tolerance: SignedDuration,
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

    /// Has each part read, in order.
    fn each<'m>(&'m self, said: &Claims<'m>, body: &'m [u8], mut read: impl FnMut(&'m [u8])) {
        for part in &self.0 {
            read(match part {
                Part::Text(text) => text.as_bytes(),
                Part::Body => body,
                Part::Timestamp => said.timestamp.as_bytes(),
                Part::Id => said.id.as_bytes(),
            });
        }
    }
}

/// What the headers of a message say, as long as nothing is proved.
struct Claims<'m> {
    signatures: &'m str,
    /// The time as it is written, and as it is meant; nothing where the form has none.
    timestamp: &'m str,
    signed: Option<Timestamp>,
    /// Nothing where the form has none.
    id: &'m str,
}

impl SignatureForm {
    /// Whether a message has what a signature needs, before its body is read.
    ///
    /// # Errors
    ///
    /// [`SignatureError`]: a header is missing, or is not one.
    pub fn refuse_unsigned(&self, headers: &HeaderMap) -> Result<(), SignatureError> {
        self.claims(headers).map(drop)
    }

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
        let said = self.claims(headers)?;
        // The body is read once, where it is.
        let (mut signing, mut hashing) = (hmac::Context::with_key(&key), blake3::Hasher::new());
        self.content.each(&said, body, |part| {
            signing.update(part);
            hashing.update(part);
        });
        let right = hmac::sign(&key, signing.sign().as_ref());
        let mut signatures = pieces(said.signatures, &self.prefix).take(SIGNATURES);
        let is_right = signatures.any(|signature| {
            // Tags of tags are compared: that takes as long for each wrong one.
            let tag = self.encoding.decoded(signature);
            tag.is_some_and(|tag| hmac::verify(&key, &tag, right.as_ref()).is_ok())
        });
        if !is_right {
            return Err(SignatureError::Wrong);
        }
        // After the signature: what is said of the time is the sender's then.
        let tolerance = match (&self.timestamp, said.signed) {
            (Some(form), Some(signed)) => accepted(signed, form.tolerance, now)?,
            _ => SignedDuration::ZERO,
        };
        let has_id = self.id_header.is_some();
        if has_id {
            hashing.reset().update(b"id").update(said.id.as_bytes());
        }
        Ok(SignedMessage {
            digest: hashing.finalize().to_hex()[..32].to_owned(),
            has_id,
            signed: said.signed.or(has_id.then_some(now)),
            tolerance,
        })
    }

    fn claims<'m>(&self, headers: &'m HeaderMap) -> Result<Claims<'m>, SignatureError> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let signatures = header(&self.header).ok_or(SignatureError::Missing)?;
        let (timestamp, signed) = match &self.timestamp {
            Some(form) => {
                let text = header(&form.header).unwrap_or_default();
                let (text, signed) = timestamp(pieces(text, &form.prefix).next())?;
                (text, Some(signed))
            }
            None => ("", None),
        };
        let id = match &self.id_header {
            Some(name) => id(header(name))?,
            None => "",
        };
        Ok(Claims {
            signatures,
            timestamp,
            signed,
            id,
        })
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
    match bytes.len() >= LEAST_SIGNING_SECRET {
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

/// How far the time may be from now, unless it is farther.
fn accepted(
    signed: Timestamp,
    tolerance: Duration,
    now: Timestamp,
) -> Result<SignedDuration, SignatureError> {
    let tolerance = SignedDuration::try_from(tolerance).map_err(|_| SignatureError::Old)?;
    match now.duration_since(signed).abs() <= tolerance {
        true => Ok(tolerance),
        false => Err(SignatureError::Old),
    }
}
