//! What questions are called.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::QuestionError;

/// What a question is called: 128 bits that nobody guesses, displayed as 32 hexadecimal digits.
/// Knowing it allows naming the question, and no more: it opens no address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId([u8; 16]);

impl QuestionId {
    /// A new one.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`]: the system has no entropy.
    pub(crate) fn new() -> Result<Self, QuestionError> {
        random().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Enough of it to find it in a list: the first 8 digits.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

/// Bytes that nobody guesses.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], QuestionError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for QuestionId {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let is_id = text.len() == 32
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let id = is_id.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        match id {
            Some(id) => Ok(Self(id.to_be_bytes())),
            None => Err(QuestionError::Missing(
                ampoule_untrusted::text::one_line(&text.chars().take(64).collect::<String>())
                    .into_owned(),
            )),
        }
    }
}

impl Serialize for QuestionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for QuestionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
