//! What a client signs with its private key to say who it is (RFC 7523).
//!
//! rmcp does this with a second library of cryptography, which takes longer to compile than all the
//! rest; ring is there for TLS.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

use crate::error::SignInError;
use crate::secret::Secret;

/// An assertion is good for this many seconds.
const LIVES: u64 = 300;

/// A private key, with the algorithm that goes with it.
enum Key {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

/// Whether a text is a key that can sign.
pub(crate) fn check(key: &Secret) -> Result<(), SignInError> {
    Key::read(key).map(drop)
}

/// That this client asks, for this authorization server, and now.
pub(crate) fn signed(key: &Secret, client: &str, issuer: &str) -> Result<String, SignInError> {
    let key = Key::read(key)?;
    let mut id = [0; 16];
    let failed = || SignInError::new("the private key can't sign");
    getrandom::fill(&mut id).map_err(|_| failed())?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let header = json!({"alg": key.algorithm(), "typ": "client-authentication+jwt"});
    let claims = json!({
        "iss": client,
        "sub": client,
        "aud": issuer,
        "iat": now,
        "exp": now + LIVES,
        "jti": URL_SAFE_NO_PAD.encode(id),
    });
    let encoded = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let text = encoded.join(".");
    let signature = key.sign(text.as_bytes()).ok_or_else(failed)?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

impl Key {
    fn read(pem: &Secret) -> Result<Self, SignInError> {
        let unfit = || {
            SignInError::new(
                "`private-key` must be a private key as PEM: RSA, P-256, P-384 or Ed25519; `openssl pkcs8 -topk8 -nocrypt` converts others",
            )
        };
        let der = PrivateKeyDer::from_pem_slice(pem.expose().as_bytes()).map_err(|_| unfit())?;
        let random = SystemRandom::new();
        let key = match &der {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der())
                .ok()
                .map(Self::Rsa),
            PrivateKeyDer::Pkcs8(der) => {
                let der = der.secret_pkcs8_der();
                let ec = |curve| EcdsaKeyPair::from_pkcs8(curve, der, &random).ok();
                let ed = || Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok();
                RsaKeyPair::from_pkcs8(der)
                    .ok()
                    .map(Self::Rsa)
                    .or_else(|| ec(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Self::P256))
                    .or_else(|| ec(&ECDSA_P384_SHA384_FIXED_SIGNING).map(Self::P384))
                    .or_else(|| ed().map(Self::Ed25519))
            }
            _ => None,
        };
        key.ok_or_else(unfit)
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::P384(_) => "ES384",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature)
                    .ok()?;
                Some(signature)
            }
            Self::P256(key) | Self::P384(key) => {
                Some(key.sign(&random, text).ok()?.as_ref().to_vec())
            }
            Self::Ed25519(key) => Some(key.sign(text).as_ref().to_vec()),
        }
    }
}
