//! What this client is to a server: what it can be asked, and what it answers by itself.

use std::path::Path;

use ampoule_tools::{Abilities, AskKind};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::app;

/// A method that this client does not have.
pub(super) const NO_METHOD: i32 = -32601;

/// How much of a method's name is sent back, in bytes.
const SHOWN_BYTES: usize = 100;

/// What the client says of itself.
pub(super) fn identity() -> Value {
    json!({ "name": "ampoule", "version": env!("CARGO_PKG_VERSION") })
}

/// The client of one server, over all connections to it.
#[derive(Debug, Default)]
pub(super) struct Client {
    /// What the callers can answer.
    abilities: Mutex<Abilities>,
    /// MCP's roots; none where the operator named none.
    roots: Vec<Value>,
}

impl Client {
    /// One that answers with these roots: addresses, or absolute paths.
    pub(super) fn new(roots: &[String]) -> Self {
        Self {
            abilities: Mutex::default(),
            roots: roots.iter().map(|root| root_of(root)).collect(),
        }
    }

    /// Adds what a caller can answer: servers hear what all callers can answer together. What a
    /// server then asks is compared with the abilities of the caller whose call it concerns. Roots
    /// are left out: servers that learn of them in a greeting ask for them outside of calls, where
    /// nobody answers.
    pub(super) fn can_answer(&self, more: Abilities) {
        let mut abilities = self.abilities.lock();
        abilities.form |= more.form;
        abilities.url |= more.url;
        abilities.sampling |= more.sampling;
        abilities.sampling_tools |= more.sampling_tools;
    }

    /// What can be answered, as servers hear it that are greeted now.
    pub(super) fn abilities(&self) -> Abilities {
        *self.abilities.lock()
    }

    /// Whether a caller can answer something that a server was not told of, and would be told of if
    /// it were greeted now.
    pub(super) fn would_tell_more(&self, told: Abilities, caller: Abilities) -> bool {
        let now = self.abilities();
        let abilities: [fn(Abilities) -> bool; 4] = [
            |of| of.form,
            |of| of.url,
            |of| of.sampling,
            |of| of.sampling && of.sampling_tools,
        ];
        let mut abilities = abilities.into_iter();
        abilities.any(|has| has(caller) && has(now) && !has(told))
    }

    /// What servers are told when they are greeted.
    pub(super) fn capabilities(&self) -> Value {
        self.capabilities_of(self.abilities())
    }

    /// What servers are told with a call whose respondent has these abilities.
    pub(super) fn capabilities_of(&self, abilities: Abilities) -> Value {
        let mut capabilities = Map::new();
        let object = |names: &[(bool, &str)]| {
            let there = names.iter().filter(|(is_there, _)| *is_there);
            Value::Object(
                there
                    .map(|(_, name)| ((*name).to_owned(), json!({})))
                    .collect(),
            )
        };
        if abilities.form || abilities.url {
            let modes = object(&[(abilities.form, "form"), (abilities.url, "url")]);
            capabilities.insert("elicitation".to_owned(), modes);
        }
        if abilities.sampling {
            let sampling = object(&[(abilities.sampling_tools, "tools")]);
            capabilities.insert("sampling".to_owned(), sampling);
        }
        if abilities.roots || !self.roots.is_empty() {
            capabilities.insert("roots".to_owned(), json!({}));
        }
        capabilities.insert(
            "extensions".to_owned(),
            json!({ app::EXTENSION: { "mimeTypes": [app::MIME_TYPE] } }),
        );
        Value::Object(capabilities)
    }

    /// The answer to a request that nobody has to be asked for: a result, or JSON-RPC's error
    /// object. None where a respondent may answer it.
    pub(super) fn answer(&self, method: &str) -> Option<Result<Value, Value>> {
        Some(match method {
            "ping" => Ok(json!({})),
            "roots/list" if !self.roots.is_empty() => Ok(json!({ "roots": self.roots })),
            "elicitation/create" | "sampling/createMessage" | "roots/list" => return None,
            other => {
                let shown = &other[..other.floor_char_boundary(SHOWN_BYTES)];
                Err(refusal(&format!("it does not know {shown}")))
            }
        })
    }
}

/// A root as servers get it.
fn root_of(root: &str) -> Value {
    let name = Path::new(root).file_name().and_then(|name| name.to_str());
    let uri = match url::Url::from_file_path(root) {
        Ok(path) => path.to_string(),
        Err(()) => root.to_owned(),
    };
    match name {
        Some(name) => json!({ "uri": uri, "name": name }),
        None => json!({ "uri": uri }),
    }
}

/// Why nobody can be asked for this.
pub(super) fn lacks(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Form => "it has no user to ask",
        AskKind::Url => "it has no user who could open an address",
        AskKind::Sampling => "it has no model to sample from",
        AskKind::Roots => "it has no roots",
        _ => "nobody can answer that",
    }
}

/// JSON-RPC's error object for what this client can't do.
pub(super) fn refusal(lacks: &str) -> Value {
    let message = format!("this client runs scripts unattended: {lacks}");
    json!({ "code": NO_METHOD, "message": message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_would_be_told_more_for_each_ability_that_it_did_not_hear_of() {
        let client = Client::default();
        let mut sampling = Abilities::default();
        sampling.sampling = true;
        let mut with_tools = sampling;
        with_tools.sampling_tools = true;
        let mut forms = Abilities::default();
        forms.form = true;
        // No caller announced any of these.
        assert!(!client.would_tell_more(Abilities::default(), with_tools));
        client.can_answer(sampling);
        client.can_answer(with_tools);
        assert!(client.would_tell_more(Abilities::default(), sampling));
        assert!(client.would_tell_more(sampling, with_tools));
        assert!(!client.would_tell_more(sampling, sampling));
        assert!(!client.would_tell_more(with_tools, with_tools));
        assert!(!client.would_tell_more(with_tools, forms));
    }
}
