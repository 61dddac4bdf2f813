//! A token, and what is kept of it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::AccessError;

/// How tokens begin that are made here, so that who finds one knows what it is.
const PREFIX: &str = "amp_";
/// Those that are made elsewhere have as many characters at least, so that they can't be guessed.
const LEAST_CHARACTERS: usize = 32;
const MOST_CHARACTERS: usize = 512;

/// A token, which whoever has it may use. `Debug` leaves it out.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one, made of 32 random bytes.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn random() -> Result<Self, AccessError> {
        let mut bytes = [0; 32];
        SystemRandom::new()
            .fill(&mut bytes)
            .map_err(|_| AccessError::new("the system gives no random bytes"))?;
        Ok(Self(PREFIX.to_owned() + &URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// One that was made elsewhere.
    ///
    /// # Errors
    ///
    /// It is short enough to be guessed, or can't be sent as a token.
    pub fn from_elsewhere(text: &str) -> Result<Self, AccessError> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if text.len() < LEAST_CHARACTERS || text.len() > MOST_CHARACTERS || !text.bytes().all(fits)
        {
            return Err(AccessError::new(format!(
                "a token has {LEAST_CHARACTERS} to {MOST_CHARACTERS} letters, digits and `-._~+/=`, made at random: `openssl rand -hex 32` makes one"
            )));
        }
        Ok(Self(text.to_owned()))
    }

    /// The token itself: it is shown to its owner, once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(super) fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// What is kept of a token: its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Digest(pub(super) [u8; 32]);

impl Digest {
    pub(super) fn of(token: &str) -> Self {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
        Self(bytes)
    }

    pub(super) fn from_hex(hex: &str) -> Option<Self> {
        blake3::Hash::from_hex(hex)
            .ok()
            .map(|bytes| Self(bytes.into()))
    }

    pub(super) fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest")
    }
}
