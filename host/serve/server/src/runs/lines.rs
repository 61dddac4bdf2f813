//! Log lines of servers during a run's calls, for the run's client.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule::LogLevel;
use ampoule_untrusted::text::{one_line, visible};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How many lines of a run wait for its client; of more, the newest are kept.
const WAITING: usize = 64;

/// How long nothing is sent after that: so that a client gets some hundreds a second, and no more.
const PAUSE: Duration = Duration::from_millis(100);

/// How large what a line says may be, and how long the name of who says it, in bytes.
const MAX_DATA_BYTES: usize = 4 << 10;
const MAX_LOGGER_BYTES: usize = 100;

/// The default of a client of the older protocol: what servers send by themselves, without debug
/// lines.
const UNASKED: LogLevel = LogLevel::Info;

/// The level from which on a client wants lines, once it has said so. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogLevelChoice(Arc<Mutex<Option<LogLevel>>>);

impl LogLevelChoice {
    pub(crate) fn set(&self, level: Option<LogLevel>) {
        *self.0.lock() = level;
    }

    fn get(&self) -> Option<LogLevel> {
        *self.0.lock()
    }
}

/// A run's lines. Clones are the same run's.
#[derive(Clone)]
pub(crate) struct Lines {
    wanted: LogLevelChoice,
    /// The level if the client has not said one.
    unasked: Option<LogLevel>,
    heard: Arc<LineQueue>,
}

#[derive(Default)]
struct LineQueue {
    waiting: Mutex<Waiting>,
    came: Notify,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<Value>,
    left_out: u64,
    /// Until when nothing is sent.
    pause: Option<Instant>,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

impl Lines {
    /// Those of a run whose client says with each request what it wants; until it does, nothing.
    pub(crate) fn of_requests() -> Self {
        Self {
            wanted: LogLevelChoice::default(),
            unasked: None,
            heard: Arc::default(),
        }
    }

    /// Those of a run whose client has a session, in which it says what it wants.
    pub(crate) fn of_session(client: &LogLevelChoice) -> Self {
        Self {
            wanted: client.clone(),
            unasked: Some(UNASKED),
            heard: Arc::default(),
        }
    }

    /// The run begins or continues with a request that says this. A client with a session does not
    /// say it with its requests.
    pub(crate) fn set_level_of_request(&self, level: Option<LogLevel>) {
        if self.unasked.is_none() {
            self.wanted.set(level);
        }
    }

    /// The level from which on servers should send lines.
    pub(crate) fn level(&self) -> Option<LogLevel> {
        self.wanted.get()
    }

    /// Takes a server's line; whether the client wants it.
    pub(crate) fn hear(&self, server: &str, mut params: Map<String, Value>) -> bool {
        let least = self.wanted.get().or(self.unasked);
        let level = params.get("level").map(LogLevel::deserialize);
        let (Some(least), Some(Ok(level))) = (least, level) else {
            return false;
        };
        if level < least {
            return false;
        }
        let logger = match params.get("logger").and_then(Value::as_str) {
            Some(logger) if !logger.is_empty() => {
                let cut = &logger[..logger.floor_char_boundary(MAX_LOGGER_BYTES)];
                format!("{server}/{}", one_line(cut))
            }
            _ => server.to_owned(),
        };
        let data = shown(params.remove("data").unwrap_or_default());
        let mut waiting = self.heard.waiting.lock();
        if waiting.lines.len() >= WAITING {
            waiting.lines.pop_front();
            waiting.left_out += 1;
        }
        waiting.lines.push_back(line(level, &logger, &data));
        drop(waiting);
        self.heard.came.notify_one();
        true
    }

    /// Waits until there is something to send.
    pub(crate) async fn any(&self) {
        loop {
            let pause = {
                let waiting = self.heard.waiting.lock();
                (!waiting.lines.is_empty()).then_some(waiting.pause)
            };
            match pause {
                Some(Some(pause)) => return sleep_until(pause).await,
                Some(None) => return,
                None => self.heard.came.notified().await,
            }
        }
    }

    /// What is sent now. For a while after that, nothing more is.
    pub(crate) fn taken(&self) -> impl Iterator<Item = Value> {
        self.heard.waiting.lock().pause = Some(Instant::now() + PAUSE);
        (0..=WAITING).map_while(|_| self.next())
    }

    /// What is sent next.
    fn next(&self) -> Option<Value> {
        let mut waiting = self.heard.waiting.lock();
        match std::mem::take(&mut waiting.left_out) {
            0 => waiting.lines.pop_front(),
            left_out => {
                let said = format!("{left_out} lines of servers were omitted: too many at once");
                Some(line(LogLevel::Warning, "ampoule", &said.into()))
            }
        }
    }
}

fn line(level: LogLevel, logger: &str, data: &Value) -> Value {
    json!({ "level": level, "logger": logger, "data": data })
}

/// What a line says, as it can be shown. What is large is cut, as text.
fn shown(data: Value) -> Value {
    let text = match data {
        Value::String(text) => text,
        other => {
            let text = other.to_string();
            if text.len() <= MAX_DATA_BYTES {
                return escaped(other);
            }
            text
        }
    };
    let cut = &text[..text.floor_char_boundary(MAX_DATA_BYTES)];
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", visible(cut)).into()
}

/// The value, with what can't be seen in its texts as escapes.
fn escaped(data: Value) -> Value {
    match data {
        Value::String(text) => visible(&text).into(),
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            let escaped =
                members.map(|(name, value)| (one_line(&name).into_owned(), escaped(value)));
            Value::Object(escaped.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn lines() -> Lines {
        Lines {
            wanted: LogLevelChoice::default(),
            unasked: Some(UNASKED),
            heard: Arc::default(),
        }
    }

    fn said(level: &str, data: &Value) -> Map<String, Value> {
        Map::from_iter([
            ("level".to_owned(), level.into()),
            ("data".to_owned(), data.clone()),
        ])
    }

    fn waiting(lines: &Lines) -> Vec<Value> {
        lines.heard.waiting.lock().lines.iter().cloned().collect()
    }

    #[test]
    fn a_client_hears_what_is_as_grave_as_it_wants() {
        let lines = lines();
        let hears = |level: &str| lines.hear("x", said(level, &"…".into()));
        assert_eq!(
            [hears("debug"), hears("info"), hears("emergency")],
            [false, true, true]
        );
        lines.wanted.set(Some(LogLevel::Debug));
        assert!(hears("debug"));
        lines.wanted.set(Some(LogLevel::Error));
        assert_eq!([hears("warning"), hears("error")], [false, true]);
        assert_eq!([hears("dance"), hears("")], [false, false]);
        assert!(!lines.hear("x", Map::new()));
    }

    #[test]
    fn what_servers_say_is_escaped_bounded_and_theirs() {
        let lines = lines();
        let long = "é".repeat(5000);
        let many = json!({ "a": vec![long.clone(); 2] });
        for data in [
            json!("\u{1b}[2J\n"),
            json!({ "\u{202e}": ["\u{7}", 1, null] }),
            json!(long),
            many.clone(),
            Value::Null,
        ] {
            assert!(lines.hear("x", said("info", &data)));
        }
        let mut named = said("info", &"".into());
        named.insert("logger".to_owned(), "a\n".repeat(100).into());
        lines.hear("x", named);
        let waiting = waiting(&lines);
        let data: Vec<_> = waiting.iter().map(|line| &line["data"]).collect();
        assert_eq!(*data[0], "\\u{1b}[2J\n");
        assert_eq!(*data[1], json!({ "\\u{202e}": ["\\u{7}", 1, null] }));
        assert_eq!(*data[2], format!("{}…", "é".repeat(MAX_DATA_BYTES / 2)));
        let cut = data[3].as_str().unwrap();
        assert!(
            cut.starts_with(r#"{"a":["éé"#) && cut.ends_with("é…"),
            "{cut}"
        );
        assert!(cut.len() <= MAX_DATA_BYTES + "…".len(), "{}", cut.len());
        assert_eq!(waiting[0]["logger"], "x");
        assert_eq!(waiting[5]["logger"], format!("x/{}", "a\\n".repeat(50)));
    }

    #[tokio::test(start_paused = true)]
    async fn of_more_than_a_client_is_sent_the_newest_are_kept() {
        let lines = lines();
        assert_eq!(lines.any().now_or_never(), None);
        for n in 0..WAITING + 10 {
            lines.hear("x", said("info", &n.into()));
        }
        assert_eq!(lines.any().now_or_never(), Some(()));
        let said = "10 lines of servers were omitted: too many at once";
        assert_eq!(lines.next().unwrap()["data"], said);
        assert_eq!(lines.next().unwrap()["data"], 10);
        lines.heard.waiting.lock().pause = Some(Instant::now() + PAUSE);
        assert_eq!(lines.any().now_or_never(), None);
        let began = Instant::now();
        lines.any().await;
        assert_eq!(began.elapsed(), PAUSE);
    }
}
