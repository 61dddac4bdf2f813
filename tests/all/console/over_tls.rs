//! The console of a server with TLS of its own, as browsers reach it: over HTTP/2, which has no header
//! for the host.

use std::net::{Ipv4Addr, SocketAddr};

use ampoule_tests::command::Workplace;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, StatusCode, Version};

use crate::serving::Serving;

const CONFIG: &str = "[serve.auth]\ntokens = \"tokens\"\n[console]\noperators = [\"olga\"]\n";

#[tokio::test]
async fn a_person_signs_in_over_http2() {
    let workplace = Workplace::default();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
    let made = made.expect("a certificate");
    workplace.file("cert.pem", made.cert.pem());
    workplace.file("key.pem", made.signing_key.serialize_pem());
    workplace.file("ampoule.toml", CONFIG);
    let add = ["auth", "token", "add", "olga", "--file", "tokens"];
    let token = workplace.run_at_home(&add).await.stdout;
    let token = token.trim();
    let tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let arguments = ["serve", "--http", "0"].into_iter().chain(tls);
    let server = Serving::start(&workplace, &arguments.collect::<Vec<_>>()).await;
    let port = server.at.trim_end_matches("/mcp").rsplit_once(':');
    let port: u16 = port.expect("a port").1.parse().expect("a number");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificate = Certificate::from_pem(made.cert.pem().as_bytes());
    let client = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .tls_certs_only([certificate.expect("PEM")])
        .resolve("localhost", SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .build()
        .expect("a client");
    let origin = format!("https://localhost:{port}");
    let sign_in = async |origin: &str| {
        let sent = client
            .post(format!("https://localhost:{port}/console/sign-in"))
            .header("origin", origin)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(format!("token={token}"))
            .send()
            .await;
        sent.expect("an answer")
    };
    let signed_in = sign_in(&origin).await;
    assert_eq!(signed_in.version(), Version::HTTP_2);
    assert_eq!(signed_in.status(), StatusCode::SEE_OTHER, "{signed_in:?}");
    let cookie = signed_in.headers()["set-cookie"].to_str().expect("text");
    let name = format!("__Host-ampoule-console-{port}=");
    assert!(cookie.starts_with(&name), "{cookie}");
    let (cookie, _) = cookie.split_once(';').expect("attributes");
    let page = client
        .get(format!("{origin}/console/runs"))
        .header("cookie", cookie)
        .send()
        .await
        .expect("a page");
    assert_eq!(
        (page.version(), page.status()),
        (Version::HTTP_2, StatusCode::OK)
    );
    assert!(page.text().await.expect("text").contains("No runs yet"));
    let forged = sign_in("https://localhost:1").await;
    assert_eq!(forged.status(), StatusCode::FORBIDDEN, "{forged:?}");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains(token), "{said}");
}
