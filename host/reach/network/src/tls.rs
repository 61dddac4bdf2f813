//! Whom to trust, and who to be.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::{Client, ClientBuilder};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use schemars::JsonSchema;
use serde::Deserialize;

/// How large a file in PEM may be, in bytes: an authority's list has some hundred thousand.
const MAX_PEM: u64 = 16 * 1024 * 1024;

/// Whom to trust, and who to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tls {
    /// A file in PEM of authorities that are trusted beside the system's, such as a company's own.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub authority: Option<PathBuf>,
    /// A file in PEM of the certificate that servers are shown, with those that lead from it to an
    /// authority.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub certificate: Option<PathBuf>,
    /// A file in PEM of the certificate's private key; the certificate's own file if there is none.
    #[serde(deserialize_with = "ampoule_fields::path")]
    #[schemars(description = "A file in PEM of the certificate's private key.")]
    pub key: Option<PathBuf>,
}

impl Tls {
    /// The beginning of an HTTP client of another purpose that trusts these. Reads files.
    ///
    /// # Errors
    ///
    /// What is wrong with the files.
    pub fn client(&self) -> Result<ClientBuilder, String> {
        Ok(Client::builder().tls_backend_preconfigured(self.configured(true)?))
    }

    /// What is needed for TLS; where nothing is secured by it, little is. Reads files.
    ///
    /// # Errors
    ///
    /// What is wrong with the files.
    pub fn configured(&self, is_secured: bool) -> Result<ClientConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let builder = if is_secured {
            let own = self
                .authority
                .as_deref()
                .map_or(Ok(Vec::new()), certificates)?;
            let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(own, provider)
                .map_err(|error| {
                    format!(
                        "the system's certificate authorities can't be loaded ({error}); install the package `ca-certificates`"
                    )
                })?;
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
        } else {
            // Nothing is trusted where nothing needs to be: reading the system's takes its time.
            builder.with_root_certificates(RootCertStore::empty())
        };
        let mut config = match &self.certificate {
            Some(path) => {
                let key = private_key(self.key.as_deref().unwrap_or(path))?;
                builder
                    .with_client_auth_cert(certificates(path)?, key)
                    .map_err(|error| {
                        format!("{} and its key can't be used: {error}", path.display())
                    })?
            }
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
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
