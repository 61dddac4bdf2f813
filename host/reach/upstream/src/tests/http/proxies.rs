//! Proxies that the environment names. What it says is read by a process of its own.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use super::server::{Server, session};
use super::tls::Authority;
use super::{text, upstream};
use crate::testing::call;
use crate::{RemoteServer, Tls};

/// What tells the other process which server to call, and whom to trust.
const SERVER: &str = "AMPOULE_TEST_SERVER";
const AUTHORITY: &str = "AMPOULE_TEST_AUTHORITY";

/// A proxy, which lets everyone through who says the password.
struct Proxy {
    url: String,
    /// The first line and the authorization of each request.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let url = format!("ada:hunter2@{}", listener.local_addr().unwrap());
        let told = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let told = Arc::clone(&told);
                tokio::spawn(async move {
                    // Clients may leave whenever they like.
                    let _ = forward(client, &told).await;
                });
            }
        });
        Self { url, seen }
    }

    /// What it has seen since it was asked last.
    fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock())
    }
}

async fn forward(mut client: TcpStream, seen: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let said = String::from_utf8_lossy(&head).into_owned();
    let first = said.lines().next().unwrap_or_default().to_owned();
    let header = "proxy-authorization: ";
    let mut lines = said.lines().map(str::to_lowercase);
    let password = lines.find_map(|line| Some(line.strip_prefix(header)?.to_owned()));
    seen.lock().push(first.clone());
    if password.as_deref() != Some("basic ywrhomh1bnrlcji=") {
        let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
        return client.write_all(refusal.as_bytes()).await;
    }
    let target = first.split(' ').nth(1).unwrap_or_default();
    let is_tunnel = first.starts_with("CONNECT ");
    let target = target.trim_start_matches("http://");
    let mut server = TcpStream::connect(target.split('/').next().unwrap_or_default()).await?;
    match is_tunnel {
        true => client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?,
        false => server.write_all(&head).await?,
    }
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// Calls a tool of the server in a process with these variables, and gives what that says.
async fn called(server: &Server, authority: Option<&Tls>, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let test = "tests::http::proxies::asks_as_the_environment_says";
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    if let Some(file) = authority.and_then(|tls| tls.authority.as_ref()) {
        command.env(AUTHORITY, file);
    }
    command.env(SERVER, &server.url);
    let output = command.envs(variables.iter().copied()).output();
    let output = output.await.unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Not a test of its own: what the process does.
#[tokio::test]
#[ignore = "a test starts it"]
async fn asks_as_the_environment_says() {
    let server = RemoteServer::new(&std::env::var(SERVER).unwrap()).unwrap();
    let authority = std::env::var_os(AUTHORITY).map(Into::into);
    let server = server.tls(Tls {
        authority,
        ..Tls::default()
    });
    let result = call(&upstream(server), "x").await.unwrap();
    let result = result.unwrap_or_else(|error| panic!("it said: {error}"));
    assert_eq!(text(&result), "done");
}

#[tokio::test]
async fn proxies_of_the_environment_are_gone_through_but_for_what_it_excepts() {
    let proxy = Proxy::start().await;
    let authority = Authority::new();
    let plain = session(|_| None).await;
    let secured = authority.serve("localhost", 2100, false).await;
    let tls = authority.tls();
    let url = format!("http://{}", proxy.url);
    let passed = "1 passed";

    let said = called(&plain, None, &[("HTTP_PROXY", &url)]).await;
    assert!(said.contains(passed), "{said}");
    let line = format!("POST {} HTTP/1.1", plain.url);
    assert!(proxy.seen().contains(&line), "{line}");

    // Whoever is in between sees where to, and nothing else.
    let said = called(&secured, Some(&tls), &[("https_proxy", &url)]).await;
    assert!(said.contains(passed), "{said}");
    let host = secured.url.trim_start_matches("https://");
    let host = host.trim_end_matches("/mcp");
    let seen = proxy.seen();
    let line = format!("CONNECT {host} HTTP/1.1");
    assert!(
        !seen.is_empty() && seen.iter().all(|it| *it == line),
        "{seen:?}"
    );

    let all = [
        ("ALL_PROXY", url.as_str()),
        ("NO_PROXY", "example.com,localhost"),
    ];
    for (server, tls) in [(&plain, None), (&secured, Some(&tls))] {
        let said = called(server, tls, &all).await;
        assert!(said.contains(passed), "{said}");
        assert_eq!(proxy.seen(), [""; 0]);
        let said = called(server, tls, &all[..1]).await;
        assert!(said.contains(passed), "{said}");
        assert!(!proxy.seen().is_empty());
    }
}

#[tokio::test]
async fn a_proxy_that_refuses_is_an_error_without_its_password() {
    let proxy = Proxy::start().await;
    let authority = Authority::new();
    let secured = authority.serve("localhost", 2100, false).await;
    let url = format!("http://{}", proxy.url.replace("hunter2", "hunter3"));
    let said = called(&secured, Some(&authority.tls()), &[("HTTPS_PROXY", &url)]).await;
    let expected = "it said: MCP server `far` can't be reached: ";
    assert!(said.contains(expected) && said.contains("proxy"), "{said}");
    assert!(!said.contains("hunter3"), "{said}");
    assert!(secured.seen().is_empty());
}
