//! What was begun: invitations that nobody has opened, and sign-ins whose browser is away.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::VALID;
use super::secret::{self, Digest};
use crate::error::SignInError;
use crate::page_login::PageLogin;
use crate::place::Owner;
use crate::sign_in::SignIn;

/// How many invitations there are at once, in all, and to one principal.
const MOST_INVITATIONS: usize = 4096;
const MOST_INVITATIONS_EACH: usize = 64;
/// How many browsers are away at once, in all, and of one principal.
const MOST_AWAY: usize = 1024;
const MOST_AWAY_EACH: usize = 8;

/// See the module.
#[derive(Default)]
pub(super) struct Open {
    invited: HashMap<Digest, OpenInvitation>,
    away: HashMap<Digest, Away>,
}

/// An invitation that nobody has used.
pub(super) struct OpenInvitation {
    pub(super) principal: Arc<str>,
    pub(super) sign_in: SignIn,
    id: String,
    since: Instant,
}

/// A sign-in whose browser is at the authorization server.
pub(super) struct Away {
    pub(super) login: PageLogin,
    pub(super) principal: Arc<str>,
    /// What the browser's cookie holds.
    browser: Digest,
    since: Instant,
}

impl Open {
    /// The id of the invitation of this principal to this server.
    pub(super) fn invite(
        &mut self,
        principal: &Arc<str>,
        sign_in: &SignIn,
    ) -> Result<String, SignInError> {
        self.expire();
        let theirs = || {
            self.invited
                .values()
                .filter(|it| it.principal == *principal)
        };
        let is_same = |it: &&OpenInvitation| {
            let (one, other) = (&it.sign_in, sign_in);
            // Enough of its time is left to be read, and opened.
            one.server() == other.server()
                && one.resource() == other.resource()
                && it.since.elapsed() < VALID / 2
        };
        if let Some(open) = theirs().find(is_same) {
            return Ok(open.id.clone());
        }
        if theirs().count() >= MOST_INVITATIONS_EACH || self.invited.len() >= MOST_INVITATIONS {
            return Err(SignInError::new(format!(
                "too many sign-ins were begun and not finished; try again in {} minutes",
                VALID.as_secs() / 60
            )));
        }
        let id = secret::random()?;
        let invited = OpenInvitation {
            principal: Arc::clone(principal),
            sign_in: sign_in.clone(),
            id: id.clone(),
            since: Instant::now(),
        };
        self.invited.insert(Digest::of(&id), invited);
        Ok(id)
    }

    /// The invitation with this id.
    pub(super) fn invited(&mut self, id: &str) -> Option<&OpenInvitation> {
        self.expire();
        self.invited.get(&Digest::of(id))
    }

    /// The same, to be used: nobody else finds it any more.
    pub(super) fn take(&mut self, id: &str) -> Option<OpenInvitation> {
        self.expire();
        self.invited.remove(&Digest::of(id))
    }

    /// Nothing came of an invitation: it can be used again, as long as it is valid.
    pub(super) fn put_back(&mut self, id: &str, invited: OpenInvitation) {
        self.invited.insert(Digest::of(id), invited);
    }

    /// A browser goes away to sign in, and holds this secret.
    ///
    /// # Errors
    ///
    /// Too many are away.
    pub(super) fn leave(&mut self, login: PageLogin, browser: &str) -> Result<(), SignInError> {
        self.expire();
        let Owner::Principal(principal) = login.sign_in().owner().clone() else {
            return Err(SignInError::new("this sign-in is the host's"));
        };
        let theirs = self.away.iter().filter(|(_, it)| it.principal == principal);
        let oldest = theirs.clone().min_by_key(|(_, it)| it.since);
        let oldest = oldest.map(|(state, _)| *state);
        if theirs.count() >= MOST_AWAY_EACH
            && let Some(oldest) = oldest
        {
            self.away.remove(&oldest);
        }
        if self.away.len() >= MOST_AWAY {
            return Err(SignInError::new(
                "too many people sign in at the moment; try again in a few minutes",
            ));
        }
        let away = Away {
            principal,
            browser: Digest::of(browser),
            since: Instant::now(),
            login,
        };
        self.away.insert(Digest::of(away.login.state()), away);
        Ok(())
    }

    /// The sign-in whose browser comes back with this state, if it is that browser; once. A browser
    /// that is another one changes nothing.
    pub(super) fn come_back(&mut self, state: &str, browser: &str) -> Option<Away> {
        self.expire();
        let state = Digest::of(state);
        let is_this = self.away.get(&state)?.browser == Digest::of(browser);
        is_this.then(|| self.away.remove(&state)).flatten()
    }

    fn expire(&mut self) {
        self.invited.retain(|_, it| it.since.elapsed() < VALID);
        self.away.retain(|_, it| it.since.elapsed() < VALID);
    }

    /// As if so much time had passed.
    #[cfg(test)]
    pub(super) fn age(&mut self, by: std::time::Duration) {
        for it in self.invited.values_mut() {
            it.since -= by;
        }
        for it in self.away.values_mut() {
            it.since -= by;
        }
    }
}
