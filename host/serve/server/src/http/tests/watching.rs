//! What clients are told unasked over HTTP: on the stream of a session, and of a request that stays
//! open.

use tokio::net::tcp::OwnedReadHalf;

use super::*;
use crate::mcp::watching::shares::Shares;
use crate::tests::watching::{Notes, address};

/// A stream that a client reads as it comes.
pub(super) struct Events {
    read: OwnedReadHalf,
    _write: tokio::net::tcp::OwnedWriteHalf,
    pub(super) text: String,
}

impl Events {
    pub(super) async fn of(served: &Served, request: &str) -> Self {
        let (read, mut write) = served.connect().await.into_split();
        write.write_all(request.as_bytes()).await.unwrap();
        let text = String::new();
        let mut events = Self {
            read,
            _write: write,
            text,
        };
        events.until("\r\n\r\n").await;
        events
    }

    /// The stream of a session.
    async fn session(served: &Served, session: &str) -> Self {
        Self::session_at(served, "/mcp", session).await
    }

    /// The stream of a session at a path.
    pub(super) async fn session_at(served: &Served, path: &str, session: &str) -> Self {
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\nmcp-session-id: {session}\r\n\r\n"
        );
        Self::of(served, &head).await
    }

    /// Reads until this has come, or the end.
    pub(super) async fn until(&mut self, wanted: &str) -> bool {
        while !self.text.contains(wanted) {
            let mut bytes = [0; 4096];
            let read = timeout(PATIENCE, self.read.read(&mut bytes)).await;
            match read.expect("something in time") {
                Ok(0) | Err(_) => return false,
                Ok(count) => self.text += &String::from_utf8_lossy(&bytes[..count]),
            }
        }
        true
    }

    fn status(&self) -> &str {
        &self.text[9..12]
    }

    /// Reads the rest.
    async fn ends(&mut self) {
        assert!(!self.until("what never comes").await);
    }
}

async fn told(notes: &Notes, streams: Option<usize>) -> Served {
    let server = Server::new(
        Runtime::builder().binding(notes.clone()).build().unwrap(),
        Grant::all(),
        &ClientComponents::default(),
    );
    let mut server = server.unwrap();
    if let Some(streams) = streams {
        server.streams = Shares::new(streams);
    }
    running(server, Options::default()).await
}

fn subscribe(own: &str) -> Value {
    request("resources/subscribe", json!({ "uri": address(own) }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_told_on_the_stream_that_it_opens() {
    let notes = Notes::default();
    let served = told(&notes, None).await;
    let session = served.session().await;
    let headers = [("mcp-session-id", &*session)];
    let subscribed = served.post(&headers, &subscribe("note://1")).await;
    assert_eq!(subscribed.message()["result"], json!({}), "{subscribed:?}");
    // What changes before it opens the stream is told then.
    notes.update();
    let mut first = Events::session(&served, &session).await;
    assert_eq!(first.status(), "200", "{}", first.text);
    let updated = format!("\"uri\":\"{}\"", address("note://1"));
    assert!(first.until(&updated).await);
    // A later stream takes the place of an earlier one, whose last words may be lost.
    let mut second = Events::session(&served, &session).await;
    first.ends().await;
    assert!(second.until(&updated).await);
    second.text.clear();
    notes.update();
    assert!(second.until(&updated).await);
    // Another session is not told, and can't end the subscription.
    let other = served.session().await;
    let unsubscribe = request(
        "resources/unsubscribe",
        json!({ "uri": address("note://1") }),
    );
    served
        .post(&[("mcp-session-id", &other)], &unsubscribe)
        .await;
    notes.heard_by(1).await;
    let end = format!(
        "DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nmcp-session-id: {session}\r\n\r\n"
    );
    served.answers(end).await;
    second.ends().await;
    drop(second);
    notes.heard_by(0).await;
    let unknown = Events::session(&served, &session).await;
    assert_eq!(unknown.status(), "404", "{}", unknown.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_stays_open_is_told_and_ends_with_its_connection() {
    let notes = Notes::default();
    let served = told(&notes, None).await;
    let wanted = ["note://1", "note://secret"].map(address);
    let filter = json!({ "notifications": { "resourceSubscriptions": wanted } });
    let (headers, message) = stateless(request("subscriptions/listen", filter));
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let mut open = Events::of(&served, &post(&headers, &message.to_string())).await;
    assert!(open.until("subscriptions/acknowledged").await);
    assert!(!open.text.contains("secret"), "{}", open.text);
    notes.update();
    assert!(open.until("notifications/resources/updated").await);
    assert!(open.text.contains("subscriptionId"), "{}", open.text);
    drop(open);
    notes.heard_by(0).await;
    let alone = [("accept", "application/json")];
    let headers: Vec<_> = headers.into_iter().chain(alone).collect();
    let refused = served.post(&headers, &message).await;
    assert_eq!(refused.status(), Some(406), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_has_so_many_streams_and_one_that_ends_makes_room() {
    let notes = Notes::default();
    let served = told(&notes, Some(1)).await;
    let (one, other) = (served.session().await, served.session().await);
    let open = Events::session(&served, &one).await;
    assert_eq!(open.status(), "200");
    let refused = Events::session(&served, &other).await;
    assert_eq!(refused.status(), "429", "{}", refused.text);
    // Requests are not in its way.
    let headers = [("mcp-session-id", &*other)];
    let listed = served
        .post(&headers, &request("prompts/list", json!({})))
        .await;
    assert_eq!(listed.status(), Some(200), "{listed:?}");
    drop(open);
    // The server notices when it next writes, or reads the end.
    let again = async {
        loop {
            let events = Events::session(&served, &other).await;
            if events.status() == "200" {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, again).await.expect("room again");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_do_not_hold_up_the_end_of_the_server() {
    let notes = Notes::default();
    let mut served = told(&notes, None).await;
    let session = served.session().await;
    let mut open = Events::session(&served, &session).await;
    let filter = json!({ "notifications": { "promptsListChanged": true } });
    let (headers, message) = stateless(request("subscriptions/listen", filter));
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let mut listening = Events::of(&served, &post(&headers, &message.to_string())).await;
    assert!(listening.until("acknowledged").await);
    let asked = std::time::Instant::now();
    served.stop.take().expect("a server").send(()).unwrap();
    open.ends().await;
    listening.ends().await;
    assert!(listening.text.contains("\"result\""), "{}", listening.text);
    (&mut served.ended).await.unwrap();
    let grace = Options::default().stop_grace;
    assert!(asked.elapsed() < grace, "{:?}", asked.elapsed());
}
