//! Tokens that say who signed in (OpenID Connect Core, 2 and 3.1.3.7): they are for the client by which
//! a person signed in, and say which sign-in they answer. They admit nobody: a token for access does.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, decode_header};
use ring::digest::{self, SHA256, SHA384, SHA512};
use serde_json::Value;

use super::Issuer;
use crate::refusal::RefusalReason;

/// What the header of such a token says that it is, or nothing.
const KINDS: [&str; 1] = ["jwt"];

/// What an issuer gave for a sign-in, and for which.
#[derive(Clone, Copy)]
pub struct IssuerAnswer<'a> {
    /// The token that says who signed in.
    pub identity: &'a str,
    /// The token for access that came with it.
    pub access: &'a str,
    /// The client by which the person signed in.
    pub client: &'a str,
    /// What that client had the issuer repeat.
    pub nonce: &'a str,
}

impl Issuer {
    /// Whether the token is this issuer's, for this client and this sign-in, and came with the token
    /// for access.
    pub(crate) async fn check_identity(&self, of: IssuerAnswer<'_>) -> Result<(), RefusalReason> {
        let mut validation = self.validation.clone();
        validation.set_audience(&[of.client]);
        let claims = self.claims(of.identity, &validation, &KINDS).await?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if text("nonce") != Some(of.nonce) {
            return Err(RefusalReason::OfAnotherSignIn);
        }
        // Where it is for others as well, it says by which client the person signed in.
        let audience = claims.get("aud").and_then(Value::as_array);
        let is_for_others = audience.is_some_and(|all| all.len() > 1);
        let is_by_client = match claims.get("azp") {
            Some(party) => party == of.client,
            None => !is_for_others,
        };
        if !is_by_client {
            return Err(RefusalReason::ForAnother);
        }
        if text("sub").is_none_or(str::is_empty) {
            return Err(RefusalReason::NamesNobody);
        }
        match (text("at_hash"), half_hash(of)) {
            (Some(said), Some(found)) if said != found => Err(RefusalReason::OfAnotherSignIn),
            _ => Ok(()),
        }
    }
}

/// What such a token says of the token for access beside it (OpenID Connect Core, 3.1.3.6): the left
/// half of a hash, which the signature's algorithm names.
fn half_hash(of: IssuerAnswer<'_>) -> Option<String> {
    let algorithm = match decode_header(of.identity).ok()?.alg {
        Algorithm::RS256 | Algorithm::PS256 | Algorithm::ES256 => &SHA256,
        Algorithm::RS384 | Algorithm::PS384 | Algorithm::ES384 => &SHA384,
        Algorithm::RS512 | Algorithm::PS512 => &SHA512,
        _ => return None,
    };
    let hash = digest::digest(algorithm, of.access.as_bytes());
    let hash = hash.as_ref();
    Some(URL_SAFE_NO_PAD.encode(&hash[..hash.len() / 2]))
}
