//! `ampoule serve --http` as a process: as `docs/operate/deploy.md` has it, and as systemd starts it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace};
use reqwest::{Client, RequestBuilder, StatusCode};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr};
use tokio::time::timeout;

use super::documents::blocks_of;

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server, until it is stopped.
pub(crate) struct Serving {
    pub(crate) process: Child,
    stderr: BufReader<ChildStderr>,
    /// What it says it serves at.
    pub(crate) at: String,
}

impl Serving {
    pub(crate) async fn start(workplace: &Workplace, arguments: &[&str]) -> Self {
        let mut command = workplace.command(binary(), arguments);
        workplace.at_home(&mut command);
        Self::of(command.spawn().expect("a server")).await
    }

    pub(crate) async fn of(mut process: Child) -> Self {
        let mut stderr = BufReader::new(process.stderr.take().expect("a pipe"));
        let at = loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, stderr.read_line(&mut line)).await;
            assert_ne!(read.expect("an address in time").expect("a pipe"), 0);
            if let Some((_, at)) = line.split_once("serving MCP at ") {
                break at.trim().to_owned();
            }
        };
        Self {
            process,
            stderr,
            at,
        }
    }

    /// The next line that it says with this in it.
    async fn says(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, self.stderr.read_line(&mut line)).await;
            assert_ne!(read.expect("it says so in time").expect("a pipe"), 0);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The address of the page that its log tells next.
    pub(crate) async fn page(&mut self) -> String {
        let line = self.says("/approvals/").await;
        let mut words = line.split_whitespace();
        let address = words.find(|word| word.contains("/approvals/"));
        address.expect("an address").to_owned()
    }

    fn signal(&self) {
        let id = self.process.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).expect("it runs");
        kill_process(id, Signal::TERM).expect("a signal");
    }

    /// Tells it to stop, and waits until it has: how, and what it said.
    pub(crate) async fn stopped(mut self) -> (Option<i32>, String) {
        self.signal();
        let ended = timeout(PATIENCE, self.process.wait()).await;
        let code = ended.expect("it stops").expect("a process").code();
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).await.expect("text");
        (code, said)
    }
}

/// The call of a script, as clients since 2026-07-28 send it.
pub(crate) fn script(client: &Client, at: &str, code: &str) -> RequestBuilder {
    let arguments = json!({ "code": code, "language": "javascript" });
    call(client, at, &arguments)
}

/// The same of `execute_code` with these arguments.
pub(crate) fn call(client: &Client, at: &str, arguments: &Value) -> RequestBuilder {
    let message = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "execute_code",
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    client
        .post(at)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "execute_code")
        .body(message.to_string())
}

/// The text of its answer.
pub(crate) async fn text(request: RequestBuilder) -> String {
    let answer = request.send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    let body = answer.text().await.expect("a body");
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let message = data.next_back().unwrap_or(&body).to_owned();
    let message: Value = serde_json::from_str(&message).expect("JSON");
    let content = message["result"]["content"].as_array();
    let blocks = content.unwrap_or_else(|| panic!("{message}")).iter();
    let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

pub(crate) fn client() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().expect("a client")
}

#[tokio::test]
async fn the_documents_servers_serve_and_stop() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operate/deploy.md");
    let blocks = blocks_of(&document);
    let mut served = 0;
    for block in blocks.iter().filter(|block| block.language == "sh serve") {
        let workplace = Workplace::default();
        // The port may be somebody's.
        let line = block.text.trim().replace(" 8080", " 0");
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!(words[0], "ampoule", "{}", block.place());
        let server = Serving::start(&workplace, &words[1..]).await;
        if server.at.starts_with("http://") {
            let at = server.at.clone();
            assert_eq!(text(script(&client(), &at, "return 6 * 7")).await, "42");
        }
        let (code, said) = server.stopped().await;
        assert_eq!(code, Some(0), "{said}");
        served += 1;
    }
    assert!(served >= 2);
}

#[tokio::test]
async fn others_need_a_token_and_what_is_hers_is_hers() {
    let workplace = Workplace::default();
    let open = workplace
        .run_at_home(&["serve", "--http", "0.0.0.0:0"])
        .await;
    assert_eq!(open.code, Some(2), "{open:?}");
    assert!(open.stderr.contains("[serve.auth]"), "{open:?}");

    let token = async |name: &str| {
        let made = workplace
            .run_at_home(&["auth", "token", "add", name, "--file", "tokens"])
            .await;
        assert_eq!(made.code, Some(0), "{made:?}");
        made.stdout.trim().to_owned()
    };
    let (ada, bob) = (token("ada").await, token("bob").await);
    let config = workplace.file("ampoule.toml", "[serve.auth]\ntokens = 'tokens'\n");
    let kept = std::fs::read_to_string(workplace.path().join("tokens")).expect("a list");
    assert!(!kept.contains(&ada) && !kept.contains(&bob), "{kept}");
    let config = config.display().to_string();
    let server = Serving::start(
        &workplace,
        &["serve", "--http", "0.0.0.0:0", "--config", &config],
    )
    .await;
    let port = server.at.rsplit_once(':').expect("a port").1;
    let at = format!("http://127.0.0.1:{port}");
    let http = client();

    for (token, challenge) in [(None, "Bearer"), (Some("wrong"), "invalid_token")] {
        let mut asked = script(&http, &at, "return 1");
        if let Some(token) = token {
            asked = asked.bearer_auth(token);
        }
        let refused = asked.send().await.expect("an answer");
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        let said = refused.headers()["www-authenticate"].to_str();
        assert!(said.expect("text").contains(challenge), "{refused:?}");
    }
    // A result that was too large for an answer is only for the client that ran it.
    let long = "return Array.from({ length: 50_000 }, (_, number) => number)";
    let cut = text(script(&http, &at, long).bearer_auth(&ada)).await;
    assert!(cut.contains("run: 1"), "{cut}");
    let read = "return (await tools.ampoule.returned({ run: 1 })).length";
    let hers = text(script(&http, &at, read).bearer_auth(&ada)).await;
    assert_eq!(hers, "50000");
    let others = text(script(&http, &at, read).bearer_auth(&bob)).await;
    assert!(!others.contains("50000"), "{others}");

    let removed = workplace
        .run_at_home(&["auth", "token", "rm", "bob", "--file", "tokens"])
        .await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let refused = async || {
        let asked = script(&http, &at, "return 1").bearer_auth(&bob).send();
        asked.await.expect("an answer").status() == StatusCode::UNAUTHORIZED
    };
    let seen = timeout(PATIENCE, async {
        while !refused().await {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    seen.await.expect("a token that was removed ends");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains(&ada) && !said.contains(&bob), "{said}");
}

#[tokio::test]
async fn it_speaks_tls_by_files() {
    let workplace = Workplace::default();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]);
    let made = made.expect("a certificate");
    workplace.file("cert.pem", made.cert.pem());
    workplace.file("key.pem", made.signing_key.serialize_pem());
    let server = Serving::start(
        &workplace,
        &[
            "serve",
            "--http",
            "0",
            "--tls-cert",
            "cert.pem",
            "--tls-key",
            "key.pem",
        ],
    )
    .await;
    let port = server.at.trim_end_matches("/mcp").rsplit_once(':');
    let port: u16 = port.expect("a port").1.parse().expect("a number");
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificate = reqwest::Certificate::from_pem(made.cert.pem().as_bytes());
    let trusting = Client::builder()
        .no_proxy()
        .tls_certs_only([certificate.expect("PEM")])
        .resolve("localhost", SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .build();
    let at = format!("https://localhost:{port}/mcp");
    let trusting = trusting.expect("a client");
    assert_eq!(text(script(&trusting, &at, "return 6 * 7")).await, "42");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
}

/// systemd opens the socket, and learns when the server is ready, and when it stops.
#[tokio::test]
async fn systemd_holds_the_socket() {
    let workplace = Workplace::default();
    let told = workplace.path().join("notify");
    let notified = std::os::unix::net::UnixDatagram::bind(&told).expect("a socket");
    // The number of the process must be known to it: who becomes the server says it.
    let script = "import os, socket, sys
listening = socket.create_server(('127.0.0.1', 0))
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
os.environ['LISTEN_PID'] = str(os.getpid())
os.environ['LISTEN_FDS'] = '1'
os.execv(sys.argv[1], sys.argv[1:])";
    let program = binary().display().to_string();
    let mut command = workplace.command(
        "python3",
        &["-c", script, &program, "serve", "--http", "systemd"],
    );
    workplace.at_home(&mut command);
    command.env("NOTIFY_SOCKET", &told);
    let server = Serving::of(command.spawn().expect("a server")).await;
    let at = server.at.clone();
    assert_eq!(text(script_at(&at)).await, "42");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    notified.set_nonblocking(true).expect("a socket");
    let mut states = String::new();
    let mut state = [0; 256];
    while let Ok(bytes) = notified.recv(&mut state) {
        states += &String::from_utf8_lossy(&state[..bytes]);
        states += "\n";
    }
    let (ready, stopping) = (states.find("READY=1"), states.find("STOPPING=1"));
    assert!(ready.is_some() && ready < stopping, "{states}");
}

fn script_at(at: &str) -> RequestBuilder {
    script(&client(), at, "return 6 * 7")
}

#[tokio::test]
async fn a_second_signal_does_not_wait_for_runs() {
    let workplace = Workplace::default();
    let config = "[serve]\nstop-grace = '1h'\n";
    workplace.file("ampoule.toml", config);
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let at = server.at.clone();
    let asked = script(
        &client(),
        &at,
        "await new Promise(() => setTimeout(() => {}, 3_600_000))",
    );
    let asked = tokio::spawn(asked.send());
    let runs = timeout(PATIENCE, async {
        loop {
            let runs: Ran = workplace.run_at_home(&["runs", "--json"]).await;
            if runs.stdout.contains("running") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    runs.await.expect("a run");
    server.signal();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    asked.abort();
}
