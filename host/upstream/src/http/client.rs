//! The client beneath: TLS with the system's authorities, proxies of the environment, HTTP/2,
//! compression.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use url::Url;

use super::server::Tls;
use crate::exhausted::{EXHAUSTED, is_exhausted};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);

/// How long a connection is kept that nothing is sent on. Many servers close theirs after five
/// seconds: a call that is sent just then may or may not be carried out.
const IDLE: Duration = Duration::from_secs(4);

/// How often a connection is tried on which nothing comes.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How long the headers of an answer may be in HTTP/2, in bytes.
const MAX_HEADERS: u32 = 64 * 1024;

/// How large a file in PEM may be, in bytes: an authority's list has some hundred thousand.
const MAX_PEM: u64 = 16 * 1024 * 1024;

/// Makes a client for a server; where addresses are given, its host leads there and nowhere else.
/// Reads files.
///
/// # Errors
///
/// What is wrong with the files.
pub(super) fn client(
    url: &Url,
    tls: &Tls,
    pinned: Option<&[SocketAddr]>,
) -> Result<Client, String> {
    let builder = Client::builder()
        .tls_backend_preconfigured(configured(url.scheme() == "https", tls)?)
        .user_agent(concat!("ampoule/", env!("CARGO_PKG_VERSION")))
        // They are followed by hand, without credentials to other origins.
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .tcp_keepalive(KEEP_ALIVE)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .http2_max_header_list_size(MAX_HEADERS);
    let builder = match (pinned, url.host_str()) {
        (Some(addresses), Some(host)) => builder.resolve_to_addrs(host, addresses),
        _ => builder,
    };
    builder.build().map_err(|error| explained(&error))
}

impl Tls {
    /// The beginning of an HTTP client of another purpose that trusts these. Reads files.
    ///
    /// # Errors
    ///
    /// What is wrong with the files.
    pub fn client(&self) -> Result<ClientBuilder, String> {
        Ok(Client::builder().tls_backend_preconfigured(configured(true, self)?))
    }
}

/// What is needed for TLS; where nothing is secured by it, little is.
fn configured(is_secured: bool, tls: &Tls) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = if is_secured {
        let own = tls
            .authority
            .as_deref()
            .map_or(Ok(Vec::new()), certificates)?;
        let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(own, provider)
            .map_err(|error| format!("no authority for certificates can be trusted: {error}"))?;
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        // Nothing is trusted where nothing needs to be: reading the system's takes its time.
        builder.with_root_certificates(RootCertStore::empty())
    };
    let mut config = match &tls.certificate {
        Some(path) => {
            let key = private_key(tls.key.as_deref().unwrap_or(path))?;
            builder
                .with_client_auth_cert(certificates(path)?, key)
                .map_err(|error| format!("{} and its key can't be used: {error}", path.display()))?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(format!("{} holds no certificate in PEM", path.display())),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(&read(path)?)
        .map_err(|_| format!("{} holds no private key in PEM", path.display()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let cant = |error: io::Error| format!("{} can't be read: {error}", path.display());
    if fs::metadata(path).map_err(cant)?.len() > MAX_PEM {
        return Err(format!("{} has more than {MAX_PEM} bytes", path.display()));
    }
    fs::read(path).map_err(cant)
}

/// Why a request failed, in words.
pub(super) fn explained(error: &reqwest::Error) -> String {
    let mut last: &(dyn std::error::Error + 'static) = error;
    let mut dns = false;
    loop {
        dns |= last.to_string().contains("dns error");
        if let Some(words) = last.downcast_ref::<rustls::Error>().map(of_tls) {
            return words;
        }
        // What an I/O error holds is not among its sources.
        let held = last
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        match held.map_or_else(|| last.source(), |held| Some(held)) {
            Some(source) => last = source,
            None => break,
        }
    }
    if last.downcast_ref().is_some_and(is_exhausted) {
        return EXHAUSTED.to_owned();
    }
    if dns {
        return "its host name can't be resolved".to_owned();
    }
    let kind = last.downcast_ref::<io::Error>().map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => "nothing listens at its address".to_owned(),
        Some(io::ErrorKind::ConnectionReset) => "it broke off the connection".to_owned(),
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            "there is no way to its address".to_owned()
        }
        _ if error.is_timeout() && error.is_connect() => {
            let waited = humantime::format_duration(CONNECT);
            format!("it did not accept a connection within {waited}")
        }
        _ => ampoule_untrusted::text::one_line(&last.to_string()).into_owned(),
    }
}

fn of_tls(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let rustls::Error::InvalidCertificate(bad) = error else {
        let error = error.to_string();
        return format!("TLS failed: {}", ampoule_untrusted::text::one_line(&error));
    };
    match bad {
        Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired".to_owned(),
        Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            "its certificate is not valid yet".to_owned()
        }
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
            "its certificate is of another name".to_owned()
        }
        // An authority of the same name has another key.
        Bad::UnknownIssuer | Bad::BadSignature => "its certificate is of an authority that is not trusted; where that is your company's own, name its file in `tls.authority`".to_owned(),
        Bad::Revoked => "its certificate was revoked".to_owned(),
        other => format!("its certificate is invalid: {other:?}"),
    }
}
