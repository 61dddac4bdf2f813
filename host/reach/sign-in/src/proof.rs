//! What goes to a server beside a token that is bound to a key.

use ampoule_upstream::AuthorizationError;
use http::{HeaderValue, Method};
use url::Url;

use crate::dpop::{ProofKey, ProofRequest};
use crate::error::SignInError;
use crate::sign_in::Inner;
use crate::stored_sign_in::StoredSignIn;

impl Inner {
    /// What goes with a token that is bound to a key.
    pub(crate) async fn proof(
        &self,
        authorization: &HeaderValue,
        method: &Method,
        url: &Url,
    ) -> Result<Option<HeaderValue>, AuthorizationError> {
        let sent = authorization.to_str().unwrap_or_default();
        let Some(token) = sent.strip_prefix("DPoP ") else {
            return Ok(None);
        };
        let state = self.state.lock().await;
        let key = state.kept.as_ref().and_then(StoredSignIn::bound_to);
        let failed = |error: SignInError| AuthorizationError::Unavailable(error.to_string());
        let key = key.map(ProofKey::read).transpose().map_err(failed)?;
        let key = key.ok_or_else(|| {
            AuthorizationError::Unavailable("somebody signed in meanwhile; try again".to_owned())
        })?;
        let nonce = self.nonce.lock().clone();
        let proof = key.proof(&ProofRequest {
            method,
            url,
            token: Some(token),
            nonce: nonce.as_deref(),
        });
        proof.map(Some).map_err(failed)
    }
}
