//! Sign-ins to servers, as the program keeps them that has the console.

use ampoule_sign_in::accounts::Accounts;
use ampoule_sign_in::{SignIn, SignInStatus};
use futures::future::BoxFuture;

/// A server to which somebody signs in by hand, and what is kept of that.
#[derive(Debug, Clone)]
pub struct FoundSignIn {
    /// Whose sign-in the calls of the principal use.
    pub owner: SignInOwner,
    /// Who signed in, and until when. None: nobody has.
    pub status: Option<SignInStatus>,
}

/// Whose a sign-in is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInOwner {
    /// The host's: all calls use it.
    Host,
    /// The principal's own.
    Principal,
}

/// Finds sign-ins for the console. A principal is named by name; none is the user of this machine.
pub trait SignInSource: Send + Sync {
    /// What is kept of the sign-in to a server. None: nobody signs in to it by hand. No server is asked.
    ///
    /// # Errors
    ///
    /// A sentence: the configuration can't be read.
    fn find<'a>(
        &'a self,
        server: &'a str,
        principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<FoundSignIn>, String>>;

    /// The same sign-in, to make it or to end it.
    ///
    /// # Errors
    ///
    /// A sentence: the configuration can't be read or used.
    fn open<'a>(
        &'a self,
        server: &'a str,
        principal: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<SignIn>, String>>;

    /// The page on which principals sign in to servers, where there is one.
    fn accounts(&self) -> Option<&Accounts>;
}
