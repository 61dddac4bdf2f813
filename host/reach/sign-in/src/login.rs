//! A person's sign-in, in a browser that comes back to a port of this machine.

use std::io;

use tokio::sync::mpsc;
use url::Url;

use crate::callback::Callback;
use crate::error::SignInError;
use crate::flow::{Beginning, Flow};
use crate::keyring::Person;
use crate::sign_in::{SignIn, SignInStatus};
use crate::stored_sign_in::{StoredClient, StoredSignIn};

/// A sign-in that waits for a person.
pub struct Login {
    flow: Flow,
    callback: Callback,
    address: Url,
}

impl SignIn {
    /// Begins a person's sign-in: finds the authorization server, registers a client if need be,
    /// and listens for the browser. Whoever calls this is a person's command, never the background.
    ///
    /// # Errors
    ///
    /// The server offers no sign-in, or refuses the client; the port is taken.
    pub async fn begin(&self) -> Result<Login, SignInError> {
        let this = self.begun();
        let mut beginning = this.beginning(Person::Present).await?;
        let mut callback = this.listen(beginning.kept.as_ref()).await?;
        let client = this.client(&mut beginning, callback.port).await?;
        let (flow, address) = this.flow(beginning, client, Person::Present).await?;
        let state = address.query_pairs().find(|(name, _)| name == "state");
        let state = state.map(|(_, state)| state.into_owned());
        callback.expect(state.unwrap_or_default());
        Ok(Login {
            flow,
            callback,
            address,
        })
    }

    /// The configured port, or the one that the client was registered with, or any.
    async fn listen(&self, kept: Option<&StoredSignIn>) -> Result<Callback, SignInError> {
        let kept = kept.map(|kept| kept.client.port);
        let port = self.0.options.callback_port.or(kept).unwrap_or(0);
        let listening = Callback::listen(port).await;
        let failed = |error: io::Error| {
            SignInError::new(format!(
                "port {port} of 127.0.0.1, which the browser is to come back to, can't be listened on: {error}"
            ))
        };
        match listening {
            // Another one needs another registration, which a configured client can't get.
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse
                    && self.0.options.client_id.is_none()
                    && self.0.options.callback_port.is_none() =>
            {
                Callback::listen(0).await.map_err(failed)
            }
            listening => listening.map_err(failed),
        }
    }

    /// The client to sign in with: the configured one, a metadata document, the one that was
    /// registered before, or one that is registered now.
    async fn client(
        &self,
        beginning: &mut Beginning,
        port: u16,
    ) -> Result<StoredClient, SignInError> {
        let redirect = StoredClient::at_port(port);
        let found = &mut beginning.found;
        if let Some(given) = self.0.given_client(found, &redirect) {
            return Ok(given);
        }
        if let Some(kept) = &beginning.kept
            && kept.client.port == port
            && !kept.client.id.is_empty()
        {
            return Ok(kept.client.clone());
        }
        self.0.register(found, &redirect, &beginning.scopes).await
    }
}

impl Login {
    /// What the person is to open in a browser.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// Waits for the browser to come back, or for its address to be pasted, where the browser runs
    /// on another machine; and keeps the sign-in. `told` hears of what was pasted and is not it.
    ///
    /// # Errors
    ///
    /// The sign-in was refused, or is not this one's; what came of it can't be kept.
    pub async fn finish(
        self,
        mut pasted: mpsc::Receiver<String>,
        told: impl Fn(&str),
    ) -> Result<SignInStatus, SignInError> {
        let mut browser = std::pin::pin!(self.callback.browser());
        let answer = loop {
            tokio::select! {
                answer = &mut browser => break answer,
                Some(text) = pasted.recv() => match self.callback.pasted(&text) {
                    Ok(answer) => break answer,
                    Err(why) => told(why),
                },
            }
        };
        let done = self.flow.redeem(&answer.url).await;
        answer.tell(done.is_ok()).await;
        done
    }
}
