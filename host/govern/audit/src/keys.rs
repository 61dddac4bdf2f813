//! What checkpoints are signed with: Ed25519, so that who checks a log need not be able to write one.

use std::fmt;
use std::io;
use std::str::FromStr;

use ampoule_store::folder::PrivateFolder;
use ampoule_store::key;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

/// How long a signature is.
pub(crate) const SIGNATURE_BYTES: usize = 64;
/// What is signed begins with this, so that it can't be taken for anything else.
const PURPOSE: &[u8] = b"ampoule audit 1\n";

/// The keys of a log: all come from the one in its folder.
pub(crate) struct Keys {
    pair: Ed25519KeyPair,
    /// For digests of arguments.
    pub(crate) digests: [u8; 32],
}

impl Keys {
    /// Those of the log in a folder, which are made if there are none.
    pub(crate) fn of(folder: &PrivateFolder) -> io::Result<Self> {
        let key = key::of(folder)?;
        let seed = blake3::derive_key("ampoule audit: signatures", &key);
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed);
        let pair = pair.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self {
            pair,
            digests: blake3::derive_key("ampoule audit: digests of arguments", &key),
        })
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair
            .sign(&[PURPOSE, message].concat())
            .as_ref()
            .to_vec()
    }

    pub(crate) fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }
}

/// What a log's signatures are checked with. Displays as base64, and can be read from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(&[PURPOSE, message].concat(), signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD_NO_PAD.encode(self.0))
    }
}

/// What is not a public key.
#[derive(Debug, thiserror::Error)]
#[error("this is not a public key of an audit log; `ampoule audit key` prints one")]
pub struct KeyError;

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let bytes = STANDARD_NO_PAD.decode(text.trim()).map_err(|_| KeyError)?;
        Ok(Self(bytes.try_into().map_err(|_| KeyError)?))
    }
}
