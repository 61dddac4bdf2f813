//! Who does something, and what.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use ampoule_untrusted::text;
use cedar_policy::Entity;
use serde_json::Value;

use crate::cedar::{GROUP, MODEL, ROLE, USER, uid};
use crate::run_labels::RunLabels;

/// On whose behalf something is done, by which client, and within which toolkit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The principal's name.
    pub principal: Arc<str>,
    /// The groups that the principal is in.
    pub groups: Vec<Arc<str>>,
    /// The client's name, as it says itself; empty if it says none.
    pub client: Arc<str>,
    /// The toolkit that it is within; empty if it is within none.
    pub toolkit: Arc<str>,
}

impl Caller {
    /// A principal without groups, no client, and no toolkit.
    pub fn new(principal: &str) -> Self {
        Self {
            principal: principal.into(),
            groups: Vec::new(),
            client: "".into(),
            toolkit: "".into(),
        }
    }

    /// As an entity, in its groups and roles.
    pub(crate) fn entity<'r>(&self, roles: impl Iterator<Item = &'r str>) -> Entity {
        let groups = self.groups.iter().map(|group| uid(GROUP, group));
        let within: HashSet<_> = groups.chain(roles.map(|role| uid(ROLE, role))).collect();
        Entity::new_no_attrs(uid(USER, &self.principal), within)
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Act<'a> {
    /// A tool is called.
    Call {
        /// The server's name, as it is configured.
        server: &'a str,
        /// The tool's name, as its server gives it.
        tool: &'a str,
        /// The arguments: an object, valid by the tool's schema.
        arguments: &'a Value,
    },
    /// The model is given what a run returns or prints.
    Model,
}

/// What is asked of policies.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Who.
    pub caller: &'a Caller,
    /// What.
    pub act: Act<'a>,
    /// What the run has read so far.
    pub labels: &'a RunLabels,
}

/// An [`Act`] as people write it: `github.create_issue {"title": "x"}`, or `model`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActText {
    /// The server and the tool; `None` is the model.
    tool: Option<(String, String)>,
    arguments: Value,
}

impl ActText {
    pub(crate) fn new(call: &str, arguments: Value) -> Result<Self, ActError> {
        if call == MODEL {
            return Ok(Self {
                tool: None,
                arguments,
            });
        }
        match call.split_once('.') {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => Ok(Self {
                tool: Some((server.to_owned(), tool.to_owned())),
                arguments,
            }),
            _ => Err(ActError(format!("`{call}` is not a call"))),
        }
    }

    /// What it says.
    pub fn act(&self) -> Act<'_> {
        match &self.tool {
            None => Act::Model,
            Some((server, tool)) => Act::Call {
                server,
                tool,
                arguments: &self.arguments,
            },
        }
    }
}

/// A text that is not an act.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; write `server.tool {{\"argument\": 1}}`, or `model`")]
pub struct ActError(String);

impl FromStr for ActText {
    type Err = ActError;

    fn from_str(text: &str) -> Result<Self, ActError> {
        let text = text.trim();
        let (call, arguments) = match text.find('{') {
            Some(at) => text.split_at(at),
            None if text.contains(char::is_whitespace) => {
                return Err(ActError(format!("`{text}` is not a call")));
            }
            None => (text, "{}"),
        };
        let arguments = serde_json::from_str(arguments);
        let arguments = arguments.map_err(|error| ActError(format!("the arguments: {error}")))?;
        Self::new(call.trim(), arguments)
    }
}

impl fmt::Display for Act<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { server, tool, .. } => {
                let (server, tool) = (text::one_line(server), text::one_line(tool));
                write!(f, "{server}.{tool}")
            }
            Self::Model => f.write_str(MODEL),
        }
    }
}
