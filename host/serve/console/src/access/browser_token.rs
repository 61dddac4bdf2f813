//! The token behind a browser's sign-in: one that its person pasted, or one of the company's issuer,
//! which is renewed before it ends.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ampoule_sign_in::Secret;
use ampoule_sign_in::issuer::{IssuedTokens, IssuerClient};
use http::HeaderValue;
use tokio::sync::Mutex;

use super::sign_in_error::SignInError;

/// A token is renewed this long before it ends, or when a tenth of its life is left.
const AHEAD: Duration = Duration::from_secs(60);
/// After a failure, the issuer is left alone for this long.
const PAUSE: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Clone)]
pub(super) enum BrowserToken {
    /// The user of this machine needs none.
    Local,
    /// One that a person pasted.
    Pasted(HeaderValue),
    /// One of the issuer.
    Issued(IssuedToken),
}

/// A token of the issuer. Clones are the same.
#[derive(Clone)]
pub(super) struct IssuedToken {
    held: Arc<Mutex<HeldToken>>,
    client: Arc<IssuerClient>,
}

struct HeldToken {
    access: HeaderValue,
    /// When it ends, and when it is to be renewed, where that is known.
    ends: Option<SystemTime>,
    due: Option<SystemTime>,
    /// What renews it.
    refresh: Option<Secret>,
    /// When that was tried last.
    tried: Option<Instant>,
}

/// The value of `Authorization` with a token.
///
/// # Errors
///
/// The token has characters that no token has.
pub(super) fn bearer(token: &str) -> Result<HeaderValue, SignInError> {
    let mut header = HeaderValue::try_from(format!("Bearer {}", token.trim()))
        .map_err(|_| SignInError::NoToken)?;
    header.set_sensitive(true);
    Ok(header)
}

impl BrowserToken {
    /// The value of `Authorization` that says who the browser is; none for the user of this machine.
    ///
    /// # Errors
    ///
    /// The token is over, and the issuer can't be reached for another.
    pub(super) async fn header(&self) -> Result<Option<HeaderValue>, SignInError> {
        match self {
            Self::Local => Ok(None),
            Self::Pasted(header) => Ok(Some(header.clone())),
            Self::Issued(token) => token.header().await.map(Some),
        }
    }

    /// Has the issuer forget the sign-in. It happens in the background.
    pub(super) fn forget(self) {
        let Self::Issued(token) = self else {
            return;
        };
        tokio::spawn(async move {
            let refresh = token.held.lock().await.refresh.take();
            if let Some(refresh) = refresh {
                token.client.revoke(&refresh).await;
            }
        });
    }
}

impl IssuedToken {
    /// What the issuer gave for a sign-in.
    ///
    /// # Errors
    ///
    /// It is not a token.
    pub(super) fn new(
        tokens: IssuedTokens,
        client: Arc<IssuerClient>,
    ) -> Result<Self, SignInError> {
        let held = Arc::new(Mutex::new(HeldToken::new(tokens)?));
        Ok(Self { held, client })
    }

    async fn header(&self) -> Result<HeaderValue, SignInError> {
        let mut held = Arc::clone(&self.held).lock_owned().await;
        let Some(refresh) = held.is_due().then(|| held.refresh.clone()).flatten() else {
            return held.now();
        };
        let client = Arc::clone(&self.client);
        // To its end, even where the browser goes away: the old token may be invalid already.
        let renewing = tokio::spawn(async move {
            held.tried = Some(Instant::now());
            match client.refresh(&refresh).await {
                Ok(tokens) => {
                    *held = HeldToken::new(tokens)?;
                    // Where it is over by this machine's clock, it is for the server to say so: its
                    // clock and the issuer's may be apart.
                    return Ok(held.access.clone());
                }
                Err(error) if error.is_final => {
                    tracing::info!(%error, "a sign-in to the console can't be renewed, and ends");
                    held.refresh = None;
                }
                Err(error) => {
                    tracing::warn!(%error, "a sign-in to the console can't be renewed now");
                }
            }
            held.now()
        });
        renewing.await.unwrap_or(Err(SignInError::IssuerDown))
    }
}

impl HeldToken {
    fn new(tokens: IssuedTokens) -> Result<Self, SignInError> {
        let due = tokens.ends.map(|ends| {
            let left = ends.duration_since(SystemTime::now()).unwrap_or_default();
            ends.checked_sub(AHEAD.min(left / 10)).unwrap_or(ends)
        });
        Ok(Self {
            access: bearer(tokens.access.expose())?,
            ends: tokens.ends,
            due,
            refresh: tokens.refresh,
            tried: None,
        })
    }

    fn is_due(&self) -> bool {
        let is_due = self.due.is_some_and(|due| due <= SystemTime::now());
        is_due && self.tried.is_none_or(|tried| tried.elapsed() >= PAUSE)
    }

    /// The token. One that is over and could be renewed says nothing of its owner: the issuer could
    /// not be reached.
    fn now(&self) -> Result<HeaderValue, SignInError> {
        let is_over = self.ends.is_some_and(|ends| ends <= SystemTime::now());
        match is_over && self.refresh.is_some() {
            true => Err(SignInError::IssuerDown),
            false => Ok(self.access.clone()),
        }
    }
}
