//! Requests of scripts, in both languages, to a server that is there.

mod documented;
mod proxies;

use std::sync::{Arc, Mutex};

use ampoule::outbound::{Methods, Outbound, OutboundOptions, Rule, Rules, Secret};
use ampoule::{Grant, Language, Outcome, Runtime, Script};
use ampoule_tests::runtime_builder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server, and what it got.
pub(crate) struct Server {
    pub(crate) origin: String,
    pub(crate) got: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One that answers with what it got, as JSON; at `/far`, it sends on to where nobody may go.
    pub(crate) async fn new() -> Self {
        Self::answering(answer).await
    }

    /// One that answers so.
    pub(crate) async fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let request = request(&mut stream).await;
                seen.lock().unwrap().push(request.clone());
                let _ = stream.write_all(answer(&request).as_bytes()).await;
            }
        });
        Self {
            origin: format!("http://127.0.0.1:{port}"),
            got,
        }
    }

    fn rules(&self) -> Rules {
        let rule = Rule::to([&self.origin]).unwrap().private();
        let rule = rule.paths(["/v1/*", "/far"]).unwrap();
        let rule = rule.methods(Methods::of(["GET", "POST"]).unwrap());
        let token = Secret::new("Bearer hunter2-token");
        Rules::default().and(rule.header("Authorization", token).unwrap())
    }

    pub(crate) fn runtime(&self) -> Runtime {
        let outbound = Outbound::List(self.rules());
        let builder = runtime_builder().outbound(outbound, OutboundOptions::default());
        builder.build().unwrap()
    }

    /// What a script in whose text `$` is this server returns.
    async fn run(&self, runtime: &Runtime, language: Language, source: &str) -> Outcome {
        let source = source.replace('$', &self.origin);
        let isolate = runtime.isolate(Script::new(language, &*source));
        isolate.grant(Grant::all()).run().await.unwrap()
    }

    async fn value(&self, language: Language, source: &str) -> Value {
        let outcome = self.run(&self.runtime(), language, source).await;
        match outcome.value() {
            Ok(value) => value,
            Err(error) => panic!("{error}\nscript: {source}\noutput: {}", outcome.output),
        }
    }
}

async fn request(stream: &mut tokio::net::TcpStream) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length = length.map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                return text;
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(1..) => read.extend_from_slice(&piece),
            _ => return text,
        }
        while read.last() == Some(&0) {
            read.pop();
        }
    }
}

fn answer(request: &str) -> String {
    if request.starts_with("GET /far ") {
        return "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned();
    }
    found(&json!({ "got": request }))
}

fn found(body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// The same in both languages: what is sent, by whom, and that nobody learns the secret.
#[tokio::test]
async fn scripts_have_requests_made() {
    let scripts = [
        (
            Language::TypeScript,
            "const r = await fetch('$/v1/items?a=1', { method: 'POST', body: JSON.stringify({ n: 1 }), headers: { 'X-Own': 'yes' } });
             return [r.status, r.ok, (await r.json()).got];",
        ),
        (
            Language::Python,
            "import json\nfrom urllib.request import Request, urlopen\n\
             with urlopen(Request('$/v1/items?a=1', data=b'{\"n\":1}', headers={'X-Own': 'yes'})) as r:\n\
             \x20   found = [r.status, r.status == 200, json.load(r)['got']]\nfound",
        ),
    ];
    for (language, source) in scripts {
        let server = Server::new().await;
        let value = server.value(language, source).await;
        let (said, got) = (
            value[2].as_str().unwrap(),
            server.got.lock().unwrap().join("\n"),
        );
        assert_eq!((&value[0], &value[1]), (&json!(200), &json!(true)));
        for text in [said, &*got] {
            assert!(
                text.starts_with("POST /v1/items?a=1 HTTP/1.1\r\n"),
                "{text}"
            );
            assert!(
                text.contains("x-own: yes") && text.ends_with("{\"n\":1}"),
                "{text}"
            );
        }
        assert!(got.contains("authorization: Bearer hunter2-token"), "{got}");
        assert!(said.contains("authorization: [redacted]"), "{said}");
    }
}

#[tokio::test]
async fn what_is_not_allowed_is_told_and_not_sent() {
    let refused = [
        (
            Language::TypeScript,
            "await fetch('$/v2')",
            "is not allowed. Allowed are: ",
        ),
        (
            Language::TypeScript,
            "await fetch('$/v1/../v2')",
            "is not allowed",
        ),
        (
            Language::TypeScript,
            "await fetch('$/v1/x', { method: 'DELETE' })",
            "is not allowed",
        ),
        (
            Language::TypeScript,
            "await fetch('https://example.com')",
            "is not allowed",
        ),
        (
            Language::TypeScript,
            "await fetch('$/far')",
            "after a redirect: GET http://127.0.0.1:1/ is not allowed",
        ),
        (
            Language::Python,
            "from urllib.request import urlopen\nurlopen('$/v2')",
            "is not allowed. Allowed are: ",
        ),
        (
            Language::Python,
            "from urllib.request import urlopen\nurlopen('$/far')",
            "GET http://127.0.0.1:1/ is not allowed",
        ),
        (
            Language::Python,
            "import http.client\nc = http.client.HTTPSConnection('example.com')\nc.request('GET', '/')",
            "is not allowed",
        ),
    ];
    let server = Server::new().await;
    let runtime = server.runtime();
    for (language, source, why) in refused {
        let outcome = server.run(&runtime, language, source).await;
        let error = outcome.value::<Value>().unwrap_err().to_string();
        assert!(error.contains(why), "{source}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let got = server.got.lock().unwrap();
    assert!(
        got.iter().all(|got| got.starts_with("GET /far ")),
        "{got:?}"
    );
}

/// A request is a call like others: it counts, and it is granted like others.
#[tokio::test]
async fn requests_are_calls() {
    let server = Server::new().await;
    let source = "await Promise.all([1, 2, 3].map((n) => fetch('$/v1/' + n)))";
    let outcome = server
        .run(&server.runtime(), Language::TypeScript, source)
        .await;
    let calls: Vec<_> = outcome
        .usage
        .calls
        .iter()
        .map(|call| format!("{}.{}", call.server, call.tool))
        .collect();
    assert_eq!(calls, ["outbound.$fetch"; 3]);
}

#[tokio::test]
async fn without_a_grant_there_is_no_network() {
    let server = Server::new().await;
    let runtime = server.runtime();
    for (language, source, why) in [
        (
            Language::TypeScript,
            "await fetch('$/v1/x')",
            "fetch is not available here: there is no network.",
        ),
        (
            Language::Python,
            "from urllib.request import urlopen\nurlopen('$/v1/x')",
            "urllib.request.urlopen: There is no network here",
        ),
    ] {
        let source = source.replace('$', &server.origin);
        for (runtime, grant) in [
            (&runtime, Grant::none()),
            (&runtime_builder().build().unwrap(), Grant::all()),
        ] {
            let run = runtime
                .isolate(Script::new(language, &*source))
                .grant(grant)
                .run();
            let error = run.await.unwrap().value::<Value>().unwrap_err().to_string();
            let advice = "can allow requests: [outbound] in ampoule.toml.";
            assert!(error.contains(why) && error.contains(advice), "{error}");
        }
    }
    assert!(server.got.lock().unwrap().is_empty());
}

/// Where requests are granted, nothing says that there is no network.
#[tokio::test]
async fn with_a_grant_advice_names_requests() {
    let server = Server::new().await;
    let runtime = server.runtime();
    for (language, source, advice) in [
        (
            Language::TypeScript,
            "new WebSocket('wss://x')",
            "`await fetch(url)`",
        ),
        (
            Language::TypeScript,
            "new EventSource('https://x')",
            "`await fetch(url)`",
        ),
        (
            Language::TypeScript,
            "import ws from 'ws'\nws.x",
            "global `fetch`",
        ),
        (
            Language::TypeScript,
            "import net from 'node:net'\nnet.x",
            "global `fetch`",
        ),
        (Language::TypeScript, "Deno.connect({ port: 1 })", "sockets"),
        (
            Language::Python,
            "import socket\nsocket.create_connection(('x', 80))",
            "urllib.request makes them",
        ),
        (
            Language::Python,
            "import asyncio\nawait asyncio.open_connection('x', 80)",
            "urllib.request makes them",
        ),
    ] {
        let outcome = server.run(&runtime, language, source).await;
        let error = outcome.value::<Value>().unwrap_err().to_string();
        assert!(error.contains(advice), "{source}: {error}");
        assert!(
            !error.to_lowercase().contains("no network"),
            "{source}: {error}"
        );
    }
}
