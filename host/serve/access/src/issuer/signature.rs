//! Signatures, checked by ring. `jsonwebtoken` brings a second library of cryptography for this,
//! or takes one; ring is there for TLS.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, Result};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};

static RING: CryptoProvider = CryptoProvider {
    // Nothing is signed here.
    signer_factory: |_, _| Err(unsupported()),
    verifier_factory: |algorithm, key| {
        let verifier = RingVerifier::new(*algorithm, key.clone())?;
        Ok(Box::new(verifier) as Box<dyn JwtVerifier>)
    },
    // Keys are read here, and not made.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Has tokens checked by ring. Where whoever embeds this has chosen another library, that one stays.
pub(super) fn install() {
    let _ = RING.install_default();
}

fn unsupported() -> Error {
    ErrorKind::UnsupportedAlgorithm.into()
}

struct RingVerifier {
    algorithm: Algorithm,
    how: VerificationMethod,
    key: DecodingKey,
}

enum VerificationMethod {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

impl RingVerifier {
    fn new(algorithm: Algorithm, key: DecodingKey) -> Result<Self> {
        let how = match algorithm {
            Algorithm::RS256 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            Algorithm::RS384 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            Algorithm::RS512 => VerificationMethod::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            Algorithm::PS256 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA256),
            Algorithm::PS384 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA384),
            Algorithm::PS512 => VerificationMethod::Rsa(&RSA_PSS_2048_8192_SHA512),
            Algorithm::ES256 => VerificationMethod::Curve(&ECDSA_P256_SHA256_FIXED),
            Algorithm::ES384 => VerificationMethod::Curve(&ECDSA_P384_SHA384_FIXED),
            Algorithm::EdDSA => VerificationMethod::Curve(&ED25519),
            // By a secret that both sides have, anybody who checks could sign.
            _ => return Err(unsupported()),
        };
        Ok(Self {
            algorithm,
            how,
            key,
        })
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(
        &self,
        message: &[u8],
        signature: &Vec<u8>,
    ) -> std::result::Result<(), signature::Error> {
        let verified = match (&self.how, self.key.kind()) {
            (VerificationMethod::Rsa(how), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let (n, e) = (without_zeros(n), without_zeros(e));
                RsaPublicKeyComponents { n, e }.verify(how, message, signature)
            }
            (VerificationMethod::Curve(how), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(*how, key).verify(message, signature)
            }
            _ => return Err(signature::Error::new()),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

/// A number as ring takes it. Some issuers write zeros before it.
fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}
