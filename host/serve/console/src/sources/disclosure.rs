//! What a viewer may read of what runs left. A client's token opens the console, too, so what policies
//! withhold from that client's model is withheld from the token here. Operators read everything.

use ampoule::{Requester, Runtime};
use ampoule_audit::{Entry, Event};
use serde_json::Value;

use super::begin::CLIENT;
use crate::ConsoleError;
use crate::model::Viewer;

/// Decides for one viewer about texts of one origin.
#[derive(Clone, Copy)]
pub(super) struct Disclosure<'a> {
    pub(super) runtime: &'a Runtime,
    pub(super) viewer: &'a Viewer,
    /// What the runs had read that wrote the texts.
    pub(super) carried: Option<&'a Value>,
}

impl Disclosure<'_> {
    /// Whether the viewer may read this text.
    pub(super) fn allows(&self, text: &str) -> bool {
        let requester = Requester {
            principal: self.viewer.owner(),
            client: Some(CLIENT),
            toolkit: None,
        };
        self.viewer.is_operator() || self.runtime.may_show_text(self.carried, requester, text)
    }

    /// Whether the viewer may read this value.
    pub(super) fn allows_json(&self, value: &Value) -> bool {
        self.viewer.is_operator() || self.allows(&value.to_string())
    }

    /// Refuses a text that the viewer may not read.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Withheld`].
    pub(super) fn check(&self, text: &str) -> Result<(), ConsoleError> {
        match self.allows(text) {
            true => Ok(()),
            false => Err(ConsoleError::Withheld),
        }
    }
}

/// An event of the audit log without the arguments of its call. The log does not say which labels the
/// run had at that moment, so only operators read arguments there.
pub(super) fn without_arguments(entry: &mut Entry) -> Value {
    let mut json = entry.json();
    if let Some(Event::CallAsked(asked)) = &mut entry.event {
        (asked.arguments.full, asked.arguments.redacted) = (None, None);
        if let Some(arguments) = json["arguments"].as_object_mut() {
            arguments.remove("full");
            arguments.remove("redacted");
        }
    }
    json
}
