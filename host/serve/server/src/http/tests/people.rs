//! The page on which people answer, and an operator's system: by requests that are written by hand.

use std::sync::Arc;

use ampoule_approvals::{
    Approval, ApprovalError, ApprovalLimits, Approvals, CallRequest, Caller, CommandLine, Delivery,
    Page, Post, Secret, State, Store, Webhook,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Map;
use tempfile::TempDir;

use super::*;
use crate::approvals::Pages;

/// 32 bytes that both sides know.
const KEY: [u8; 32] = [7; 32];

/// A question that somebody waits for.
struct Asked {
    _folder: TempDir,
    store: Store,
    page: Page,
    /// The path of the page's address.
    path: String,
    waits: JoinHandle<Result<Approval, ApprovalError>>,
}

fn caller() -> Caller {
    Caller {
        run: "r-1".to_owned(),
        principal: Some("ada".to_owned()),
        client: None,
        toolkit: None,
        session: None,
    }
}

async fn asked() -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("approvals");
    let store = Store::open(&path, ApprovalLimits::default()).unwrap();
    let asking = Approvals::new(store.clone(), vec![Arc::new(CommandLine)]);
    let waits = tokio::spawn(async move {
        let arguments = Map::from_iter([("to".to_owned(), json!("<b>bob</b>"))]);
        let wanted = CallRequest {
            number: 0,
            server: "mail",
            tool: "send",
            arguments: &arguments,
            hides: &|_, _| None,
            line: None,
            policy: "p",
            reason: "mail leaves the house",
            once_only: false,
        };
        asking.ask(&caller(), &wanted, &[]).await
    });
    let page = Page::new(&store, "https://ampoule.example/approvals").unwrap();
    let question = timeout(PATIENCE, question(&store)).await.expect("in time");
    let address = page.address(question).unwrap();
    let path = address.strip_prefix("https://ampoule.example").unwrap();
    Asked {
        path: path.to_owned(),
        _folder: folder,
        store,
        page,
        waits,
    }
}

async fn question(store: &Store) -> ampoule_approvals::QuestionId {
    loop {
        if let Some(listed) = store.list().unwrap().into_iter().next() {
            return listed.unwrap().question.id;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

impl Asked {
    fn options(&self) -> Options {
        Options {
            approvals: Some(self.page.clone()),
            ..Options::default()
        }
    }

    fn is_open(&self) -> bool {
        let listed = self.store.list().unwrap().remove(0).unwrap();
        listed.state == State::Open
    }
}

/// What a browser sends, by the page's name.
async fn browser(
    served: &Served,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    form: &str,
) -> Answer {
    let mut request = format!("{method} {path} HTTP/1.1\r\n");
    let usual = [
        ("host", "ampoule.example"),
        ("connection", "close"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let others = usual.iter();
    let others = others.filter(|(name, _)| headers.iter().all(|(own, _)| own != name));
    for (name, value) in others.chain(headers) {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!("content-length: {}\r\n\r\n{form}", form.len());
    served.answers(request).await
}

/// What a browser's own form is sent with.
const OWN: [(&str, &str); 2] = [("origin", "null"), ("sec-fetch-site", "same-origin")];

/// A browser that has opened the address: its cookie, and what is in its form.
async fn opened(served: &Served, path: &str) -> (String, String) {
    let opened = browser(served, "POST", path, &OWN, "open=1").await;
    assert_eq!(opened.status(), Some(303), "{opened:?}");
    assert_eq!(opened.header("location"), Some(path));
    let cookie = opened.header("set-cookie").expect("a cookie");
    for part in ["HttpOnly", "SameSite=Lax", "Secure", path] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let shown = browser(served, "GET", path, &[("cookie", &cookie)], "").await;
    assert!(shown.0.contains("mail.send"), "{shown:?}");
    assert!(shown.0.contains("&lt;b&gt;bob&lt;/b&gt;"), "{shown:?}");
    let inputs = shown.0.split("<input ").skip(1);
    let attribute = |tag: &str, name: &str| {
        let (_, rest) = tag.split_once(&format!("{name}=\"")).expect("an attribute");
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let fields = inputs.filter(|tag| !tag.contains("type=\"radio\""));
    let fields =
        fields.map(|tag| format!("{}={}", attribute(tag, "name"), attribute(tag, "value")));
    (cookie, fields.collect::<Vec<_>>().join("&"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_in_a_browser_without_scripts_and_without_signing_in() {
    let asked = asked().await;
    let served = served(asked.options()).await;
    let look = browser(&served, "GET", &asked.path, &[], "").await;
    assert_eq!(look.status(), Some(200), "{look:?}");
    assert!(
        !look.0.contains("mail.send") && !look.0.contains("<script"),
        "{look:?}"
    );
    let policy = look.header("content-security-policy").expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(look.header(name), Some(value), "{look:?}");
    }
    let (cookie, form) = opened(&served, &asked.path).await;
    let headers = [&OWN[..], &[("cookie", &cookie)]].concat();
    let form = format!("{form}&answer=allow-once");
    let answered = browser(&served, "POST", &asked.path, &headers, &form).await;
    assert_eq!(answered.status(), Some(303), "{answered:?}");
    let shown = browser(&served, "GET", &asked.path, &[("cookie", &cookie)], "").await;
    assert!(shown.0.contains("allowed once"), "{shown:?}");
    let again = browser(&served, "POST", &asked.path, &headers, &form).await;
    assert_eq!(again.status(), Some(409), "{again:?}");
    let granted = timeout(PATIENCE, asked.waits).await.expect("in time");
    granted.unwrap().expect("it may be made");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_a_stolen_address_or_another_site_answers_nothing() {
    let asked = asked().await;
    let served = served(asked.options()).await;
    let (cookie, form) = opened(&served, &asked.path).await;
    let form = format!("{form}&answer=allow-once");
    // Who has the address after the first browser, with and without a cookie of their own.
    let thief = "ampoule_approval=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for cookie in ["a=b", thief] {
        let headers = [&OWN[..], &[("cookie", cookie)]].concat();
        for form in ["open=1", &form] {
            let refused = browser(&served, "POST", &asked.path, &headers, form).await;
            assert_eq!(refused.status(), Some(403), "{refused:?}");
            assert!(refused.header("set-cookie").is_none(), "{refused:?}");
        }
        let refused = browser(&served, "GET", &asked.path, &[("cookie", cookie)], "").await;
        assert!(!refused.0.contains("mail.send"), "{refused:?}");
    }
    // Another site, in the browser that has it; and one that has its own name lead here.
    for (name, value) in [
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("host", "evil.example"),
    ] {
        let others = OWN.iter().filter(|(own, _)| *own != name).copied();
        let mut headers: Vec<_> = others.collect();
        headers.extend([("cookie", cookie.as_str()), (name, value)]);
        let refused = browser(&served, "POST", &asked.path, &headers, &form).await;
        assert_eq!(refused.status(), Some(403), "{name}: {value}: {refused:?}");
    }
    // A form of another address, and a body that is not a form.
    let headers = [&OWN[..], &[("cookie", &cookie)]].concat();
    let other = asked.page.address(question(&asked.store).await).unwrap();
    let other = other.strip_prefix("https://ampoule.example").unwrap();
    for (path, form, status) in [
        (other, &*form, 403),
        (&asked.path, "answer=allow-once", 403),
        (
            &asked.path,
            &form.replace("seen-calls=1", "seen-calls=2"),
            403,
        ),
        (&asked.path, &form.replace("allow-once", "allow-all"), 422),
        (&asked.path, &"x".repeat(70_000), 413),
        (&asked.path, &"x".repeat(700_000), 413),
        ("/approvals/x", "open=1", 404),
    ] {
        let refused = browser(&served, "POST", path, &headers, form).await;
        assert_eq!(refused.status(), Some(status), "{path}: {refused:?}");
    }
    assert!(asked.is_open());
    let right = browser(&served, "POST", &asked.path, &headers, &form).await;
    assert_eq!(right.status(), Some(303), "{right:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_page_has_none() {
    let asked = asked().await;
    let served = served(Options::default()).await;
    let headers = [("host", "localhost")];
    for (method, path) in [("GET", &*asked.path), ("POST", "/approvals/answers")] {
        let none = browser(&served, method, path, &headers, "").await;
        assert_eq!(none.status(), Some(404), "{none:?}");
    }
}

#[derive(Debug)]
struct Deaf;

impl Post for Deaf {
    fn post(&self, _: Delivery) -> BoxFuture<'_, Result<u16, String>> {
        Box::pin(async { Ok(204) })
    }
}

fn signature(id: &str, time: &str, body: &str) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &KEY);
    let tag = ring::hmac::sign(&key, format!("{id}.{time}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(tag))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operators_system_answers_with_what_it_signs_and_once() {
    let asked = asked().await;
    let secret = || Secret::read(&format!("whsec_{}", STANDARD.encode(KEY))).unwrap();
    let (to, secrets) = ("https://chat.example/hook", vec![secret()]);
    let webhook = Webhook::new(&asked.store, to, secrets, None, Arc::new(Deaf));
    let webhook = webhook.answered_with(secret());
    let options = Options {
        webhook: Some(webhook),
        ..Options::default()
    };
    let served = served(options).await;
    let listed = asked.store.list().unwrap().remove(0).unwrap();
    let seen = listed.seen(&asked.store).unwrap();
    let body = json!({
        "type": "approval.answered",
        "data": {
            "question": listed.question.id, "seen": seen, "answer": "allow-once", "by": "grace",
        },
    });
    let (body, now) = (body.to_string(), std::time::UNIX_EPOCH.elapsed().unwrap());
    let (time, other) = (now.as_secs().to_string(), body.replace("grace", "mallory"));
    let signed = signature("msg_1", &time, &body);
    for (body, signature, status) in [
        (&body, "v1,AAAA", 403),
        (&other, &signed, 403),
        (&body, &signed, 204),
        (&body, &signed, 409),
    ] {
        let headers = [
            ("host", "localhost"),
            ("webhook-id", "msg_1"),
            ("webhook-timestamp", &time),
            ("webhook-signature", signature),
        ];
        let told = browser(&served, "POST", "/approvals/answers", &headers, body).await;
        assert_eq!(told.status(), Some(status), "{told:?}");
    }
    let granted = timeout(PATIENCE, asked.waits).await.expect("in time");
    assert_eq!(granted.unwrap().expect("it may be made").by.who, "grace");
}

/// What is logged in this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }

    /// The address in the log, once it is there.
    async fn address(&self) -> String {
        loop {
            let text = self.text();
            let address = text.split(' ').find(|word| word.contains("/approvals/"));
            match address {
                Some(address) => return address.to_owned(),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }
}

#[tokio::test]
async fn a_page_of_its_own_is_on_this_machine_from_the_first_question_on() {
    use ampoule_approvals::Channel as _;
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false);
    let subscriber = subscriber.with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let asked = asked().await;
    let pages = Pages::on_loopback(&asked.store);
    assert!(pages.reaches(&caller()));
    let listed = asked.store.list().unwrap().remove(0).unwrap();
    let question = Arc::new(listed.question);
    pages.asked(&question);
    // A person who gets it twice has one address.
    pages.asked(&question);
    let address = timeout(PATIENCE, log.address()).await.expect("in time");
    let (host, path) = address
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    assert!(host.starts_with("127.0.0.1:"), "{address}");
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let shown = Answer::read(stream).await;
    assert_eq!(shown.status(), Some(200), "{shown:?}");
    // A page elsewhere can't have its own name lead there.
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = request.replace(&format!("host: {host}"), "host: evil.example");
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(Answer::read(stream).await.status(), Some(403));
    assert_eq!(log.text().matches("/approvals/").count(), 1);
}
