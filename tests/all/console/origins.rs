//! What a page of another program of the same machine can do to a console that its reader is signed in
//! to, in a browser: nothing. By default, it does not even get the console's cookie.

use std::sync::{Arc, Mutex};

use ampoule_tests::command::Workplace;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::desk::{Desk, Programs};
use super::tab::Tab;

/// Another program at 127.0.0.1, which remembers the cookies that browsers send to it.
struct Neighbour {
    at: String,
    cookies: Arc<Mutex<Vec<String>>>,
    /// It serves until it is dropped.
    _serves: JoinSet<()>,
}

impl Neighbour {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let at = format!("http://{}", listener.local_addr().expect("an address"));
        let cookies: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&cookies);
        let mut serves = JoinSet::new();
        serves.spawn(async move {
            // A browser opens connections ahead, on which it says nothing.
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(answer(BufReader::new(stream), Arc::clone(&heard)));
            }
        });
        Self {
            at,
            cookies,
            _serves: serves,
        }
    }

    /// Whether a browser sent it a cookie of a console.
    fn has_cookie(&self) -> bool {
        let cookies = self.cookies.lock().expect("a list");
        cookies.iter().any(|it| it.contains("ampoule-console-"))
    }
}

/// Answers a request with a page, and remembers its cookies.
async fn answer(mut stream: BufReader<TcpStream>, heard: Arc<Mutex<Vec<String>>>) {
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|read| read > 2) {
        let (name, value) = line.split_once(": ").unwrap_or_default();
        if name.eq_ignore_ascii_case("cookie") {
            let mut heard = heard.lock().expect("a list");
            heard.push(value.trim().to_owned());
        }
        line.clear();
    }
    let page = "<!doctype html><title>Another</title><p>Another program</p>";
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    // A browser that is gone misses a page.
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// What a page comes to that reads, sends and embeds what the console at this address has.
async fn tries(tab: &Tab, console: &str) -> Value {
    let tries = format!(
        "const at = {console:?};
        const sends = (path, type, body) => fetch(at + path, {{
            method: 'POST', mode: 'no-cors', credentials: 'include', headers: {{ 'content-type': type }}, body,
        }}).then((answer) => answer.type);
        const loads = (tag, path) => new Promise((done) => {{
            const one = document.createElement(tag);
            one.onload = () => done('loaded');
            one.onerror = () => done('refused');
            one.src = at + path;
            document.body.append(one);
        }});
        const tries = {{
            read: () => fetch(at + '/api/v1/runs', {{ credentials: 'include' }}).then((answer) => answer.text()),
            json: () => fetch(at + '/api/v1/runs', {{
                method: 'POST', credentials: 'include', headers: {{ 'content-type': 'application/json' }},
                body: JSON.stringify({{ code: 'return 1' }}),
            }}).then((answer) => answer.text()),
            stream: () => new Promise((done) => {{
                const stream = new EventSource(at + '/console/events', {{ withCredentials: true }});
                stream.onopen = () => done('loaded');
                stream.onerror = () => {{ stream.close(); done('refused'); }};
            }}),
            script: () => loads('script', '/api/v1/me'),
            image: () => loads('img', '/console/files/save?path=notes.txt'),
            form: () => sends('/console/run', 'application/x-www-form-urlencoded', 'code=return+1'),
            text: () => sends('/api/v1/runs', 'text/plain', JSON.stringify({{ code: 'return 1' }})),
            frame: () => loads('iframe', '/console'),
        }};
        return (async () => {{
            const seen = {{}};
            for (const [name, one] of Object.entries(tries)) seen[name] = await one().catch((error) => error.name);
            return seen;
        }})()"
    );
    tab.script(&tries).await
}

/// Sends a form as a page does that leads its reader along.
async fn leads_to(tab: &Tab, console: &str) {
    let leads = format!(
        "const form = document.createElement('form');
         form.method = 'post';
         form.action = {:?};
         const code = document.createElement('input');
         code.name = 'code';
         code.value = 'return 1';
         form.append(code);
         document.body.append(form);
         form.submit()",
        format!("{console}/console/run")
    );
    tab.script(&leads).await;
}

#[tokio::test]
async fn pages_of_other_origins_read_and_change_nothing() {
    let test = "pages_of_other_origins_read_and_change_nothing";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let neighbour = Neighbour::start().await;
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    let port = free.expect("a port").port().to_string();
    // First the console has an address of its own, and then the host that the neighbour is at.
    let (own, shared): (&[&str], &[&str]) = (&[], &["--port", &port]);
    for arguments in [own, shared] {
        let config = "[records]\nkeep = 'all'\n";
        let desk = Desk::with(Workplace::default(), config, arguments).await;
        let tab = programs.tab().await;
        tab.open(&desk.opening).await;
        tab.shows("Write a script").await;
        tab.open(&neighbour.at).await;
        tab.shows("Another program").await;
        assert_eq!(neighbour.has_cookie(), !arguments.is_empty());
        tab.complaints().await;

        let console = desk.page("");
        let seen = tries(&tab, &console).await;
        for name in ["read", "json"] {
            assert_eq!(seen[name], "TypeError", "{seen}");
        }
        for name in ["stream", "script", "image"] {
            assert_eq!(seen[name], "refused", "{seen}");
        }
        let said = tab.complaints().await;
        let forbidden = said.iter().filter(|it| it.contains("status of 403"));
        assert_eq!(forbidden.count(), 2, "the form and the text: {said:#?}");
        let framed = said.iter().any(|it| it.contains("frame-ancestors 'none'"));
        assert!(framed, "{said:#?}");

        leads_to(&tab, &console).await;
        tab.shows("this origin may not use this server").await;
        tab.open(&desk.page("/console/runs")).await;
        tab.shows("No runs yet").await;
    }
}
