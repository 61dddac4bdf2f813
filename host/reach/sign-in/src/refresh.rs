//! A new token for an old one, by one process at a time.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{CredentialStore as _, OAuthClientConfig};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use crate::answer::{Remedy, TokenResponse, Tokens};
use crate::authorize::token_of;
use crate::discovery::{self, DiscoveredServer};
use crate::dpop::ProofKey;
use crate::error::SignInError;
use crate::keyring::Person;
use crate::sign_in::Inner;
use crate::store::Lock;
use crate::stored_sign_in::{StoredClient, StoredSignIn};

/// What became of a token that was to be replaced.
pub(crate) enum RefreshOutcome {
    Anew(Box<StoredSignIn>),
    /// It may work later: the authorization server can't be reached, or fails. Where it says when,
    /// then.
    Later(SignInError, Option<Duration>),
    /// The authorization server refuses, for a reason that says nothing of the tokens: a sign-in may
    /// help, and so may a later try.
    Refused(SignInError),
    /// Only a sign-in helps.
    Lost(SignInError),
}

impl Inner {
    /// A new token for the one that is kept.
    pub(crate) async fn refresh(
        &self,
        old: &StoredSignIn,
        challenge: Option<&str>,
    ) -> RefreshOutcome {
        match self.try_refresh(old, challenge).await {
            Ok(refreshed) => refreshed,
            Err(error) => RefreshOutcome::Later(error, None),
        }
    }

    async fn try_refresh(
        &self,
        old: &StoredSignIn,
        challenge: Option<&str>,
    ) -> Result<RefreshOutcome, SignInError> {
        let place = &self.options.place();
        let lock = self.store.lock(place).await?;
        // While this process waited, another one may have done it. What it used up must not be used
        // again: many servers take that for theft, and revoke everything.
        let Some(kept) = self.load(Person::Absent).await? else {
            return Ok(lost("the sign-in was forgotten"));
        };
        if token_of(&kept) != token_of(old) {
            return Ok(match token_of(&kept) {
                Some(_) => RefreshOutcome::Anew(Box::new(kept)),
                None => lost("the sign-in is no longer accepted"),
            });
        }
        if !kept.can_be_refreshed() {
            return Ok(lost("the sign-in can't be refreshed"));
        }
        let found = discovery::discover(&self.client, &self.options, challenge).await?;
        if found.issuer() != kept.issuer {
            let now = found.issuer();
            self.drop_tokens(&lock, kept, None).await?;
            return Ok(lost(format!(
                "its authorization server has changed, to {now}"
            )));
        }
        self.exchange(&lock, kept, found).await
    }

    /// Redeems the refresh token, and keeps what comes of it.
    async fn exchange(
        &self,
        lock: &Lock,
        mut kept: StoredSignIn,
        mut found: DiscoveredServer,
    ) -> Result<RefreshOutcome, SignInError> {
        found.configure(self.oauth_client(&kept.client))?;
        let key = kept.key.as_ref().map(ProofKey::read).transpose()?;
        self.client.bind(key.map(Arc::new));
        if let Some(tokens) = kept.tokens.clone() {
            let _ = found.tokens.save(tokens).await;
        }
        // Each turn leaves out one thing more, so there are few.
        loop {
            self.client.leave_out(&kept.refused);
            self.client.take_answered();
            let refreshing = found.manager.refresh_token();
            let refreshed = refreshing.with_subscriber(NoSubscriber::default()).await;
            if refreshed.is_ok() {
                break;
            }
            let answered = self.client.take_answered();
            let next = answered
                .as_ref()
                .map_or(Remedy::UNANSWERED, TokenResponse::next);
            let error = SignInError::from_answer(answered.as_ref());
            match next {
                Remedy::Without(parameter) => kept.refused.push(parameter),
                Remedy::SignIn(Tokens::Lost) => {
                    let code = answered.as_ref().and_then(|it| it.code.clone());
                    self.drop_tokens(lock, kept, code.as_deref()).await?;
                    let why = answered.map(|it| it.reason()).unwrap_or_default();
                    return Ok(lost(format!("the sign-in is no longer accepted ({why})")));
                }
                Remedy::SignIn(Tokens::Stay) => return Ok(RefreshOutcome::Refused(error)),
                Remedy::Later(after) => return Ok(RefreshOutcome::Later(error, after)),
            }
        }
        kept.tokens = found.given().await;
        let place = self.options.place();
        let saving = self.store.save(lock, &place, &kept, Person::Absent);
        if let Err(error) = saving.await {
            // It serves this process; the next one has to ask.
            tracing::warn!(server = self.options.name, %error, "a refreshed sign-in can't be kept");
        }
        Ok(RefreshOutcome::Anew(Box::new(kept)))
    }

    /// Forgets what is no longer accepted, and a registration where it is that.
    async fn drop_tokens(
        &self,
        lock: &Lock,
        mut kept: StoredSignIn,
        code: Option<&str>,
    ) -> Result<(), SignInError> {
        kept.tokens = None;
        if kept.client.registered && code == Some("invalid_client") {
            self.forget_client(&kept.client).await?;
            kept.client.id = String::new();
        }
        let place = self.options.place();
        let saving = self.store.save(lock, &place, &kept, Person::Absent);
        saving.await.map(drop)
    }

    /// Keeps what the server asks for beyond what was granted.
    pub(crate) async fn want(
        &self,
        scopes: Vec<String>,
    ) -> Result<Option<StoredSignIn>, SignInError> {
        let place = &self.options.place();
        let lock = self.store.lock(place).await?;
        let Some(mut kept) = self.load(Person::Absent).await? else {
            return Ok(None);
        };
        kept.wanted = union([&kept.wanted, &scopes]);
        let saving = self.store.save(&lock, place, &kept, Person::Absent);
        saving.await?;
        Ok(Some(kept))
    }

    /// The client as rmcp takes it.
    pub(crate) fn oauth_client(&self, client: &StoredClient) -> OAuthClientConfig {
        let config = OAuthClientConfig::new(&client.id, client.redirect());
        let configured = self.options.client_secret.as_ref();
        let secret = if client.registered {
            client.secret.as_ref()
        } else {
            configured
        };
        match secret {
            Some(secret) => config.with_client_secret(secret.expose()),
            None => config,
        }
    }
}

/// Scopes without their repetitions, at most as many as one can sensibly ask for.
pub(crate) fn union<'a>(lists: impl IntoIterator<Item = &'a Vec<String>>) -> Vec<String> {
    const MOST: usize = 256;
    let mut scopes: Vec<String> = Vec::new();
    for scope in lists.into_iter().flatten() {
        if scopes.len() < MOST && !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    scopes
}

fn lost(why: impl AsRef<str>) -> RefreshOutcome {
    RefreshOutcome::Lost(SignInError::new(why))
}
