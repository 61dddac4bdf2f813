//! What is configured of a server's sign-in.

use std::fmt;
use std::path::PathBuf;

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
    /// A file with a token that says who asks, which the platform writes and replaces: in place of a
    /// key, a person or a caller, as the grant has it.
    pub assertion: Option<PathBuf>,
    /// Who signs in.
    pub grant: Grant,
    /// Where a caller's own token is exchanged, for [`Grant::TokenExchange`].
    pub exchange: Option<Exchange>,
    /// Whether tokens are bound to a key of this sign-in (DPoP, RFC 9449). Default: where the server
    /// asks for it.
    pub dpop: Option<bool>,
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
            assertion: None,
            grant: Grant::default(),
            exchange: None,
            dpop: None,
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

/// Where the token of a caller is exchanged for one that the server takes.
#[derive(Clone)]
pub struct Exchange {
    /// The caller's issuer, exactly as it names itself.
    pub issuer: String,
    /// The client by which Ampoule is known there. Default: the one that is known at the server's
    /// authorization server.
    pub client_id: Option<String>,
    /// That client's secret, if it has one.
    pub client_secret: Option<Secret>,
    /// For whom the exchanged token is. Default: the server's address alone says so.
    pub audience: Option<String>,
    /// What kind of token the caller has.
    pub subject: SubjectType,
    /// Whether the issuer itself gives tokens for the server, whatever the server says. Default: where
    /// the server names the issuer as its authorization server.
    pub is_direct: bool,
    /// How the issuer proves who it is. Default: by the system's authorities.
    pub tls: Option<rustls::ClientConfig>,
}

impl Exchange {
    /// At this issuer, with everything else as it is by default.
    pub fn at(issuer: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: None,
            client_secret: None,
            audience: None,
            subject: SubjectType::default(),
            is_direct: false,
            tls: None,
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// What kind of token a caller has (RFC 8693, 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SubjectType {
    /// One for access.
    #[default]
    AccessToken,
    /// One that says who somebody is.
    IdToken,
    /// Another one, in the form of a JWT.
    Jwt,
}

impl SubjectType {
    pub(crate) fn urn(self) -> &'static str {
        match self {
            Self::AccessToken => "urn:ietf:params:oauth:token-type:access_token",
            Self::IdToken => "urn:ietf:params:oauth:token-type:id_token",
            Self::Jwt => "urn:ietf:params:oauth:token-type:jwt",
        }
    }
}

/// Who signs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grant {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// The client itself, by its secret, its private key or its assertion. Nobody is asked.
    ClientCredentials,
    /// A workload, by the token that its platform gives it (RFC 7523, 2.1). Nobody is asked.
    JwtBearer,
    /// Whoever calls, by the token with which they came. Nobody is asked.
    TokenExchange,
}
