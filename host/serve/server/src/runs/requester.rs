//! The owner of a run.

use ampoule::{Abilities, Principal};

/// The principal and the client that start a run, or continue one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requester {
    /// Who was let in; none on stdio: the local user.
    pub(crate) principal: Option<Principal>,
    /// The client's name, as the client states it: nothing proves it.
    pub(crate) client: Option<String>,
    /// What the client can answer, as the client states it.
    pub(crate) abilities: Abilities,
    /// Whether the client shows the apps of tools, as the client states it.
    pub(crate) shows_apps: bool,
}

impl Requester {
    /// Who answers in the client's dialogue, as far as is known.
    pub(crate) fn who(&self) -> String {
        let principal = person(self.principal.as_ref());
        match &self.client {
            Some(client) => format!("{principal}, in {client}"),
            None => principal.to_owned(),
        }
    }
}

/// The name of the person for whom runs happen.
fn person(principal: Option<&Principal>) -> &str {
    principal.map_or("the local user", |it| it.name())
}
