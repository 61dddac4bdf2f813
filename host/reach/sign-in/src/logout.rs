//! The end of a sign-in.

use oauth2::TokenResponse as _;

use crate::error::SignInError;
use crate::keyring::Person;
use crate::sign_in::SignIn;
use crate::stored_sign_in::StoredSignIn;

/// What became of the tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignOutOutcome {
    /// There were none.
    NotSignedIn,
    /// They are forgotten, and the authorization server has revoked them.
    Revoked,
    /// They are forgotten. The authorization server offers no way to revoke them, or it failed, so
    /// that they end by themselves.
    Forgotten,
}

impl SignIn {
    /// Forgets the sign-in, the client's registration included, and revokes its tokens.
    ///
    /// # Errors
    ///
    /// The store can't be changed.
    pub async fn sign_out(&self) -> Result<SignOutOutcome, SignInError> {
        let inner = &self.0;
        let place = &inner.options.place();
        if inner.store.stamp(place).is_none() {
            return Ok(SignOutOutcome::NotSignedIn);
        }
        let lock = inner.store.lock(place).await?;
        let kept = inner.load(Person::Present).await?;
        inner.store.remove(&lock, place).await?;
        match kept {
            Some(kept) if kept.access().is_some() => Ok(self.revoke(&kept).await),
            _ => Ok(SignOutOutcome::NotSignedIn),
        }
    }

    /// Revokes the refresh token, which ends the others too, or else the access token.
    async fn revoke(&self, kept: &StoredSignIn) -> SignOutOutcome {
        let tokens = kept.tokens.as_ref();
        let response = tokens.and_then(|tokens| tokens.token_response.as_ref());
        let (Some(endpoint), Some(response)) = (&kept.revocation, response) else {
            return SignOutOutcome::Forgotten;
        };
        let (token, kind) = match response.refresh_token() {
            Some(token) => (token.secret(), "refresh_token"),
            None => (response.access_token().secret(), "access_token"),
        };
        let config = self.0.oauth_client(&kept.client);
        let mut form = vec![
            ("token", token.as_str()),
            ("token_type_hint", kind),
            ("client_id", &config.client_id),
        ];
        if let Some(secret) = &config.client_secret {
            form.push(("client_secret", secret));
        }
        match self.0.client.post_form(endpoint, &form).await {
            Ok(answer) if answer.status().is_success() => SignOutOutcome::Revoked,
            _ => SignOutOutcome::Forgotten,
        }
    }
}
