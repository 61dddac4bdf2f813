//! What a person is asked, and where: `[approvals]`.

use std::fmt;
use std::time::Duration;

use ampoule_limits::units;

use super::{Keys, one_or_more};
use crate::ConfigError;
use crate::keys::governance::{APPROVALS, WEBHOOK};
use crate::read::{Entry, Table};
use crate::server::{self, Surroundings};

/// What a person is asked, and where. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalsConfig {
    /// `ask`: before calls of which tools: `destructive`, `outgoing`, `open-world`, or patterns.
    pub ask: Vec<String>,
    /// `places`: where people are asked; none is nowhere.
    pub places: Option<Vec<AskPlace>>,
    /// `webhook`: an operator's system that is told of questions.
    pub webhook: Option<WebhookConfig>,
    /// `page`: where the page is reached; none if there is none.
    pub page: Option<AskPage>,
    /// `preview`: whether runs are tried first, and what they would do is approved as one.
    pub preview: bool,
    /// `expires`: how long an answer may take.
    pub expires: Option<Duration>,
    /// `good`: how long an answer can be used.
    pub good: Option<Duration>,
    /// `session`: for how long something may be allowed for a session.
    pub session: Option<Duration>,
}

/// Where the page is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskPage {
    /// `page = true`: where the server listens, on this machine.
    Here,
    /// Under this address.
    At(String),
}

/// Where people are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskPlace {
    /// In the client's own dialogue.
    Dialogue,
    /// On a page that `ampoule serve --http` has.
    Page,
    /// By `ampoule approvals`.
    CommandLine,
    /// At the terminal of `ampoule run`.
    Terminal,
}

/// An operator's system that is told of questions.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookConfig {
    /// `url`: where.
    pub url: String,
    /// `secrets`: what messages are signed with; of two, one is being replaced.
    pub secrets: Vec<String>,
    /// `answer-secret`: what answers are signed with that it may give; without it, it may give none.
    pub answer_secret: Option<String>,
}

impl fmt::Debug for WebhookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An address may have a secret in it, too.
        f.debug_struct("WebhookConfig")
            .field("secrets", &self.secrets.len())
            .field("answers", &self.answer_secret.is_some())
            .finish_non_exhaustive()
    }
}

const PLACES: [(&str, AskPlace); 4] = [
    ("dialogue", AskPlace::Dialogue),
    ("page", AskPlace::Page),
    ("command-line", AskPlace::CommandLine),
    ("terminal", AskPlace::Terminal),
];

pub(super) fn read(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<ApprovalsConfig, ConfigError> {
    let mut keys = Keys::only(table, APPROVALS);
    let mut time = |key| keys.find(key, |it| it.quantity(units::parse_duration));
    let (expires, good, session) = (time("expires"), time("good"), time("session"));
    let config = ApprovalsConfig {
        ask: keys.get("ask", ask),
        places: keys.find("places", |it| it.each(|place| place.choice(&PLACES))),
        webhook: keys.find("webhook", |it| webhook(it, around)),
        page: keys.get("page", |it| page(it, around)),
        preview: keys.get("preview", Entry::boolean),
        expires,
        good,
        session,
    };
    keys.done(config)
}

/// Classes and patterns of tools.
fn ask(entry: &Entry<'_>) -> Result<Vec<String>, ConfigError> {
    let asked = one_or_more(entry)?;
    let is_plain = |text: &String| !text.contains(['"', '\\']) && !text.contains(char::is_control);
    match asked.iter().all(is_plain) {
        true => Ok(asked),
        false => Err(entry.refuse("tools have no quotes and no backslashes in their patterns")),
    }
}

fn page(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<Option<AskPage>, ConfigError> {
    match entry.is_text() {
        true => Ok(Some(AskPage::At(address(entry, around)?))),
        false => Ok(entry
            .boolean()
            .map_err(|_| entry.refuse("this must be true, or an address in quotes"))?
            .then_some(AskPage::Here)),
    }
}

fn address(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<String, ConfigError> {
    let text = server::expanded(entry, around.environment)?;
    let is_address = url::Url::parse(&text)
        .is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.has_host());
    match is_address {
        true => Ok(text),
        false => Err(entry.refuse("this must be an address that begins with https:// or http://")),
    }
}

fn webhook(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<WebhookConfig, ConfigError> {
    let table = entry.table()?;
    let mut keys = Keys::only(&table, WEBHOOK);
    for key in ["url", "secret"] {
        if table.get(key).is_none() {
            let told = format!("the key `{key}` is missing");
            keys.mistakes.add(entry.refuse(told));
        }
    }
    let secret = |it: &Entry<'_>| server::expanded(it, around.environment);
    let config = WebhookConfig {
        url: keys.get("url", |it| address(it, around)),
        secrets: keys.get("secret", |it| match it.is_text() {
            true => secret(it).map(|one| vec![one]),
            false => it.each(secret),
        }),
        answer_secret: keys.find("answer-secret", secret),
    };
    keys.done(config)
}
