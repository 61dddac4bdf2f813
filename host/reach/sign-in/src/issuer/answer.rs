//! What the browser came back with: the query of an address, which anybody may have written.

use url::form_urlencoded;

use crate::answer::code as shown;
use crate::error::SignInError;

/// What of a query is looked at. Each stands there at most once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BrowserAnswer {
    code: Option<String>,
    state: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

impl BrowserAnswer {
    /// # Errors
    ///
    /// Something stands there twice.
    pub(super) fn read(query: &str) -> Result<Self, SignInError> {
        let mut answer = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let place = match &*name {
                "code" => &mut answer.code,
                "state" => &mut answer.state,
                "iss" => &mut answer.issuer,
                "error" => &mut answer.error,
                _ => continue,
            };
            if place.replace(value.into_owned()).is_some() {
                return Err(SignInError::new("the answer says something twice"));
            }
        }
        Ok(answer)
    }

    /// The code, if the answer is the one of this issuer to the sign-in with this state. `is_named`:
    /// whether the issuer's answers say whose they are.
    ///
    /// # Errors
    ///
    /// It is another one, or no code.
    pub(super) fn code(
        &self,
        issuer: &str,
        is_named: bool,
        state: &str,
    ) -> Result<&str, SignInError> {
        if self.state.as_deref() != Some(state) {
            return Err(SignInError::new("this is the answer to another sign-in"));
        }
        // RFC 9207: an answer that is another issuer's is neither redeemed nor shown.
        match &self.issuer {
            Some(named) if named != issuer => {
                return Err(SignInError::new("this is the answer of another issuer"));
            }
            None if is_named => {
                return Err(SignInError::new(
                    "the answer does not say which issuer it is from",
                ));
            }
            _ => {}
        }
        if let Some(error) = &self.error {
            return Err(SignInError::new(match shown(error).as_str() {
                "access_denied" => "the sign-in was declined".to_owned(),
                code => format!("the issuer refused: {code}"),
            }));
        }
        self.code
            .as_deref()
            .filter(|code| !code.is_empty())
            .ok_or_else(|| SignInError::new("the answer holds no code"))
    }
}
