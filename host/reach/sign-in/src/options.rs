//! What is configured of a server's sign-in.

use url::Url;

use crate::place::Owner;
use crate::place::Place;
use crate::secret::Secret;

/// How to sign in to one server.
#[derive(Debug, Clone)]
pub struct SignInOptions {
    /// The server's name, for messages.
    pub name: String,
    /// The command by which a person signs in, for messages.
    pub command: String,
    /// Whose the sign-in is. Default: the host's.
    pub owner: Owner,
    /// The server's address: what tokens are asked for.
    pub resource: Url,
    /// The client that was registered with the authorization server beforehand. Default: one is
    /// registered at the first sign-in, where the server allows it.
    pub client_id: Option<String>,
    /// That client's secret, if it has one.
    pub client_secret: Option<Secret>,
    /// An HTTPS address of a client metadata document, which is the client's id where the
    /// authorization server takes such.
    pub client_metadata: Option<Url>,
    /// What to ask for. Default: what the server's challenge names, or else its metadata.
    pub scopes: Vec<String>,
    /// A private key as PEM (PKCS #8; RSA, P-256, P-384 or Ed25519), with which a machine's client
    /// signs in.
    pub private_key: Option<Secret>,
    /// Who signs in.
    pub grant: Grant,
    /// The port of this machine that the browser comes back to. Default: any that is free, the same
    /// one from then on.
    pub callback_port: Option<u16>,
    /// Where the authorization server is asked. Default: as the server says.
    pub endpoints: Option<Endpoints>,
    /// Whether what a server names may be in a private network. Default: no; the server's own host
    /// may.
    pub private_network: bool,
}

impl SignInOptions {
    /// A person's sign-in to a server, with everything else as it is by default.
    pub fn new(name: impl Into<String>, resource: Url) -> Self {
        let name = name.into();
        Self {
            command: format!("ampoule auth login {name}"),
            name,
            owner: Owner::Host,
            resource,
            client_id: None,
            client_secret: None,
            client_metadata: None,
            scopes: Vec::new(),
            private_key: None,
            grant: Grant::default(),
            callback_port: None,
            endpoints: None,
            private_network: false,
        }
    }

    /// Under what the sign-in is kept.
    pub(crate) fn place(&self) -> Place {
        Place::new(&self.name, &self.resource, &self.owner)
    }

    pub(crate) fn is_persons(&self) -> bool {
        self.grant == Grant::AuthorizationCode
    }
}

/// Where an authorization server is asked, where that is known beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// Where a person signs in. A machine needs none.
    pub authorization: Option<Url>,
    /// Where tokens are given.
    pub token: Url,
}

/// Who signs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grant {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// The client itself, by its secret or its private key. Nobody is asked.
    ClientCredentials,
}
