//! Who is admitted.

use std::fmt;
use std::sync::Arc;

use ampoule_tools::Principal;
use http::HeaderMap;
use serde_json::{Value, json};

use crate::AccessError;
use crate::bearer::{self, BearerError};
use crate::callers::Callers;
use crate::issuer::{Issuer, IssuerAnswer, IssuerOptions};
use crate::refusal::{AccessDeniedError, Challenge, RefusalReason};
use crate::tokens::{Source, TokenLookup, Tokens};

/// By what somebody is admitted. Tokens are looked for first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccessOptions {
    /// Tokens that the operator gave out.
    pub tokens: Vec<Source>,
    /// Tokens that a company's issuer signs.
    pub issuer: Option<IssuerOptions>,
    /// Whether the issuer's tokens are exchanged for those of other servers: each is kept in memory as
    /// long as something happens for its owner. Tokens that the operator gave out never are.
    pub exchanges: bool,
}

/// Says who a request is from. Cheap to clone.
#[derive(Clone)]
pub struct Access(Option<Arc<AccessRules>>);

struct AccessRules {
    tokens: Vec<Tokens>,
    issuer: Option<Issuer>,
    challenge: Challenge,
    /// The tokens of those for whom something happens, where they are exchanged.
    callers: Option<Arc<Callers>>,
}

impl Access {
    /// Nobody is asked: whoever sends requests is the local user.
    pub fn open() -> Self {
        Self(None)
    }

    /// Asks as configured. `http` is the beginning of the client that fetches an issuer's keys: it
    /// may bring certificates and proxies; redirects and time limits are this crate's.
    ///
    /// An issuer is not waited for: until it is reached, its tokens are answered with 503. Must be
    /// called within Tokio.
    ///
    /// # Errors
    ///
    /// There is nothing to ask for, the tokens can't be read, or the issuer's options can't be used.
    pub async fn new(
        options: AccessOptions,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, AccessError> {
        if options == AccessOptions::default() {
            return Err(AccessError::new(
                "nobody could be admitted: name `tokens`, or `issuer` and `audience`",
            ));
        }
        let mut tokens = Vec::new();
        for source in options.tokens {
            tokens.push(Tokens::open(source).await?);
        }
        let issuer = options.issuer.map(|issuer| Issuer::new(issuer, http));
        let issuer = issuer.transpose()?;
        let challenge = challenge(issuer.as_ref());
        if let Some(issuer) = &issuer {
            issuer.warm();
        }
        Ok(Self(Some(Arc::new(AccessRules {
            tokens,
            issuer,
            challenge,
            callers: options.exchanges.then(Arc::default),
        }))))
    }

    /// The same for a part of the server, at the address that this segment ends: an issuer's tokens
    /// are taken that are for the whole server, and those that are for this address, which is one that
    /// clients may name where they ask the issuer for a token (RFC 8707). A token for this address is
    /// useless at any other.
    ///
    /// # Errors
    ///
    /// The address can't be written.
    pub fn beneath(&self, segment: &str) -> Result<Self, AccessError> {
        let Some(whole) = &self.0 else {
            return Ok(Self::open());
        };
        let issuer = whole.issuer.as_ref().map(|it| it.beneath(segment));
        let issuer = issuer.transpose()?;
        Ok(Self(Some(Arc::new(AccessRules {
            tokens: whole.tokens.clone(),
            challenge: challenge(issuer.as_ref()),
            issuer,
            callers: whole.callers.clone(),
        }))))
    }

    /// Whether nobody is asked.
    pub fn is_open(&self) -> bool {
        self.0.is_none()
    }

    /// On whose behalf a request is; `None` for the local user, where nobody is asked.
    ///
    /// # Errors
    ///
    /// How the request is to be answered instead.
    pub async fn admit(&self, headers: &HeaderMap) -> Result<Option<Principal>, AccessDeniedError> {
        let Some(guarded) = &self.0 else {
            return Ok(None);
        };
        let admitted = guarded.admit(headers).await;
        admitted.map(Some).map_err(|why| {
            tracing::debug!(?why, "a request is not admitted");
            guarded.challenge.refuse(why)
        })
    }

    /// Whether what the issuer gave for a sign-in is the answer to it: the token that says who signed
    /// in is the issuer's, for this client and this sign-in, and came with the token for access. Whether
    /// that one admits somebody is for [`admit`](Self::admit) to say.
    ///
    /// # Errors
    ///
    /// It is not, or there is no issuer.
    pub async fn check_sign_in(&self, answer: IssuerAnswer<'_>) -> Result<(), AccessDeniedError> {
        let Some(guarded) = &self.0 else {
            return Err(Challenge::new(&[], None).refuse(RefusalReason::NoSuchToken));
        };
        let checked = match &guarded.issuer {
            Some(issuer) => issuer.check_identity(answer).await,
            None => Err(RefusalReason::NoSuchToken),
        };
        checked.map_err(|why| {
            tracing::debug!(?why, "the answer to a sign-in is not taken");
            guarded.challenge.refuse(why)
        })
    }

    /// What clients read to find the issuer (RFC 9728), where there is one.
    pub fn metadata(&self) -> Option<Value> {
        let issuer = self.0.as_ref()?.issuer.as_ref()?;
        let mut metadata = json!({
            "resource": issuer.resource,
            "authorization_servers": [issuer.name()],
            "bearer_methods_supported": ["header"],
        });
        if !issuer.scopes().is_empty() {
            metadata["scopes_supported"] = json!(issuer.scopes());
        }
        Some(metadata)
    }

    /// The path at which clients look for the metadata. Some look at it without what follows
    /// `/.well-known/oauth-protected-resource` too.
    pub fn metadata_path(&self) -> Option<&str> {
        let issuer = self.0.as_ref()?.issuer.as_ref()?;
        Some(issuer.metadata.path())
    }
}

/// What those are told who are not admitted.
fn challenge(issuer: Option<&Issuer>) -> Challenge {
    let metadata = issuer.map(|issuer| issuer.metadata.as_str());
    Challenge::new(issuer.map_or(&[][..], Issuer::scopes), metadata)
}

impl AccessRules {
    async fn admit(&self, headers: &HeaderMap) -> Result<Principal, RefusalReason> {
        let token = bearer::token(headers).map_err(|missing| match missing {
            BearerError::Absent => RefusalReason::NoToken,
            BearerError::Repeated => RefusalReason::TwoTokens,
            BearerError::Unfit => RefusalReason::NoSuchToken,
        })?;
        for tokens in &self.tokens {
            match tokens.find(token).await {
                TokenLookup::Of(principal) => return Ok(principal),
                TokenLookup::Expired => return Err(RefusalReason::Expired),
                TokenLookup::Unknown => {}
            }
        }
        match &self.issuer {
            // Others are not parsed.
            Some(issuer) if token.split('.').count() == 3 => {
                let principal = issuer.principal(token).await?;
                let principal = self.is_no_owner(&principal)?;
                Ok(match &self.callers {
                    Some(callers) => callers.hold(principal, token),
                    None => principal,
                })
            }
            _ => Err(RefusalReason::NoSuchToken),
        }
    }

    /// An issuer's user, unless somebody who has a token is called the same: they would be one
    /// principal, and an issuer's users may choose their names.
    fn is_no_owner(&self, principal: &Principal) -> Result<Principal, RefusalReason> {
        match self.tokens.iter().any(|tokens| tokens.has_owner(principal)) {
            false => Ok(principal.clone()),
            true => {
                tracing::warn!(
                    principal = &**principal.name(),
                    "the issuer's user has the name of an owner of a token, and is not admitted; make that token anew under another name, such as `bot-…`"
                );
                Err(RefusalReason::NamesAnother)
            }
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Access(open)"),
            Some(guarded) => f
                .debug_struct("Access")
                .field("tokens", &guarded.tokens)
                .field("issuer", &guarded.issuer)
                .finish_non_exhaustive(),
        }
    }
}
