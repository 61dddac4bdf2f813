//! Whom the client trusts, and who it is.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio_rustls::TlsAcceptor;

use super::server::{Server, serve_tls, usual};
use super::{text, upstream};
use crate::testing::{call, failure};
use crate::{RemoteServer, Tls};

/// A company's own authority.
pub(super) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("authority.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whom a client trusts that trusts it.
    pub(super) fn tls(&self) -> Tls {
        Tls {
            authority: Some(self.file("authority.pem")),
            ..Tls::default()
        }
    }

    /// A certificate and its key.
    fn certified(
        &self,
        name: &str,
        until: i32,
    ) -> (CertificateDer<'static>, PrivateKeyDer<'static>, String) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let pem = certificate.pem() + &key.serialize_pem();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        (certificate.der().clone(), key, pem)
    }

    /// A server with a certificate, that may want to see its clients'.
    pub(super) async fn serve(&self, name: &str, until: i32, of_clients: bool) -> Server {
        serve_tls(self.acceptor(name, until, of_clients, &[]), usual).await
    }

    /// The TLS of such a server, which speaks these protocols.
    pub(super) fn acceptor(
        &self,
        name: &str,
        until: i32,
        of_clients: bool,
        protocols: &[&[u8]],
    ) -> TlsAcceptor {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if of_clients {
            let mut roots = rustls::RootCertStore::empty();
            roots.add(self.issuer.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let (certificate, key, _) = self.certified(name, until);
        let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

async fn called(server: &Server, tls: Tls) -> Result<String, String> {
    let upstream = upstream(RemoteServer::new(&server.url).unwrap().tls(tls));
    match call(&upstream, "x").await.unwrap() {
        Ok(result) => Ok(text(&result).to_owned()),
        error => Err(failure(error)),
    }
}

#[tokio::test]
async fn certificates_are_held_against_the_name_the_date_and_the_authority() {
    let authority = Authority::new();
    let sound = authority.serve("localhost", 2100, false).await;
    assert_eq!(called(&sound, authority.tls()).await.unwrap(), "done");
    let unreachable = "MCP server `far` can't be reached: its certificate";
    for (server, tls, why) in [
        (
            &authority.serve("localhost", 2021, false).await,
            authority.tls(),
            "has expired",
        ),
        (
            &authority.serve("other.example", 2100, false).await,
            authority.tls(),
            "is for another name",
        ),
        (
            &sound,
            Authority::new().tls(),
            "is from an authority that is not trusted; if that is your company's own, name its file in `tls.authority`",
        ),
    ] {
        assert_eq!(
            called(server, tls).await.unwrap_err(),
            format!("{unreachable} {why}")
        );
        assert!(server.seen().iter().all(|it| it.asks() != "x"));
    }
}

#[tokio::test]
async fn the_client_shows_its_own_certificate() {
    let authority = Authority::new();
    let server = authority.serve("localhost", 2100, true).await;
    let (_, _, pem) = authority.certified("ada", 2100);
    std::fs::write(authority.file("ada.pem"), pem).unwrap();
    let known = Tls {
        certificate: Some(authority.file("ada.pem")),
        ..authority.tls()
    };
    assert_eq!(called(&server, known).await.unwrap(), "done");
    let unknown = called(&server, authority.tls()).await.unwrap_err();
    assert!(unknown.starts_with("MCP server `far` "), "{unknown}");
}

#[tokio::test]
async fn files_that_can_not_be_used_are_named() {
    let authority = Authority::new();
    let server = authority.serve("localhost", 2100, false).await;
    let (missing, empty) = (authority.file("missing"), authority.file("empty"));
    std::fs::write(&empty, "").unwrap();
    let tls = |file: &PathBuf| Tls {
        authority: Some(file.clone()),
        ..Tls::default()
    };
    let error = called(&server, tls(&missing)).await.unwrap_err();
    let expected = format!(
        "MCP server `far` can't be reached: {} can't be read: ",
        missing.display()
    );
    assert!(error.starts_with(&expected), "{error}");
    let error = called(&server, tls(&empty)).await.unwrap_err();
    let expected = format!("{} holds no certificate in PEM", empty.display());
    assert!(error.ends_with(&expected), "{error}");
    let keyless = Tls {
        certificate: Some(authority.file("authority.pem")),
        ..authority.tls()
    };
    let error = called(&server, keyless).await.unwrap_err();
    assert!(
        error.ends_with("authority.pem holds no private key in PEM"),
        "{error}"
    );
}
