//! A model's endpoint that plays what a test writes: real HTTP on this machine, in each of the three
//! forms, whose events arrive in awkward pieces.
//!
//! - `events`: what a model says, as the events of each form

mod events;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use events::{answer, beginning};

/// How many bytes of an answer are sent at a time: no event is in one piece, and characters are cut.
const PIECE: usize = 7;

/// The endpoint. It ends with the value.
pub struct ModelServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<ModelRequest>>>,
    serving: tokio::task::JoinHandle<()>,
}

/// What was asked.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The path.
    pub path: String,
    /// The headers, by names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
}

/// What is answered.
#[derive(Debug, Clone)]
pub enum ModelReply {
    /// The model says this, and is done.
    Says(String),
    /// The model says this, and calls tools: each with its name and its arguments as text.
    Calls(String, Vec<(String, String)>),
    /// A status, headers and a body.
    Status(u16, Vec<(String, String)>, String),
    /// The model says this, and then the connection breaks.
    Breaks(String),
    /// The model says this, and then nothing more.
    Hangs(String),
    /// The stream has an error in it.
    Fails(Value),
    /// The stream has these events, as they are; then the connection ends, or stays.
    Events(Vec<String>, StreamEnd),
}

/// What comes after the events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// The connection ends.
    Closed,
    /// The connection breaks in the middle of a chunk.
    Broken,
    /// Nothing, for long.
    Silent,
}

type Script = dyn FnMut(&ModelRequest) -> ModelReply + Send;

impl ModelRequest {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All texts of the conversation, of whatever role, in order.
    pub fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        let messages = self.body.get("messages").or_else(|| self.body.get("input"));
        for message in messages.and_then(Value::as_array).into_iter().flatten() {
            for part in ["content", "output"] {
                collect(&message[part], &mut texts);
            }
        }
        texts
    }

    /// The last of them.
    pub fn last_text(&self) -> String {
        self.texts().pop().unwrap_or_default()
    }

    /// The names of the tools that the model is offered.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        let name = |tool: &Value| {
            let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
            name.unwrap_or_default().to_owned()
        };
        tools.map(name).collect()
    }
}

fn collect(content: &Value, texts: &mut Vec<String>) {
    match content {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(parts) => {
            for part in parts {
                match part["text"].as_str() {
                    Some(text) => texts.push(text.to_owned()),
                    None => collect(&part["content"], texts),
                }
            }
        }
        _ => {}
    }
}

impl ModelServer {
    /// Starts it.
    ///
    /// # Panics
    ///
    /// Where this machine has no port for it.
    pub async fn start(script: impl FnMut(&ModelRequest) -> ModelReply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let script: Arc<Mutex<Box<Script>>> = Arc::new(Mutex::new(Box::new(script)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let requests = Arc::clone(&seen);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&requests));
                tokio::spawn(async move {
                    let mut stream = stream;
                    let Some(request) = read(&mut stream).await else {
                        return;
                    };
                    seen.lock().await.push(request.clone());
                    let reply = script.lock().await(&request);
                    // A client may leave in the middle.
                    let _ = write(&mut stream, &request.path, reply).await;
                });
            }
        });
        Self {
            address,
            seen,
            serving,
        }
    }

    /// One that plays these answers, one after the other, and the last one for ever.
    pub async fn playing(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let mut replies: std::collections::VecDeque<_> = replies.into_iter().collect();
        Self::start(move |_| match replies.len() {
            0 => ModelReply::Says("(the script is over)".to_owned()),
            1 => replies[0].clone(),
            _ => replies.pop_front().expect("an answer"),
        })
        .await
    }

    /// Where it is, for a form: `openai`, `responses` or `anthropic`.
    pub fn address(&self, form: &str) -> String {
        let path = match form {
            "responses" => "/v1/responses",
            "anthropic" => "/v1/messages",
            _ => "/v1/chat/completions",
        };
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far.
    pub async fn requests(&self) -> Vec<ModelRequest> {
        self.seen.lock().await.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A call of `execute_code`.
pub fn script(code: &str, language: &str) -> (String, String) {
    let arguments = json!({ "code": code, "language": language });
    ("execute_code".to_owned(), arguments.to_string())
}

async fn read(stream: &mut TcpStream) -> Option<ModelRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length?.1.parse().ok()?;
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(ModelRequest {
        path,
        headers,
        body: serde_json::from_slice(&body).ok()?,
    })
}

async fn write(stream: &mut TcpStream, path: &str, reply: ModelReply) -> std::io::Result<()> {
    if let ModelReply::Status(status, headers, body) = reply {
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} Test\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        return stream.write_all(head.as_bytes()).await;
    }
    if let ModelReply::Events(events, end) = reply {
        return write_events(stream, &events, end).await;
    }
    let (events, end) = match reply {
        ModelReply::Says(text) => (answer(path, &text, &[]), End::Whole),
        ModelReply::Calls(text, calls) => (answer(path, &text, &calls), End::Whole),
        ModelReply::Breaks(text) => (beginning(answer(path, &text, &[])), End::Breaks),
        ModelReply::Hangs(text) => (beginning(answer(path, &text, &[])), End::Hangs),
        ModelReply::Fails(error) => (vec![error], End::Breaks),
        ModelReply::Status(..) | ModelReply::Events(..) => unreachable!("it was answered above"),
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    stream.set_nodelay(true)?;
    let mut text = ": a comment, as signs of life are\n\n".to_owned();
    for (place, event) in events.iter().enumerate() {
        // Ends of lines are of both kinds.
        let end = if place % 2 == 0 { "\n" } else { "\r\n" };
        if let Some(kind) = event["type"].as_str() {
            text += &format!("event: {kind}{end}");
        }
        text += &format!("data: {event}{end}{end}: keep-alive{end}{end}");
    }
    if matches!(end, End::Whole) && path.ends_with("/chat/completions") {
        text += "data: [DONE]\n\n";
    }
    for (place, piece) in text.as_bytes().chunks(PIECE).enumerate() {
        stream.write_all(piece).await?;
        if place % 16 == 0 {
            stream.flush().await?;
            tokio::task::yield_now().await;
        }
    }
    match end {
        End::Hangs => {
            // The client leaves.
            let mut rest = [0; 16];
            let _ = tokio::time::timeout(Duration::from_secs(120), stream.read(&mut rest)).await;
        }
        End::Whole | End::Breaks => {}
    }
    stream.shutdown().await
}

/// Writes events as they are, in chunks: a client knows whether the last one came.
async fn write_events(
    stream: &mut TcpStream,
    events: &[String],
    end: StreamEnd,
) -> std::io::Result<()> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for event in events {
        let event = format!("data: {event}\n\n");
        let chunk = format!("{:x}\r\n{event}\r\n", event.len());
        stream.write_all(chunk.as_bytes()).await?;
    }
    stream.flush().await?;
    match end {
        StreamEnd::Closed => stream.write_all(b"0\r\n\r\n").await?,
        StreamEnd::Broken => stream.write_all(b"40\r\ndata: ").await?,
        StreamEnd::Silent => {
            // The client leaves.
            let mut rest = [0; 16];
            let _ = tokio::time::timeout(Duration::from_secs(120), stream.read(&mut rest)).await;
        }
    }
    stream.shutdown().await
}

enum End {
    Whole,
    Breaks,
    Hangs,
}
