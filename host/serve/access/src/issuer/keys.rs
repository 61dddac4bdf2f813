//! An issuer's keys.

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The most keys that are looked at: issuers have a few.
const MOST_KEYS: usize = 128;
/// How long one may be, in bytes: with the chain of certificates that some have.
const MOST_KEY_BYTES: usize = 64 << 10;

const RSA: &[Algorithm] = &[
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

/// Those that tokens can be checked with.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithms: &'static [Algorithm],
    /// The only one of these, where the issuer says so.
    only: Option<KeyAlgorithm>,
    key: DecodingKey,
}

#[derive(Deserialize)]
struct Set<'t> {
    /// As texts: what is made to be parsed takes no room.
    #[serde(borrow)]
    keys: Vec<&'t RawValue>,
}

impl Keys {
    /// Reads a JSON Web Key Set. Each key is read on its own: one of a new kind spoils no other.
    ///
    /// # Errors
    ///
    /// It is not such a set, or has no key that could be used.
    pub(super) fn read(text: &[u8]) -> Result<Self, &'static str> {
        let set: Set<'_> =
            serde_json::from_slice(text).map_err(|_| "its keys are not a JSON Web Key Set")?;
        let keys = set.keys.into_iter().take(MOST_KEYS).filter_map(Key::read);
        let keys: Vec<Key> = keys.collect();
        if keys.is_empty() {
            return Err("it has no key for signatures by RSA, P-256, P-384 or Ed25519");
        }
        Ok(Self(keys))
    }

    /// The key that a token names. One that names none means the only one that there is.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<&DecodingKey> {
        let mut fitting = self.0.iter().filter(|key| key.fits(algorithm));
        if id.is_some() {
            return fitting
                .find(|key| key.id.as_deref() == id)
                .map(|key| &key.key);
        }
        let only = fitting.next()?;
        fitting.next().is_none().then_some(&only.key)
    }
}

impl Key {
    fn read(text: &RawValue) -> Option<Self> {
        // None has as much to say of itself.
        let text = Some(text.get()).filter(|text| text.len() <= MOST_KEY_BYTES)?;
        let jwk: Jwk = serde_json::from_str(text).ok()?;
        let algorithms: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => RSA,
            AlgorithmParameters::EllipticCurve(on) if on.curve == EllipticCurve::P256 => {
                &[Algorithm::ES256]
            }
            AlgorithmParameters::EllipticCurve(on) if on.curve == EllipticCurve::P384 => {
                &[Algorithm::ES384]
            }
            AlgorithmParameters::OctetKeyPair(on) if on.curve == EllipticCurve::Ed25519 => {
                &[Algorithm::EdDSA]
            }
            // What signs and what checks would be one secret, and everybody has it now.
            _ => return None,
        };
        let common = &jwk.common;
        let signs = common.public_key_use.as_ref();
        let verifies = common.key_operations.as_ref();
        if signs.is_some_and(|purpose| *purpose != PublicKeyUse::Signature)
            || verifies.is_some_and(|operations| !operations.contains(&KeyOperations::Verify))
        {
            return None;
        }
        Some(Self {
            id: common.key_id.clone(),
            algorithms,
            only: common.key_algorithm,
            key: DecodingKey::from_jwk(&jwk).ok()?,
        })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
            && self.only.is_none_or(|only| only == algorithm.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ec(id: &str, more: Value) -> Value {
        let mut key = json!({"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA", "kid": id});
        let more = more.as_object().expect("an object").clone();
        key.as_object_mut().expect("an object").extend(more);
        key
    }

    #[test]
    fn a_key_checks_what_it_is_for() {
        let set = json!({ "keys": [
            ec("plain", json!({})),
            ec("for-it", json!({"alg": "ES256", "use": "sig", "key_ops": ["verify"]})),
            ec("for-others", json!({"alg": "ES384"})),
            ec("encrypts", json!({"use": "enc"})),
            ec("signs", json!({"key_ops": ["sign"]})),
            ec("new", json!({"alg": "ES999"})),
            ec("curve", json!({"crv": "P-521"})),
            {"kty": "oct", "k": "AAAA", "kid": "secret"},
            {"kty": "AKP", "kid": "post-quantum"},
            {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "rsa"},
            "no key",
        ]});
        let keys = Keys::read(set.to_string().as_bytes()).expect("a set");
        let fits = |id: &str, algorithm| keys.find(Some(id), algorithm).is_some();
        let usable: Vec<_> = [
            "plain",
            "for-it",
            "for-others",
            "encrypts",
            "signs",
            "new",
            "curve",
            "secret",
            "post-quantum",
            "rsa",
        ]
        .into_iter()
        .filter(|id| fits(id, Algorithm::ES256))
        .collect();
        assert_eq!(usable, ["plain", "for-it"]);
        assert!(fits("rsa", Algorithm::PS512) && !fits("rsa", Algorithm::HS256));
        // Two keys would do, so it must be said which.
        assert!(keys.find(None, Algorithm::ES256).is_none());
        assert!(keys.find(None, Algorithm::RS256).is_some());
    }

    #[test]
    fn of_a_huge_set_the_first_keys_are_looked_at_and_none_that_is_huge() {
        let huge = ec("huge", json!({"x5c": ["A".repeat(MOST_KEY_BYTES)]}));
        let first = (0..MOST_KEYS - 1).map(|at| ec(&at.to_string(), json!({})));
        let late = ec("late", json!({}));
        // Small things without end, none of which is a key.
        let bomb = json!(vec![json!([0]); 100_000]);
        let all: Vec<Value> = [huge]
            .into_iter()
            .chain(first)
            .chain([late, bomb])
            .collect();
        let keys = Keys::read(json!({ "keys": all }).to_string().as_bytes()).expect("a set");
        assert_eq!(keys.0.len(), MOST_KEYS - 1);
        let last = (MOST_KEYS - 2).to_string();
        for (id, is_there) in [
            ("0", true),
            (&*last, true),
            ("huge", false),
            ("late", false),
        ] {
            let found = keys.find(Some(id), Algorithm::ES256).is_some();
            assert_eq!(found, is_there, "{id}");
        }
    }

    #[test]
    fn a_set_without_keys_is_none() {
        for set in [
            "",
            "[]",
            "{}",
            r#"{"keys":{}}"#,
            r#"{"keys":[]}"#,
            r#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
        ] {
            assert!(Keys::read(set.as_bytes()).is_err(), "{set}");
        }
    }
}
