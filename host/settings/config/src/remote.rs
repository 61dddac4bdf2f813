//! A server that is reached by HTTP.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use url::Url;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::{ConfigError, keys, units};

/// A server that is reached by HTTP, with the variables in it replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its address: `http://` or `https://`. May hold secrets.
    pub url: String,
    /// How it is spoken to.
    pub transport: Transport,
    /// Headers of every request. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// A program and its arguments, which print further headers as a JSON object; empty if there
    /// is none.
    pub headers_command: Vec<String>,
    /// How Ampoule signs in.
    pub auth: Auth,
    /// How the server is told to be who it says, and Ampoule likewise.
    pub tls: Tls,
    /// What was put in for variables: their names, and their values, which may be secrets.
    pub variables: BTreeSet<(String, String)>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// By streamable HTTP, or by HTTP+SSE if it does not speak that.
    #[default]
    Auto,
    /// By streamable HTTP.
    Http,
    /// By HTTP+SSE, as in 2024.
    Sse,
}

/// How Ampoule signs in, beyond what the server itself says.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Auth {
    /// The client that was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<String>,
    /// The address of a document about the client, which is its id where that is taken.
    pub client_metadata: Option<Url>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// A file with the key that signs for the client, in PEM.
    pub private_key: Option<PathBuf>,
    /// Who signs in.
    pub grant: SignIn,
    /// The port of this machine that the sign-in comes back to.
    pub callback_port: Option<u16>,
}

/// Who signs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignIn {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// A machine, with a secret or a key.
    ClientCredentials,
}

/// Files for TLS, in PEM.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificates that are trusted beside the system's.
    pub authority: Option<PathBuf>,
    /// The certificate that Ampoule shows.
    pub certificate: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("Remote")
            .field("transport", &self.transport)
            .field("headers", &names)
            .field("auth", &self.auth)
            .field("tls", &self.tls)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auth")
            .field("scopes", &self.scopes)
            .field("private_key", &self.private_key)
            .field("grant", &self.grant)
            .field("callback_port", &self.callback_port)
            .finish_non_exhaustive()
    }
}

pub(super) fn remote(
    url: &Entry<'_>,
    table: &Table<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<Remote, ConfigError> {
    let mut mistakes = Mistakes::default();
    let address = mistakes.unless(address(url, around));
    let (address, mut put_in) = address.unwrap_or_default();
    let transport = mistakes
        .unless(table.read("transport", transport))
        .flatten();
    let headers = table.read("headers", |headers| {
        server::variables(headers, "headers", around.environment)
    });
    let (headers, variables) = mistakes.unless(headers).flatten().unwrap_or_default();
    put_in.extend(variables);
    let command = table.read("headers-command", |command| {
        words_of_command(command, around)
    });
    let (headers_command, variables) = mistakes.unless(command).flatten().unwrap_or_default();
    put_in.extend(variables);
    let auth = mistakes.unless(table.read("auth", |auth| read_auth(auth, around)));
    let own_tls = mistakes.unless(table.read("tls", |tls| read_tls(tls, around)));
    mistakes.none()?;
    Ok(Remote {
        url: address,
        transport: transport.unwrap_or_default(),
        headers,
        headers_command,
        auth: auth.flatten().unwrap_or_default(),
        tls: own_tls.flatten().unwrap_or_else(|| tls.clone()),
        variables: put_in,
    })
}

fn address(
    entry: &Entry<'_>,
    around: Surroundings<'_>,
) -> Result<(String, server::Variables), ConfigError> {
    let (text, put_in) = server::noted(entry, around.environment)?;
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok((text, put_in)),
        _ => Err(entry.refuse("this is not an address; write it like `https://example.com/mcp`")),
    }
}

fn transport(entry: &Entry<'_>) -> Result<Transport, ConfigError> {
    entry.choice(&[
        ("auto", Transport::Auto),
        ("http", Transport::Http),
        ("sse", Transport::Sse),
    ])
}

/// A program and its arguments, which prints something.
pub(super) fn words_of_command(
    entry: &Entry<'_>,
    around: Surroundings<'_>,
) -> Result<(Vec<String>, server::Variables), ConfigError> {
    let words = entry.each(|word| server::noted(word, around.environment))?;
    let (mut words, put_in): (Vec<String>, Vec<server::Variables>) = words.into_iter().unzip();
    match words.first_mut() {
        Some(program) if !program.trim().is_empty() => {
            if program.contains('/') {
                *program = around.folder.join(&*program).to_string_lossy().into_owned();
            }
        }
        _ => return Err(entry.refuse("the command is empty")),
    }
    Ok((words, put_in.into_iter().flatten().collect()))
}

fn read_auth(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<Auth, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("auth")));
    let mut text = |key: &str| {
        let read = table.read(key, |entry| server::expanded(entry, around.environment));
        mistakes.unless(read).flatten()
    };
    let (client_id, client_secret) = (text("client-id"), text("client-secret"));
    let document = table.read("client-metadata", |entry| document(entry, around));
    let client_metadata = mistakes.unless(document).flatten();
    let scopes = table.read("scopes", |scopes| {
        scopes.each(|scope| server::expanded(scope, around.environment))
    });
    let scopes = mistakes.unless(scopes).flatten().unwrap_or_default();
    let key = table.read("private-key", |key| server::path(key, around));
    let private_key = mistakes.unless(key).flatten();
    let grant = table.read("grant", |grant| {
        grant.choice(&[
            ("authorization-code", SignIn::AuthorizationCode),
            ("client-credentials", SignIn::ClientCredentials),
        ])
    });
    let grant = mistakes.unless(grant).flatten().unwrap_or_default();
    let callback_port = mistakes.unless(table.read("callback-port", port)).flatten();
    if grant == SignIn::ClientCredentials
        && (client_id.is_none() || client_secret.is_none() == private_key.is_none())
    {
        mistakes.add(entry.refuse(
            "for `client-credentials`, give `client-id`, and either `client-secret` or `private-key`",
        ));
    }
    mistakes.none()?;
    Ok(Auth {
        client_id,
        client_secret,
        client_metadata,
        scopes,
        private_key,
        grant,
        callback_port,
    })
}

/// The address of a client metadata document: the protocol wants one with a path.
fn document(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<Url, ConfigError> {
    let text = server::expanded(entry, around.environment)?;
    let url = Url::parse(&text).ok();
    url.filter(|url| url.scheme() == "https" && url.has_host() && url.path() != "/")
        .ok_or_else(|| {
            entry.refuse(
                "this is not the address of a document; write it like `https://example.com/client.json`",
            )
        })
}

fn port(entry: &Entry<'_>) -> Result<u16, ConfigError> {
    let port = u16::try_from(entry.quantity(units::parse_count)?).ok();
    port.filter(|port| *port > 0)
        .ok_or_else(|| entry.refuse("a port is 1 to 65535"))
}

pub(super) fn read_tls(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<Tls, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("tls")));
    let mut file = |key: &str| {
        let read = table.read(key, |entry| server::path(entry, around));
        mistakes.unless(read).flatten()
    };
    let tls = Tls {
        authority: file("authority"),
        certificate: file("certificate"),
        key: file("key"),
    };
    if tls.certificate.is_some() != tls.key.is_some() {
        mistakes.add(entry.refuse("`certificate` and `key` go together; give both, or neither"));
    }
    mistakes.none().map(|()| tls)
}
