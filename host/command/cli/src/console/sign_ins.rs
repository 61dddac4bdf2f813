//! Sign-ins to servers of the configuration, as the console shows and makes them. The configuration is
//! read again for each request.

use std::path::PathBuf;

use ampoule_config::{Config, Reach};
use ampoule_configured::{has_sign_in, is_per_principal};
use ampoule_console::{FoundSignIn, SignInOwner, SignInSource};
use ampoule_sign_in::accounts::Accounts;
use ampoule_sign_in::{Owner, SignIn, Store};
use futures::FutureExt;
use futures::future::BoxFuture;

/// Finds sign-ins for the console.
pub(super) struct ConfiguredSignIns {
    /// The file that was named on the command line.
    pub(super) file: Option<PathBuf>,
    /// The page on which principals sign in, where there are principals.
    pub(super) accounts: Option<Accounts>,
}

/// A server to which somebody signs in, and who.
struct ServerSignIn {
    reach: Reach,
    owner: Owner,
    store: Store,
}

impl ConfiguredSignIns {
    /// None if nobody signs in to the server by hand.
    fn server_sign_in(
        &self,
        server: &str,
        principal: Option<&str>,
    ) -> Result<Option<ServerSignIn>, String> {
        let mut config = Config::find(self.file.as_deref()).map_err(|error| error.to_string())?;
        let Some(server) = config.servers.remove(server) else {
            return Ok(None);
        };
        let reach = server.reach;
        if !has_sign_in(&reach) {
            return Ok(None);
        }
        let own = principal.filter(|_| self.accounts.is_some() && is_per_principal(&reach));
        let owner = own.map_or(Owner::Host, |name| Owner::Principal(name.into()));
        let store = match &owner {
            Owner::Principal(_) => ampoule_configured::store_of_principals(
                config.serve.sign_in_key,
                config.serve.sign_in_idle,
            )?,
            Owner::Host => Store::of_user().map_err(|error| error.to_string())?,
        };
        Ok(Some(ServerSignIn {
            reach,
            owner,
            store,
        }))
    }
}

impl SignInSource for ConfiguredSignIns {
    fn find<'a>(
        &'a self,
        server: &'a str,
        principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<FoundSignIn>, String>> {
        async move {
            let Some(found) = self.server_sign_in(server, principal)? else {
                return Ok(None);
            };
            let ServerSignIn {
                reach,
                owner,
                store,
            } = found;
            let found = match &owner {
                Owner::Host => SignInOwner::Host,
                Owner::Principal(_) => SignInOwner::Principal,
            };
            let status = ampoule_configured::signed_in_of(owner, server, &reach, &store).await;
            Ok(Some(FoundSignIn {
                owner: found,
                status,
            }))
        }
        .boxed()
    }

    fn open<'a>(
        &'a self,
        server: &'a str,
        principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<SignIn>, String>> {
        async move {
            let Some(found) = self.server_sign_in(server, principal)? else {
                return Ok(None);
            };
            let ServerSignIn {
                reach,
                owner,
                store,
            } = found;
            let sign_in = ampoule_configured::sign_in_of(owner, server, &reach, store);
            sign_in.await.map(Some)
        }
        .boxed()
    }

    fn accounts(&self) -> Option<&Accounts> {
        self.accounts.as_ref()
    }
}
