//! Signatures of messages, as Standard Webhooks has them: HMAC-SHA-256 of the message's id, the time
//! of the attempt and the body, under a secret that both sides know.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use ring::hmac;

use crate::error::QuestionError;

/// The headers.
pub(super) const ID: &str = "webhook-id";
pub(super) const TIMESTAMP: &str = "webhook-timestamp";
pub(super) const SIGNATURE: &str = "webhook-signature";

/// How far the other side's clock may be off, in seconds.
const TOLERANCE: u64 = 300;
/// How many signatures of a message are looked at.
const SIGNATURES: usize = 8;

/// A secret that both sides know. It is not shown by `Debug`.
#[derive(Clone)]
pub struct Secret(hmac::Key);

/// It is not a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a webhook's secret is `whsec_` and 24 to 64 random bytes in base64, such as by `echo whsec_$(openssl rand -base64 32)`"
)]
pub struct SecretError;

impl Secret {
    /// Reads one: `whsec_` and base64 of 24 to 64 bytes.
    ///
    /// # Errors
    ///
    /// [`SecretError`].
    pub fn read(text: &str) -> Result<Self, SecretError> {
        let text = text.trim();
        let text = text.strip_prefix("whsec_").unwrap_or(text);
        let bytes = STANDARD.decode(text).map_err(|_| SecretError)?;
        match (24..=64).contains(&bytes.len()) {
            true => Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes))),
            false => Err(SecretError),
        }
    }

    /// The signature of a message.
    pub(crate) fn sign(&self, id: &str, timestamp: u64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.0, &content(id, timestamp, body));
        format!("v1,{}", STANDARD.encode(tag))
    }

    /// Whether a message was signed with it, just now.
    pub(crate) fn verify(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: u64,
    ) -> Result<(), QuestionError> {
        let refused = QuestionError::Refused("the message's signature is not valid");
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let (Some(id), Some(timestamp), Some(signatures)) =
            (header(ID), header(TIMESTAMP), header(SIGNATURE))
        else {
            return Err(refused);
        };
        let timestamp = timestamp.parse::<u64>().ok();
        // A full stop in the id could move what is signed.
        let timestamp = timestamp.filter(|_| !id.contains('.'));
        let Some(timestamp) = timestamp else {
            return Err(refused);
        };
        if timestamp.abs_diff(now) > TOLERANCE {
            return Err(QuestionError::Refused(
                "the message was signed too long ago, or by a clock that is wrong",
            ));
        }
        let content = content(id, timestamp, body);
        let mut signatures = signatures.split(' ').take(SIGNATURES);
        let is_right = signatures.any(|signature| {
            let tag = signature.strip_prefix("v1,");
            let tag = tag.and_then(|tag| STANDARD.decode(tag).ok());
            tag.is_some_and(|tag| hmac::verify(&self.0, &content, &tag).is_ok())
        });
        is_right.then_some(()).ok_or(refused)
    }
}

fn content(id: &str, timestamp: u64, body: &[u8]) -> Vec<u8> {
    let mut content = format!("{id}.{timestamp}.").into_bytes();
    content.extend_from_slice(body);
    content
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the specification's reference implementations are tried with.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const MESSAGE: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    const SENT: u64 = 1_614_265_330;

    fn headers(signature: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ID, "msg_p5jXN8AQM9LWM0D4loKWxJek".parse().unwrap());
        headers.insert(TIMESTAMP, SENT.to_string().parse().unwrap());
        headers.insert(SIGNATURE, signature.parse().unwrap());
        headers
    }

    #[test]
    fn messages_are_signed_as_the_specification_has_it() {
        let secret = Secret::read(SECRET).unwrap();
        let signed = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", SENT, MESSAGE);
        assert_eq!(signed, SIGNED);
        let several = format!("v1,AAAA v2,x {SIGNED}");
        for right in [SIGNED, &several] {
            secret.verify(&headers(right), MESSAGE, SENT + 299).unwrap();
        }
    }

    #[test]
    fn what_is_not_signed_right_and_just_now_is_refused() {
        let secret = Secret::read(SECRET).unwrap();
        let verify = |headers: &HeaderMap, body: &[u8], now| secret.verify(headers, body, now);
        let right = headers(SIGNED);
        assert!(verify(&right, b"{}", SENT).is_err());
        assert!(verify(&right, MESSAGE, SENT + 301).is_err());
        assert!(verify(&right, MESSAGE, SENT - 301).is_err());
        for wrong in [
            "",
            "v1,",
            "v1a,g0hM",
            &SIGNED[3..],
            "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ] {
            assert!(verify(&headers(wrong), MESSAGE, SENT).is_err(), "{wrong}");
        }
        let mut moved = headers(SIGNED);
        moved.insert(ID, "msg.1".parse().unwrap());
        assert!(verify(&moved, MESSAGE, SENT).is_err());
        assert!(verify(&HeaderMap::new(), MESSAGE, SENT).is_err());
        for wrong in ["", "whsec_AAAA", "whsec_not base64"] {
            assert_eq!(Secret::read(wrong).unwrap_err(), SecretError);
        }
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
