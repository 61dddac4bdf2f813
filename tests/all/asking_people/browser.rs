//! A real browser, driven as WebDriver has it.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// Longer than a browser takes to start on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

const FLAGS: [&str; 7] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
];

/// A browser, until it is dropped.
pub(crate) struct Browser {
    http: Client,
    session: String,
    /// Dropped before its folder, in which it writes.
    _driver: Driver,
    _folder: TempDir,
}

/// The browser's driver, in a group of processes with its browser: without its driver, the browser
/// would run on for ever.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let group = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Browser {
    /// One that runs no scripts.
    pub(crate) async fn start(driver: &Path, chromium: &Path) -> Self {
        let prefs = json!({ "profile.managed_default_content_settings.javascript": 2 });
        Self::with(driver, chromium, json!({ "prefs": prefs })).await
    }

    /// One with these further options of Chromium's driver. It keeps what pages write to the console.
    pub(crate) async fn with(driver: &Path, chromium: &Path, more: Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map(Driver)
            .expect("a driver");
        let mut lines = BufReader::new(driver.0.stdout.take().expect("a pipe")).lines();
        let port = async {
            loop {
                let line = lines.next_line().await.expect("a line").expect("a port");
                if let Some((_, port)) = line.split_once("successfully on port ") {
                    return port.trim_end_matches('.').to_owned();
                }
            }
        };
        let port = timeout(PATIENCE, port).await.expect("it starts");
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let mut arguments: Vec<String> = FLAGS.iter().map(|&flag| flag.to_owned()).collect();
        arguments.push("--disable-component-update".to_owned());
        arguments.push(format!("--user-data-dir={}", folder.path().display()));
        let mut options = json!({ "binary": chromium, "args": arguments });
        let more = more.as_object().expect("an object").clone();
        options.as_object_mut().expect("an object").extend(more);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let mut browser = Self {
            http: super::client(),
            session: format!("http://127.0.0.1:{port}/session"),
            _driver: driver,
            _folder: folder,
        };
        let began = browser.does(Method::POST, "", wanted).await;
        let id = began["sessionId"].as_str().expect("a session");
        browser.session = format!("{}/{id}", browser.session);
        browser
    }

    /// Sends a command of WebDriver.
    pub(crate) async fn does(&self, method: Method, what: &str, body: Value) -> Value {
        let done = self.tries(method, what, body).await;
        done.unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Sends a command that may fail.
    pub(crate) async fn tries(
        &self,
        method: Method,
        what: &str,
        body: Value,
    ) -> Result<Value, Value> {
        let address = format!("{}{what}", self.session);
        let mut request = self.http.request(method.clone(), &address);
        if method == Method::POST {
            let json = ("content-type", "application/json");
            request = request.header(json.0, json.1).body(body.to_string());
        }
        let answer = timeout(PATIENCE, request.send()).await.expect("in time");
        let text = answer.expect("an answer").text().await.expect("a body");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        match answer["value"]["error"].is_null() {
            true => Ok(answer["value"].clone()),
            false => Err(answer),
        }
    }

    pub(crate) async fn open(&self, address: &str) {
        self.does(Method::POST, "/url", json!({ "url": address }))
            .await;
    }

    /// The first element that this chooses.
    async fn element(&self, css: &str) -> String {
        let by = json!({ "using": "css selector", "value": css });
        let found = self.does(Method::POST, "/element", by).await;
        let found = found.as_object().and_then(|found| found.values().next());
        let id = found.and_then(Value::as_str).expect("an element");
        format!("/element/{id}")
    }

    pub(crate) async fn click(&self, css: &str) {
        let element = self.element(css).await;
        let click = format!("{element}/click");
        self.does(Method::POST, &click, json!({})).await;
    }

    pub(crate) async fn types(&self, css: &str, text: &str) {
        let element = self.element(css).await;
        let value = format!("{element}/value");
        self.does(Method::POST, &value, json!({ "text": text }))
            .await;
    }

    /// Waits until a page shows this, and gives all that is seen of it.
    pub(crate) async fn shows(&self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            // A page that the browser left has no elements.
            let seen = self.seen().await.unwrap_or_default();
            if seen.contains(text) {
                return seen;
            }
            if begun.elapsed() >= PATIENCE {
                // What came of a deed stands below it.
                let end = seen.floor_char_boundary(seen.len().saturating_sub(2000));
                panic!(
                    "no page shows `{text}`; the last one ends in: {}",
                    &seen[end..]
                );
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn seen(&self) -> Option<String> {
        let by = json!({ "using": "css selector", "value": "body" });
        let found = self.tries(Method::POST, "/element", by).await.ok()?;
        let body = found.as_object()?.values().next()?.as_str()?.to_owned();
        let text = format!("/element/{body}/text");
        let text = self.tries(Method::GET, &text, Value::Null).await.ok()?;
        text.as_str().map(ToOwned::to_owned)
    }

    pub(crate) async fn css(&self, element: &str, property: &str) -> String {
        let element = self.element(element).await;
        let css = format!("{element}/css/{property}");
        let value = self.does(Method::GET, &css, Value::Null).await;
        value.as_str().expect("a text").to_owned()
    }

    /// The form's hidden fields, written again.
    pub(crate) async fn hidden_fields(&self) -> String {
        let mut fields = String::new();
        for name in ["form", "seen-calls", "seen-digest"] {
            let element = self.element(&format!("input[name={name}]")).await;
            let value = format!("{element}/attribute/value");
            let value = self.does(Method::GET, &value, Value::Null).await;
            let value = value.as_str().expect("a value");
            fields += &format!("<input name={name} value={value}>");
        }
        fields
    }
}
