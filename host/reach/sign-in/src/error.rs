//! Why a sign-in did not come about.

use std::fmt;

use ampoule_untrusted::text;
use rmcp::transport::auth::AuthError;

use crate::answer::TokenResponse;

/// Of what others say, this many characters are shown.
const MOST_SAID: usize = 400;

/// Why a sign-in did not come about, and what to do: a sentence without secrets, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInError(String);

impl SignInError {
    pub(crate) fn new(message: impl AsRef<str>) -> Self {
        let short: String = message.as_ref().chars().take(4 * MOST_SAID).collect();
        Self(text::one_line(&short).into_owned())
    }

    /// What discovery or a registration ended in.
    pub(crate) fn found(error: &AuthError) -> Self {
        let mut message = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            message += &format!(": {cause}");
            source = cause.source();
        }
        let short: String = message.chars().take(MOST_SAID).collect();
        Self::new(short)
    }

    /// What a request to the token endpoint ended in.
    pub(crate) fn from_answer(answered: Option<&TokenResponse>) -> Self {
        Self::new(match answered {
            None => "the authorization server can't be reached".to_owned(),
            Some(answered) => answered.sentence(),
        })
    }
}

impl fmt::Display for SignInError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SignInError {}
