//! A person's sign-in, in a browser that comes back to a page of a server.
//!
//! All principals of a server sign in by one client of that server's, which is registered once.

use url::Url;

use crate::error::SignInError;
use crate::flow::{Beginning, Flow};
use crate::keyring::Person;
use crate::place::Place;
use crate::sign_in::{Inner, SignIn, SignInStatus};
use crate::stored_sign_in::{StoredClient, StoredSignIn};

/// A sign-in that waits for a browser to come back to the page.
pub struct PageLogin {
    flow: Flow,
    address: Url,
    state: String,
}

impl SignIn {
    /// Begins a person's sign-in whose browser comes back to this page. Whoever calls this has a
    /// person in a browser, who wants it.
    ///
    /// # Errors
    ///
    /// The server offers no sign-in, or refuses the client.
    pub async fn begin_at(&self, page: &Url) -> Result<PageLogin, SignInError> {
        let this = self.begun();
        let mut beginning = this.beginning(Person::Absent).await?;
        let client = this.0.page_client(&mut beginning, page).await?;
        let (flow, address) = this.flow(beginning, client, Person::Absent).await?;
        let state = address.query_pairs().find(|(name, _)| name == "state");
        let state = state.map(|(_, state)| state.into_owned());
        let state = state.filter(|state| !state.is_empty());
        let state = state.ok_or_else(|| SignInError::new("the sign-in has no `state`"))?;
        Ok(PageLogin {
            flow,
            address,
            state,
        })
    }
}

impl PageLogin {
    /// What the browser is to open.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// What the answer to this sign-in, and to no other, repeats.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The sign-in that this is for.
    pub fn sign_in(&self) -> &SignIn {
        &self.flow.sign_in
    }

    /// Redeems what the browser came back with, and keeps the sign-in for its owner.
    ///
    /// # Errors
    ///
    /// The sign-in was refused, or is not this one's; what came of it can't be kept.
    pub async fn finish(self, answer: &Url) -> Result<SignInStatus, SignInError> {
        let mut states = answer.query_pairs().filter(|(name, _)| name == "state");
        match (states.next(), states.next()) {
            (Some((_, state)), None) if *state == *self.state => self.flow.redeem(answer).await,
            _ => Err(SignInError::new("this is the answer to another sign-in")),
        }
    }
}

impl Inner {
    /// The client to sign in with: the configured one, a metadata document, the one that was
    /// registered for this page before, or one that is registered now.
    async fn page_client(
        &self,
        beginning: &mut Beginning,
        page: &Url,
    ) -> Result<StoredClient, SignInError> {
        let redirect = StoredClient::at_page(page);
        let found = &mut beginning.found;
        if let Some(given) = self.given_client(found, &redirect) {
            return Ok(given);
        }
        let place = self.options.place().of_client();
        let lock = self.store.lock(&place).await?;
        if let Some(kept) = self.client_at(&place).await?
            && kept.issuer == found.issuer()
            && kept.client.page == redirect.page
        {
            self.store.note_use(&place);
            return Ok(kept.client);
        }
        let client = self.register(found, &redirect, &beginning.scopes).await?;
        let kept = StoredSignIn::of_client(found.issuer(), client.clone());
        self.store
            .save(&lock, &place, &kept, Person::Absent)
            .await?;
        Ok(client)
    }

    async fn client_at(&self, place: &Place) -> Result<Option<StoredSignIn>, SignInError> {
        self.store.load(place, Person::Absent).await
    }

    /// The authorization server no longer knows this client: the next sign-in registers another one.
    pub(crate) async fn forget_client(&self, client: &StoredClient) -> Result<(), SignInError> {
        if client.page.is_none() || !client.registered {
            return Ok(());
        }
        let place = self.options.place().of_client();
        if self.store.stamp(&place).is_none() {
            return Ok(());
        }
        let lock = self.store.lock(&place).await?;
        let kept = self.client_at(&place).await?;
        if kept.is_some_and(|kept| kept.client.id == client.id) {
            self.store.remove(&lock, &place).await?;
        }
        Ok(())
    }
}
