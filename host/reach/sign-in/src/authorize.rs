//! What the requests to a server ask for, and what happens where they are refused.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ampoule_upstream::{AuthorizationError, Authorizer, SignInRequiredError};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Method};
use url::Url;

use crate::discovery::{self, Challenge};
use crate::dpop;
use crate::error::SignInError;
use crate::keyring::Person;
use crate::options::Grant;
use crate::place::Owner;
use crate::refresh::RefreshOutcome;
use crate::sign_in::{Inner, SignIn};
use crate::store::Stamp;
use crate::stored_sign_in::StoredSignIn;

/// After a failure that passes, nothing is tried for this long.
const PAUSE: Duration = Duration::from_secs(10);
/// Requests that were under way when a token was replaced are refused for the old one, all within
/// this time.
const UNDER_WAY: Duration = Duration::from_secs(5);
/// So many of them are sent again.
const MOST_UNDER_WAY: u32 = 64;
/// A token that is refused so soon after it was issued is not replaced by a further one.
const USELESS: Duration = Duration::from_secs(60);

/// What a process knows of a sign-in.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) kept: Option<StoredSignIn>,
    /// The state of the store's file that `kept` was read from.
    pub(crate) seen: Option<Stamp>,
    /// When something that failed may be tried again, and what is said of it until then.
    pause: Option<(Instant, AuthorizationError)>,
    /// When this process replaced a token by the present one.
    replaced: Option<Instant>,
    /// How many requests were refused since then.
    under_way: u32,
    /// Whether the server asked for a token that is bound to a key.
    is_bound: bool,
    /// The caller's token for which there was none.
    tried: Option<Arc<str>>,
}

impl State {
    /// Why there is no other token at the moment, where that is so.
    fn unavailable(&self) -> Option<AuthorizationError> {
        self.pause.as_ref().map(|(_, why)| why.clone())
    }

    /// As if time had passed since something happened.
    #[cfg(test)]
    pub(crate) fn settle(&mut self) {
        self.replaced = None;
        self.pause = None;
    }
}

impl Authorizer for SignIn {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>> {
        self.whole(|inner| async move { inner.authorization().await })
    }

    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>> {
        let said = challenges.iter().filter_map(|value| value.to_str().ok());
        let said: Vec<&str> = said.collect();
        let challenge = Challenge::of(&said);
        self.whole(move |inner| async move { inner.refused(status, challenge.as_ref()).await })
    }

    fn proof<'a>(
        &'a self,
        authorization: &'a HeaderValue,
        method: &'a Method,
        url: &'a Url,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthorizationError>> {
        self.0.proof(authorization, method, url).boxed()
    }

    fn answered(&self, headers: &HeaderMap) -> bool {
        let Some(next) = dpop::nonce(headers) else {
            return false;
        };
        let before = self.0.nonce.lock().replace(next.clone());
        before.as_ref() != Some(&next)
    }

    fn secrets(&self) -> BoxFuture<'_, Vec<String>> {
        self.0.secrets().boxed()
    }
}

impl SignIn {
    /// Does something to its end, even where nobody waits for it any longer: between a refresh
    /// token's use and the keeping of the next one, nothing may stop.
    fn whole<T, F>(&self, does: impl FnOnce(Arc<Inner>) -> F) -> BoxFuture<'static, T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let task = tokio::spawn(does(self.0.clone()));
        async {
            match task.await {
                Ok(done) => done,
                Err(failed) => match failed.try_into_panic() {
                    Ok(panicked) => std::panic::resume_unwind(panicked),
                    // The program ends, and everything that waits with it.
                    Err(_) => std::future::pending().await,
                },
            }
        }
        .boxed()
    }
}

impl Inner {
    /// What is not to be seen, besides the access token.
    async fn secrets(&self) -> Vec<String> {
        let state = self.state.lock().await;
        let kept = state.kept.as_ref().map(StoredSignIn::secrets);
        let configured = self.options.client_secret.as_ref();
        let configured = configured.map(|secret| secret.expose().to_owned());
        kept.unwrap_or_default()
            .into_iter()
            .chain(configured)
            .collect()
    }

    async fn authorization(&self) -> Result<Option<HeaderValue>, AuthorizationError> {
        let mut state = self.state.lock().await;
        self.look(&mut state)
            .await
            .map_err(|error| self.needs_sign_in(&error.to_string()))?;
        let now = SystemTime::now();
        let due = match &state.kept {
            Some(kept) => kept.is_due(now),
            None if self.is_persons() => return Ok(None),
            None => true,
        };
        if due {
            self.renew(&mut state, None).await?;
        }
        let Some(kept) = &state.kept else {
            return state.unavailable().map_or(Ok(None), Err);
        };
        let Some((token, ends)) = kept.access() else {
            return Err(self
                .needs_sign_in("the sign-in is no longer accepted")
                .into());
        };
        if ends.is_some_and(|ends| ends <= now) && !kept.can_be_refreshed() && self.is_persons() {
            return Err(self.needs_sign_in("the sign-in has ended").into());
        }
        let scheme = kept.bound_to().map_or("Bearer", |_| "DPoP");
        header(scheme, token).map(Some).ok_or_else(|| {
            self.needs_sign_in("the authorization server gave a token that can't be sent")
                .into()
        })
    }

    async fn refused(
        &self,
        status: u16,
        challenge: Option<&Challenge>,
    ) -> Result<bool, AuthorizationError> {
        let mut state = self.state.lock().await;
        let before = state.kept.as_ref().and_then(token_of);
        self.look(&mut state)
            .await
            .map_err(|error| self.needs_sign_in(&error.to_string()))?;
        let Some(kept) = &state.kept else {
            return Err(state
                .unavailable()
                .unwrap_or_else(|| self.needs_sign_in("it asks for a sign-in").into()));
        };
        let now = token_of(kept);
        if now.is_none() && self.is_persons() {
            return Err(self
                .needs_sign_in("the sign-in is no longer accepted")
                .into());
        }
        // Another process has refreshed it, or somebody signed in again.
        if before != now {
            return Ok(true);
        }
        match status {
            401 => self.replace(&mut state, challenge).await,
            403 => self.step_up(&mut state, challenge).await,
            _ => Ok(false),
        }
    }

    /// The present token was refused.
    async fn replace(
        &self,
        state: &mut State,
        challenge: Option<&Challenge>,
    ) -> Result<bool, AuthorizationError> {
        let is_asked = challenge.is_some_and(|it| it.is_bound) && self.options.dpop.is_none();
        if is_asked && !self.is_persons() && !state.is_bound {
            state.is_bound = true;
            state.replaced = None;
        }
        match state.replaced.map(|at| at.elapsed()) {
            Some(ago) if ago < UNDER_WAY && state.under_way < MOST_UNDER_WAY => {
                state.under_way += 1;
                Ok(true)
            }
            Some(ago) if ago < USELESS => Err(self
                .needs_sign_in("it refuses a token that was just issued")
                .into()),
            _ => match self.renew(state, challenge).await? {
                true => Ok(true),
                false => state.unavailable().map_or(Ok(false), Err),
            },
        }
    }

    /// What was granted is not enough. What is asked for is kept for the next sign-in.
    async fn step_up(
        &self,
        state: &mut State,
        challenge: Option<&Challenge>,
    ) -> Result<bool, AuthorizationError> {
        let resource = &self.options.resource;
        let asked = challenge.and_then(|it| discovery::insufficient(&it.text, resource));
        let Some(asked) = asked else {
            return Ok(false);
        };
        let rights = format!("it asks for more rights ({})", asked.join(" "));
        if !self.is_persons() {
            return Err(AuthorizationError::NeedsSignIn(SignInRequiredError(
                format!(
                    "{}: {rights}; add them to the server's `scopes`, where its client may have them",
                    self.options.name
                ),
            )));
        }
        let kept = self.want(asked).await;
        if let Ok(Some(kept)) = kept {
            state.kept = Some(kept);
            state.seen = self.store.stamp(&self.options.place());
        }
        Err(self.needs_sign_in(&rights).into())
    }

    /// A new token for the present one. False: not now, for a reason that passes.
    async fn renew(
        &self,
        state: &mut State,
        challenge: Option<&Challenge>,
    ) -> Result<bool, AuthorizationError> {
        let caller = self.caller.lock().get().map(|caller| caller.expose());
        if let Some((until, _)) = state.pause
            && Instant::now() < until
            && state.tried == caller
        {
            return Ok(false);
        }
        let challenge = challenge.map(|it| &*it.text);
        let refreshed = match &state.kept {
            _ if !self.is_persons() => {
                let is_bound = self.options.dpop.unwrap_or(state.is_bound);
                self.sign_in_itself(is_bound).await
            }
            Some(kept) => self.refresh(kept, challenge).await,
            None => return Ok(false),
        };
        state.pause = None;
        state.tried = caller;
        match refreshed {
            RefreshOutcome::Anew(kept) => {
                state.kept = Some(*kept);
                state.replaced = Some(Instant::now());
                state.under_way = 0;
                state.seen = self.store.stamp(&self.options.place());
                Ok(true)
            }
            RefreshOutcome::Later(error, after) => {
                tracing::warn!(
                    server = self.options.name,
                    %error,
                    "the sign-in could not be refreshed; it is tried again"
                );
                let why = AuthorizationError::Unavailable(format!(
                    "its sign-in can't be refreshed now: {error}; try again later"
                ));
                state.pause = Some((Instant::now() + after.unwrap_or(PAUSE).max(PAUSE), why));
                Ok(false)
            }
            RefreshOutcome::Refused(error) => {
                tracing::warn!(
                    server = self.options.name,
                    %error,
                    "the sign-in could not be refreshed; somebody has to sign in"
                );
                let why = match self.is_persons() {
                    true => format!("its sign-in can't be refreshed: {error}"),
                    false => format!("there is no token for it: {error}"),
                };
                state.pause = Some((Instant::now() + PAUSE, self.needs_sign_in(&why).into()));
                Ok(false)
            }
            RefreshOutcome::Lost(why) => {
                // What the store says now is read with the next request.
                state.seen = None;
                if let Some(kept) = &mut state.kept {
                    kept.tokens = None;
                }
                Err(self.needs_sign_in(&why.to_string()).into())
            }
        }
    }

    /// Reads what is kept, where that changed since it was read. It counts as a use.
    pub(crate) async fn look(&self, state: &mut State) -> Result<(), SignInError> {
        if !self.is_persons() {
            return Ok(());
        }
        let place = self.options.place();
        let Some(mut seen) = self.store.stamp(&place) else {
            state.kept = None;
            state.seen = None;
            return Ok(());
        };
        if state.seen.as_ref() != Some(&seen) {
            state.kept = self.load(Person::Absent).await?;
        }
        // To note the use gives the file another time: it need not be read again for that.
        if state.kept.is_some()
            && self.store.note_use(&place)
            && let Some(noted) = self.store.stamp(&place)
            && noted.has_content_of(&seen)
        {
            seen = noted;
        }
        state.seen = Some(seen);
        Ok(())
    }

    /// What is kept, if it is this client's.
    pub(crate) async fn load(&self, person: Person) -> Result<Option<StoredSignIn>, SignInError> {
        self.store.load_for(&self.options, person).await
    }

    pub(crate) fn is_persons(&self) -> bool {
        self.options.is_persons()
    }

    /// A sentence that says why, and what to do.
    pub(crate) fn needs_sign_in(&self, why: &str) -> SignInRequiredError {
        let name = &self.options.name;
        if let (true, Owner::Principal(principal)) = (self.is_persons(), &self.options.owner) {
            let principal = ampoule_untrusted::text::one_line(principal);
            return SignInRequiredError(format!("{name}: {why}; {principal} has to sign in"));
        }
        SignInRequiredError(if self.is_persons() {
            format!("{name}: {why}; to sign in, run: {}", self.options.command)
        } else {
            let what = match self.options.grant {
                Grant::JwtBearer => "check the server's `assertion`",
                Grant::TokenExchange => {
                    "nobody can sign in by hand: send a request with a token of the issuer that has not ended, and run the script again"
                }
                _ => "check the server's `client-id` and its secret, key or assertion",
            };
            format!("{name}: {why}; {what}")
        })
    }
}

/// The access token, to be compared.
pub(crate) fn token_of(kept: &StoredSignIn) -> Option<String> {
    kept.access().map(|(token, _)| token.to_owned())
}

/// `Authorization` with a token; none where the token has characters that no header may have.
fn header(scheme: &str, token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("{scheme} {token}")).ok()?;
    // Neither `Debug` nor HTTP/2's compression shows it.
    value.set_sensitive(true);
    Some(value)
}
