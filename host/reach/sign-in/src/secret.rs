//! Texts that must not be shown.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Deserializer, Serializer};

use crate::error::SignInError;

/// A client's secret or key, or a token. It is shown nowhere: `Debug` leaves it out, and only the
/// store writes it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text that must not be shown.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, to send it or to compare it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// How the store writes one. `Secret` itself can't be serialised, so that no document holds one by
/// accident.
pub(crate) fn write<S: Serializer>(secret: &Option<Secret>, to: S) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => to.serialize_some(&secret.0),
        None => to.serialize_none(),
    }
}

/// How the store reads one.
pub(crate) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(Secret))
}

/// A text of 256 random bits.
pub(crate) fn random() -> Result<String, SignInError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|_| SignInError::new("the system gives no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
