//! Signing in to servers, and out: a viewer's own sign-ins, and for the user of this machine the host's.

use std::sync::Arc;
use std::time::Duration;

use ampoule_audit::{Event, SignIn as SignInEvent};
use ampoule_sign_in::SignIn;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::servers::found;
use super::sign_in_source::{FoundSignIn, SignInOwner};
use super::time;
use crate::model::{ServerDetail, ServerSignIn, SignInAddress, Viewer};
use crate::{Console, ConsoleError};

/// How long a person may take to sign in.
const TAKES: Duration = Duration::from_mins(10);
/// No other words for a server to which nobody signs in here.
const NOBODY: &str = "nobody signs in to this server here";

impl Console {
    /// The sign-in to a server that the viewer's calls use. Those of the host are for operators to see.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Conflict`]: the configuration can't be read.
    pub(super) async fn server_sign_in(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<Option<ServerSignIn>, ConsoleError> {
        let source = &self.sources().sign_ins;
        let found = source.find(name, principal(viewer)).await;
        let Some(found) = found.map_err(ConsoleError::Conflict)? else {
            return Ok(None);
        };
        let is_own = is_own(viewer, &found);
        Ok((is_own || viewer.is_operator()).then(|| shown(&found, is_own)))
    }

    /// Begins a sign-in of the viewer to a server: the address that a browser is to open.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] where the viewer does not sign in to the
    /// server, or where it offers no sign-in at the moment; [`ConsoleError::Busy`].
    pub async fn sign_in_to_server(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<SignInAddress, ConsoleError> {
        let sign_in = self.own_sign_in(viewer, name).await?;
        if viewer.owner().is_some() {
            let accounts = self.sources().sign_ins.accounts();
            let accounts = accounts.ok_or_else(|| ConsoleError::Conflict(NOBODY.to_owned()))?;
            let invited = accounts.invite(&sign_in).map_err(refused)?;
            return Ok(SignInAddress {
                address: invited.address,
            });
        }
        let turn = Arc::clone(self.sign_in_turns()).try_acquire_owned();
        let turn = turn.map_err(|_| {
            ConsoleError::Busy(
                "too many sign-ins were begun and not finished; try again in ten minutes"
                    .to_owned(),
            )
        })?;
        let login = sign_in.begin().await.map_err(refused)?;
        let address = login.address().to_string();
        let (console, viewer, name) = (self.clone(), viewer.clone(), name.to_owned());
        tokio::spawn(async move {
            console.finish(&viewer, &name, login, turn).await;
        });
        Ok(SignInAddress { address })
    }

    /// Waits for the browser of this machine's user, and connects to the server again.
    async fn finish(
        &self,
        viewer: &Viewer,
        name: &str,
        login: ampoule_sign_in::Login,
        turn: OwnedSemaphorePermit,
    ) {
        // Nobody pastes an address here.
        let (_, pasted) = mpsc::channel(1);
        let finished = tokio::time::timeout(TAKES, login.finish(pasted, |_| {})).await;
        drop(turn);
        let failed = match finished {
            Ok(Ok(_)) => None,
            Ok(Err(why)) => Some(why.to_string()),
            Err(_) => Some("the sign-in took longer than ten minutes".to_owned()),
        };
        let outcome = if failed.is_some() {
            "failed"
        } else {
            "signed-in"
        };
        let recorded = self.record(event(viewer, name, outcome, failed.as_deref()));
        if let Err(problem) = recorded {
            tracing::error!(%problem, "a sign-in is missing in the audit log");
        }
        match failed {
            None => self.connect_again(viewer, name).await,
            Some(why) => tracing::warn!(server = name, why, "a sign-in failed"),
        }
    }

    /// Ends the viewer's sign-in to a server, and has the server revoke its tokens where it can.
    ///
    /// # Errors
    ///
    /// As for [`sign_in_to_server`](Self::sign_in_to_server); what is kept can't be changed.
    pub async fn sign_out_of_server(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<ServerDetail, ConsoleError> {
        let sign_in = self.own_sign_in(viewer, name).await?;
        sign_in.sign_out().await.map_err(refused)?;
        self.record(event(viewer, name, "signed-out", None))?;
        if viewer.owner().is_none() {
            self.connect_again(viewer, name).await;
        }
        self.server(viewer, name).await
    }

    /// The viewer's own sign-in to a server that the viewer may see.
    async fn own_sign_in(&self, viewer: &Viewer, name: &str) -> Result<SignIn, ConsoleError> {
        found(&self.granted(viewer)?, name)?;
        let nobody = || ConsoleError::Conflict(NOBODY.to_owned());
        let source = &self.sources().sign_ins;
        let kept = source.find(name, principal(viewer)).await;
        let kept = kept.map_err(ConsoleError::Conflict)?.ok_or_else(nobody)?;
        if !is_own(viewer, &kept) {
            return Err(ConsoleError::Conflict(
                "all principals share the account of this server; its operator signs in on the host: `ampoule auth login`".to_owned(),
            ));
        }
        let opened = source.open(name, principal(viewer)).await;
        opened.map_err(ConsoleError::Conflict)?.ok_or_else(nobody)
    }

    /// The connection was made with another sign-in, or with none.
    async fn connect_again(&self, viewer: &Viewer, name: &str) {
        let tools = self.granted(viewer);
        let Ok(server) = tools.and_then(|tools| found(&tools, name)) else {
            return;
        };
        server.binding().restart();
        // What it says is its state.
        let _ = server.binding().tools().await;
    }
}

fn principal(viewer: &Viewer) -> Option<&str> {
    viewer.owner().map(|it| &**it.name())
}

/// Whether a sign-in is the viewer's to make: their own, or of this machine's user the host's.
fn is_own(viewer: &Viewer, found: &FoundSignIn) -> bool {
    match found.owner {
        SignInOwner::Principal => viewer.owner().is_some(),
        SignInOwner::Host => viewer.owner().is_none(),
    }
}

fn shown(found: &FoundSignIn, is_own: bool) -> ServerSignIn {
    let status = found.status.as_ref();
    ServerSignIn {
        whose: match found.owner {
            SignInOwner::Host => "shared",
            SignInOwner::Principal => "own",
        }
        .to_owned(),
        signed_in: status.is_some(),
        who: status.and_then(|it| it.who.clone()),
        issuer: status.map(|it| it.issuer.clone()),
        until: status.and_then(|it| it.until).map(time::text),
        renewed: status.is_some_and(|it| it.refreshed),
        scopes: status.map_or_else(Vec::new, |it| it.scopes.clone()),
        can_change: is_own,
    }
}

fn refused(why: ampoule_sign_in::SignInError) -> ConsoleError {
    ConsoleError::Conflict(why.to_string())
}

fn event(viewer: &Viewer, server: &str, outcome: &str, reason: Option<&str>) -> Event {
    Event::SignIn(SignInEvent {
        principal: viewer.owner().map(|it| Arc::clone(it.name())),
        server: Some(server.into()),
        outcome: outcome.into(),
        how: Some("oauth".into()),
        reason: reason.map(Into::into),
    })
}
