//! Where people approve calls: in the program that builds this, with `ampoule approvals`, and in
//! the operator's system.

use std::sync::Arc;

use ampoule_approvals::{
    Channel, CommandLine, Page, PlaceName, Settings, Store, Webhook, WebhookSettings,
};

use super::{Runs, http, parts};
use crate::SetupError;

type ChannelList = Vec<Arc<dyn Channel>>;

/// Where a program asks people itself. Default: nowhere.
#[derive(Default)]
pub struct Channels {
    /// The places, best first.
    pub places: ChannelList,
    /// The page among them, if there is one: the operator's system gets its address.
    pub page: Option<Page>,
}

/// All of them, best first, and the operator's system if it may answer.
pub(super) fn all(
    config: &Settings,
    store: &Store,
    runs: Runs,
    own: Channels,
) -> Result<(ChannelList, Option<Webhook>), SetupError> {
    let Channels { mut places, page } = own;
    // A command or a program does not wait for a person who does not know of the question, unless
    // the configuration says so.
    let by_default = runs == Runs::OfClients;
    if config.wants(PlaceName::CommandLine).unwrap_or(by_default) {
        places.push(Arc::new(CommandLine));
    }
    let Some(config) = &config.webhook else {
        return Ok((places, None));
    };
    let webhook = webhook(config, store, page)?;
    places.push(Arc::new(webhook.clone()));
    let may_answer = config.answer_secret.is_some();
    Ok((places, may_answer.then_some(webhook)))
}

/// The operator's system that gets questions.
fn webhook(
    config: &WebhookSettings,
    store: &Store,
    page: Option<Page>,
) -> Result<Webhook, SetupError> {
    let secrets = config.secrets.iter();
    let secrets = secrets.map(|text| parts::secret("secret", text));
    let secrets = secrets.collect::<Result<Vec<_>, _>>()?;
    let post = Arc::new(http::Http::new()?);
    let mut webhook = Webhook::new(store, &config.url, secrets, page, post);
    if let Some(secret) = &config.answer_secret {
        webhook = webhook.answered_with(parts::secret("answer-secret", secret)?);
    }
    if let Err(problem) = webhook.resume() {
        tracing::warn!(%problem, "can't read undelivered questions");
    }
    Ok(webhook)
}
