//! Where people are asked about calls: those places that there are, of those that are wanted.

use std::sync::Arc;

use ampoule_approvals::{CommandLine, Page, Place, Store, Webhook};
use ampoule_config::{ApprovalsConfig, AskPage, AskPlace, Config};
use ampoule_server::approvals::{Dialogues, Pages};

use super::terminal::Terminal;
use super::{Beneath, For, http, parts};
use crate::exit::Failure;

/// What is beneath a server's address of the page.
const PATH: &str = "/approvals";

/// The places, and those of them that a server has to know.
#[derive(Default)]
pub(super) struct Places {
    pub(super) all: Vec<Arc<dyn Place>>,
    pub(super) dialogues: Option<Dialogues>,
    pub(super) page: Option<Page>,
    /// The operator's system, if it may answer.
    pub(super) webhook: Option<Webhook>,
}

/// All of them, best first.
pub(super) fn places(
    config: &ApprovalsConfig,
    (store, whole): (&Store, &Config),
    of: &For,
) -> Result<Places, Failure> {
    let is_wanted = |place| {
        let named = config.places.as_ref();
        named.map(|places| places.contains(&place))
    };
    let mut places = Places::default();
    match of {
        For::Show => {}
        For::Here(person) => {
            let person = person.as_ref();
            if let Some(person) = person.filter(|_| is_wanted(AskPlace::Terminal) != Some(false)) {
                places.add(Terminal::new(person.clone(), store));
            }
        }
        For::Clients(beneath) => {
            let dialogues = Dialogues::new(store);
            if is_wanted(AskPlace::Dialogue) != Some(false) {
                places.add(dialogues.clone());
                places.dialogues = Some(dialogues.clone());
            }
            if is_wanted(AskPlace::Page) != Some(false) {
                let beneath = behind_tls(beneath, whole);
                places.page(config.page.as_ref(), (store, &dialogues), &beneath)?;
            }
        }
    }
    // Nobody waits beside a command for somebody who does not know of it, unless that is meant.
    let by_default = matches!(of, For::Clients(_));
    if is_wanted(AskPlace::CommandLine).unwrap_or(by_default) {
        places.add(CommandLine);
    }
    if let Some(webhook) = webhook(config, (store, places.page.clone()))? {
        places.add(webhook.clone());
        let may_answer = config
            .webhook
            .as_ref()
            .is_some_and(|it| it.answer_secret.is_some());
        places.webhook = may_answer.then_some(webhook);
    }
    Ok(places)
}

/// A server with a certificate of the configuration's is reached by HTTPS.
fn behind_tls(beneath: &Beneath, config: &Config) -> Beneath {
    match beneath {
        Beneath::Address(address) if config.serve.tls_cert.is_some() => {
            Beneath::Address(address.replacen("http://", "https://", 1))
        }
        other => other.clone(),
    }
}

impl Places {
    fn add(&mut self, place: impl Place) {
        self.all.push(Arc::new(place));
    }

    /// The page, where it is wanted and there is somewhere for it to be.
    fn page(
        &mut self,
        wanted: Option<&AskPage>,
        (store, dialogues): (&Store, &Dialogues),
        beneath: &Beneath,
    ) -> Result<(), Failure> {
        let address = match (wanted, beneath) {
            (None, _) => return Ok(()),
            // A process of one client's has a page of its own while something is asked.
            (Some(_), Beneath::Nothing) => {
                self.add(Pages::on_loopback(store).beside(dialogues));
                return Ok(());
            }
            (Some(AskPage::At(address)), _) | (Some(AskPage::Here), Beneath::Address(address)) => {
                address
            }
            (Some(AskPage::Here), Beneath::Unknown) => {
                return Err(Failure::usage(
                    "approvals.page: it is not known here how browsers reach this server: write the address, such as `page = \"https://ampoule.example.com\"`",
                ));
            }
        };
        let address = address.trim_end_matches('/');
        let base = match address.ends_with(PATH) {
            true => address.to_owned(),
            false => format!("{address}{PATH}"),
        };
        let page = Page::new(store, &base);
        let page = page.map_err(|problem| Failure::usage(format!("approvals.page: {problem}")))?;
        self.add(Pages::new(page.clone()).beside(dialogues));
        self.page = Some(page);
        Ok(())
    }
}

/// The operator's system that is told of questions.
fn webhook(
    config: &ApprovalsConfig,
    (store, page): (&Store, Option<Page>),
) -> Result<Option<Webhook>, Failure> {
    let Some(config) = &config.webhook else {
        return Ok(None);
    };
    let secrets = config.secrets.iter();
    let secrets = secrets.map(|text| parts::secret("secret", text));
    let secrets = secrets.collect::<Result<Vec<_>, _>>()?;
    let post = Arc::new(http::Http::new()?);
    let mut webhook = Webhook::new(store, (&config.url, secrets), page, post);
    if let Some(secret) = &config.answer_secret {
        webhook = webhook.answered_with(parts::secret("answer-secret", secret)?);
    }
    if let Err(problem) = webhook.resume() {
        tracing::warn!(%problem, "questions that were not delivered can't be read");
    }
    Ok(Some(webhook))
}
