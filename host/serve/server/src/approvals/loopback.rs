//! The page if no HTTP server has it: at a port of this machine, from the first question on.

use std::net::{IpAddr, Ipv4Addr};

use ampoule_approvals::{Page, QuestionError, Store};
use tokio::sync::OnceCell;

use crate::http::listen::{Address, Listener};
use crate::http::page;

/// The page at a port of this machine.
pub(super) struct Loopback {
    store: Store,
    page: OnceCell<Page>,
}

impl Loopback {
    pub(super) fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            page: OnceCell::new(),
        }
    }

    /// The page, which is served from now on.
    pub(super) async fn page(&self) -> Result<&Page, QuestionError> {
        let begin = || async {
            let address = Address::Tcp((IpAddr::V4(Ipv4Addr::LOCALHOST), 0).into());
            let listener = Listener::bind(&address).await?;
            let page = Page::new(&self.store, &format!("http://{listener}/approvals"))?;
            tokio::spawn(page::serve(listener, page.clone()));
            Ok(page)
        };
        self.page.get_or_try_init(begin).await
    }
}
