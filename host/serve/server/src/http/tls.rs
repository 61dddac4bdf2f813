//! TLS with two files, reloaded when they change.

use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

/// How often the files are looked at, at the most.
const LOOK: Duration = Duration::from_secs(1);

/// The files in PEM that a server shows who it is with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// Its certificate, and those that vouch for it.
    pub certificate: PathBuf,
    /// That certificate's key.
    pub key: PathBuf,
}

/// What to know a version of the files by.
type Version = [Option<(SystemTime, u64)>; 2];

struct Certificates {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    current: Mutex<Current>,
}

struct Current {
    certified: Arc<CertifiedKey>,
    version: Version,
    looked: Instant,
}

impl TlsFiles {
    /// What takes connections with them.
    pub(super) fn acceptor(&self) -> io::Result<TlsAcceptor> {
        let provider = Arc::new(ring::default_provider());
        let version = self.version();
        let current = Current {
            certified: Arc::new(self.read(&provider)?),
            version,
            looked: Instant::now(),
        };
        let certificates = Certificates {
            files: self.clone(),
            provider: Arc::clone(&provider),
            current: Mutex::new(current),
        };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(certificates));
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn read(&self, provider: &CryptoProvider) -> io::Result<CertifiedKey> {
        let wrong = |file: &PathBuf, error: &dyn fmt::Display| {
            io::Error::other(format!("{}: {error}", file.display()))
        };
        let chain = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| wrong(&self.certificate, &error))?;
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| wrong(&self.key, &error))?;
        CertifiedKey::from_der(chain, key, provider).map_err(|error| wrong(&self.key, &error))
    }

    fn version(&self) -> Version {
        let version = |file: Metadata| Some((file.modified().ok()?, file.len()));
        [&self.certificate, &self.key].map(|file| version(std::fs::metadata(file).ok()?))
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Certificates").field(&self.files).finish()
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut current = self.current.lock();
        if current.looked.elapsed() >= LOOK {
            current.looked = Instant::now();
            let version = self.files.version();
            if version != current.version {
                match self.files.read(&self.provider) {
                    Ok(certified) => {
                        current.certified = Arc::new(certified);
                        current.version = version;
                        tracing::info!("reloaded the certificate");
                    }
                    // Perhaps only one of the two is there yet.
                    Err(error) => {
                        tracing::warn!(%error, "the changed certificate can't be used; still using the old one");
                    }
                }
            }
        }
        Some(Arc::clone(&current.certified))
    }
}
