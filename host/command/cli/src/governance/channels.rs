//! Where this program asks people about calls: those places that there are, of those that are wanted.

use std::sync::Arc;

use ampoule_approvals::{Page, PageSetting, PlaceName, Store};
use ampoule_config::Config;
use ampoule_configured::governed::Channels;
use ampoule_server::approvals::{Dialogues, Pages};

use super::ServerAddress;
use super::terminal::Terminal;
use crate::asking::Person;
use crate::exit::Failure;

/// What is beneath a server's address of the page.
const PATH: &str = "/approvals";

/// Those places that a server has to know.
#[derive(Default)]
pub(crate) struct AnswerChannels {
    /// The clients' own dialogues, if approvals use them.
    pub(crate) dialogues: Option<Dialogues>,
    /// The page on which people answer, if one is served.
    pub(crate) page: Option<Page>,
}

/// The terminal, if somebody is there.
pub(super) fn at_terminal(config: &Config, store: &Store, person: Option<&Person>) -> Channels {
    let wanted = config.governance.approvals.wants(PlaceName::Terminal);
    let person = person.filter(|_| wanted != Some(false));
    let mut asked = Channels::default();
    if let Some(person) = person {
        asked
            .places
            .push(Arc::new(Terminal::new(person.clone(), store)));
    }
    asked
}

impl AnswerChannels {
    /// The dialogue of an agent in this process.
    pub(super) fn of_agent(&mut self, config: &Config, store: &Store) -> Channels {
        let mut asked = Channels::default();
        if config.governance.approvals.wants(PlaceName::Dialogue) != Some(false) {
            let dialogues = Dialogues::new(store);
            asked.places.push(Arc::new(dialogues.clone()));
            self.dialogues = Some(dialogues);
        }
        asked
    }

    /// Clients' own dialogues, and the page.
    pub(super) fn of_clients(
        &mut self,
        config: &Config,
        store: &Store,
        beneath: &ServerAddress,
    ) -> Result<Channels, Failure> {
        let approvals = &config.governance.approvals;
        let mut asked = Channels::default();
        let dialogues = Dialogues::new(store);
        if approvals.wants(PlaceName::Dialogue) != Some(false) {
            asked.places.push(Arc::new(dialogues.clone()));
            self.dialogues = Some(dialogues.clone());
        }
        if approvals.wants(PlaceName::Page) != Some(false) && approvals.page != PageSetting::Nowhere
        {
            let beneath = beneath.behind_tls(config);
            let pages = self.page(&approvals.page, store, &beneath)?;
            asked.places.push(Arc::new(pages.beside(&dialogues)));
        }
        asked.page.clone_from(&self.page);
        Ok(asked)
    }

    /// The page, where it is.
    fn page(
        &mut self,
        wanted: &PageSetting,
        store: &Store,
        beneath: &ServerAddress,
    ) -> Result<Pages, Failure> {
        let address = match (wanted, beneath) {
            // A process of one client's has a page of its own while something is asked.
            (_, ServerAddress::Nothing) => return Ok(Pages::on_loopback(store)),
            (PageSetting::At(address), _) | (_, ServerAddress::Address(address)) => address,
            (PageSetting::Here | PageSetting::Nowhere, ServerAddress::Unknown) => {
                return Err(Failure::usage(
                    "approvals.page: missing address: Ampoule can't know how browsers reach this server; write, for example, `page = \"https://ampoule.example.com\"`",
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
        self.page = Some(page.clone());
        Ok(Pages::new(page))
    }
}
