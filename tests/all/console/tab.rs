//! A browser that runs scripts, as people have it: what it shows, what it was asked to do, and what
//! its console says.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::asking_people::browser::Browser;

const PATIENCE: Duration = Duration::from_secs(60);

/// Which colours a reader prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Light,
    Dark,
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    scheme: Scheme,
    width: u32,
}

/// The ways in which each page is looked at.
pub(super) const LOOKS: [(&str, Look); 4] = [
    (
        "light-1440",
        Look {
            scheme: Scheme::Light,
            width: 1440,
        },
    ),
    (
        "dark-1440",
        Look {
            scheme: Scheme::Dark,
            width: 1440,
        },
    ),
    (
        "light-390",
        Look {
            scheme: Scheme::Light,
            width: 390,
        },
    ),
    (
        "dark-390",
        Look {
            scheme: Scheme::Dark,
            width: 390,
        },
    ),
];

/// A browser with one page.
pub(super) struct Tab {
    browser: Browser,
}

impl Tab {
    pub(super) async fn start(driver: &Path, chromium: &Path) -> Self {
        let options = json!({ "prefs": { "intl.accept_languages": "en-GB" } });
        let browser = Browser::with(driver, chromium, options).await;
        Self { browser }
    }

    pub(super) async fn open(&self, address: &str) {
        self.browser.open(address).await;
    }

    pub(super) async fn shows(&self, text: &str) -> String {
        self.browser.shows(text).await
    }

    /// What a script in the page gives. It may wait for promises.
    pub(super) async fn script(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        self.browser.does(Method::POST, "/execute/sync", body).await
    }

    /// Waits until a script gives something that is true.
    pub(super) async fn until(&self, script: &str) {
        let seen = async {
            loop {
                // A page that the browser left has no scripts.
                let body = json!({ "script": format!("return Boolean({script})"), "args": [] });
                let seen = self
                    .browser
                    .tries(Method::POST, "/execute/sync", body)
                    .await;
                if seen == Ok(Value::Bool(true)) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        };
        if timeout(PATIENCE, seen).await.is_err() {
            let page = self.script("return document.body.innerText").await;
            panic!("never true: `{script}`, in {page}");
        }
    }

    /// The address of the page.
    pub(super) async fn address(&self) -> String {
        let address = self.browser.does(Method::GET, "/url", Value::Null).await;
        address.as_str().expect("an address").to_owned()
    }

    /// Looks at pages in this way from now on.
    pub(super) async fn look(&self, look: Look) {
        let scheme = match look.scheme {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        };
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", media).await;
        let metrics = json!({
            "width": look.width, "height": 900, "deviceScaleFactor": 1, "mobile": look.width < 600,
        });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
            .await;
    }

    /// Shows times as in this zone from now on.
    pub(super) async fn is_in(&self, zone: &str) {
        let zone = json!({ "timezoneId": zone });
        self.devtools("Emulation.setTimezoneOverride", zone).await;
    }

    /// Sends this header with each request from now on.
    pub(super) async fn sends(&self, header: &str, value: &str) {
        self.devtools("Network.enable", json!({})).await;
        let headers = json!({ "headers": { header: value } });
        self.devtools("Network.setExtraHTTPHeaders", headers).await;
    }

    async fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.browser
            .does(Method::POST, "/goog/cdp/execute", body)
            .await
    }

    /// Keeps a picture of the whole page, if `AMPOULE_TEST_SCREENSHOTS` names a folder for it.
    pub(super) async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("AMPOULE_TEST_SCREENSHOTS") else {
            return;
        };
        let whole = json!({ "captureBeyondViewport": true });
        let shot = self.devtools("Page.captureScreenshot", whole).await;
        let data = STANDARD.decode(shot["data"].as_str().expect("a picture"));
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(format!("{name}.png"));
        std::fs::write(path, data.expect("base64")).expect("a file");
    }

    /// What the console of the browser has said since it was asked last: errors and warnings.
    pub(super) async fn complaints(&self) -> Vec<String> {
        let log = json!({ "type": "browser" });
        let said = self.browser.does(Method::POST, "/se/log", log).await;
        let lines = said.as_array().expect("a list").iter();
        let bad = lines.filter(|line| line["level"] == "SEVERE" || line["level"] == "WARNING");
        bad.map(|line| line["message"].to_string()).collect()
    }

    /// Whether a dialogue of a script is open.
    pub(super) async fn has_dialog(&self) -> bool {
        let text = self
            .browser
            .tries(Method::GET, "/alert/text", Value::Null)
            .await;
        text.is_ok()
    }

    /// Presses keys, one after the other. `Tab`, `Enter`, `Space` and `Ctrl+x` are keys; other
    /// texts are written.
    pub(super) async fn press(&self, keys: &[&str]) {
        let mut actions = Vec::new();
        let mut stroke = |key: &str| {
            actions.push(json!({ "type": "keyDown", "value": key }));
            actions.push(json!({ "type": "keyUp", "value": key }));
        };
        for &key in keys {
            match key {
                "Tab" => stroke("\u{e004}"),
                "Enter" => stroke("\u{e007}"),
                "Space" => stroke(" "),
                "Escape" => stroke("\u{e00c}"),
                "Delete" => stroke("\u{e017}"),
                text => text.chars().for_each(|c| stroke(&c.to_string())),
            }
        }
        self.act(&actions).await;
    }

    /// Presses a key while Ctrl is held.
    pub(super) async fn press_with_ctrl(&self, key: &str) {
        let key = match key {
            "Enter" => "\u{e007}",
            "Home" => "\u{e011}",
            key => key,
        };
        self.press_while(&["\u{e009}"], key).await;
    }

    /// Presses a key while Ctrl and Shift are held.
    pub(super) async fn press_with_ctrl_and_shift(&self, key: &str) {
        self.press_while(&["\u{e009}", "\u{e008}"], key).await;
    }

    async fn press_while(&self, held: &[&str], key: &str) {
        let keys = held.iter().chain([&key]);
        let mut actions: Vec<Value> = keys
            .clone()
            .map(|key| json!({ "type": "keyDown", "value": key }))
            .collect();
        actions.extend(
            keys.rev()
                .map(|key| json!({ "type": "keyUp", "value": key })),
        );
        self.act(&actions).await;
    }

    async fn act(&self, actions: &[Value]) {
        let body = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.browser.does(Method::POST, "/actions", body).await;
    }

    /// Goes on with the key Tab until the focus is on an element with this text or label.
    pub(super) async fn tab_to(&self, label: &str) {
        let focused = "let one = document.activeElement;
            while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
            return [one?.innerText ?? '', one?.getAttribute('aria-label') ?? '', one?.value ?? '',
                    one?.labels?.[0]?.innerText ?? ''].map((text) => String(text).trim())";
        let mut passed = Vec::new();
        for _ in 0..120 {
            self.press(&["Tab"]).await;
            let names = self.script(focused).await;
            let names = names.as_array().expect("a list");
            if names.iter().any(|name| name == label) {
                return;
            }
            passed.push(
                names[0]
                    .as_str()
                    .unwrap_or_default()
                    .chars()
                    .take(20)
                    .collect::<String>(),
            );
        }
        panic!("the key Tab never gets to `{label}`: {passed:?}");
    }

    /// The same from the beginning of the page.
    pub(super) async fn tab_to_from_top(&self, label: &str) {
        self.script("document.activeElement.blur(); getSelection().setPosition(document.body, 0)")
            .await;
        self.tab_to(label).await;
    }

    /// The cookies that the browser sends to the page.
    pub(super) async fn cookies(&self) -> Vec<Value> {
        let all = self.browser.does(Method::GET, "/cookie", Value::Null).await;
        all.as_array().expect("a list").clone()
    }

    /// Opens another window with the same sign-in, and goes on there. Gives the one that was left.
    pub(super) async fn other_window(&self) -> String {
        let left = self.browser.does(Method::GET, "/window", Value::Null).await;
        let opened = json!({ "type": "tab" });
        let opened = self.browser.does(Method::POST, "/window/new", opened).await;
        self.to_window(opened["handle"].as_str().expect("a window"))
            .await;
        left.as_str().expect("a window").to_owned()
    }

    /// Goes on in this window.
    pub(super) async fn to_window(&self, window: &str) {
        let window = json!({ "handle": window });
        self.browser.does(Method::POST, "/window", window).await;
    }

    /// What axe finds in the page, where it is a script already.
    pub(super) async fn findings(&self) -> Vec<String> {
        let run = "const done = arguments[arguments.length - 1];
            axe.run(document, { resultTypes: ['violations'] }).then(
                ({ violations }) => done(violations.map(({ id, nodes }) =>
                    `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary} ${node.html}`).slice(0, 3).join('; ')}`)),
                (error) => done([String(error)]))";
        let body = json!({ "script": run, "args": [] });
        let found = self
            .browser
            .does(Method::POST, "/execute/async", body)
            .await;
        let found = found.as_array().expect("a list").iter();
        found
            .map(|one| one.as_str().expect("a text").to_owned())
            .collect()
    }
}
