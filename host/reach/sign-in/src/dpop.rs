//! Tokens that are bound to a key (DPoP, RFC 9449): each request has a proof, made for that request,
//! that whoever sends the token has the key, too.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use url::Url;

use crate::error::SignInError;
use crate::secret::Secret;

/// The header with a proof.
pub(crate) const DPOP: HeaderName = HeaderName::from_static("dpop");
/// The header in which a server says what the next proof must repeat.
pub(crate) const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");
/// The code by which a server asks for a proof that repeats it.
pub(crate) const USE_NONCE: &str = "use_dpop_nonce";
/// How long a nonce may be, in bytes.
const MOST_NONCE: usize = 512;

/// A key to which tokens are bound. It is made for one sign-in, and used with no other.
pub(crate) struct ProofKey {
    pair: EcdsaKeyPair,
    public: Value,
    /// As it is kept: PKCS #8.
    kept: Secret,
}

/// What a proof is for.
pub(crate) struct ProofRequest<'a> {
    pub(crate) method: &'a Method,
    pub(crate) url: &'a Url,
    /// The token that is sent with it, if one is.
    pub(crate) token: Option<&'a str>,
    pub(crate) nonce: Option<&'a str>,
}

impl ProofKey {
    /// A new one.
    pub(crate) fn generate() -> Result<Self, SignInError> {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let made = made.map_err(|_| SignInError::new("no key can be made"))?;
        Self::read(&Secret::new(URL_SAFE_NO_PAD.encode(made.as_ref())))
    }

    /// The one that was kept.
    pub(crate) fn read(kept: &Secret) -> Result<Self, SignInError> {
        let unfit = || SignInError::new("the key of the kept sign-in can't be read");
        let der = URL_SAFE_NO_PAD.decode(kept.expose()).map_err(|_| unfit())?;
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random)
            .map_err(|_| unfit())?;
        // An uncompressed point: a byte that says so, and its coordinates.
        let point = pair.public_key().as_ref();
        let (x, y) = point
            .get(1..)
            .and_then(|it| it.split_at_checked(32))
            .ok_or_else(unfit)?;
        let public = json!({
            "kty": "EC",
            "crv": "P-256",
            "x": URL_SAFE_NO_PAD.encode(x),
            "y": URL_SAFE_NO_PAD.encode(y),
        });
        Ok(Self {
            pair,
            public,
            kept: kept.clone(),
        })
    }

    /// As the store keeps it.
    pub(crate) fn kept(&self) -> Secret {
        self.kept.clone()
    }

    /// A proof for one request, which is good for no other.
    pub(crate) fn proof(&self, request: &ProofRequest<'_>) -> Result<HeaderValue, SignInError> {
        let failed = || SignInError::new("no proof of the token's key can be made");
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|_| failed())?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut at = request.url.clone();
        at.set_query(None);
        at.set_fragment(None);
        // What stands before the host is not part of where a request goes.
        let _ = at.set_username("");
        let _ = at.set_password(None);
        let mut claims = json!({
            "jti": URL_SAFE_NO_PAD.encode(id),
            "htm": request.method.as_str(),
            "htu": at.as_str(),
            "iat": now.unwrap_or_default().as_secs(),
        });
        if let Some(token) = request.token {
            let hash = digest(&SHA256, token.as_bytes());
            claims["ath"] = json!(URL_SAFE_NO_PAD.encode(hash));
        }
        if let Some(nonce) = request.nonce {
            claims["nonce"] = json!(nonce);
        }
        let header = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.public});
        let encoded = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
        let text = encoded.join(".");
        let signature = self.pair.sign(&SystemRandom::new(), text.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.map_err(|_| failed())?);
        let mut value =
            HeaderValue::from_str(&format!("{text}.{signature}")).map_err(|_| failed())?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ProofKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProofKey")
    }
}

/// What the next proof must repeat, if a server says so once and in characters that it may have.
pub(crate) fn nonce(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(DPOP_NONCE).iter();
    let (value, None) = (all.next()?.to_str().ok()?, all.next()) else {
        return None;
    };
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    let is_one = (1..=MOST_NONCE).contains(&value.len()) && value.bytes().all(fits);
    is_one.then(|| value.to_owned())
}

/// Whether a challenge asks for a token that is bound to a key.
pub(crate) fn is_asked(challenge: &str) -> bool {
    let scheme = challenge.trim_start().split(' ').next();
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("dpop"))
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    fn part(proof: &str, at: usize) -> Value {
        let part = proof.split('.').nth(at).expect("a part");
        let part = URL_SAFE_NO_PAD.decode(part).expect("base64");
        serde_json::from_slice(&part).expect("JSON")
    }

    #[test]
    fn a_proof_is_for_one_request_and_signed_by_the_key_that_it_names() {
        let key = ProofKey::generate().expect("a key");
        let url = "https://ada:x@example.com/mcp?key=1#end".parse().unwrap();
        let request = ProofRequest {
            method: &Method::POST,
            url: &url,
            token: Some("token"),
            nonce: Some("n-1"),
        };
        let again = ProofKey::read(&key.kept()).expect("the same");
        let proofs = [&key, &again].map(|key| key.proof(&request).expect("a proof"));
        let [one, other] = proofs.each_ref().map(|it| it.to_str().expect("a text"));
        assert_eq!(part(one, 0), part(other, 0), "one key");
        assert_ne!(part(one, 1)["jti"], part(other, 1)["jti"]);
        let claims = part(one, 1);
        assert_eq!(claims["htu"], "https://example.com/mcp");
        assert_eq!(claims["htm"], "POST");
        assert_eq!(claims["nonce"], "n-1");
        let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, b"token"));
        assert_eq!(claims["ath"], hash);
        let named = part(one, 0)["jwk"].clone();
        assert_eq!(named.get("d"), None, "the private part stays here");
        let mut point = vec![4];
        for name in ["x", "y"] {
            let text = named[name].as_str().expect("a text");
            point.extend(URL_SAFE_NO_PAD.decode(text).expect("base64"));
        }
        let (text, signature) = one.rsplit_once('.').expect("a signature");
        let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        assert!(public.verify(text.as_bytes(), &signature).is_ok());
    }

    #[test]
    fn only_one_short_nonce_is_taken() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(DPOP_NONCE, value.parse().expect("a value"));
            }
            nonce(&headers)
        };
        assert_eq!(of(&["n-1"]).as_deref(), Some("n-1"));
        let long = "n".repeat(MOST_NONCE + 1);
        for odd in [&[][..], &[""], &["a", "b"], &["a b"], &["a\"b"], &[&long]] {
            assert_eq!(of(odd), None, "{odd:?}");
        }
    }
}
